/* SPDX-License-Identifier: Apache-2.0
 *
 * plateau_test.c - Gauss-Newton on equations where its first steps gain little or nothing: small gains, more damping
 * and more points lead on. All from scratch, with the defaults.
 */
#include "posed.h"

#include "temporary.h"

#include "estimate/estimate.h"
#include "training/training.h"

static double estimated(setting *s, ans_solver *solver) {
  estimate *estimate;
  assert_ok(s->context, solver_estimate(s->context, solver, &estimate));
  const estimate_summary *summary = estimate_result(estimate);
  assert_true(summary->available && summary->trusted);
  double error = summary->mean;
  estimate_free(estimate);
  return error;
}

static double error_of_one_network(const char *text) {
  setting s = pose(text);
  ans_solver *solver;
  assert_ok(s.context, solver_begin(s.context, NULL, s.instance, &(ans_solver_options){.seed = 101}, &solver));
  assert_ok(s.context, solver_step(s.context, solver, 100));
  double error = estimated(&s, solver);
  solver_free(solver);
  tear_down(&s);
  return error;
}

/* The solution is many times as large as what its conditions say, so that the first steps go much too far. */
static void damping_is_raised_until_a_step_gains(void **state) {
  (void)state;
  assert_true(error_of_one_network("coordinate x in [0, 1]\nfield y\nequation y: y_xx + 100*y = 0\n"
                                   "boundary y at x = 0: y = 1\nboundary y at x = 1: y = 0.9\n") < 1e-3);
}

/* A front that forms beside a wall: several steps of less than one per cent come before the first good one. */
static void small_gains_lead_out_of_a_plateau(void **state) {
  (void)state;
  assert_true(error_of_one_network("coordinate x in [0, 1]\ncoordinate t in [0, 0.25] time\nfield u\n"
                                   "equation u: u_t = 0.001*u_xx + 5*u*(1 - u)*(u - 0.3)\ninitial u = exp(-100*x^2)\n"
                                   "boundary u at x = 0: u_x = 0\nboundary u at x = 1: u_x = 0\n") < 1e-3);
}

/* A spot in a large domain: at few points the least residual is a spot that vanishes. */
static const char SPOT[] =
    "coordinate x in [-20, 20]\ncoordinate t in [0, 6] time\nfield u\nequation u: u_t = u_xx + u - u^2\n"
    "initial u = 0.5*exp(-x^2)\nboundary u at x = -20: u_x = 0\nboundary u at x = 20: u_x = 0\n";

/* As a file says it. */
static double points_in(const char *path) {
  static const char NAME[] = "\"points\":\"";
  char head[1 << 16] = "";
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  size_t length = fread(head, 1, sizeof head - 1, file);
  fclose(file);
  for (size_t i = 8; i + sizeof NAME < length; i++)
    if (memcmp(head + i, NAME, sizeof NAME - 1) == 0) return strtod(head + i + sizeof NAME - 1, NULL);
  return 0;
}

/* A lost start takes more points. They go into its file, and those that judge follow from them. */
static void a_lost_start_takes_more_points(void **state) {
  (void)state;
  setting s = pose(SPOT);
  ans_solver *whole, *part, *loaded;
  ans_solver_options options = {.seed = 101};
  double points[2 * 3] = {-3, 1, 0, 2, 5, 6}, expected[3], actual[3];
  char path[64];
  temporary_path(path, sizeof path, "lost");
  assert_ok(s.context, solver_begin(s.context, NULL, s.instance, &options, &whole));
  assert_ok(s.context, solver_begin(s.context, NULL, s.instance, &options, &part));
  assert_ok(s.context, solver_step(s.context, whole, 14));
  assert_ok(s.context, solver_step(s.context, part, 11));
  assert_ok(s.context, solver_save(s.context, part, path));
  assert_true(points_in(path) > 2048);
  assert_ok(s.context, solver_load(s.context, path, 2, &loaded));
  assert_ok(s.context, solver_step(s.context, loaded, 3));
  assert_int_equal(solver_progress(whole).step, 14);
  assert_int_equal(solver_progress(loaded).step, 14);
  assert_ok(s.context, solver_evaluate(s.context, whole, points, 3, NULL, expected));
  assert_ok(s.context, solver_evaluate(s.context, loaded, points, 3, NULL, actual));
  assert_memory_equal(expected, actual, sizeof expected);
  solver_free(whole), solver_free(part), solver_free(loaded);
  remove_path(path);
  tear_down(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(damping_is_raised_until_a_step_gains),
                                     cmocka_unit_test(small_gains_lead_out_of_a_plateau),
                                     cmocka_unit_test(a_lost_start_takes_more_points)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
