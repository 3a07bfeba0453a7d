/* SPDX-License-Identifier: Apache-2.0
 *
 * kernels.c - which table is used, and which activation loop an algebra allows.
 */
#include "numeric/kernels/kernels.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

extern const kernel_table REAL_NAME(kernels_baseline);
#if defined(__x86_64__)
extern const kernel_table REAL_NAME(kernels_avx2), REAL_NAME(kernels_avx512);
#endif

const kernel_table *kernels_by_name(const char *name) {
  if (strcmp(name, "baseline") == 0) return &REAL_NAME(kernels_baseline);
#if defined(__x86_64__)
  bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
  if (avx2 && strcmp(name, "avx2") == 0) return &REAL_NAME(kernels_avx2);
  if (avx512 && strcmp(name, "avx512") == 0) return &REAL_NAME(kernels_avx512);
#endif
  return NULL;
}

static const kernel_table *choose_table(void) {
  static const char *const widest_first[] = {"avx512", "avx2", "baseline"};
  const char *pinned = getenv("ANSATZ_ISA");
  const kernel_table *table = pinned ? kernels_by_name(pinned) : NULL;
  for (int i = 0; !table; i++) table = kernels_by_name(widest_first[i]);
  return table;
}

static _Atomic(const kernel_table *) chosen;

/* Two threads that both decide come to the same table. */
const kernel_table *kernels_chosen(void) {
  const kernel_table *table = atomic_load_explicit(&chosen, memory_order_acquire);
  if (!table) atomic_store_explicit(&chosen, table = choose_table(), memory_order_release);
  return table;
}

void kernels_use(const kernel_table *table) { atomic_store_explicit(&chosen, table, memory_order_release); }

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
  return rule;
}
