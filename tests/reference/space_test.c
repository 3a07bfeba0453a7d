/* SPDX-License-Identifier: Apache-2.0
 *
 * Spaces: derivatives and interpolation of functions whose derivatives are known.
 */
#include "check.h"

#include "reference/dense.h"
#include "numeric/fft.h"
#include "reference/space.h"

enum { ORDERS = 5 };

/* Largest error of each derivative of f over the nodes, relative to the derivative's size. */
static void derivative_errors(space *space, double (*derivative)(double x, int order), double *errors) {
  int n = space->node_count, orders[ORDERS];
  double *values = calloc((size_t)n, sizeof *values), *results[ORDERS];
  for (int o = 0; o < ORDERS; o++) {
    orders[o] = o;
    results[o] = calloc((size_t)n, sizeof **results);
  }
  for (int j = 0; j < n; j++) values[j] = derivative(space->places[j], 0);
  space->differentiate(space, values, ORDERS, orders, results);
  for (int o = 0; o < ORDERS; o++) {
    double error = 0, size = 0;
    for (int j = 0; j < n; j++) {
      double exact = derivative(space->places[j], o);
      error = fmax(error, fabs(results[o][j] - exact));
      size = fmax(size, fabs(exact));
    }
    errors[o] = error / size;
    free(results[o]);
  }
  free(values);
}

/* exp(x): every derivative is itself. */
static double exponential(double x, int order) {
  (void)order;
  return exp(x);
}

/* 1 + sin(w x) + cos(3 w x)/2 on [1, 3): w = pi */
static double waves(double x, int order) {
  double w = M_PI, turn = order * M_PI / 2;
  return (order == 0) + pow(w, order) * sin(w * x + turn) + 0.5 * pow(3 * w, order) * cos(3 * w * x + turn);
}

static void fourier_is_exact_for_waves(void **state) {
  (void)state;
  ans_context *context = new_context();
  for (int n = 16; n <= 17; n++) { /* with and without a mode at half the sampling rate */
    space *space;
    double errors[ORDERS];
    assert_ok(context, space_fourier(context, 1, 3, n, &space));
    derivative_errors(space, waves, errors);
    for (int o = 0; o < ORDERS; o++) assert_near(errors[o], 0, 1e-12);
    space_free(space);
  }
  ans_context_free(context);
}

static void chebyshev_converges_exponentially(void **state) {
  (void)state;
  ans_context *context = new_context();
  double errors[ORDERS], before[ORDERS];
  space *space;
  assert_ok(context, space_chebyshev(context, -1, 2, 8, &space));
  derivative_errors(space, exponential, before);
  space_free(space);
  assert_ok(context, space_chebyshev(context, -1, 2, 14, &space));
  derivative_errors(space, exponential, errors);
  space_free(space);
  for (int o = 1; o < ORDERS; o++) assert_true(errors[o] < 1e-4 * before[o]);
  assert_ok(context, space_chebyshev(context, -1, 2, 24, &space));
  derivative_errors(space, exponential, errors);
  space_free(space);
  assert_near(errors[1], 0, 1e-12);
  assert_near(errors[2], 0, 1e-10);
  assert_near(errors[4], 0, 1e-6);
  ans_context_free(context);
}

/* Differences of order eight, on even nodes and on nodes that crowd around a place. */
static void graded_differences_converge(void **state) {
  (void)state;
  ans_context *context = new_context();
  static space_density density;
  for (int kind = 0; kind < 2; kind++) {
    double errors[2][ORDERS];
    for (int i = 0; i < SPACE_DENSITY_CELLS; i++) density.cells[i] = kind ? 1 + 4 * exp(-pow((i - 700) / 200.0, 2)) : 1;
    for (int k = 0; k < 2; k++) {
      space *space;
      assert_ok(context, space_graded(context, 1, 3, k ? 129 : 65, &density, &space));
      for (int j = 1; j < space->node_count; j++) assert_true(space->places[j] > space->places[j - 1]);
      assert_true(space->places[0] == 1 && space->places[space->node_count - 1] == 3);
      derivative_errors(space, waves, errors[k]);
      space_free(space);
    }
    assert_near(errors[1][1], 0, 1e-7);
    assert_near(errors[1][2], 0, 1e-6);
    /* At least order five for the second derivative and three for the fourth. */
    assert_true(errors[1][2] < errors[0][2] / 32 && errors[1][4] < errors[0][4] / 8);
  }
  ans_context_free(context);
}

