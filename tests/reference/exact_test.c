/* SPDX-License-Identifier: Apache-2.0
 *
 * References against solutions in closed form. Argument: the folder of the families.
 */
#include "problem.h"

#include "reference/evolution.h"

static const char *families;

static void family_path(const char *name, char *path, size_t room) { snprintf(path, room, "%s/%s", families, name); }

/* The relative error of the first field's reference; the settings are the problem's. */
static double error_of(made made, exact_function *exact, const double *parameters) {
  ans_solution *solution;
  reference_report report;
  assert_ok(made.context, reference_solve(made.context, made.instance, 0, 0, false, &solution, &report));
  double error = relative_error(solution, 0, exact, parameters);
  solution_free(solution);
  give_back(&made);
  return error;
}

/* ---- The scalar family ------------------------------------------------------------------------------------ */

static double profile(double x) {
  return 0.5 + 0.20 * sin(2 * M_PI * x) + 0.10 * sin(4 * M_PI * x + 0.7) + 0.05 * cos(6 * M_PI * x);
}
/* a, r */
static double advected_logistic(double x, double t, const double *p) {
  double u = profile(x - p[0] * t);
  return u / (u + (1 - u) * exp(-p[1] * t));
}
/* a, D */
static double advected_modes(double x, double t, const double *p) {
  double y = x - p[0] * t, d = 4 * M_PI * M_PI * p[1] * t;
  return 0.5 + 0.20 * exp(-d) * sin(2 * M_PI * y) + 0.10 * exp(-4 * d) * sin(4 * M_PI * y + 0.7) +
         0.05 * exp(-9 * d) * cos(6 * M_PI * y);
}

static void the_scalar_family_meets_its_closed_forms(void **state) {
  (void)state;
  char path[1024];
  family_path("cdr.pde", path, sizeof path);
  assert_near(error_of(make_member(path, "convection", "a=12"), advected_modes, (const double[]){12, 0}), 0, 1e-12);
  assert_near(error_of(make_member(path, "convection", "a=2"), advected_modes, (const double[]){2, 0}), 0, 1e-12);
  assert_near(error_of(make_member(path, "heat", "D=0.001"), advected_modes, (const double[]){0, 1e-3}), 0, 1e-7);
  assert_near(error_of(make_member(path, "heat", "D=0.1"), advected_modes, (const double[]){0, 1e-1}), 0, 1e-7);
  assert_near(error_of(make_member(path, "reaction", "r=10"), advected_logistic, (const double[]){0, 10}), 0, 1e-7);
  assert_near(error_of(make_member(path, "conv_diff", "a=12,D=0.01"), advected_modes, (const double[]){12, 0.01}), 0,
              1e-7);
  assert_near(error_of(make_case(path, "AR_9.5_9.5"), advected_logistic, (const double[]){9.5, 9.5}), 0, 1e-7);
  assert_near(error_of(make_case(path, "AR_4.5_8.5"), advected_logistic, (const double[]){4.5, 8.5}), 0, 1e-7);
}

/* phase, speed */
static double moved_sine(double x, double t, const double *p) { return sin(2 * M_PI * (x - p[1] * t) + p[0]); }

/* As many fields as a problem may have, each with a speed of its own. */
static void every_field_moves_at_its_own_speed(void **state) {
  (void)state;
  char text[4096];
  int used = snprintf(text, sizeof text, "coordinate x in [0, 1) periodic\ncoordinate t in [0, 1] time\nfield f0");
  for (int f = 1; f < SYSTEM_MAX_FIELDS; f++) used += snprintf(text + used, sizeof text - (size_t)used, ", f%d", f);
  for (int f = 0; f < SYSTEM_MAX_FIELDS; f++)
    used += snprintf(text + used, sizeof text - (size_t)used,
                     "\nequation f%d: f%d_t + %.1f*f%d_x = 0\ninitial f%d = sin(2*pi*x + %d)", f, f, 0.3 + 0.4 * f, f,
                     f, f);
  snprintf(text + used, sizeof text - (size_t)used, "\nreference points 16, times 5\n");
  made made = make_text(text, "");
  ans_solution *solution;
  reference_report report;
  assert_ok(made.context, reference_solve(made.context, made.instance, 0, 0, false, &solution, &report));
  for (int f = 0; f < SYSTEM_MAX_FIELDS; f++)
    assert_near(relative_error(solution, f, moved_sine, (const double[]){f, 0.3 + 0.4 * f}), 0, 1e-12);
  solution_free(solution);
  give_back(&made);
}

