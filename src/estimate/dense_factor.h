/* SPDX-License-Identifier: Apache-2.0
 *
 * dense_factor.h - small dense linear systems: L U with row exchanges. No foreign library: the systems have at most
 * some hundred unknowns.
 *
 * Rows are scaled by their largest entry first. Those of conditions and of fourth derivatives differ by powers of ten,
 * and only beside its own row can a pivot be called small.
 */
#ifndef ESTIMATE_DENSE_FACTOR_H
#define ESTIMATE_DENSE_FACTOR_H

#include <stdbool.h>

/* matrix: [n][n], in place; rows and scales: [n]. False when the matrix is singular to rounding or not finite. */
bool dense_factor(int n, double *matrix, int *rows, double *scales);
void dense_solve_factored(int n, const double *factors, const int *rows, const double *scales, double *right);

#endif
