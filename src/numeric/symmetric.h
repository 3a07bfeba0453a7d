/* SPDX-License-Identifier: Apache-2.0
 *
 * symmetric.h - symmetric products, Cholesky factors and their solutions for the matrices of a Gauss-Newton step.
 *
 * Work is cut in blocks whose size does not depend on the number of threads, and every block is one product on one
 * thread: the same bits for any number of them. Matrices are stored by rows, and only their lower triangle is used.
 */
#ifndef NUMERIC_SYMMETRIC_H
#define NUMERIC_SYMMETRIC_H

#include <stdbool.h>
#include <stddef.h>

#include "numeric/real.h"

#define symmetric_product REAL_NAME(symmetric_product)
#define symmetric_factor  REAL_NAME(symmetric_factor)
#define symmetric_solve   REAL_NAME(symmetric_solve)
#define symmetric_room    REAL_NAME(symmetric_room)

/* C [n][n] <- (add ? C : 0) + op(A) op(A)^T; op(A) is [n][k], A itself, or with `transpose` that of A [k][n]. */
void symmetric_product(bool transpose, int n, int k, const real *a, size_t lda, bool add, real *c, size_t ldc,
                       int threads);

/* A = L L^T in place. False when A is not positive definite, or not finite; A is then spoilt. */
bool symmetric_factor(int n, real *a, size_t lda, real *work, int threads);
size_t symmetric_room(int n); /* reals of work */

/* b <- A^-1 b, with L from symmetric_factor; sums are double. */
void symmetric_solve(int n, const real *a, size_t lda, double *b);

#endif
