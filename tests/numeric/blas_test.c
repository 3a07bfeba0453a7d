/* SPDX-License-Identifier: Apache-2.0
 *
 * blas_test.c - row-major conventions of blas.h against plain loops, and the optimiser against its definition.
 */
#include "check.h"

#include <pthread.h>

#include "base/random.h"
#include "numeric/moments.h"
#include "numeric/blas.h"
#include "numeric/kernels/kernels.h"

#define TOLERANCE ((double)REAL_EPSILON * 200)

enum { M = 5, N = 7, K = 6, LD = 9 };

static void fill(real *values, int count, uint32_t part) {
  random_stream stream = random_open(1, RANDOM_TEST, 0, part);
  for (int i = 0; i < count; i++) values[i] = (real)random_between(&stream, -1, 1);
}

static real at(const real *a, bool transpose, int i, int j) { return transpose ? a[j * LD + i] : a[i * LD + j]; }

static void test_gemm(void **state) {
  (void)state;
  for (int variant = 0; variant < 4; variant++) {
    bool ta = variant & 1, tb = variant & 2;
    real a[LD * LD], b[LD * LD], c[LD * LD], before[LD * LD];
    fill(a, LD * LD, 1), fill(b, LD * LD, 2), fill(c, LD * LD, 3);
    memcpy(before, c, sizeof c);
    blas_gemm(ta, tb, M, N, K, (real)0.5, a, LD, b, LD, (real)2, c, LD);
    for (int i = 0; i < LD; i++)
      for (int j = 0; j < LD; j++) {
        double expected = (double)before[i * LD + j];
        if (i < M && j < N) {
          expected *= 2;
          for (int k = 0; k < K; k++) expected += 0.5 * (double)at(a, ta, i, k) * (double)at(b, tb, k, j);
        }
        assert_near((double)c[i * LD + j], expected, TOLERANCE);
      }
  }
}

/* Sizes on both sides of every block: the result against plain sums in double, and nothing written beside it. */
static void check_large(bool ta, bool tb, int m, int n, int k) {
  int lda = (ta ? m : k) + 3, ldb = (tb ? k : n) + 1, ldc = n + 2;
  size_t a_size = (size_t)((ta ? k : m) * lda), b_size = (size_t)((tb ? n : k) * ldb), c_size = (size_t)(m * ldc);
  real *a = malloc((a_size + b_size + 2 * c_size + 1) * sizeof *a), *b = a + a_size, *c = b + b_size,
       *before = c + c_size;
  fill(a, (int)(a_size + b_size + c_size), (uint32_t)(m + n + k));
  memcpy(before, c, c_size * sizeof *c);
  blas_gemm(ta, tb, m, n, k, -1, a, lda, b, ldb, 1, c, ldc);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < ldc; j++) {
      double expected = (double)before[i * ldc + j];
      for (int p = 0; j < n && p < k; p++)
        expected -= (double)a[ta ? p * lda + i : i * lda + p] * (double)b[tb ? j * ldb + p : p * ldb + j];
      assert_near((double)c[i * ldc + j], expected, TOLERANCE * sqrt(k + 1.0));
    }
  free(a);
}

static void test_gemm_over_blocks(void **state) {
  (void)state;
  static const int sizes[][3] = {{1, 1, 1},     {1, 108, 96},  {2, 17, 33},   {20, 96, 12}, {96, 23, 2},
                                 {24, 64, 256}, {25, 65, 257}, {7, 130, 300}, {49, 128, 8}, {3, 9, 0}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int variant = 0; variant < 4; variant++)
      check_large(variant & 1, variant & 2, sizes[i][0], sizes[i][1], sizes[i][2]);
}

/* Where beta is zero, what was there does not count, not even NaN. */
static void test_beta_zero_forgets(void **state) {
  (void)state;
  real a[4] = {1, 2, 3, 4}, c[4] = {NAN, NAN, NAN, NAN}, y[2] = {NAN, NAN};
  blas_gemm(false, false, 2, 2, 2, 1, a, 2, a, 2, 0, c, 2);
  assert_true(c[0] == 7 && c[1] == 10 && c[2] == 15 && c[3] == 22);
  blas_gemv(false, 2, 2, 1, a, 2, a, 0, y);
  assert_true(y[0] == 5 && y[1] == 11);
  blas_gemv(true, 2, 2, 1, a, 2, a, 0, y);
  assert_true(y[0] == 7 && y[1] == 10);
}

