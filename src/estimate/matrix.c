/* SPDX-License-Identifier: Apache-2.0 */
#include "estimate/matrix.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "estimate/dense_factor.h"

static int folded(const mesh *mesh, int node) {
  if (mesh->kind != MESH_PERIODIC) return node;
  return 2 * node < mesh->nodes ? 2 * node : 2 * (mesh->nodes - 1 - node) + 1;
}

/* How far apart two nodes of one formula stand. A condition may stand in the row of the node beside its own. */
static int farthest(const mesh *mesh) {
  int most = mesh->reach;
  for (int i = 0; i < mesh->nodes; i++)
    for (int k = 0; k < mesh->reach; k++) {
      int apart = abs(folded(mesh, i) - folded(mesh, mesh_column(mesh, i, k)));
      if (apart > most) most = apart;
    }
  return most;
}

static ans_status make_band(ans_context *context, arena *arena, const mesh *mesh, int components, matrix *m) {
  int *order = arena_array(arena, int, (size_t)m->size);
  m->pivots.ends = arena_array(arena, int, (size_t)m->size);
  m->pivots.depths = arena_array(arena, int, (size_t)m->size);
  m->room = arena_array(arena, double, (size_t)m->size);
  if (!order || !m->pivots.ends || !m->pivots.depths || !m->room) return context_no_memory(context);
  for (int c = 0; c < components; c++)
    for (int j = 0; j < mesh->nodes; j++) order[c * mesh->nodes + j] = folded(mesh, j) * components + c;
  m->order = order;
  m->band = (farthest(mesh) + 1) * components - 1;
  m->count = size_product((size_t)m->size, band_stride(m->band));
  return ANS_OK;
}

ans_status matrix_new(ans_context *context, arena *arena, const mesh *mesh, int components, matrix *m) {
  *m = (matrix){.size = components * mesh->nodes};
  m->count = size_product((size_t)m->size, (size_t)m->size);
  if (mesh_graded(mesh)) TRY(make_band(context, arena, mesh, components, m));
  m->entries = arena_array(arena, double, m->count);
  m->pivots.rows = arena_array(arena, int, (size_t)m->size);
  m->pivots.scales = arena_array(arena, double, (size_t)m->size);
  return m->entries && m->pivots.rows && m->pivots.scales ? ANS_OK : context_no_memory(context);
}

void matrix_clear(matrix *m) { memset(m->entries, 0, m->count * sizeof *m->entries); }

void matrix_clear_row(matrix *m, int row) {
  size_t stride = m->band > 0 ? band_stride(m->band) : (size_t)m->size;
  size_t at = (size_t)(m->band > 0 ? m->order[row] : row) * stride;
  memset(m->entries + at, 0, stride * sizeof *m->entries);
}

void matrix_negate(const matrix *from, matrix *to) {
  assert(from->count == to->count && from->band == to->band);
  for (size_t i = 0; i < from->count; i++) to->entries[i] = -from->entries[i];
}

bool matrix_factor(matrix *m) {
  return m->band > 0 ? band_factor(m->size, m->band, m->entries, &m->pivots)
                     : dense_factor(m->size, m->entries, m->pivots.rows, m->pivots.scales);
}

void matrix_solve(const matrix *m, double *right) {
  if (m->band == 0) {
    dense_solve_factored(m->size, m->entries, m->pivots.rows, m->pivots.scales, right);
    return;
  }
  for (int i = 0; i < m->size; i++) m->room[m->order[i]] = right[i];
  band_solve_factored(m->size, m->band, m->entries, &m->pivots, m->room);
  for (int i = 0; i < m->size; i++) right[i] = m->room[m->order[i]];
}
