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

/* entries: [n][stride], in place; rows, ends: [n], scales: [n]. False when the matrix is singular to rounding or not
 * finite. */
bool band_factor(int n, int band, double *entries, int *rows, int *ends, double *scales);
void band_solve_factored(int n, int band, const double *factors, const int *rows, const int *ends, const double *scales,
                         double *right);

#endif
