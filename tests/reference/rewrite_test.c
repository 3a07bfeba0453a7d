/* SPDX-License-Identifier: Apache-2.0
 *
 * Problems of second order in time and problems without time, against solutions in closed form.
 */
#include "problem.h"

static double error_of(const char *text, exact_function *exact, reference_report *report) {
  made made = make_text(text, "");
  ans_solution *solution;
  assert_ok(made.context, reference_solve(made.context, made.instance, 0, 0, true, &solution, report));
  assert_int_equal(solution->field_count, made.problem->field_count);
  assert_int_equal(solution->coordinate_count, made.problem->coordinate_count);
  double error = 0, size = 0;
  bool steady = made.problem->time < 0;
  if (!steady) error = relative_error(solution, 0, exact, NULL);
  for (size_t j = 0; steady && j < solution->point_count; j++) {
    double value = exact(solution->axes[0][j], 0, NULL);
    error = fmax(error, fabs(solution->values[0][j] - value));
    size = fmax(size, fabs(value));
  }
  solution_free(solution);
  give_back(&made);
  return steady ? error / size : error;
}

static double oscillator(double x, double t, const double *p) {
  return cos(2 * t) + 0.5 * sin(2 * t) + 0 * x * (p == NULL);
}
static double ring_wave(double x, double t, const double *p) {
  (void)p;
  return sin(2 * M_PI * x) * cos(2 * M_PI * t);
}
static double string(double x, double t, const double *p) {
  (void)p;
  return sin(M_PI * x) * cos(M_PI * t);
}
static double beam(double x, double t, const double *p) {
  (void)p;
  return sin(M_PI * x) * cos(M_PI * M_PI * t);
}
/* u_ttt = -u: exp(-t) */
static double third(double x, double t, const double *p) { return exp(-t) + 0 * x * (p == NULL); }

#define OSCILLATOR "coordinate t in [0, 3] time\nfield u\n"
#define WALLS      "boundary u at x = 0: u = 0 soft\nboundary u at x = 1: u = 0 soft\n"

static void second_order_in_time_is_solved(void **state) {
  (void)state;
  const struct {
    const char *text;
    exact_function *exact;
    double limit;
  } cases[] = {
      {OSCILLATOR "equation u: u_tt + 4*u = 0\ninitial u = 1\ninitial u_t = 1\nreference times 11\n", oscillator, 1e-6},
      {OSCILLATOR
       "equation u: 2*u_ttt + 2*u = 0\ninitial u = 1\ninitial u_t = -1\ninitial u_tt = 1\nreference times 11\n",
       third, 1e-5},
      {PERIODIC("0", "1", "1") "equation u: u_tt - u_xx = 0\ninitial u = sin(2*pi*x)\ninitial u_t = 0\n"
                               "reference points 16, times 5\n",
       ring_wave, 1e-6},
      {BOUNDED("0", "1", "1") "equation u: u_tt - u_xx = 0\ninitial u = sin(pi*x)\ninitial u_t = 0\n" WALLS
                              "reference points 17, times 5\n",
       string, 1e-5},
      {BOUNDED("0", "1", "0.3") "equation u: u_tt + u_xxxx = 0\ninitial u = sin(pi*x)\ninitial u_t = 0\n" WALLS
                                "boundary u at x = 0: u_xx = 0 soft\nboundary u at x = 1: u_xx = 0 soft\n"
                                "reference points 17, times 5\n",
       beam, 1e-5},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    reference_report report;
    double error = error_of(cases[i].text, cases[i].exact, &report);
    if (!(error < cases[i].limit)) fail_msg("error %.3g, limit %.1g:\n%s", error, cases[i].limit, cases[i].text);
  }
}

static double poisson(double x, double t, const double *p) { return sin(M_PI * x) + 0 * t * (p == NULL); }
static double slope(double x, double t, const double *p) { return x * x - 2 * x + 0 * t * (p == NULL); }
static double layer(double x, double t, const double *p) { return exp((x - 1) / 0.001) + 0 * t * (p == NULL); }
/* u_xx = 6 u^2 */
static double nonlinear(double x, double t, const double *p) { return 1 / ((1 + x) * (1 + x)) + 0 * t * (p == NULL); }
static double decay(double x, double t, const double *p) { return exp(-x) + 0 * t * (p == NULL); }

#define LINE "coordinate x in [0, 1]\nfield u\n"

static void states_of_rest_are_found(void **state) {
  (void)state;
  const struct {
    const char *text;
    exact_function *exact;
    const char *method;
  } cases[] = {
      {LINE "equation u: u_xx = -pi^2*sin(pi*x)\n" WALLS, poisson, "Chebyshev-Newton"},
      {LINE "equation u: 1e-9*u_xx = 2e-9\nboundary u at x = 0: u = 0 soft\nboundary u at x = 1: u_x = 0 soft\n", slope,
       "Chebyshev-Newton"},
      {LINE "equation u: 0.001*u_xx - u_x = 0\nboundary u at x = 0: u = 0 soft\nboundary u at x = 1: u = 1 soft\n",
       layer, "difference-Newton"},
      {LINE "equation u: u_xx = 6*u^2\nboundary u at x = 0: u = 1 soft\nboundary u at x = 1: u = 0.25 soft\n",
       nonlinear, "Chebyshev-Newton"},
      {LINE "equation u: u_x = -u\nboundary u at x = 0: u = 1 soft\n", decay, "Chebyshev-Newton"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    reference_report report;
    double error = error_of(cases[i].text, cases[i].exact, &report);
    if (!(error < 1e-6)) fail_msg("error %.3g:\n%s", error, cases[i].text);
    assert_string_equal(report.method, cases[i].method);
    assert_true(isnan(report.time_difference) && report.self_difference < 1e-3);
  }
}

static void what_has_no_state_of_rest_is_refused(void **state) {
  (void)state;
  const struct {
    const char *text;
    ans_status status;
  } cases[] = {{LINE "equation u: u_xx + 10*(1 + u^2) = 0\n" WALLS, ANS_DIVERGED},
               {"coordinate x in [0, 1) periodic\nfield u\nequation u: u_xx = u - sin(2*pi*x)\n", ANS_UNSUPPORTED}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    made made = make_text(cases[i].text, "");
    ans_solution *solution;
    reference_report report;
    assert_int_equal(reference_solve(made.context, made.instance, 0, 0, true, &solution, &report), cases[i].status);
    assert_null(solution);
    give_back(&made);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(second_order_in_time_is_solved),
      cmocka_unit_test(states_of_rest_are_found),
      cmocka_unit_test(what_has_no_state_of_rest_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
