/* SPDX-License-Identifier: Apache-2.0
 *
 * normal_test.c - the damped normal equations against their definition, in plain loops: both forms, many shapes, any
 * number of threads.
 */
#include "check.h"

#include "base/random.h"
#include "training/normal.h"

enum { MOST = 150 };

static const struct {
  int rows, columns;
} shapes[] = {{1, 1}, {3, 7}, {7, 3}, {20, 20}, {17, 130}, {130, 17}, {149, 66}, {66, 149}};

static double entry(int i, int j) {
  random_stream stream = random_open(3, RANDOM_TEST, (uint64_t)i, (uint32_t)j);
  return (random_uniform(&stream) - 0.5) * (1 + j % 5);
}

/* The column norms with their floor: D. */
static void scales(int rows, int columns, double *d) {
  double largest = 0;
  for (int j = 0; j < columns; j++) {
    double sum = 0;
    for (int i = 0; i < rows; i++) sum += entry(i, j) * entry(i, j);
    d[j] = sqrt(sum);
    largest = fmax(largest, d[j]);
  }
  for (int j = 0; j < columns; j++) d[j] += 1e-3 * largest;
}

/* (J^T J + damping D^2) step + J^T r = 0, in every entry. */
static void check_step(int rows, int columns, double damping, const double *d, const double *r, const double *step,
                       double *pushed) {
  for (int i = 0; i < rows; i++) {
    pushed[i] = 0;
    for (int j = 0; j < columns; j++) pushed[i] += entry(i, j) * step[j];
  }
  for (int j = 0; j < columns; j++) {
    double left = damping * d[j] * d[j] * step[j];
    for (int i = 0; i < rows; i++) left += entry(i, j) * (pushed[i] + r[i]);
    assert_near(left, 0, 1e-9);
  }
}

static void check_shape(ans_context *context, normal *n, int rows, int columns, int threads) {
  static double d[MOST], r[MOST], step[MOST], pushed[MOST], actual[MOST];
  const double damping = 0.03;
  assert_ok(context, normal_reserve(context, n, rows, columns, threads));
  assert_int_equal(n->dual, rows < columns);
  for (int i = 0; i < rows; i++) {
    r[i] = entry(i, 999);
    for (int j = 0; j < columns; j++) n->jacobian[i * columns + j] = (real)entry(i, j);
  }
  scales(rows, columns, d);
  assert_true(normal_form(n) && normal_factor(n, damping));
  normal_solve(n, r, step);
  check_step(rows, columns, damping, d, r, step, pushed);
  normal_push(n, step, actual);
  for (int i = 0; i < rows; i++) assert_near(actual[i], pushed[i], 1e-10);
  double length = 0;
  for (int j = 0; j < columns; j++) length += d[j] * step[j] * d[j] * step[j];
  assert_near(normal_length(n, step), sqrt(length), 1e-12 * (1 + sqrt(length)));
}

static void steps_solve_the_damped_equations(void **state) {
  (void)state;
  ans_context *context = new_context();
  normal n = {0};
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
    for (int threads = 1; threads <= 3; threads++) check_shape(context, &n, shapes[s].rows, shapes[s].columns, threads);
  normal_free(&n);
  ans_context_free(context);
}

static void numbers_that_are_not_finite_are_refused(void **state) {
  (void)state;
  ans_context *context = new_context();
  normal n = {0};
  assert_ok(context, normal_reserve(context, &n, 5, 4, 1));
  for (int i = 0; i < 20; i++) n.jacobian[i] = 1;
  n.jacobian[19] = (real)NAN;
  assert_false(normal_form(&n));
  for (int i = 0; i < 20; i++) n.jacobian[i] = 0; /* nothing moves any row: the step is zero */
  const double rows[5] = {1, 2, 3, 4, 5};
  double step[4];
  assert_true(normal_form(&n) && normal_factor(&n, 0.5));
  normal_solve(&n, rows, step);
  for (int j = 0; j < 4; j++) assert_true(step[j] == 0);
  normal_free(&n);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(steps_solve_the_damped_equations),
                                     cmocka_unit_test(numbers_that_are_not_finite_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
