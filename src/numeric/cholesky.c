/* SPDX-License-Identifier: Apache-2.0
 *
 * cholesky.c - symmetric products and Cholesky's factors, see blas.h. Each is cut in halves down to SMALL, so that
 * nearly all work is done by blas_gemm on the largest blocks there are: [A  .]   [L      ] [L^T M^T] [B  C] = [M   N  ]
 * [    N^T],  L L^T = A,  M L^T = B,  N N^T = C - M M^T.
 */
#include <assert.h>
#include <string.h>

#include "numeric/blas.h"
#include "numeric/denormal.h"

enum { SMALL = 16 };

/* A half that is a multiple of SMALL. */
static int half_of(int n) { return (n / 2 + SMALL - 1) / SMALL * SMALL; }

static real *place(real *a, int lda, int i, int j) { return a + (size_t)i * (size_t)lda + j; }

void blas_syrk(bool transpose, int n, int k, real alpha, const real *a, int lda, real beta, real *c, int ldc) {
  assert(n >= 0 && k >= 0 && ldc >= n && lda >= (transpose ? n : k));
  if (n > SMALL) {
    int half = half_of(n);
    const real *below = transpose ? a + half : a + (size_t)half * (size_t)lda;
    blas_syrk(transpose, half, k, alpha, a, lda, beta, c, ldc);
    blas_gemm(transpose, !transpose, n - half, half, k, alpha, below, lda, a, lda, beta, place(c, ldc, half, 0), ldc);
    blas_syrk(transpose, n - half, k, alpha, below, lda, beta, place(c, ldc, half, half), ldc);
    return;
  }
  real square[SMALL * SMALL];
  blas_gemm(transpose, !transpose, n, n, k, alpha, a, lda, a, lda, 0, square, SMALL);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      real *to = place(c, ldc, i, j);
      *to = square[i * SMALL + j] + (beta == 0 ? 0 : beta * *to);
    }
}

/* inverse [n][SMALL] <- L^-1, n <= SMALL. Small blocks alone are inverted: that loses nothing that matters. */
static void invert(int n, const real *l, int ldl, real *inverse) {
  assert(n <= SMALL && ldl >= n);
  memset(inverse, 0, SMALL * SMALL * sizeof *inverse);
  for (int i = 0; i < n; i++, l += ldl) {
    real *row = inverse + i * SMALL, scale = 1 / l[i];
    for (int k = 0; k < i; k++)
      for (int j = 0; j <= k; j++) row[j] -= l[k] * inverse[k * SMALL + j];
    for (int j = 0; j < i; j++) row[j] *= scale;
    row[i] = scale;
  }
}

/* B [m][n] <- B L^-T */
static void divide(int m, int n, const real *l, int ldl, real *b, int ldb) {
  assert(m >= 0 && n >= 0 && ldl >= n && ldb >= n);
  if (n > SMALL) {
    int half = half_of(n);
    const real *below = l + (size_t)half * (size_t)ldl;
    divide(m, half, l, ldl, b, ldb);
    blas_gemm(false, true, m, n - half, half, -1, b, ldb, below, ldl, 1, b + half, ldb);
    divide(m, n - half, below + half, ldl, b + half, ldb);
    return;
  }
  real inverse[SMALL * SMALL], kept[SMALL * SMALL];
  invert(n, l, ldl, inverse);
  for (int i = 0; i < m; i += SMALL, b += (size_t)SMALL * (size_t)ldb) {
    int rows = m - i < SMALL ? m - i : SMALL;
    for (int r = 0; r < rows; r++) memcpy(kept + r * SMALL, b + (size_t)r * (size_t)ldb, (size_t)n * sizeof *b);
    blas_gemm(false, true, rows, n, n, 1, kept, SMALL, inverse, SMALL, 0, b, ldb);
  }
}

static bool factorise(int n, real *a, int lda) {
  assert(n >= 0 && lda >= n);
  if (n > SMALL) {
    int half = half_of(n);
    real *below = place(a, lda, half, 0);
    if (!factorise(half, a, lda)) return false;
    divide(n - half, half, a, lda, below, lda);
    blas_syrk(false, n - half, half, -1, below, lda, 1, below + half, lda);
    return factorise(n - half, below + half, lda);
  }
  for (int i = 0; i < n; i++) {
    real *row = place(a, lda, i, 0);
    for (int j = 0; j < i; j++) {
      const real *above = place(a, lda, j, 0);
      row[j] = (row[j] - real_dot(above, row, (size_t)j)) / above[j];
    }
    real pivot = row[i] - real_dot(row, row, (size_t)i);
    if (!(pivot > 0) || isinf(pivot)) return false;
    row[i] = (real)sqrt((double)pivot);
  }
  return true;
}

bool blas_cholesky(int n, real *a, int lda) {
  unsigned before = denormals_off();
  bool done = factorise(n, a, lda);
  denormals_restore(before);
  return done;
}

void blas_cholesky_solve(int n, int count, const real *a, int lda, real *b, int ldb) {
  assert(n >= 0 && count >= 0 && lda >= n && (ldb >= n || count <= 1));
  unsigned before = denormals_off();
  for (int s = 0; s < count; s++, b += ldb) {
    for (int i = 0; i < n; i++) {
      const real *row = a + (size_t)i * (size_t)lda;
      b[i] = (b[i] - real_dot(row, b, (size_t)i)) / row[i];
    }
    for (int i = n - 1; i >= 0; i--) {
      const real *row = a + (size_t)i * (size_t)lda;
      b[i] /= row[i];
      for (int j = 0; j < i; j++) b[j] -= b[i] * row[j];
    }
  }
  denormals_restore(before);
}