/* ---- Nonlinear waves -------------------------------------------------------------------------------------- */

#define BURGERS                                                                                                        \
  PERIODIC("0", "1", "1")                                                                                              \
  "equation u: u_t + u*u_x - 0.005*u_xx = 0\n"                                                                         \
  "initial u = 0.02*pi*sin(2*pi*x)/(1.05 + cos(2*pi*x))\n"

/* Cole-Hopf: u = -2 nu (log phi)_x with phi = 1.05 + exp(-nu k^2 t) cos k x, a solution of the heat equation. */
static double cole_hopf(double x, double t, const double *p) {
  (void)p;
  double nu = 0.005, k = 2 * M_PI, decay = exp(-nu * k * k * t);
  return 2 * nu * k * decay * sin(k * x) / (1.05 + decay * cos(k * x));
}

static void burgers_meets_cole_and_hopf(void **state) {
  (void)state;
  assert_near(error_of(make_text(BURGERS "reference points 128, times 11, relative 1e-9, absolute 1e-11\n", ""),
                       cole_hopf, NULL),
              0, 1e-7);
}

/* As doc/references.md says: more nodes than these make a Chebyshev derivative worse. */
static void nodes_between_walls_are_bounded(void **state) {
  (void)state;
  const char *ends = "initial u = 0\nboundary u at x = 0: u = 0 soft\nboundary u at x = 1: u = 0 soft\n";
  char text[512];
  snprintf(text, sizeof text, BOUNDED("0", "1", "1") "equation u: u_t - u_xx = 0\n%s", ends);
  made second = make_text(text, "");
  assert_int_equal(evolution_defaults(second.problem, 100, 0).resolution, 100);
  assert_int_equal(evolution_defaults(second.problem, 1000, 0).resolution, 129);
  give_back(&second);
  snprintf(text, sizeof text,
           BOUNDED("0", "1", "1") "equation u: u_t + u_xxxx = 0\n%sboundary u at x = 0: u_x = 0 soft\n"
                                  "boundary u at x = 1: u_x = 0 soft\n",
           ends);
  made fourth = make_text(text, "");
  assert_int_equal(evolution_defaults(fourth.problem, 48, 0).resolution, 48);
  assert_int_equal(evolution_defaults(fourth.problem, 1000, 0).resolution, 49);
  give_back(&fourth);
}

/* Against 256 points at the same tight tolerance; the closed form above happens to hold on any grid. */
static double resolution_error(made *made, int resolution, const ans_solution *fine) {
  evolution_settings settings = evolution_defaults(made->problem, 0, 0);
  ans_solution *coarse;
  double error;
  evolution_outcome outcome = {0};
  settings.resolution = resolution;
  ans_status status = evolution_solve(made->context, made->instance, settings, &coarse, &outcome);
  assert_true(status == ANS_OK || outcome.unresolved);
  assert_non_null(coarse);
  assert_ok(made->context, solution_compare(made->context, coarse, fine, &error));
  solution_free(coarse);
  return error;
}

static void space_converges_exponentially(void **state) {
  (void)state;
  made made = make_text(PERIODIC("0", "1", "1") "equation u: u_t + u*u_x - 0.02*u_xx = 0\ninitial u = sin(2*pi*x)\n"
                                                "reference points 256, times 6, relative 1e-11, absolute 1e-13\n",
                        "");
  ans_solution *fine;
  reference_report report;
  assert_ok(made.context, reference_solve(made.context, made.instance, 0, 0, false, &fine, &report));
  double errors[3];
  for (int i = 0; i < 3; i++) errors[i] = resolution_error(&made, 16 << i, fine);
  /* A fixed order gains the same factor by each doubling; here the second gains many times the first. */
  assert_true(errors[1] < errors[0] / 10);
  assert_true(errors[2] < errors[1] * errors[1] * 10);
  solution_free(fine);
  give_back(&made);
}

static void time_follows_the_tolerance(void **state) {
  (void)state;
  double loose =
      error_of(make_text(BURGERS "reference points 128, times 6, relative 1e-5, absolute 1e-7\n", ""), cole_hopf, NULL);
  double tight = error_of(make_text(BURGERS "reference points 128, times 6, relative 1e-8, absolute 1e-10\n", ""),
                          cole_hopf, NULL);
  assert_true(loose < 1e-3 && loose > 1e-7);
  assert_true(tight < loose / 30);
}

