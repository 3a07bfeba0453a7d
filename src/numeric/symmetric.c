/* SPDX-License-Identifier: Apache-2.0
 *
 * symmetric.c - see symmetric.h. The factor is found block column by block column: the diagonal block by rows, its
 * inverse, the blocks below as products with that inverse, and the rest of the matrix as products of those.
 */
#include "numeric/symmetric.h"

#include <math.h>
#include <string.h>

#include "numeric/blas.h"

enum { BLOCK = 256, COLUMN = 96 };

static int block_count(int n, int size) { return (n + size - 1) / size; }
static int block_length(int n, int size, int block) { return n - block * size < size ? n - block * size : size; }

/* Task -> block (i, j) of the lower triangle, the long way round: few blocks, no square roots. */
static void place_task(int task, int *i, int *j) {
  *i = 0;
  while (task > *i) task -= ++*i;
  *j = task;
}

static void product_task(bool transpose, int n, int k, const real *a, size_t lda, bool add, real *c, size_t ldc,
                         int task) {
  int i, j;
  place_task(task, &i, &j);
  size_t step = transpose ? BLOCK : BLOCK * lda;
  blas_gemm(transpose, !transpose, block_length(n, BLOCK, i), block_length(n, BLOCK, j), k, 1, a + (size_t)i * step,
            (int)lda, a + (size_t)j * step, (int)lda, add ? 1 : 0, c + (size_t)i * BLOCK * ldc + (size_t)j * BLOCK,
            (int)ldc);
}

void symmetric_product(bool transpose, int n, int k, const real *a, size_t lda, bool add, real *c, size_t ldc,
                       int threads) {
  int blocks = block_count(n, BLOCK), tasks = blocks * (blocks + 1) / 2;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
  for (int task = 0; task < tasks; task++) product_task(transpose, n, k, a, lda, add, c, ldc, tasks - 1 - task);
}

/* ---- Cholesky --------------------------------------------------------------------------------------------- */

static bool factor_small(int n, real *a, size_t lda) {
  for (int i = 0; i < n; i++) {
    real *row = a + (size_t)i * lda;
    for (int j = 0; j < i; j++) {
      const real *other = a + (size_t)j * lda;
      row[j] = (row[j] - real_dot(row, other, (size_t)j)) / other[j];
    }
    real pivot = row[i] - real_dot(row, row, (size_t)i);
    if (!(pivot > 0) || !isfinite(pivot)) return false;
    row[i] = (real)sqrt((double)pivot);
  }
  return true;
}

/* inverse [n][COLUMN] <- L^-T, upper triangular: row j of it is column j of L^-1. */
static void invert_small(int n, const real *l, size_t lda, real *inverse) {
  memset(inverse, 0, (size_t)COLUMN * COLUMN * sizeof *inverse);
  for (int j = 0; j < n; j++) {
    real *column = inverse + (size_t)j * COLUMN;
    column[j] = 1 / l[(size_t)j * lda + (size_t)j];
    for (int i = j + 1; i < n; i++)
      column[i] = -real_dot(l + (size_t)i * lda + j, column + j, (size_t)(i - j)) / l[(size_t)i * lda + (size_t)i];
  }
}

size_t symmetric_room(int n) { return (size_t)COLUMN * COLUMN + (size_t)n * COLUMN; }

/* Rows below the diagonal block: X <- X L^-T, a block of rows per task. */
static void panel_task(int rows, int width, real *a, size_t lda, const real *inverse, real *copy, int task) {
  int count = block_length(rows, BLOCK, task);
  real *x = a + (size_t)task * BLOCK * lda, *from = copy + (size_t)task * BLOCK * COLUMN;
  for (int i = 0; i < count; i++) memcpy(from + (size_t)i * COLUMN, x + (size_t)i * lda, (size_t)width * sizeof *from);
  blas_gemm(false, false, count, width, width, 1, from, COLUMN, inverse, COLUMN, 0, x, (int)lda);
}

/* The rest of the matrix: A <- A - X X^T. */
static void rest_task(int rows, int width, const real *x, real *a, size_t lda, int task) {
  int i, j;
  place_task(task, &i, &j);
  blas_gemm(false, true, block_length(rows, BLOCK, i), block_length(rows, BLOCK, j), width, -1,
            x + (size_t)i * BLOCK * lda, (int)lda, x + (size_t)j * BLOCK * lda, (int)lda, 1,
            a + (size_t)i * BLOCK * lda + (size_t)j * BLOCK, (int)lda);
}

bool symmetric_factor(int n, real *a, size_t lda, real *work, int threads) {
  real *inverse = work, *copy = work + (size_t)COLUMN * COLUMN;
  for (int at = 0; at < n; at += COLUMN) {
    int width = n - at < COLUMN ? n - at : COLUMN, rows = n - at - width;
    real *diagonal = a + (size_t)at * lda + (size_t)at, *below = diagonal + (size_t)width * lda;
    if (!factor_small(width, diagonal, lda)) return false;
    if (rows == 0) break;
    invert_small(width, diagonal, lda, inverse);
    int blocks = block_count(rows, BLOCK), tasks = blocks * (blocks + 1) / 2;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(dynamic, 1)
      for (int task = 0; task < blocks; task++) panel_task(rows, width, below, lda, inverse, copy, task);
#pragma omp for schedule(dynamic, 1)
      for (int task = 0; task < tasks; task++) rest_task(rows, width, below, below + width, lda, tasks - 1 - task);
    }
  }
  return true;
}

static double mixed_dot(const real *a, const double *b, int count) {
  double sum[4] = {0};
  int i = 0;
  for (; i + 4 <= count; i += 4)
    for (int k = 0; k < 4; k++) sum[k] += (double)a[i + k] * b[i + k];
  for (; i < count; i++) sum[0] += (double)a[i] * b[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void symmetric_solve(int n, const real *a, size_t lda, double *b) {
  for (int i = 0; i < n; i++)
    b[i] = (b[i] - mixed_dot(a + (size_t)i * lda, b, i)) / (double)a[(size_t)i * lda + (size_t)i];
  for (int i = n - 1; i >= 0; i--) {
    const real *row = a + (size_t)i * lda;
    b[i] /= (double)row[i];
    for (int j = 0; j < i; j++) b[j] -= (double)row[j] * b[i];
  }
}
