/* SPDX-License-Identifier: Apache-2.0
 *
 * A zoo of references with known answers that are easy to get wrong: what happens late or shortly, waves that the nodes
 * cannot see, layers, and units.
 */
#include "problem.h"

#include "reference/evolution.h"

static double clip(double value, double low, double high) { return fmin(fmax(value, low), high); }

typedef struct beast {
  const char *text;
  exact_function *exact;
  double limit;
} beast;

static double error_of(const char *text, exact_function *exact, reference_report *report) {
  made made = make_text(text, "");
  ans_solution *solution;
  assert_ok(made.context, reference_solve(made.context, made.instance, 0, 0, true, &solution, report));
  double error = relative_error(solution, 0, exact, NULL);
  solution_free(solution);
  give_back(&made);
  return error;
}

static void assert_tame(const beast *beasts, size_t count) {
  for (size_t i = 0; i < count; i++) {
    reference_report report;
    double error = error_of(beasts[i].text, beasts[i].exact, &report);
    if (!(error < beasts[i].limit)) fail_msg("error %.3g, limit %.1g:\n%s", error, beasts[i].limit, beasts[i].text);
    assert_false(report.time_difference == 0 && report.self_difference == 0);
    if (!(report.time_difference < 1e-3)) fail_msg("time check %g:\n%s", report.time_difference, beasts[i].text);
  }
}

/* ---- Late and short -------------------------------------------------------------------------------------- */

static double late_ramp(double x, double t, const double *p) { return clip(t - 5, 0, 1) + 0 * x * (p == NULL); }
static double heater(double x, double t, const double *p) {
  (void)p;
  double k = 0.01 * 4 * M_PI * M_PI, on = clip(t - 0.5, 0, 0.1);
  return on + (1 - exp(-k * on)) / k * exp(-k * (t - 0.5 - on) * (t > 0.6)) * cos(2 * M_PI * x);
}
static double late_decay(double x, double t, const double *p) {
  (void)x, (void)p;
  return exp(-3 * clip(t - 0.7, 0, 0.05));
}
static double short_pulse(double x, double t, const double *p) {
  (void)x, (void)p;
  return 50 * sqrt(M_PI / 1e5) * (erf(sqrt(1e5) * (t - 0.5)) + 1);
}
static double very_short_pulse(double x, double t, const double *p) {
  (void)x, (void)p;
  return 1e6 * sqrt(M_PI / 1e13) / 2 * (erf(sqrt(1e13) * (t - 0.37)) + 1);
}
static double pulse_from_rest(double x, double t, const double *p) {
  (void)p;
  double sum = 0, k = 0.01 * 4 * M_PI * M_PI, a = sqrt(2000), middle = 0.5 + k / (2 * a * a);
  double plain = 50 * sqrt(M_PI) / a * (erf(a * (t - 0.5)) + 1);
  sum = 50 * sqrt(M_PI) / a * exp(-k * (t - 0.5) + k * k / (4 * a * a)) * (erf(a * (t - middle)) + 1);
  return plain + sum * cos(2 * M_PI * x);
}
/* A wall that is heated from t = 1/2 on. */
static double late_wall(double x, double t, const double *p) {
  (void)p;
  if (t <= 0.5) return 0;
  double sum = 1 - x;
  for (int n = 1; n < 200; n++) sum -= 2 / (n * M_PI) * exp(-n * n * M_PI * M_PI * 0.1 * (t - 0.5)) * sin(n * M_PI * x);
  return sum;
}
/* A wall whose value has a narrow bump; the source makes the rest follow it along a line. */
static double wall_bump(double x, double t, const double *p) {
  (void)p;
  return x + (1 - x) * exp(-1e4 * (t - 0.3) * (t - 0.3));
}

