/* SPDX-License-Identifier: Apache-2.0
 *
 * blas.h - dense linear algebra on row-major matrices. The products come from the engine's own kernels
 * (own_blas.c) or, where that is asked for, from OpenBLAS (blas.c, the only file that sees it, and keeps it on one
 * thread: threads are ours, and results must not depend on their number). Factors are those of symmetric.h.
 */
#ifndef NUMERIC_BLAS_H
#define NUMERIC_BLAS_H

#include <stdbool.h>

#include "numeric/real.h"

#define blas_ready       REAL_NAME(blas_ready)
#define blas_gemm        REAL_NAME(blas_gemm)
#define blas_gemv        REAL_NAME(blas_gemv)
#define blas_description REAL_NAME(blas_description)

/* False when there is no room for the buffer that products need; asked before the first product, which would wait. */
bool blas_ready(void);

/* C [m][n] <- alpha op(A) op(B) + beta C, op(A) [m][k], op(B) [k][n]; each ld is the length of a stored row. */
void blas_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, real alpha, const real *a, int lda,
               const real *b, int ldb, real beta, real *c, int ldc);

/* y [m] <- alpha op(A) x + beta y, op(A) [m][n]. */
void blas_gemv(bool transpose, int m, int n, real alpha, const real *a, int lda, const real *x, real beta, real *y);

/* Which library runs underneath, and for which processor it chose its kernels. */
const char *blas_description(void);

#endif
