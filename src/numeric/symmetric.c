/* SPDX-License-Identifier: Apache-2.0
 *
 * symmetric.c - see symmetric.h. A matrix is cut in columns of COLUMN; the factor is found column by column:
 *
 *   A_j <- A_j - L_left L_j^T  (all rows from the diagonal down, one long product),
 *   L_jj from the diagonal block,  L_ij = A_ij L_jj^-T  below it.
 */
#include "numeric/symmetric.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/team.h"
#include "numeric/denormal.h"
#include "numeric/kernels/kernels.h"

enum { COLUMN = 64, DEPTH = 512, ROWS = 128 }; /* DEPTH: terms of a sum that are packed at a time */

size_t symmetric_stride(int n) { return (size_t)kernel_stride((n + COLUMN - 1) / COLUMN * COLUMN); }

/* A packed column of L and its inverted diagonal block, or a packed piece of A for every thread; rows to be copied. */
size_t symmetric_room(int n, int threads) {
  size_t column = (size_t)COLUMN * ((size_t)n + 3 * COLUMN), pieces = (size_t)threads * COLUMN * DEPTH;
  return (column > pieces ? column : pieces) + (size_t)(n + ROWS) * COLUMN;
}

static int piece(int n, int size, int index) {
  assert(index >= 0 && index * size < n);
  return n - index * size < size ? n - index * size : size;
}

/* ---- Product ---------------------------------------------------------------------------------------------- */

typedef struct product_call {
  int n, k;
  const real *a;
  size_t lda;
  bool add;
  real *c, *work;
} product_call;

static void product_item(void *data, int column, int worker) {
  const product_call *call = data;
  const kernel_table *kernels = kernels_chosen();
  int first = column * COLUMN, width = piece(call->n, COLUMN, column), lda = (int)call->lda;
  size_t stride = symmetric_stride(call->n);
  const real *rows = call->a + (size_t)first * call->lda;
  real *to = call->c + (size_t)first * stride + (size_t)first;
  real *packed = call->work + (size_t)worker * COLUMN * DEPTH;
  for (int at = 0; at < call->k; at += DEPTH) {
    int depth = call->k - at < DEPTH ? call->k - at : DEPTH;
    kernels->pack(rows + at, lda, true, depth, width, packed);
    kernels->product(call->n - first, depth, width, rows + at, lda, packed, call->add || at > 0, to, (int)stride);
  }
}

void symmetric_product(int n, int k, const real *a, size_t lda, bool add, real *c, real *work, int threads) {
  assert(n > 0 && k > 0 && lda >= (size_t)k && threads > 0 && a != c);
  product_call call = {n, k, a, lda, add, c, work};
  unsigned before = denormals_off();
  team_run(threads, (n + COLUMN - 1) / COLUMN, product_item, &call);
  denormals_restore(before);
}

/* ---- Factor ----------------------------------------------------------------------------------------------- */

static bool factor_small(int n, real *a, size_t stride) {
  assert(n > 0 && n <= COLUMN && stride >= (size_t)n);
  for (int i = 0; i < n; i++) {
    real *row = a + (size_t)i * stride;
    for (int j = 0; j < i; j++) {
      const real *other = a + (size_t)j * stride;
      row[j] = (row[j] - real_dot(row, other, (size_t)j)) / other[j];
    }
    real pivot = row[i] - real_dot(row, row, (size_t)i);
    if (!(pivot > 0) || !isfinite(pivot)) return false;
    row[i] = (real)sqrt((double)pivot);
  }
  return true;
}

/* inverse [n][COLUMN] <- L^-T: row j of it is column j of L^-1. */
static void invert_small(int n, const real *l, size_t stride, real *inverse) {
  assert(n > 0 && n <= COLUMN && stride >= (size_t)n);
  memset(inverse, 0, (size_t)COLUMN * COLUMN * sizeof *inverse);
  for (int j = 0; j < n; j++) {
    real *column = inverse + (size_t)j * COLUMN;
    column[j] = 1 / l[(size_t)j * stride + (size_t)j];
    for (int i = j + 1; i < n; i++)
      column[i] =
          -real_dot(l + (size_t)i * stride + j, column + j, (size_t)(i - j)) / l[(size_t)i * stride + (size_t)i];
  }
}

/* One column at work: n rows from the diagonal down, of which `width` are the diagonal block's. */
typedef struct factor_column {
  int rows, width, left; /* left: columns of L to the left of it */
  real *l;               /* [rows][stride], the row's first column of L */
  size_t stride;
  real *packed, *inverse, *packed_inverse, *copies;
} factor_column;

