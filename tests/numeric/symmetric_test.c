/* SPDX-License-Identifier: Apache-2.0
 *
 * symmetric_test.c - products, factors and solutions against plain sums, and their bits over threads.
 */
#include "check.h"

#include <string.h>

#include "base/base.h"
#include "numeric/symmetric.h"

enum { MOST = 611 };
static const int sizes[] = {1, 5, 64, 65, 256, 300, MOST}; /* below, at and above the blocks */
enum { SIZES = sizeof sizes / sizeof *sizes };

static real *random_matrix(int rows, int columns) {
  random_stream stream = random_open(11, RANDOM_TEST, (uint64_t)rows, (uint32_t)columns);
  real *a = memory_take((size_t)rows * (size_t)columns * sizeof *a);
  for (int i = 0; i < rows * columns; i++) a[i] = (real)random_between(&stream, -1, 1);
  return a;
}

static void product_is_the_sum(void **state) {
  (void)state;
  const int depths[] = {1, 37, 1100};
  for (int s = 0; s < SIZES; s++)
    for (int d = 0; d < 3; d++) {
      int n = sizes[s], k = n < MOST ? depths[d] : 3;
      size_t stride = symmetric_stride(n);
      real *a = random_matrix(n, k), *c = memory_take((size_t)n * stride * sizeof *c);
      real *work = memory_take(symmetric_room(n, 2) * sizeof *work);
      for (int add = 0; add < 2; add++) { /* the second time on top of the first */
        symmetric_product(n, k, a, (size_t)k, add, c, work, 2);
        for (int i = 0; i < n; i++)
          for (int j = 0; j <= i; j++) {
            double sum = 0, size = 0;
            for (int l = 0; l < k; l++) {
              sum += (double)a[i * k + l] * (double)a[j * k + l];
              size += fabs((double)a[i * k + l] * (double)a[j * k + l]);
            }
            assert_near((double)c[(size_t)i * stride + (size_t)j], (add + 1) * sum,
                        2 * k * (double)REAL_EPSILON * size);
          }
      }
      memory_give(a), memory_give(c), memory_give(work);
    }
}

/* A^T A in blocks is A A^T of the transposed matrix, to the last bit and for any number of threads. */
static void gram_is_the_product(void **state) {
  (void)state;
  const int depths[] = {1, 96, 250};
  for (int s = 0; s < SIZES; s++)
    for (int d = 0; d < 3; d++) {
      int n = sizes[s], k = depths[d];
      size_t stride = symmetric_stride(n), size = (size_t)n * stride * sizeof(real);
      real *a = random_matrix(n, k), *turned = memory_take((size_t)n * (size_t)k * sizeof *turned);
      real *c = memory_take(size), *expected = memory_take(size);
      real *work = memory_take(symmetric_room(n, 1) * sizeof *work);
      real *blocks = memory_take(symmetric_gram_room(n, k) * sizeof *blocks);
      for (int i = 0; i < n; i++)
        for (int l = 0; l < k; l++) turned[l * n + i] = a[i * k + l];
      symmetric_product(n, k, a, (size_t)k, false, expected, work, 1);
      for (int threads = 1; threads <= 3; threads++) {
        memset(c, 0, size);
        symmetric_gram(n, k, turned, (size_t)n, c, blocks, threads);
        for (int i = 0; i < n; i++)
          assert_memory_equal(c + (size_t)i * stride, expected + (size_t)i * stride, (size_t)(i + 1) * sizeof *c);
      }
      memory_give(a), memory_give(turned), memory_give(c), memory_give(expected), memory_give(work);
      memory_give(blocks);
    }
}

/* A = B B^T + n I, with a known solution. */
static void factor_solves(void **state) {
  (void)state;
  for (int s = 0; s < SIZES; s++) {
    int n = sizes[s];
    size_t stride = symmetric_stride(n);
    real *b = random_matrix(n, n), *a = memory_take((size_t)n * stride * sizeof *a);
    real *work = memory_take(symmetric_room(n, 2) * sizeof *work);
    double *x = memory_take((size_t)n * sizeof *x);
    symmetric_product(n, n, b, (size_t)n, false, a, work, 1);
    for (int i = 0; i < n; i++) a[(size_t)i * stride + (size_t)i] += (real)n;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) x[i] += (double)(j <= i ? a[i * stride + j] : a[j * stride + i]) * (j % 3 - 1);
    assert_true(symmetric_factor(n, a, work, 2));
    symmetric_solve(n, a, x);
    for (int i = 0; i < n; i++) assert_near(x[i], i % 3 - 1, 200 * (double)REAL_EPSILON);
    memory_give(a), memory_give(b), memory_give(work), memory_give(x);
  }
}

static void same_bits_for_any_number_of_threads(void **state) {
  (void)state;
  int n = MOST, k = 300;
  size_t size = (size_t)n * symmetric_stride(n) * sizeof(real);
  real *a = random_matrix(n, k), *c = memory_take(size), *first = memory_take(size);
  real *work = memory_take(symmetric_room(n, 4) * sizeof *work);
  for (int threads = 1; threads <= 4; threads++) {
    memset(c, 0, size);
    symmetric_product(n, k, a, (size_t)k, false, c, work, threads);
    for (int i = 0; i < n; i++) c[(size_t)i * symmetric_stride(n) + (size_t)i] += 1;
    assert_true(symmetric_factor(n, c, work, threads));
    if (threads == 1) memcpy(first, c, size);
    assert_memory_equal(first, c, size);
  }
  memory_give(a), memory_give(c), memory_give(first), memory_give(work);
}

static void what_is_not_definite_is_refused(void **state) {
  (void)state;
  enum { N = 200 };
  const double bad[] = {0, -1, (double)NAN, (double)INFINITY};
  size_t stride = symmetric_stride(N);
  real *a = memory_take(N * stride * sizeof *a), *work = memory_take(symmetric_room(N, 2) * sizeof *work);
  for (int place = 0; place < N; place += N - 1)
    for (int b = 0; b < 4; b++) {
      memset(a, 0, N * stride * sizeof *a);
      for (int i = 0; i < N; i++) a[(size_t)i * (stride + 1)] = (real)(i == place ? bad[b] : 2);
      assert_false(symmetric_factor(N, a, work, 2));
    }
  memory_give(a), memory_give(work);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(product_is_the_sum),
      cmocka_unit_test(gram_is_the_product),
      cmocka_unit_test(factor_solves),
      cmocka_unit_test(same_bits_for_any_number_of_threads),
      cmocka_unit_test(what_is_not_definite_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
