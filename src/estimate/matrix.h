/* SPDX-License-Identifier: Apache-2.0
 *
 * matrix.h - the Jacobian of the error's equation, its factors and solutions: dense on a spectral mesh, with a band on
 * a graded one.
 *
 * For the band the unknowns of one node stand together, and a period is folded: nodes 0, n-1, 1, n-2, ... so that both
 * ends are neighbours. Whoever fills a matrix or solves with it need not know: rows and columns are numbered as the
 * unknowns are.
 */
#ifndef ESTIMATE_MATRIX_H
#define ESTIMATE_MATRIX_H

#include "estimate/band_factor.h"
#include "estimate/mesh.h"

typedef struct matrix {
  int size, band;     /* band 0: dense */
  const int *order;   /* [size]: where an unknown stands in the band */
  double *entries;    /* dense: [size][size] */
  size_t count;       /* of entries */
  band_pivots pivots; /* of the factors; dense: rows and scales */
  double *room;       /* [size] */
} matrix;

/* Zero. Unknowns: `components` times the nodes of the mesh. */
ans_status matrix_new(ans_context *context, arena *arena, const mesh *mesh, int components, matrix *result);

static inline double *matrix_entry(const matrix *m, int row, int column) {
  if (m->band == 0) return m->entries + (size_t)row * (size_t)m->size + (size_t)column;
  int i = m->order[row], j = m->order[column];
  return m->entries + ((size_t)i * band_stride(m->band) + (size_t)(j - i + m->band));
}

void matrix_clear(matrix *matrix);
void matrix_clear_row(matrix *matrix, int row);
void matrix_negate(const matrix *from, matrix *to); /* of the same shape */

/* In place. False when the matrix is singular to rounding or not finite. */
bool matrix_factor(matrix *matrix);
void matrix_solve(const matrix *factors, double *right);

#endif