/* A piece of -L_j^T, packed. */
static void pack_piece(void *data, int index, int worker) {
  const factor_column *c = data;
  (void)worker;
  int depth = piece(c->left, DEPTH, index);
  real *to = c->packed + (size_t)index * DEPTH * COLUMN;
  kernels_chosen()->pack(c->l + (size_t)index * DEPTH, (int)c->stride, true, depth, c->width, to);
  for (int i = 0; i < depth * kernel_padded(c->width); i++) to[i] = -to[i];
}

static void reduce_rows(void *data, int index, int worker) {
  const factor_column *c = data;
  (void)worker;
  real *rows = c->l + (size_t)index * ROWS * c->stride;
  for (int at = 0; at < c->left; at += DEPTH)
    kernels_chosen()->product(piece(c->rows, ROWS, index), c->left - at < DEPTH ? c->left - at : DEPTH, c->width,
                              rows + at, (int)c->stride, c->packed + (size_t)at * COLUMN, true, rows + c->left,
                              (int)c->stride);
}

static bool factor_diagonal(const factor_column *c) {
  if (!factor_small(c->width, c->l + c->left, c->stride)) return false;
  invert_small(c->width, c->l + c->left, c->stride, c->inverse);
  kernels_chosen()->pack(c->inverse, COLUMN, false, c->width, c->width, c->packed_inverse);
  return true;
}

/* Rows below the diagonal block times L_jj^-T. */
static void finish_rows(void *data, int index, int worker) {
  const factor_column *c = data;
  (void)worker;
  int count = piece(c->rows - c->width, ROWS, index);
  real *rows = c->l + ((size_t)c->width + (size_t)index * ROWS) * c->stride + c->left;
  real *copies = c->copies + (size_t)index * ROWS * COLUMN;
  for (int i = 0; i < count; i++)
    memcpy(copies + (size_t)i * COLUMN, rows + (size_t)i * c->stride, (size_t)c->width * sizeof *copies);
  kernels_chosen()->product(count, c->width, c->width, copies, COLUMN, c->packed_inverse, false, rows, (int)c->stride);
}

static bool factor_step(factor_column *c, int threads) {
  assert(c->width > 0 && c->width <= COLUMN && c->width <= c->rows && c->left % COLUMN == 0);
  team_run(threads, (c->left + DEPTH - 1) / DEPTH, pack_piece, c);
  team_run(threads, (c->rows + ROWS - 1) / ROWS, reduce_rows, c);
  if (!factor_diagonal(c)) return false;
  team_run(threads, (c->rows - c->width + ROWS - 1) / ROWS, finish_rows, c);
  return true;
}

bool symmetric_factor(int n, real *a, real *work, int threads) {
  assert(n > 0 && threads > 0 && work);
  size_t stride = symmetric_stride(n);
  real *inverse = work, *packed_inverse = inverse + (size_t)COLUMN * COLUMN;
  real *packed = packed_inverse + (size_t)COLUMN * COLUMN, *copies = packed + (size_t)COLUMN * ((size_t)n + COLUMN);
  bool good = true;
  unsigned before = denormals_off();
  for (int at = 0; good && at < n; at += COLUMN) {
    factor_column column = {.rows = n - at,
                            .width = n - at < COLUMN ? n - at : COLUMN,
                            .left = at,
                            .l = a + (size_t)at * stride,
                            .stride = stride,
                            .packed = packed,
                            .inverse = inverse,
                            .packed_inverse = packed_inverse,
                            .copies = copies};
    good = factor_step(&column, threads);
  }
  denormals_restore(before);
  return good;
}

/* ---- Solution --------------------------------------------------------------------------------------------- */

static double mixed_dot(const real *a, const double *b, int count) {
  double sum[4] = {0};
  int i = 0;
  for (; i + 4 <= count; i += 4)
    for (int k = 0; k < 4; k++) sum[k] += (double)a[i + k] * b[i + k];
  for (; i < count; i++) sum[0] += (double)a[i] * b[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void symmetric_solve(int n, const real *a, double *b) {
  assert(n > 0 && a && b);
  size_t stride = symmetric_stride(n);
  for (int i = 0; i < n; i++) {
    const real *row = a + (size_t)i * stride;
    b[i] = (b[i] - mixed_dot(row, b, i)) / (double)row[i];
  }
  for (int i = n - 1; i >= 0; i--) {
    const real *row = a + (size_t)i * stride;
    b[i] /= (double)row[i];
    for (int j = 0; j < i; j++) b[j] -= (double)row[j] * b[i];
  }
}