static void what_happens_late_is_seen(void **state) {
  (void)state;
  const beast beasts[] = {
      {"coordinate t in [0, 10] time\nfield u\nequation u: u_t = inside(t, 5, 6)\ninitial u = 0\n", late_ramp, 1e-9},
      {PERIODIC("0", "1", "1") "equation u: u_t = 0.01*u_xx + inside(t,0.5,0.6)*(1+cos(2*pi*x))\ninitial u = 0\n"
                               "reference points 32\n",
       heater, 1e-7},
      {"coordinate t in [0, 1] time\nfield u\nlet a = 0.7\nlet b = 0.75\nequation u: u_t = -3*inside(t, a, b)*u\n"
       "initial u = 1\n",
       late_decay, 1e-7},
      {"coordinate t in [0, 1] time\nfield u\nequation u: u_t = 100*exp(-100000*(t-0.5)^2)\ninitial u = 0\n",
       short_pulse, 1e-6},
      {"coordinate t in [0, 1] time\nfield u\nequation u: u_t = 1e6*exp(-1e13*(t-0.37)^2)\ninitial u = 0\n",
       very_short_pulse, 1e-6},
      {PERIODIC("0", "1", "1") "equation u: u_t = 0.01*u_xx + 100*exp(-2000*(t-0.5)^2)*(1+cos(2*pi*x))\n"
                               "initial u = 0\nreference points 32\n",
       pulse_from_rest, 1e-6},
      {BOUNDED("0", "1", "1") "equation u: u_t = 0.1*u_xx\ninitial u = 0\nboundary u at x = 0: u = inside(t, 0.5, 2) "
                              "soft\nboundary u at x = 1: u = 0 soft\nreference points 65, times 5\n",
       late_wall, 1e-4},
      {BOUNDED("0", "1", "1") "equation u: u_t = u_xx - 2e4*(1-x)*(t-0.3)*exp(-1e4*(t-0.3)^2)\n"
                              "initial u = x + (1-x)*exp(-1e4*0.09)\nboundary u at x = 0: u = exp(-1e4*(t-0.3)^2) "
                              "soft\nboundary u at x = 1: u = 1 soft\nreference points 17, times 3\n",
       wall_bump, 1e-6},
  };
  assert_tame(beasts, sizeof beasts / sizeof *beasts);
}

static void steps_are_bounded(void **state) {
  (void)state;
  const char *text = "coordinate t in [0, 1] time\nfield u\nequation u: u_t = 0\ninitial u = 1\nreference times 51%s\n";
  char line[256];
  const long least[] = {50, 1000};
  for (int i = 0; i < 2; i++) {
    snprintf(line, sizeof line, text, i ? ", max_step 0.001" : "");
    made made = make_text(line, "");
    ans_solution *solution;
    reference_report report;
    assert_ok(made.context, reference_solve(made.context, made.instance, 0, 0, false, &solution, &report));
    assert_in_range(report.steps, least[i], least[i] + 60);
    solution_free(solution);
    give_back(&made);
  }
}

/* ---- Aliases ------------------------------------------------------------------------------------------- */

static double quick_wave(double x, double t, const double *p) {
  return sin(2 * M_PI * 257 * (x - t)) + 0 * (p == NULL);
}
static double quick_source(double x, double t, const double *p) {
  (void)p;
  return 1 + (t + 0.5 * t * t) * sin(2 * M_PI * 130 * x);
}

static void waves_that_the_nodes_cannot_see_are_seen(void **state) {
  (void)state;
  const beast beasts[] = {
      {PERIODIC("0", "1", "1") "equation u: u_t = -u_x\ninitial u = sin(2*pi*257*x)\n", quick_wave, 1e-9},
      {PERIODIC("0", "1", "1") "equation u: u_t = (1 + t)*sin(2*pi*130*x)\ninitial u = 1\nreference points 128\n",
       quick_source, 1e-7},
  };
  reference_report report;
  assert_tame(beasts, sizeof beasts / sizeof *beasts);
  assert_true(error_of(beasts[0].text, quick_wave, &report) < 1e-9);
  assert_in_range(report.nodes, 1024, 2048);
}

/* |sin pi y| = 2/pi - 4/pi sum of cos(2 pi k y)/(4 k^2 - 1), and heat. */
static double blunted_kink(double x, double t, const double *p) {
  (void)p;
  double sum = 0.5;
  for (int k = 1; k <= 400; k++)
    sum -= exp(-0.04 * M_PI * M_PI * k * k * t) * cos(2 * M_PI * k * (x - 0.1371)) / (4.0 * k * k - 1);
  return 4 / M_PI * sum;
}