static double soliton(double x, double t, const double *p) {
  (void)p;
  double s = 1 / cosh(0.5 * (x - t));
  return 0.5 * s * s;
}

static void korteweg_de_vries_carries_its_soliton(void **state) {
  (void)state;
  assert_near(
      error_of(make_text(PERIODIC("-25", "25", "4") "equation u: u_t + 6*u*u_x + u_xxx = 0\n"
                                                    "initial u = 0.5/cosh(0.5*x)^2\n"
                                                    "reference points 256, times 9, relative 1e-10, absolute 1e-12\n",
                         ""),
               soliton, NULL),
      0, 1e-6);
}

/* ---- Orders, sources, systems ------------------------------------------------------------------------------ */

static double fourth_order_mode(double x, double t, const double *p) {
  (void)p;
  return 2 + exp(-1e-3 * pow(2 * M_PI, 4) * t) * sin(2 * M_PI * x);
}
static double forced(double x, double t, const double *p) {
  (void)p;
  return sin(2 * M_PI * x) * cos(3 * t);
}
static double rotating(double x, double t, const double *p) {
  (void)x, (void)p;
  return cos(2 * t);
}
static double logistic(double x, double t, const double *p) {
  (void)x, (void)p;
  return 1 / (1 + 9 * exp(-3 * t));
}
static double standing_wave(double x, double t, const double *p) {
  (void)p;
  return sin(2 * M_PI * x) * cos(2 * M_PI * t);
}

static void other_forms_of_evolution_are_met(void **state) {
  (void)state;
  assert_near(
      error_of(make_text(PERIODIC("0", "1", "1") "equation u: u_t + 0.001*u_xxxx = 0\ninitial u = 2 + sin(2*pi*x)\n"
                                                 "reference points 32, times 5, relative 1e-9, absolute 1e-11\n",
                         ""),
               fourth_order_mode, NULL),
      0, 1e-7);
  /* A factor before u_t, and a source that depends on both coordinates. */
  assert_near(
      error_of(make_text(PERIODIC("0", "1", "2") "equation u: 2*u_t - u_xx = sin(2*pi*x)*(4*pi^2*cos(3*t) - "
                                                 "6*sin(3*t))\ninitial u = sin(2*pi*x)\n"
                                                 "reference points 32, times 5, relative 1e-10, absolute 1e-12\n",
                         ""),
               forced, NULL),
      0, 1e-7);
  /* A coefficient that varies in space, and a product of a field and two derivatives. */
  assert_near(
      error_of(make_text(PERIODIC("0", "1", "2") "equation u: u_t - 0.05*u_xx + cos(2*pi*x)*u_x + u*u_x^2 = "
                                                 "sin(2*pi*x)*(0.2*pi^2*cos(3*t) - 3*sin(3*t)) + "
                                                 "2*pi*cos(2*pi*x)^2*cos(3*t) + "
                                                 "4*pi^2*sin(2*pi*x)*cos(2*pi*x)^2*cos(3*t)^3\n"
                                                 "initial u = sin(2*pi*x)\n"
                                                 "reference points 64, times 5, relative 1e-10, absolute 1e-12\n",
                         ""),
               forced, NULL),
      0, 1e-7);
  /* No space at all. */
  assert_near(
      error_of(make_text("coordinate t in [0, 2] time\nfield u\nequation u: u_t - 3*u*(1-u) = 0\ninitial u = 0.1\n"
                         "reference times 5, relative 1e-10, absolute 1e-12\n",
                         ""),
               logistic, NULL),
      0, 1e-7);
  assert_near(
      error_of(
          make_text("coordinate t in [0, 2] time\nfield u, v\nequation u: u_t + 2*v = 0\nequation v: v_t - 2*u = 0\n"
                    "initial u = 1\ninitial v = 0\nreference times 5, relative 1e-10, absolute 1e-12\n",
                    ""),
          rotating, NULL),
      0, 1e-7);
  /* A wave as a first-order system. */
  assert_near(
      error_of(make_text("coordinate x in [0, 1) periodic\ncoordinate t in [0, 1] time\nfield u, v\n"
                         "equation u: u_t - v = 0\nequation v: v_t - u_xx = 0\ninitial u = sin(2*pi*x)\ninitial v = 0\n"
                         "reference points 16, times 5, relative 1e-9, absolute 1e-11\n",
                         ""),
               standing_wave, NULL),
      0, 1e-6);
}

/* ---- Bounded domains ----------------------------------------------------------------------------------------- */

