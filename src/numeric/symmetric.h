/* SPDX-License-Identifier: Apache-2.0
 *
 * symmetric.h - symmetric products, Cholesky factors and their solutions for the matrices of a Gauss-Newton step.
 *
 * Built on the register tiles of kernels.h, without BLAS. Work is cut in pieces that do not depend on the number of
 * threads: the same bits for any number of them. Matrices are stored by rows, and only the lower triangle of a
 * symmetric one means anything; its rows begin on 64-byte boundaries (symmetric_stride).
 */
#ifndef NUMERIC_SYMMETRIC_H
#define NUMERIC_SYMMETRIC_H

#include <stdbool.h>
#include <stddef.h>

#include "numeric/real.h"

#define symmetric_stride    REAL_NAME(symmetric_stride)
#define symmetric_room      REAL_NAME(symmetric_room)
#define symmetric_product   REAL_NAME(symmetric_product)
#define symmetric_gram      REAL_NAME(symmetric_gram)
#define symmetric_gram_room REAL_NAME(symmetric_gram_room)
#define symmetric_factor    REAL_NAME(symmetric_factor)
#define symmetric_solve     REAL_NAME(symmetric_solve)

size_t symmetric_stride(int n);            /* reals from row to row of a symmetric matrix */
size_t symmetric_room(int n, int threads); /* reals of the workspace for one of this size */

/* C [n][stride] <- (add ? C : 0) + A A^T, A [n][lda] of which k columns count. */
void symmetric_product(int n, int k, const real *a, size_t lda, bool add, real *c, real *work, int threads);

/* C [n][stride] <- A^T A, A [k][lda] of which n columns count; blocks: symmetric_gram_room reals. The same bits as
 * symmetric_product of the transposed matrix. */
size_t symmetric_gram_room(int n, int k);
void symmetric_gram(int n, int k, const real *a, size_t lda, real *c, real *blocks, int threads);

/* A = L L^T in place, A [n][stride]. False when A is not positive definite or not finite; A is then spoilt. */
bool symmetric_factor(int n, real *a, real *work, int threads);

/* b <- A^-1 b, with L from symmetric_factor; sums are double. */
void symmetric_solve(int n, const real *a, double *b);

#endif