/* No number of nodes shows a kink to the last digit; few are enough for what heat makes of it. */
static void a_kink_is_no_wave(void **state) {
  (void)state;
  reference_report report;
  double error = error_of(PERIODIC("0", "1", "1") "equation u: u_t = 0.01*u_xx\ninitial u = abs(sin(pi*(x-0.1371)))\n"
                                                  "reference points 128, times 9\n",
                          blunted_kink, &report);
  assert_true(error < 1e-3);
  assert_int_equal(report.nodes, 128);
}

static void what_no_nodes_can_show_is_refused(void **state) {
  (void)state;
  const char *initials[] = {"sin(2*pi*20000*x)", "1 + exp(-1e12*(x-0.437)^2)"};
  for (int i = 0; i < 2; i++) {
    char text[512];
    snprintf(text, sizeof text, PERIODIC("0", "1", "1") "equation u: u_t = -u_x\ninitial u = %s\n", initials[i]);
    made made = make_text(text, "");
    ans_solution *solution;
    reference_report report;
    assert_int_equal(reference_solve(made.context, made.instance, 0, 0, true, &solution, &report), ANS_TOLERANCE);
    const char *message = ans_context_diagnostic(made.context)->message;
    assert_null(solution);
    assert_non_null(strstr(message, "the initial value of u"));
    assert_non_null(strstr(message, "no more than 8192 nodes"));
    give_back(&made);
  }
}

/* A hundredth of the norm in the highest third of the modes: neither an alias nor resolved. */
static void a_hundredth_in_the_highest_modes_is_too_much(void **state) {
  (void)state;
  made made = make_text(PERIODIC("0", "1", "1") "equation u: u_t = -u_x\ninitial u = sin(2*pi*x) + "
                                                "0.005*sin(24*pi*x)\nreference points 32, times 5\n",
                        "");
  ans_solution *solution;
  evolution_outcome outcome = {0};
  assert_int_equal(
      evolution_solve(made.context, made.instance, evolution_defaults(made.problem, 0, 0), &solution, &outcome),
      ANS_TOLERANCE);
  assert_true(outcome.unresolved && solution);
  solution_free(solution);
  reference_report report;
  assert_ok(made.context, reference_solve(made.context, made.instance, 0, 0, true, &solution, &report));
  assert_int_equal(report.nodes, 64);
  solution_free(solution);
  give_back(&made);
}

/* ---- Every field --------------------------------------------------------------------------------------- */

static double self_difference(const char *text) {
  made made = make_text(text, "");
  ans_solution *solution;
  reference_report report;
  assert_ok(made.context, reference_solve(made.context, made.instance, 0, 0, true, &solution, &report));
  solution_free(solution);
  give_back(&made);
  return report.self_difference;
}

static void the_self_check_looks_at_every_field(void **state) {
  (void)state;
#define TWO(a, b)                                                                                                      \
  "coordinate x in [0, 1) periodic\ncoordinate t in [0, 0.3] time\nfield u, v\n"                                       \
  "equation " a ": " a "_t - 0.01*" a "_xx = 0\nequation " b ": " b "_t + " b "*" b "_x - 0.01*" b "_xx = 0\n"         \
  "initial u = sin(2*pi*x)\ninitial v = sin(2*pi*x)\nreference points 128, times 5\n"
  double first = self_difference(TWO("v", "u")), second = self_difference(TWO("u", "v"));
  assert_true(second > 1e-6 && second < 1e-3);
  assert_near(second / first, 1, 1e-3);
}

/* ---- Layers -------------------------------------------------------------------------------------------- */

/* Cole and Hopf for u0 = -sin(pi x), nu = 0.01/pi, on [-1, 1]: the zeros at the walls follow from symmetry. */
static double cole_hopf(double x, double t, const double *p) {
  (void)p;
  if (t == 0) return -sin(M_PI * x);
  double nu = 0.01 / M_PI, above = 0, below = 0, most = -1e300, width = sqrt(4 * nu * t);
  enum { N = 4000 };
  for (int pass = 0; pass < 2; pass++)
    for (int i = -N; i <= N; i++) {
      double z = 8.0 * i / N, y = x - width * z, power = -z * z - cos(M_PI * y) / (2 * M_PI * nu);
      if (pass == 0) {
        most = fmax(most, power);
        continue;
      }
      double weight = exp(power - most);
      above -= sin(M_PI * y) * weight;
      below += weight;
    }
  return above / below;
}
static double outflow_layer(double x, double t, const double *p) {
  (void)t, (void)p;
  return exp((x - 1) / 1e-3);
}
static double inner_layer(double x, double t, const double *p) {
  (void)p;
  return tanh((x - 0.3 - 0.1 * t) / 0.004);
}

