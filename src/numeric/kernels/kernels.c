/* SPDX-License-Identifier: Apache-2.0
 *
 * kernels.c - which table is used, and which activation loop an algebra allows.
 */
#include "numeric/kernels/kernels.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "numeric/kernels/isa.h"

extern const kernel_table REAL_NAME(kernels_baseline);
#if defined(__x86_64__)
extern const kernel_table REAL_NAME(kernels_avx2), REAL_NAME(kernels_avx512);
#endif

static const kernel_table *const tables[] = {
    &REAL_NAME(kernels_baseline),
#if defined(__x86_64__)
    &REAL_NAME(kernels_avx2),
    &REAL_NAME(kernels_avx512),
#endif
};

static bool is_available(const char *name) {
  const char *available;
  for (size_t i = 0; (available = isa_name(i)); i++)
    if (strcmp(available, name) == 0) return true;
  return false;
}

const kernel_table *kernels_by_name(const char *name) {
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    if (strcmp(tables[i]->name, name) == 0 && is_available(name)) return tables[i];
  return NULL;
}

static const kernel_table *choose_table(void) {
  const char *pinned = getenv("ANSATZ_ISA");
  const kernel_table *table = pinned ? kernels_by_name(pinned) : NULL;
  return table ? table : kernels_by_name(isa_name(0));
}

static _Atomic(const kernel_table *) chosen;

/* Two threads that both decide come to the same table. */
const kernel_table *kernels_chosen(void) {
  const kernel_table *table = atomic_load_explicit(&chosen, memory_order_acquire);
  if (!table) atomic_store_explicit(&chosen, table = choose_table(), memory_order_release);
  return table;
}

void kernels_use(const kernel_table *table) { atomic_store_explicit(&chosen, table, memory_order_release); }

/* The coordinate that a channel is a derivative along; -1: of a mixed one. */
static int coordinate_of(const uint8_t *index) {
  int found = -1;
  for (int d = 0; d < ALGEBRA_MAX_COORDINATES; d++) {
    if (index[d] == 0) continue;
    if (found >= 0) return -1;
    found = d;
  }
  return found;
}

static void find_chains(const algebra *algebra, kernel_rule *rule) {
  int place[ALGEBRA_MAX_COORDINATES] = {0}; /* of a coordinate's chain, counted from 1 */
  if (algebra->operator_channel >= 0 || algebra->degree < 2) return;
  for (int c = 1; c < algebra->channels; c++) {
    int coordinate = coordinate_of(algebra->index[c]);
    if (coordinate < 0) {
      rule->chain_count = 0;
      return;
    }
    if (!place[coordinate]) place[coordinate] = ++rule->chain_count;
    kernel_chain *chain = &rule->chains[place[coordinate] - 1];
    chain->channel[++chain->length] = c; /* channels are sorted by degree */
  }
  for (int i = 0; i < 2; i++)
    if (rule->chain_count == 2 && rule->chains[i].length > 2 && rule->chains[1 - i].length == 1)
      rule->long_chain = rule->chains[i].channel[1];
}

kernel_rule kernel_rule_of(const algebra *algebra) {
  kernel_rule rule = {
      .channels = algebra->channels, .quick = algebra->channels <= KERNEL_QUICK_CHANNELS, .algebra = algebra};
  int last = algebra->channels - 1;
  for (int p = 0; p < algebra->product_count; p++) {
    algebra_product it = algebra->products[p];
    if (!it.left || !it.right) continue;
    if (it.result != last || it.left == last || it.right == last || it.left > 2 || it.right > 2) rule.quick = false;
    if (it.left == 1 && it.right == 1)
      rule.q11 += (real)it.factor;
    else if (it.left == 2 && it.right == 2)
      rule.q22 += (real)it.factor;
    else
      rule.q12 += (real)it.factor;
  }
  find_chains(algebra, &rule);
  return rule;
}