static double dirichlet_mode(double x, double t, const double *p) {
  (void)p;
  return exp(-M_PI * M_PI * 0.1 * t) * sin(M_PI * x);
}
static double neumann_mode(double x, double t, const double *p) {
  (void)p;
  return 1 + exp(-M_PI * M_PI * 0.1 * t) * cos(M_PI * x);
}
static double decaying_cosine(double x, double t, const double *p) {
  (void)p;
  return exp(-t) * cos(x);
}
static double travelling(double x, double t, const double *p) {
  (void)p;
  return sin(x - t);
}
static double supported_beam(double x, double t, const double *p) {
  (void)p;
  return exp(-t) * sin(M_PI * x);
}
/* A front of Fisher's equation with speed 5/sqrt(6) (Ablowitz and Zeppetella, 1979). */
static double fisher_front(double x, double t, const double *p) {
  (void)p;
  double e = 1 + exp((x - 5 * t / sqrt(6)) / sqrt(6));
  return 1 / (e * e);
}

static void bounded_domains_meet_their_closed_forms(void **state) {
  (void)state;
  const char *tail = "reference points 65, times 6, relative 1e-10, absolute 1e-12\n";
  struct {
    const char *text;
    exact_function *exact;
    double limit;
  } cases[] = {
      {BOUNDED("0", "1", "1") "equation u: u_t - 0.1*u_xx = 0\ninitial u = sin(pi*x)\nboundary u at x = 0: u = 0 "
                              "soft\nboundary u at x = 1: u = 0 soft\n",
       dirichlet_mode, 1e-7},
      {BOUNDED("0", "1", "1") "equation u: u_t - 0.1*u_xx = 0\ninitial u = 1 + cos(pi*x)\nboundary u at x = 0: u_x = 0 "
                              "soft\nboundary u at x = 1: u_x = 0 soft\n",
       neumann_mode, 1e-7},
      {BOUNDED("0", "2", "1") "equation u: u_t - u_xx = 0\ninitial u = cos(x)\nboundary u at x = 0: u = exp(-t) "
                              "soft\nboundary u at x = 2: u_x = -exp(-t)*sin(2) soft\n",
       decaying_cosine, 1e-7},
      {BOUNDED("0", "2", "1") "equation u: u_t + u_x = 0\ninitial u = sin(x)\nboundary u at x = 0: u = -sin(t) soft\n",
       travelling, 1e-7},
      {BOUNDED("0", "1", "1") "equation u: u_t + u_xxxx = (pi^4 - 1)*exp(-t)*sin(pi*x)\ninitial u = sin(pi*x)\n"
                              "boundary u at x = 0: u = 0 soft\nboundary u at x = 0: u_xx = 0 soft\nboundary u at x = "
                              "1: u = 0 soft\nboundary u at x = 1: u_xx = 0 soft\n",
       supported_beam, 1e-6},
      {BOUNDED("-10", "15", "2") "equation u: u_t - u_xx - u*(1-u) = 0\ninitial u = 1/(1 + exp(x/sqrt(6)))^2\n"
                                 "boundary u at x = -10: u = 1/(1 + exp((-10 - 5*t/sqrt(6))/sqrt(6)))^2 soft\nboundary "
                                 "u at x = 15: u = 1/(1 + exp((15 - 5*t/sqrt(6))/sqrt(6)))^2 soft\n",
       fisher_front, 1e-7},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[2048];
    snprintf(text, sizeof text, "%s%s", cases[i].text, tail);
    double error = error_of(make_text(text, ""), cases[i].exact, NULL);
    if (!(error < cases[i].limit)) fail_msg("bounded case %zu: error %.3g, limit %.1g", i, error, cases[i].limit);
  }
}

/* ---- Sizes of fields -------------------------------------------------------------------------------------- */

/* The largest error at the last time over the largest exact value there: a decayed field counts, too. */
static double last_error(made made, exact_function *exact, const double *parameters) {
  ans_solution *solution;
  reference_report report;
  assert_ok(made.context, reference_solve(made.context, made.instance, 0, 0, true, &solution, &report));
  assert_false(report.self_difference == 0); /* squares that vanish, not agreement */
  int nodes = solution->coordinate_count == 2 ? solution->axis_sizes[1] : 1, last = solution->axis_sizes[0] - 1;
  double most = 0, size = 0;
  for (int j = 0; j < nodes; j++) {
    double value = exact(nodes > 1 ? solution->axes[1][j] : 0, solution->axes[0][last], parameters);
    most = fmax(most, fabs(solution->values[0][(size_t)last * (size_t)nodes + (size_t)j] - value));
    size = fmax(size, fabs(value));
  }
  solution_free(solution);
  give_back(&made);
  return most / size;
}

