/* SPDX-License-Identifier: Apache-2.0
 *
 * banded_preconditioner.c - I - gamma J as a banded matrix, for spaces whose derivatives reach a few nodes only. The
 * unknowns are taken node by node, the fields of a node side by side.
 */
#include <math.h>
#include <string.h>

#include "reference/preconditioner.h"

typedef struct banded {
  int width;      /* entries beside the diagonal, on either side; pivoting adds as many on the right */
  int *positions; /* [fields][nodes]: place among the unknowns taken node by node; -1: eliminated */
  int *unknowns;  /* [size]: the unknown at a place */
  double *rows;   /* [size][3 width + 1]: entry (i, j) stands at j - i + width */
  int *pivots;
  double *work; /* [size] */
} banded;

static double *entry(const banded *b, int row, int column) {
  return b->rows + (size_t)row * (size_t)(3 * b->width + 1) + (column - row + b->width);
}

static void add_at(const banded *b, int row, int column, double value) { *entry(b, row, column) += value; }

/* The value at a node in the unknowns: itself, or what the boundary conditions make of its neighbours. */
static void add_node(const lines *lines, const banded *b, int row, int field, int node, double value) {
  int n = lines->node_count, column = b->positions[(size_t)field * n + node];
  const boundary *boundary = &lines->boundaries[field];
  if (column >= 0) {
    add_at(b, row, column, value);
    return;
  }
  int low = node < boundary->low ? boundary->low : n - 1 - lines->space->reach,
      high = node < boundary->low ? lines->space->reach : n - 1 - boundary->high;
  int eliminated = node < boundary->low ? node : node - (n - boundary->count);
  for (int j = low; j <= high; j++)
    add_at(b, row, b->positions[(size_t)field * n + j], value * boundary->from_nodes[(size_t)eliminated * n + j]);
}

static void fill_rows(const lines *lines, const banded *b, double gamma) {
  memset(b->rows, 0, (size_t)lines->size * (size_t)(3 * b->width + 1) * sizeof *b->rows);
  for (int i = 0; i < lines->size; i++) *entry(b, i, i) = 1;
  for (int i = 0; i < lines->coupling_count; i++) {
    const lines_coupling *coupling = &lines->couplings[i];
    const lines_slot *slot = &lines->slots[coupling->slot];
    for (int j = 0; j < lines->count[coupling->equation]; j++) {
      int node = lines->first[coupling->equation] + j;
      int to = b->positions[(size_t)coupling->equation * lines->node_count + node];
      space_row row = lines->space->row(lines->space, slot->order, node);
      for (int k = 0; k < row.count; k++)
        add_node(lines, b, to, slot->field, row.first + k, -gamma * coupling->weight[node] * row.weights[k]);
    }
  }
}

static void exchange(const banded *b, int size, int i, int j, int from) {
  int last = from + 2 * b->width < size - 1 ? from + 2 * b->width : size - 1;
  for (int c = from; c <= last; c++) {
    double kept = *entry(b, i, c);
    *entry(b, i, c) = *entry(b, j, c);
    *entry(b, j, c) = kept;
  }
}

static bool factorise(preconditioner *preconditioner, double gamma) {
  const banded *b = preconditioner->data;
  int size = preconditioner->lines->size;
  fill_rows(preconditioner->lines, b, gamma);
  for (int k = 0; k < size; k++) {
    int below = k + b->width < size - 1 ? k + b->width : size - 1,
        right = k + 2 * b->width < size - 1 ? k + 2 * b->width : size - 1, best = k;
    for (int i = k + 1; i <= below; i++)
      if (fabs(*entry(b, i, k)) > fabs(*entry(b, best, k))) best = i;
    b->pivots[k] = best;
    if (best != k) exchange(b, size, k, best, k);
    double pivot = *entry(b, k, k);
    if (!isfinite(pivot) || pivot == 0) return false;
    const double *from = entry(b, k, k);
    for (int i = k + 1; i <= below; i++) {
      double *to = entry(b, i, k), factor = to[0] /= pivot;
      if (factor == 0) continue;
      for (int c = 1; c <= right - k; c++) to[c] -= factor * from[c];
    }
  }
  return true;
}

static void apply(preconditioner *preconditioner, const double *r, double *result) {
  const banded *b = preconditioner->data;
  int size = preconditioner->lines->size;
  double *x = b->work;
  for (int i = 0; i < size; i++) x[i] = r[b->unknowns[i]];
  for (int k = 0; k < size; k++) {
    double kept = x[b->pivots[k]];
    x[b->pivots[k]] = x[k];
    x[k] = kept;
    for (int i = k + 1; i <= k + b->width && i < size; i++) x[i] -= *entry(b, i, k) * kept;
  }
  for (int i = size; i-- > 0;) {
    double sum = x[i];
    for (int c = i + 1; c <= i + 2 * b->width && c < size; c++) sum -= *entry(b, i, c) * x[c];
    x[i] = sum / *entry(b, i, i);
  }
  for (int i = 0; i < size; i++) result[b->unknowns[i]] = x[i];
}

static void number_nodes(const lines *lines, banded *b) {
  for (int node = 0, at = 0; node < lines->node_count; node++)
    for (int f = 0; f < lines->field_count; f++) {
      int i = node - lines->first[f];
      bool kept = i >= 0 && i < lines->count[f];
      b->positions[(size_t)f * lines->node_count + node] = kept ? at : -1;
      if (kept) b->unknowns[at++] = lines->offset[f] + i;
    }
}

static ans_status fill(ans_context *context, preconditioner *preconditioner) {
  const lines *lines = preconditioner->lines;
  arena *arena = preconditioner->arena;
  size_t size = (size_t)lines->size;
  banded *b = arena_take(arena, sizeof *b);
  if (!b) return context_no_memory(context);
  b->width = (lines->space->reach + 1) * lines->field_count;
  b->positions = arena_array(arena, int, size_product((size_t)lines->field_count, (size_t)lines->node_count));
  b->unknowns = arena_array(arena, int, size);
  b->rows = arena_array(arena, double, size_product(size, (size_t)(3 * b->width + 1)));
  b->pivots = arena_array(arena, int, size);
  b->work = arena_array(arena, double, size);
  if (!b->positions || !b->unknowns || !b->rows || !b->pivots || !b->work) return context_no_memory(context);
  number_nodes(lines, b);
  preconditioner->data = b;
  preconditioner->factorise = factorise;
  preconditioner->apply = apply;
  preconditioner->factorise_work = 2.0 * lines->size * b->width * b->width;
  preconditioner->apply_work = 4.0 * lines->size * b->width;
  return ANS_OK;
}

ans_status preconditioner_banded(ans_context *context, const lines *lines, preconditioner **result) {
  TRY(preconditioner_new(context, lines, result));
  ans_status status = fill(context, *result);
  if (status != ANS_OK) {
    preconditioner_free(*result);
    *result = NULL;
  }
  return status;
}
