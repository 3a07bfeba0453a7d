/* SPDX-License-Identifier: Apache-2.0
 *
 * normal.c - see normal.h. Every sum is over pieces of fixed size, in a fixed order.
 */
#include "training/normal.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/team.h"
#include "numeric/kernels/kernels.h"
#include "numeric/symmetric.h"

enum { PIECES = 16 }; /* of the rows, for sums over them */

static int first_of(int count, int piece) { return (int)((long)count * piece / PIECES); }

/* ---- Memory ----------------------------------------------------------------------------------------------- */

void normal_free(normal *n) {
  void *blocks[] = {n->jacobian, n->blocks, n->matrix, n->factor, n->work, n->scale, n->partial, n->vector, n->slopes};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) memory_give(blocks[i]);
  *n = (normal){0};
}

static void *take(size_t count, size_t size, bool *good) {
  assert(size > 0);
  void *block = memory_take(size_product(count, size));
  *good = *good && block;
  return block;
}

ans_status normal_reserve(ans_context *context, normal *n, int rows, int columns, int threads) {
  assert(rows > 0 && columns > 0);
  if (n->rows == rows && n->columns == columns && n->threads == threads) return ANS_OK;
  normal_free(n);
  *n = (normal){.rows = rows, .columns = columns, .threads = threads, .dual = rows < columns};
  n->order = n->dual ? rows : columns;
  size_t entries = size_product((size_t)rows, (size_t)columns);
  size_t square = size_product((size_t)n->order, symmetric_stride(n->order)),
         longer = (size_t)(rows > columns ? rows : columns);
  bool good = true;
  n->jacobian = take(entries, sizeof(real), &good);
  if (!n->dual) n->blocks = take(symmetric_gram_room(columns, rows), sizeof(real), &good);
  n->matrix = take(square, sizeof(real), &good);
  n->factor = take(square, sizeof(real), &good);
  n->work = take(symmetric_room(n->order, threads), sizeof(real), &good);
  n->scale = take((size_t)columns, sizeof(double), &good);
  n->partial = take((size_t)columns * PIECES, sizeof(double), &good);
  n->vector = take(longer, sizeof(double), &good);
  n->slopes = take((size_t)rows, sizeof(double), &good);
  if (good) return ANS_OK;
  normal_free(n);
  return context_no_memory(context);
}

/* ---- Products with S -------------------------------------------------------------------------------------- */

typedef struct normal_call {
  const normal *normal;
  const double *from;
  double *to;
  const real *inverse;
} normal_call;

static void sum_item(void *data, int piece, int worker) {
  const normal_call *call = data;
  const normal *n = call->normal;
  const kernel_table *kernels = kernels_chosen();
  size_t columns = (size_t)n->columns;
  double *sum = n->partial + (size_t)piece * columns;
  (void)worker;
  memset(sum, 0, columns * sizeof *sum);
  for (int i = first_of(n->rows, piece); i < first_of(n->rows, piece + 1); i++) {
    const real *row = n->jacobian + (size_t)i * columns;
    if (call->from)
      kernels->add_scaled(columns, call->from[i], row, sum);
    else
      kernels->add_squares(columns, row, sum);
  }
}

/* to [columns] <- sum over rows of weights[row] * row, or of its squares without weights. */
static void sum_rows(const normal *n, const double *weights, double *to) {
  size_t columns = (size_t)n->columns;
  team_run(n->threads, PIECES, sum_item, &(normal_call){.normal = n, .from = weights});
  memcpy(to, n->partial, columns * sizeof *to);
  for (size_t piece = 1; piece < PIECES; piece++)
    for (size_t j = 0; j < columns; j++) to[j] += n->partial[piece * columns + j];
}

static void push_item(void *data, int piece, int worker) {
  const normal_call *call = data;
  const normal *n = call->normal;
  (void)worker;
  for (int i = first_of(n->rows, piece); i < first_of(n->rows, piece + 1); i++)
    call->to[i] =
        kernels_chosen()->mixed_dot((size_t)n->columns, n->jacobian + (size_t)i * (size_t)n->columns, call->from);
}