/* size of the initial mode, size of the source */
static double heated_mode(double x, double t, const double *p) {
  double rate = 0.1 * 4 * M_PI * M_PI, decay = exp(-rate * t);
  return (p[0] * decay + p[1] * (1 - decay) / rate) * sin(2 * M_PI * x);
}

static void a_field_may_have_any_size(void **state) {
  (void)state;
  const double sizes[][2] = {{1, 0},    {1e-9, 0},  {1e-13, 0},   {1e-170, 0}, {1e10, 0},   {1e150, 0}, {0, 1e-9},
                             {0, 1e10}, {1e-13, 1}, {1e-9, 1e-6}, {1, 1e9},    {1e-9, 1e9}, {1e10, 1}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    char text[1024];
    snprintf(text, sizeof text,
             PERIODIC("0", "1", "1") "equation u: u_t - 0.1*u_xx - %g*sin(2*pi*x) = 0\ninitial u = %g*sin(2*pi*x)\n"
                                     "reference points 64, times 11\n",
             sizes[i][1], sizes[i][0]);
    double error = last_error(make_text(text, ""), heated_mode, sizes[i]);
    if (!(error < 1e-6)) fail_msg("sizes %g and %g: error %.3g", sizes[i][0], sizes[i][1], error);
  }
}

static double ramp(double x, double t, const double *p) { return p[0] * (1 - x) + 0 * t; }
static double growth(double x, double t, const double *p) { return p[0] / (p[0] + (1 - p[0]) * exp(-t)) + 0 * x; }
static double saturation(double x, double t, const double *p) { return tanh(1e6 * t) + 0 * (x + p[0]); }

/* The first rate says little about the size to come: beside a jump at an end, in an instability, where it saturates. */
static void a_first_rate_does_not_mislead(void **state) {
  (void)state;
  const double tiny = 1e-9, tinier = 1e-12;
  const char *rod = BOUNDED("0", "1", "40") "equation u: u_t - u_xx = 0\ninitial u = 0\n"
                                            "boundary u at x = 0: u = 1e-9 soft\nboundary u at x = 1: u = 0 soft\n"
                                            "reference points 33, times 3\n";
  const char *point = "coordinate t in [0, %s] time\nfield u\nequation u: %s = 0\ninitial u = %s\nreference times 3\n";
  char text[1024];
  assert_near(last_error(make_text(rod, ""), ramp, &tiny), 0, 1e-6);
  snprintf(text, sizeof text, point, "30", "u_t - u + u^2", "1e-12");
  assert_near(last_error(make_text(text, ""), growth, &tinier), 0, 1e-5);
  snprintf(text, sizeof text, point, "1", "u_t - 1e6 + 1e6*u^2", "0");
  assert_near(last_error(make_text(text, ""), saturation, &tiny), 0, 1e-7);
}

static void a_size_beyond_double_precision_is_refused(void **state) {
  (void)state;
  made made = make_text(PERIODIC("0", "1", "1") "equation u: u_t - u_xx = 0\ninitial u = 1e-250*sin(2*pi*x)\n", "");
  ans_solution *solution;
  reference_report report;
  assert_int_equal(reference_solve(made.context, made.instance, 0, 0, false, &solution, &report), ANS_TOLERANCE);
  assert_non_null(strstr(ans_context_diagnostic(made.context)->message, "u is of size 1.0e-250"));
  give_back(&made);
}

int main(int count, char **words) {
  if (count < 2) return 2;
  families = words[1];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_scalar_family_meets_its_closed_forms),
      cmocka_unit_test(every_field_moves_at_its_own_speed),
      cmocka_unit_test(nodes_between_walls_are_bounded),
      cmocka_unit_test(burgers_meets_cole_and_hopf),
      cmocka_unit_test(space_converges_exponentially),
      cmocka_unit_test(time_follows_the_tolerance),
      cmocka_unit_test(korteweg_de_vries_carries_its_soliton),
      cmocka_unit_test(other_forms_of_evolution_are_met),
      cmocka_unit_test(bounded_domains_meet_their_closed_forms),
      cmocka_unit_test(a_field_may_have_any_size),
      cmocka_unit_test(a_first_rate_does_not_mislead),
      cmocka_unit_test(a_size_beyond_double_precision_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