static void interpolation_meets_the_function_between_nodes(void **state) {
  (void)state;
  ans_context *context = new_context();
  const double places[] = {1.0, 1.2345, 2.0, 2.71828, 2.999};
  double values[64], results[5];
  space *spaces[2];
  assert_ok(context, space_fourier(context, 1, 3, 32, &spaces[0]));
  assert_ok(context, space_chebyshev(context, 1, 3, 48, &spaces[1]));
  for (int s = 0; s < 2; s++) {
    for (int j = 0; j < spaces[s]->node_count; j++) values[j] = waves(spaces[s]->places[j], 0);
    spaces[s]->evaluate(spaces[s], values, 5, places, results);
    for (int i = 0; i < 5; i++) assert_near(results[i], waves(places[i], 0), 1e-12);
    assert_true(spaces[s]->tail(spaces[s], values) < 1e-10);
    space_free(spaces[s]);
  }
  ans_context_free(context);
}

static void rough_functions_have_a_tail(void **state) {
  (void)state;
  ans_context *context = new_context();
  double values[32];
  space *spaces[2];
  assert_ok(context, space_fourier(context, 0, 1, 32, &spaces[0]));
  assert_ok(context, space_chebyshev(context, 0, 1, 32, &spaces[1]));
  for (int s = 0; s < 2; s++) {
    for (int j = 0; j < 32; j++) values[j] = spaces[s]->places[j] < 0.5;
    assert_true(spaces[s]->tail(spaces[s], values) > 1e-2);
    space_free(spaces[s]);
  }
  ans_context_free(context);
}

static void dense_systems_are_solved(void **state) {
  (void)state;
  /* Needs a row exchange: the first pivot is zero. */
  double matrix[9] = {0, 2, 1, 1, -1, 3, 2, 0, 5}, right[3] = {7, 8, 17};
  int pivots[3];
  assert_true(dense_factorise(3, matrix, pivots));
  dense_solve(3, matrix, pivots, right);
  assert_near(2 * right[1] + right[2], 7, 1e-13);
  assert_near(right[0] - right[1] + 3 * right[2], 8, 1e-13);
  assert_near(2 * right[0] + 5 * right[2], 17, 1e-13);
  double singular[4] = {1, 2, 2, 4};
  assert_false(dense_factorise(2, singular, pivots));
}

/* Each allocation fails once: of the arena, of its first block, and of what does not fit into that. */
static void memory_failures_leave_nothing(void **state) {
  (void)state;
  ans_context *context = new_context();
  for (int kind = 0; kind < 2; kind++) {
    ans_status status = ANS_MEMORY;
    long n = 0;
    while (status != ANS_OK) {
      space *space = NULL;
      memory_fail_after(++n, false);
      status = kind ? space_chebyshev(context, 0, 1, 64, &space) : space_fourier(context, 0, 1, 16, &space);
      memory_fail_after(0, false);
      assert_true(status == ANS_OK ? space != NULL : status == ANS_MEMORY && !space);
      space_free(space);
      assert_true(n < 100);
    }
    assert_true(n > 3);
  }
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fourier_is_exact_for_waves),    cmocka_unit_test(chebyshev_converges_exponentially),
      cmocka_unit_test(graded_differences_converge),   cmocka_unit_test(interpolation_meets_the_function_between_nodes),
      cmocka_unit_test(rough_functions_have_a_tail),   cmocka_unit_test(dense_systems_are_solved),
      cmocka_unit_test(memory_failures_leave_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