/* rows <- S x */
static void push_scaled(const normal *n, const double *x, double *rows) {
  team_run(n->threads, PIECES, push_item, &(normal_call){.normal = n, .from = x, .to = rows});
}

/* ---- The matrix ------------------------------------------------------------------------------------------- */

/* D from the sums of squares; false when one is not finite. */
static bool set_scale(normal *n) {
  const double FLOOR = 1e-3;
  double largest = 0;
  sum_rows(n, NULL, n->scale);
  for (int j = 0; j < n->columns; j++) {
    n->scale[j] = sqrt(n->scale[j]);
    if (!isfinite(n->scale[j])) return false;
    if (n->scale[j] > largest) largest = n->scale[j];
  }
  if (largest == 0) largest = 1; /* no unknown moves any row */
  for (int j = 0; j < n->columns; j++) n->scale[j] += FLOOR * largest;
  return true;
}

static void scale_item(void *data, int piece, int worker) {
  const normal_call *call = data;
  const normal *n = call->normal;
  (void)worker;
  for (int i = first_of(n->rows, piece); i < first_of(n->rows, piece + 1); i++) {
    real *row = n->jacobian + (size_t)i * (size_t)n->columns;
    for (int j = 0; j < n->columns; j++) row[j] *= call->inverse[j];
  }
}

static void scale_rows(normal *n) {
  real *inverse = (real *)(void *)n->partial;
  for (int j = 0; j < n->columns; j++) inverse[j] = (real)(1 / n->scale[j]);
  team_run(n->threads, PIECES, scale_item, &(normal_call){.normal = n, .inverse = inverse});
}

bool normal_form(normal *n) {
  assert(n->jacobian && (n->dual || n->blocks));
  assert(n->order == (n->dual ? n->rows : n->columns));
  if (!set_scale(n)) return false;
  scale_rows(n);
  if (n->dual)
    symmetric_product(n->rows, n->columns, n->jacobian, (size_t)n->columns, false, n->matrix, n->work, n->threads);
  else
    symmetric_gram(n->columns, n->rows, n->jacobian, (size_t)n->columns, n->matrix, n->blocks, n->threads);
  return true;
}

bool normal_factor(normal *n, double damping) {
  assert(n->factor);
  size_t stride = symmetric_stride(n->order);
  for (int i = 0; i < n->order; i++) {
    memcpy(n->factor + (size_t)i * stride, n->matrix + (size_t)i * stride, (size_t)(i + 1) * sizeof *n->factor);
    n->factor[(size_t)i * (stride + 1)] += (real)damping;
  }
  return symmetric_factor(n->order, n->factor, n->work, n->threads);
}

void normal_solve(normal *n, const double *rows, double *step) {
  if (n->dual) {
    memcpy(n->vector, rows, (size_t)n->rows * sizeof *rows);
    symmetric_solve(n->order, n->factor, n->vector);
    sum_rows(n, n->vector, step);
  } else {
    sum_rows(n, rows, step);
    symmetric_solve(n->order, n->factor, step);
  }
  for (int j = 0; j < n->columns; j++) step[j] /= -n->scale[j];
}

void normal_push(const normal *n, const double *step, double *rows) {
  double *scaled = n->vector;
  for (int j = 0; j < n->columns; j++) scaled[j] = step[j] * n->scale[j];
  push_scaled(n, scaled, rows);
}

double normal_length(const normal *n, const double *step) {
  double sum = 0;
  for (int j = 0; j < n->columns; j++) sum += step[j] * step[j] * n->scale[j] * n->scale[j];
  return sqrt(sum);
}

double normal_work(const normal *n) {
  /* Rows, slopes, scaling and products with J, for every entry of it: counted from profiles. */
  const double EACH = 60, WIDER = sizeof(real) / sizeof(float);
  double entries = (double)n->rows * n->columns, order = n->order;
  return WIDER * (entries * (order + EACH) + order * order * order / 3);
}
