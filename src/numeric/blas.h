/* SPDX-License-Identifier: Apache-2.0
 *
 * blas.h - dense linear algebra on row-major matrices. The products come from the engine's own kernels
 * (own_blas.c) or, where that is asked for, from OpenBLAS (blas.c, the only file that sees it, and keeps it on one
 * thread: threads are ours, and results must not depend on their number). The rest is made of products (cholesky.c).
 */
#ifndef NUMERIC_BLAS_H
#define NUMERIC_BLAS_H

#include <stdbool.h>

#include "numeric/real.h"

#define blas_ready          REAL_NAME(blas_ready)
#define blas_gemm           REAL_NAME(blas_gemm)
#define blas_gemv           REAL_NAME(blas_gemv)
#define blas_syrk           REAL_NAME(blas_syrk)
#define blas_cholesky       REAL_NAME(blas_cholesky)
#define blas_cholesky_solve REAL_NAME(blas_cholesky_solve)
#define blas_description    REAL_NAME(blas_description)

/* False when there is no room for the buffer that products need; asked before the first product, which would wait. */
bool blas_ready(void);

/* C [m][n] <- alpha op(A) op(B) + beta C, op(A) [m][k], op(B) [k][n]; each ld is the length of a stored row. */
void blas_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, real alpha, const real *a, int lda,
               const real *b, int ldb, real beta, real *c, int ldc);

/* y [m] <- alpha op(A) x + beta y, op(A) [m][n]. */
void blas_gemv(bool transpose, int m, int n, real alpha, const real *a, int lda, const real *x, real beta, real *y);

/* C [n][n] <- alpha op(A) op(A)^T + beta C, op(A) [n][k]; only the lower triangle of C is read and written. */
void blas_syrk(bool transpose, int n, int k, real alpha, const real *a, int lda, real beta, real *c, int ldc);

/* A = L L^T in place, in the lower triangle of A; the rest is not touched. False when A is not positive definite. */
bool blas_cholesky(int n, real *a, int lda);

/* Solves A x = b for `count` right-hand sides, one per row of b [count][n], in place; a from blas_cholesky. */
void blas_cholesky_solve(int n, int count, const real *a, int lda, real *b, int ldb);

/* Which library runs underneath, and for which processor it chose its kernels. */
const char *blas_description(void);

#endif