static void layers_are_resolved(void **state) {
  (void)state;
  const beast beasts[] = {
      {BOUNDED("-1", "1", "1") "equation u: u_t + u*u_x - 0.01/pi*u_xx = 0\ninitial u = -sin(pi*x)\nboundary u at x = "
                               "-1: u = 0 soft\nboundary u at x = 1: u = 0 soft\nreference points 101, times 11\n",
       cole_hopf, 1e-4},
      {BOUNDED("0", "1", "1") "equation u: u_t + u_x - 0.001*u_xx = 0\ninitial u = exp((x-1)/0.001)\nboundary u at x = "
                              "0: u = 0 soft\nboundary u at x = 1: u = 1 soft\nreference points 401, times 5\n",
       outflow_layer, 1e-5},
      {BOUNDED("0", "1", "1") "equation u: u_t - u_xx = (-0.1/0.004 + 2/0.004^2*tanh((x-0.3-0.1*t)/0.004))*"
                              "(1 - tanh((x-0.3-0.1*t)/0.004)^2)\ninitial u = tanh((x-0.3)/0.004)\nboundary u at x = "
                              "0: u = tanh((-0.3-0.1*t)/0.004) soft\nboundary u at x = 1: u = tanh((0.7-0.1*t)/0.004) "
                              "soft\nreference points 65, times 5\n",
       inner_layer, 1e-5},
  };
  assert_tame(beasts, sizeof beasts / sizeof *beasts);
}

/* ---- Units --------------------------------------------------------------------------------------------- */

/* c (u_t + u u_x - nu u_xx - s(x, t)) = 0 in units U of u and T of time. */
static ans_solution *in_units(double c, double T, double U, made *made) {
  char text[1024];
  snprintf(text, sizeof text,
           "coordinate x in [0, 1) periodic\ncoordinate t in [0, %.17g] time\nfield u\n"
           "equation u: %.17g*u_t + %.17g*u*u_x - %.17g*u_xx - %.17g*inside(t, %.17g, %.17g)*sin(2*pi*x) = 0\n"
           "initial u = %.17g*cos(2*pi*x)\nreference points 64, times 11\n",
           T, c * T / U, c / (U * U), 0.05 * c / U, c, 0.4 * T, 0.55 * T, U);
  *made = make_text(text, "");
  ans_solution *solution;
  reference_report report;
  assert_ok(made->context, reference_solve(made->context, made->instance, 0, 0, true, &solution, &report));
  assert_true(report.self_difference < 1e-6 && report.time_difference < 1e-5);
  return solution;
}

static void units_do_not_matter(void **state) {
  (void)state;
  const double units[][3] = {{1e-12, 1, 1}, {1e12, 1, 1}, {1, 1e-9, 1},      {1, 1e9, 1},
                             {1, 1, 1e-6},  {1, 1, 1e6},  {1e7, 1e-6, 1e-9}, {1e-7, 1e8, 1e9}};
  made base_made;
  ans_solution *base = in_units(1, 1, 1, &base_made);
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    made made;
    ans_solution *other = in_units(units[i][0], units[i][1], units[i][2], &made);
    double difference = 0, size = 0;
    for (size_t j = 0; j < base->point_count; j++) {
      difference += pow(other->values[0][j] / units[i][2] - base->values[0][j], 2);
      size += pow(base->values[0][j], 2);
    }
    if (!(sqrt(difference / size) < 1e-6)) fail_msg("units %zu: %.3g apart", i, sqrt(difference / size));
    solution_free(other);
    give_back(&made);
  }
  solution_free(base);
  give_back(&base_made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_happens_late_is_seen),
      cmocka_unit_test(steps_are_bounded),
      cmocka_unit_test(waves_that_the_nodes_cannot_see_are_seen),
      cmocka_unit_test(a_kink_is_no_wave),
      cmocka_unit_test(what_no_nodes_can_show_is_refused),
      cmocka_unit_test(a_hundredth_in_the_highest_modes_is_too_much),
      cmocka_unit_test(the_self_check_looks_at_every_field),
      cmocka_unit_test(layers_are_resolved),
      cmocka_unit_test(units_do_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