static void test_gemv(void **state) {
  (void)state;
  for (int t = 0; t < 2; t++) {
    real a[LD * LD], x[N], y[M];
    fill(a, LD * LD, 4), fill(x, N, 5), fill(y, M, 6);
    double expected[M];
    for (int i = 0; i < M; i++) {
      expected[i] = 3 * (double)y[i];
      for (int j = 0; j < N; j++) expected[i] += (double)at(a, t, i, j) * (double)x[j];
    }
    blas_gemv(t, M, N, 1, a, LD, x, 3, y);
    for (int i = 0; i < M; i++) assert_near((double)y[i], expected[i], TOLERANCE);
  }
}

/* The same product again and again; returns NULL when each had the same bits. */
static void *multiply_often(void *part) {
  enum { WIDTH = 80, TIMES = 2000 };
  real a[WIDTH * WIDTH], b[WIDTH * WIDTH], c[WIDTH * WIDTH], first[WIDTH * WIDTH];
  fill(a, WIDTH * WIDTH, *(const uint32_t *)part), fill(b, WIDTH * WIDTH, *(const uint32_t *)part + 10);
  for (int i = 0; i < TIMES; i++) {
    blas_gemm(false, true, WIDTH, WIDTH, WIDTH, 1, a, WIDTH, b, WIDTH, 0, i ? c : first, WIDTH);
    if (i && memcmp(c, first, sizeof c)) return part;
  }
  return NULL;
}

static void test_threads_do_not_disturb_each_other(void **state) {
  (void)state;
  enum { THREADS = 3 };
  pthread_t threads[THREADS];
  uint32_t parts[THREADS] = {20, 21, 22};
  void *differing[THREADS];
  for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, multiply_often, &parts[i]), 0);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], &differing[i]);
  for (int i = 0; i < THREADS; i++) assert_null(differing[i]);
}

/* Two steps with clipping scale against the textbook formulas in double. */
static void two_steps(void) {
  enum { COUNT = 37 };
  real p[COUNT], g[COUNT], m[COUNT] = {0}, v[COUNT] = {0};
  double expected[COUNT], dm[COUNT] = {0}, dv[COUNT] = {0};
  fill(p, COUNT, 9);
  for (int i = 0; i < COUNT; i++) expected[i] = (double)p[i];
  for (int step = 1; step <= 2; step++) {
    fill(g, COUNT, 9 + (uint32_t)step);
    adam_step(p, g, m, v, COUNT, step, 0.01, 0.9, 0.999, 1e-8, 0.25);
    for (int i = 0; i < COUNT; i++) {
      double s = 0.25 * (double)g[i];
      dm[i] = 0.9 * dm[i] + 0.1 * s;
      dv[i] = 0.999 * dv[i] + 0.001 * s * s;
      expected[i] -= 0.01 * (dm[i] / (1 - pow(0.9, step))) / (sqrt(dv[i] / (1 - pow(0.999, step))) + 1e-8);
    }
  }
  for (int i = 0; i < COUNT; i++) assert_near((double)p[i], expected[i], TOLERANCE * 0.05);
  double sum = 0;
  for (int i = 0; i < COUNT; i++) sum += (double)p[i] * (double)p[i];
  assert_near(numeric_square_norm(p, COUNT), sum, 1e-14 * sum);
}

/* A gradient that vanished: the moments fade to zero and never through denormals, and the caller's state stays. */
static void fading_moments(void) {
  real p[3] = {1, 1, 1}, g[3] = {0}, m[3] = {1, (real)-1e-3, 0}, v[3] = {1, (real)1e-6, 0};
  for (long step = 1; step < 80000; step++) {
    adam_step(p, g, m, v, 3, step, 1e-3, 0.9, 0.99, 1e-8, 1);
    for (int i = 0; i < 3; i++)
      assert_true(fpclassify(m[i]) != FP_SUBNORMAL && fpclassify(v[i]) != FP_SUBNORMAL && isfinite(p[i]));
  }
  for (int i = 0; i < 3; i++) assert_true(m[i] == 0 && v[i] == 0);
  volatile real small = sizeof(real) == 4 ? (real)1e-38 : (real)1e-308;
  assert_true(small * (real)1e-3 > 0);
}

static void test_adam(void **state) {
  (void)state;
  static const char *const names[] = {"baseline", "avx2", "avx512"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const kernel_table *table = kernels_by_name(names[i]);
    if (!table) continue;
    kernels_use(table);
    two_steps(), fading_moments();
  }
  kernels_use(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gemm),
      cmocka_unit_test(test_gemm_over_blocks),
      cmocka_unit_test(test_beta_zero_forgets),
      cmocka_unit_test(test_gemv),
      cmocka_unit_test(test_threads_do_not_disturb_each_other),
      cmocka_unit_test(test_adam),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
