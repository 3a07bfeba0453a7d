/* SPDX-License-Identifier: Apache-2.0
 *
 * small_matrix.h - symmetric matrices of a few unknowns: [n][n], n at most FIT_MAX_UNKNOWNS.
 */
#ifndef FIT_SMALL_MATRIX_H
#define FIT_SMALL_MATRIX_H

#include <stdbool.h>

/* b <- A^-1 b by Cholesky; A is spoilt. False: A is not positive definite. */
bool small_solve(int n, double *a, double *b);

/* inverse <- A^-1. False: A is not positive definite. */
bool small_inverse(int n, const double *a, double *inverse);

/* Eigenvalues, increasing, and eigenvectors as rows, by Jacobi's rotations. A is spoilt. */
void small_eigen(int n, double *a, double *values, double *vectors);

#endif
