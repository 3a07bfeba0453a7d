/* SPDX-License-Identifier: Apache-2.0
 *
 * band_factor.h - linear systems whose matrix has a band: L U with row exchanges, as dense_factor.h for small ones.
 *
 * Entry (i, j) of the matrix, |i - j| <= band, stands at  entries[i * band_stride(band) + j - i + band].  The rest of a
 * row is room for what row exchanges fill in.
 */
#ifndef ESTIMATE_BAND_FACTOR_H
#define ESTIMATE_BAND_FACTOR_H

#include <stdbool.h>
#include <stddef.h>

static inline size_t band_stride(int band) { return 3 * (size_t)band + 1; }

/* What goes with the factors, [n] each. Most rows and columns reach less far than the band, which is that of the rows
 * at a wall. */
typedef struct band_pivots {
  int *rows;   /* with which a row was exchanged */
  int *ends;   /* the last column of a row that is not zero */
  int *depths; /* the last row of a column that is not zero */
  double *scales;
} band_pivots;

/* entries: [n][stride], in place. False when the matrix is singular to rounding or not finite. */
bool band_factor(int n, int band, double *entries, const band_pivots *pivots);
void band_solve_factored(int n, int band, const double *factors, const band_pivots *pivots, double *right);

#endif
