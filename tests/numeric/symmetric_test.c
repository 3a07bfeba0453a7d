/* SPDX-License-Identifier: Apache-2.0
 *
 * symmetric_test.c - products, factors and solutions against plain sums, and their bits over threads.
 */
#include "check.h"

#include <string.h>

#include "base/base.h"
#include "numeric/symmetric.h"

enum { MOST = 611 };
static const int sizes[] = {1, 5, 96, 97, 256, 300, MOST}; /* below, at and above the blocks */
enum { SIZES = sizeof sizes / sizeof *sizes };

static real *random_matrix(int rows, int columns) {
  random_stream stream = random_open(11, RANDOM_TEST, (uint64_t)rows, (uint32_t)columns);
  real *a = memory_take((size_t)rows * (size_t)columns * sizeof *a);
  for (int i = 0; i < rows * columns; i++) a[i] = (real)random_between(&stream, -1, 1);
  return a;
}

static void product_is_the_sum(void **state) {
  (void)state;
  for (int s = 0; s < SIZES; s++)
    for (int transpose = 0; transpose < 2; transpose++) {
      int n = sizes[s], k = 37;
      real *a = transpose ? random_matrix(k, n) : random_matrix(n, k), *c = random_matrix(n, n), *start = NULL;
      start = memory_take((size_t)(n * n) * sizeof *start);
      memcpy(start, c, (size_t)(n * n) * sizeof *start);
      for (int add = 0; add < 2; add++) {
        memcpy(c, start, (size_t)(n * n) * sizeof *start);
        symmetric_product(transpose, n, k, a, (size_t)(transpose ? n : k), add, c, (size_t)n, 2);
        for (int i = 0; i < n; i++)
          for (int j = 0; j <= i; j++) {
            double sum = add ? (double)start[i * n + j] : 0;
            for (int l = 0; l < k; l++)
              sum +=
                  transpose ? (double)a[l * n + i] * (double)a[l * n + j] : (double)a[i * k + l] * (double)a[j * k + l];
            assert_near((double)c[i * n + j], sum, 40 * (double)REAL_EPSILON);
          }
      }
      memory_give(a), memory_give(c), memory_give(start);
    }
}

/* A = B B^T + n I, with a known solution. */
static void factor_solves(void **state) {
  (void)state;
  for (int s = 0; s < SIZES; s++) {
    int n = sizes[s];
    real *b = random_matrix(n, n), *a = memory_take((size_t)(n * n) * sizeof *a);
    real *work = memory_take(symmetric_room(n) * sizeof *work);
    double *x = memory_take((size_t)n * sizeof *x);
    symmetric_product(false, n, n, b, (size_t)n, false, a, (size_t)n, 1);
    for (int i = 0; i < n; i++) a[i * n + i] += (real)n;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) x[i] += (double)(j <= i ? a[i * n + j] : a[j * n + i]) * (j % 3 - 1);
    assert_true(symmetric_factor(n, a, (size_t)n, work, 2));
    symmetric_solve(n, a, (size_t)n, x);
    for (int i = 0; i < n; i++) assert_near(x[i], i % 3 - 1, 200 * (double)REAL_EPSILON);
    memory_give(a), memory_give(b), memory_give(work), memory_give(x);
  }
}

static void same_bits_for_any_number_of_threads(void **state) {
  (void)state;
  int n = MOST, k = 300;
  size_t size = (size_t)(n * n) * sizeof(real);
  real *a = random_matrix(n, k), *c = memory_take(size), *first = memory_take(size);
  real *work = memory_take(symmetric_room(n) * sizeof *work);
  for (int threads = 1; threads <= 4; threads++) {
    memset(c, 0, size);
    symmetric_product(false, n, k, a, (size_t)k, false, c, (size_t)n, threads);
    for (int i = 0; i < n; i++) c[i * n + i] += (real)1;
    assert_true(symmetric_factor(n, c, (size_t)n, work, threads));
    if (threads == 1) memcpy(first, c, size);
    assert_memory_equal(first, c, size);
  }
  memory_give(a), memory_give(c), memory_give(first), memory_give(work);
}

static void what_is_not_definite_is_refused(void **state) {
  (void)state;
  enum { N = 200 };
  const double bad[] = {0, -1, (double)NAN, (double)INFINITY};
  real *a = memory_take((size_t)(N * N) * sizeof *a), *work = memory_take(symmetric_room(N) * sizeof *work);
  for (int place = 0; place < N; place += N - 1)
    for (int b = 0; b < 4; b++) {
      memset(a, 0, (size_t)(N * N) * sizeof *a);
      for (int i = 0; i < N; i++) a[i * N + i] = (real)(i == place ? bad[b] : 2);
      assert_false(symmetric_factor(N, a, N, work, 2));
    }
  memory_give(a), memory_give(work);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(product_is_the_sum),
      cmocka_unit_test(factor_solves),
      cmocka_unit_test(same_bits_for_any_number_of_threads),
      cmocka_unit_test(what_is_not_definite_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
