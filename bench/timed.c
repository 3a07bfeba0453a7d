/* SPDX-License-Identifier: Apache-2.0
 *
 * timed.c - the chosen kernels with a clock around the two matrix products of the hidden layers.
 *
 * A call takes some microseconds, so on a loud machine few of a step's calls are interrupted, and these take far
 * longer than the others. A call that was slower than half the median speed counts with the median.
 */
#include "step.h"

#include <stdlib.h>
#include <time.h>

enum { MOST_CALLS = 8192, HIDDEN = 64 /* layers with fewer inputs or outputs are not counted */ };

typedef struct timed_calls {
  int count;
  double flop[MOST_CALLS], pace[MOST_CALLS]; /* pace: nanoseconds per flop */
} timed_calls;

static timed_calls calls[BENCH_TIMED];
static const kernel_table *timed;

static double clock_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static void note(bench_timed_kind kind, int rows, int m, int n, double start) {
  timed_calls *it = &calls[kind];
  double flop = 2.0 * rows * m * n;
  if (m < HIDDEN || n < HIDDEN || it->count == MOST_CALLS) return;
  it->pace[it->count] = (clock_nanoseconds() - start) / flop;
  it->flop[it->count++] = flop;
}

static void timed_product(int rows, int k, int n, const real *a, int lda, const real *packed, bool add, real *c,
                          int ldc) {
  double start = clock_nanoseconds();
  timed->product(rows, k, n, a, lda, packed, add, c, ldc);
  note(BENCH_PRODUCT, rows, k, n, start);
}

static void timed_outer(int rows, int m, int n, const real *g, int ldg, const real *a, int lda, bool add, real *c,
                        int ldc) {
  double start = clock_nanoseconds();
  timed->outer(rows, m, n, g, ldg, a, lda, add, c, ldc);
  note(BENCH_OUTER, rows, m, n, start);
}

const kernel_table *bench_timed_kernels(void) {
  static kernel_table table;
  timed = kernels_chosen();
  table = *timed;
  table.product = timed_product;
  table.outer = timed_outer;
  return &table;
}

void bench_timed_begin(void) {
  for (int i = 0; i < BENCH_TIMED; i++) calls[i].count = 0;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double bench_timed_gflops(bench_timed_kind kind) {
  static double sorted[MOST_CALLS];
  const timed_calls *it = &calls[kind];
  double flop = 0, nanoseconds = 0;
  for (int i = 0; i < it->count; i++) sorted[i] = it->pace[i];
  qsort(sorted, (size_t)it->count, sizeof *sorted, by_size);
  double median = sorted[it->count / 2];
  for (int i = 0; i < it->count; i++) {
    flop += it->flop[i];
    nanoseconds += it->flop[i] * (it->pace[i] < 2 * median ? it->pace[i] : median);
  }
  return nanoseconds > 0 ? flop / nanoseconds : 0;
}
