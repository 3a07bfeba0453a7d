/* SPDX-License-Identifier: Apache-2.0
 *
 * dense_preconditioner.c - I - gamma J as one matrix over the unknowns. A derivative of a field is a matrix on its
 * nodes; with the eliminated nodes expressed by the kept ones it becomes a matrix on the unknowns.
 */
#include <assert.h>
#include <string.h>

#include "reference/dense.h"
#include "reference/preconditioner.h"

typedef struct dense {
  double *derivatives[LINES_MAX_SLOTS]; /* per slot: [nodes][unknowns of the slot's field] */
  double *matrix;                       /* [size][size] */
  int *pivots;
} dense;

ans_status preconditioner_new(ans_context *context, const lines *lines, preconditioner **result) {
  *result = NULL;
  arena *arena;
  TRY(arena_new(context, &arena));
  preconditioner *preconditioner = arena_take(arena, sizeof *preconditioner);
  if (!preconditioner) {
    arena_free(arena);
    return context_no_memory(context);
  }
  preconditioner->arena = arena;
  preconditioner->lines = lines;
  *result = preconditioner;
  return ANS_OK;
}

void preconditioner_free(preconditioner *preconditioner) {
  if (preconditioner) arena_free(preconditioner->arena);
}

static void fill_derivative(const lines *lines, const lines_slot *slot, double *derivative) {
  int n = lines->node_count, first = lines->first[slot->field], count = lines->count[slot->field];
  const boundary *b = &lines->boundaries[slot->field];
  for (int i = 0; i < n; i++) {
    const double *row = lines->space->row(lines->space, slot->order, i).weights;
    for (int j = 0; j < count; j++) {
      double sum = row[first + j];
      for (int e = 0; e < b->count; e++) sum += row[boundary_node(b, n, e)] * b->from_nodes[(size_t)e * n + first + j];
      derivative[(size_t)i * count + j] = sum;
    }
  }
}

/* matrix -= gamma * diag(weight) * derivative, in the block (equation, field). */
static void subtract_coupling(const lines *lines, const lines_coupling *coupling, const double *derivative,
                              double gamma, double *matrix) {
  int equation = coupling->equation, field = lines->slots[coupling->slot].field, columns = lines->count[field];
  for (int i = 0; i < lines->count[equation]; i++) {
    int node = lines->first[equation] + i;
    double scale = gamma * coupling->weight[node];
    const double *from = derivative + (size_t)node * columns;
    double *to = matrix + ((size_t)lines->offset[equation] + i) * lines->size + lines->offset[field];
    for (int j = 0; j < columns; j++) to[j] -= scale * from[j];
  }
}

static bool factorise(preconditioner *preconditioner, double gamma) {
  const lines *lines = preconditioner->lines;
  dense *d = preconditioner->data;
  size_t size = (size_t)lines->size;
  memset(d->matrix, 0, size * size * sizeof *d->matrix);
  for (size_t i = 0; i < size; i++) d->matrix[i * size + i] = 1;
  for (int i = 0; i < lines->coupling_count; i++)
    subtract_coupling(lines, &lines->couplings[i], d->derivatives[lines->couplings[i].slot], gamma, d->matrix);
  return dense_factorise(lines->size, d->matrix, d->pivots);
}

static void apply(preconditioner *preconditioner, const double *r, double *result) {
  const dense *d = preconditioner->data;
  memcpy(result, r, (size_t)preconditioner->lines->size * sizeof *r);
  dense_solve(preconditioner->lines->size, d->matrix, d->pivots, result);
}

static ans_status fill(ans_context *context, preconditioner *preconditioner) {
  assert(preconditioner);
  const lines *lines = preconditioner->lines;
  arena *arena = preconditioner->arena;
  size_t size = (size_t)lines->size;
  dense *d = arena_take(arena, sizeof *d);
  if (!d) return context_no_memory(context);
  d->matrix = arena_array(arena, double, size_product(size, size));
  d->pivots = arena_array(arena, int, size);
  if (!d->matrix || !d->pivots) return context_no_memory(context);
  for (int s = 0; s < lines->slot_count; s++) {
    size_t entries = size_product((size_t)lines->node_count, (size_t)lines->count[lines->slots[s].field]);
    d->derivatives[s] = arena_array(arena, double, entries);
    if (!d->derivatives[s]) return context_no_memory(context);
    fill_derivative(lines, &lines->slots[s], d->derivatives[s]);
  }
  preconditioner->data = d;
  preconditioner->factorise_work = 0.5 * (double)size * (double)size * (double)size;
  preconditioner->apply_work = 1.0 * (double)size * (double)size;
  preconditioner->factorise = factorise;
  preconditioner->apply = apply;
  return ANS_OK;
}

ans_status preconditioner_dense(ans_context *context, const lines *lines, preconditioner **result) {
  TRY(preconditioner_new(context, lines, result));
  ans_status status = fill(context, *result);
  if (status != ANS_OK) {
    preconditioner_free(*result);
    *result = NULL;
  }
  return status;
}
