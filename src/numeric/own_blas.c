/* SPDX-License-Identifier: Apache-2.0
 *
 * own_blas.c - matrix products by the kernels of the engine; blas.c instead with -Dblas=openblas.
 *
 * B is copied block by block, as the kernel wants it, and stays in the cache while the rows of A pass by. The kernel's
 * result goes by a tile with aligned, padded rows. The order of every sum depends on the sizes
 * and the instruction set alone, never on where a matrix lies.
 */
#include <string.h>

#include "numeric/blas.h"
#include "numeric/denormal.h"
#include "numeric/kernels/kernels.h"

/* Products of up to so many rows (or, where A is transposed, terms) are done without copying B. */
enum { THIN = 32 };

/* 156 KiB of stack. STRIDE: not a power of two, so that rows do not all fall on the same cache lines. */
enum { ROWS = 24, DEPTH = 256, COLUMNS = (int)(512 / sizeof(real)), STRIDE = COLUMNS + KERNEL_ALIGN };

typedef struct block {
  _Alignas(64) real right[DEPTH * STRIDE], tile[ROWS * COLUMNS];
} block;

static int smaller(int a, int b) { return a < b ? a : b; }

/* C [m][n] <- alpha tile + beta C; what C holds does not count where beta is zero. */
static void add_tile(int m, int n, real alpha, const real *tile, real beta, real *c, int ldc) {
  for (int i = 0; i < m; i++, tile += COLUMNS, c += ldc)
    if (beta == 0)
      for (int j = 0; j < n; j++) c[j] = alpha * tile[j];
    else
      for (int j = 0; j < n; j++) c[j] = alpha * tile[j] + beta * c[j];
}

static void scale(int m, int n, real beta, real *c, int ldc) {
  for (int i = 0; i < m; i++, c += ldc)
    for (int j = 0; j < n; j++) c[j] = beta == 0 ? 0 : beta * c[j];
}

/* right [k][n] <- op(B), each row filled up with zeros */
static void lay_out(const real *b, int ldb, bool transpose, int k, int n, real *right) {
  for (int p = 0; p < k; p++, right += STRIDE) {
    for (int j = 0; j < n; j++) right[j] = transpose ? b[(size_t)j * (size_t)ldb + (size_t)p] : b[j];
    for (int j = n; j < kernel_padded(n); j++) right[j] = 0;
    if (!transpose) b += ldb;
  }
}

/* One block of B against all rows of A: C [m][n] <- alpha op(A) B + beta C. */
static void multiply_block(block *block, bool transpose_a, int m, int n, int k, real alpha, const real *a, int lda,
                           real beta, real *c, int ldc) {
  const kernel_table *kernels = kernels_chosen();
  for (int i = 0; i < m; i += ROWS) {
    int rows = smaller(ROWS, m - i);
    if (transpose_a)
      kernels->outer(k, rows, n, a + i, lda, block->right, STRIDE, false, block->tile, COLUMNS);
    else
      kernels->product(rows, k, n, a + (size_t)i * (size_t)lda, lda, block->right, false, block->tile, COLUMNS);
    add_tile(rows, n, alpha, block->tile, beta, c + (size_t)i * (size_t)ldc, ldc);
  }
}

bool blas_ready(void) { return true; } /* its memory is on the stack */

static bool is_thin(const kernel_table *kernels, bool transpose_a, bool transpose_b, int m, int n, int k) {
  if (n < kernels->lanes || k <= 0) return false;
  return transpose_b ? !transpose_a && m <= THIN && k >= kernels->lanes : (transpose_a ? k : m) <= THIN;
}

static void multiply(bool transpose_a, bool transpose_b, int m, int n, int k, real alpha, const real *a, int lda,
                     const real *b, int ldb, real beta, real *c, int ldc) {
  const kernel_table *kernels = kernels_chosen();
  block block;
  if (k <= 0) scale(m, n, beta, c, ldc);
  for (int j = 0; j < n; j += COLUMNS)
    for (int p = 0; p < k; p += DEPTH) {
      int columns = smaller(COLUMNS, n - j), depth = smaller(DEPTH, k - p);
      size_t row = (size_t)(transpose_b ? j : p), column = (size_t)(transpose_b ? p : j);
      (transpose_a ? lay_out : kernels->pack)(b + row * (size_t)ldb + column, ldb, transpose_b, depth, columns,
                                              block.right);
      multiply_block(&block, transpose_a, m, columns, depth, alpha, transpose_a ? a + (size_t)p * (size_t)lda : a + p,
                     lda, p ? 1 : beta, c + j, ldc);
    }
}

void blas_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, real alpha, const real *a, int lda,
               const real *b, int ldb, real beta, real *c, int ldc) {
  unsigned before = denormals_off();
  const kernel_table *kernels = kernels_chosen();
  if (!is_thin(kernels, transpose_a, transpose_b, m, n, k))
    multiply(transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  else if (transpose_b)
    kernels->thin_transposed(m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  else
    kernels->thin(transpose_a, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  denormals_restore(before);
}

void blas_gemv(bool transpose, int m, int n, real alpha, const real *a, int lda, const real *x, real beta, real *y) {
  unsigned before = denormals_off();
  for (int i = 0; i < m; i++) {
    real kept = beta == 0 ? 0 : beta * y[i];
    y[i] = transpose ? kept : alpha * real_dot(a + (size_t)i * (size_t)lda, x, (size_t)n) + kept;
  }
  for (int j = 0; transpose && j < n; j++) {
    const real *row = a + (size_t)j * (size_t)lda, factor = alpha * x[j];
    for (int i = 0; i < m; i++) y[i] += factor * row[i];
  }
  denormals_restore(before);
}

const char *blas_description(void) { return "none: products by the library's own kernels"; }
