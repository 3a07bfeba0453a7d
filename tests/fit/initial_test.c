/* SPDX-License-Identifier: Apache-2.0
 *
 * initial_test.c - unknown initial values: the series that stand for them, and fits that find them.
 */
#include "check.h"

#include "ansatz_fit.h"
#include "base/random.h"
#include "fit/unknown_initial.h"

static const double PI = 3.14159265358979323846;

static ans_problem *read_problem(ans_context *context, const char *text) {
  ans_problem *problem;
  assert_ok(context, ans_problem_parse(context, "some", text, strlen(text), &problem));
  return problem;
}

/* A value of u at some places, spread about one. */
static ans_measurements *some_values(ans_context *context, const ans_problem *problem, size_t count) {
  static const char *const names[] = {"x", "t", "u"};
  double rows[3 * 64];
  ans_measurements *m;
  for (size_t i = 0; i < count; i++) {
    rows[3 * i] = 0.5 + 0.4 * sin((double)i);
    rows[3 * i + 1] = (double)i / (double)count;
    rows[3 * i + 2] = 1 + 0.1 * cos(3.0 * (double)i);
  }
  assert_ok(context, ans_measurements_new(context, problem, names, 3, rows, count, &m));
  return m;
}

/* ---- Series --------------------------------------------------------------------------------------------- */

/* Value and slope of the initial value at one place, for the numbers of the series. */
static void profile_at(const ans_problem *problem, const double *values, double x, double *value, double *slope) {
  const expression *profile = NULL;
  for (int i = 0; i < problem->condition_count; i++)
    if (problem->conditions[i].kind == CONDITION_INITIAL) profile = problem->conditions[i].value;
  assert_non_null(profile);
  double h = 1e-5, low[2] = {x - h, 0}, high[2] = {x + h, 0}, point[2] = {x, 0};
  *value = expression_value(profile, values, point, 0);
  *slope = (expression_value(profile, values, high, 0) - expression_value(profile, values, low, 0)) / (2 * h);
}

typedef struct ends {
  const char *conditions;
  double low, low_slope, high, high_slope; /* NaN: free */
} ends;

/* Whatever the coefficients, the series has the boundary values, so that all of them can be built in. */
static void series_have_the_boundary_values(void **state) {
  (void)state;
  static const char before[] =
      "coordinate x in [0, 1]\ncoordinate t in [0, 1] time\nfield u\ncoefficient D in [0.1, 1]\n"
      "initial u unknown\n";
  double n = (double)NAN;
  const ends all[] = {
      {"equation u: u_t = D*u_xx\nboundary u at x=0: u = 2 + t\nboundary u at x=1: u = 3*cos(t)\n", 2, n, 3, n},
      {"equation u: u_t = D*u_xx\nboundary u at x=0: u_x = 2\nboundary u at x=1: u_x = -1\n", n, 2, n, -1},
      {"equation u: u_t = D*u_xx\nboundary u at x=0: u = 2\nboundary u at x=1: u_x = -1\n", 2, n, n, -1},
      {"equation u: u_t = D*u_xx\nboundary u at x=0: u_x = 2\nboundary u at x=1: u = 5\n", n, 2, 5, n},
      {"equation u: u_t + D*u_x = 0\nboundary u at x=0: u = 4\n", 4, n, n, n},
      {"equation u: u_t = D*u_x\nboundary u at x=1: u = 4\n", n, n, 4, n},
      {"equation u: u_t = -D*u\n", n, n, n, n},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    char text[600];
    ans_context *context = new_context();
    snprintf(text, sizeof text, "%s%s", before, all[i].conditions);
    ans_problem *problem = read_problem(context, text), *expanded;
    ans_measurements *m = some_values(context, problem, 40);
    unknown_initials initials;
    assert_ok(context, unknown_initials_expand(context, problem, m, 9, &initials, &expanded));
    assert_int_equal(initials.total, 9);
    assert_int_equal(expanded->symbol_count, problem->symbol_count + 9);
    double values[SYSTEM_MAX_SYMBOLS], low, low_slope, high, high_slope;
    for (int s = 0; s < expanded->symbol_count; s++) values[s] = 0.3 + 0.2 * sin(7.0 * s);
    profile_at(expanded, values, 0, &low, &low_slope);
    profile_at(expanded, values, 1, &high, &high_slope);
    if (!isnan(all[i].low)) assert_near(low, all[i].low, 1e-12);
    if (!isnan(all[i].high)) assert_near(high, all[i].high, 1e-12);
    if (!isnan(all[i].low_slope)) assert_near(low_slope, all[i].low_slope, 1e-6);
    if (!isnan(all[i].high_slope)) assert_near(high_slope, all[i].high_slope, 1e-6);
    for (int c = 0; c < expanded->condition_count; c++) assert_true(expanded->conditions[c].hard);
    system_free(expanded);
    ans_measurements_free(m);
    ans_problem_free(problem);
    ans_context_free(context);
  }
}

/* Few data have short series; cases stay readable; names that the text uses are not used again. */
static void series_follow_data_and_text(void **state) {
  (void)state;
  static const char text[] = "coordinate x in [0, 1) periodic\ncoordinate t in [0, 1] time\nfield u\n"
                             "coefficient initial_0_0 in [0.1, 1]\nequation u: u_t = initial_0_0*u_xx\n"
                             "initial u unknown\ncase one: initial_0_0=0.5\n";
  ans_context *context = new_context();
  ans_problem *problem = read_problem(context, text), *expanded;
  ans_measurements *m = some_values(context, problem, 16);
  unknown_initials initials;
  assert_ok(context, unknown_initials_expand(context, problem, m, 9, &initials, &expanded));
  assert_int_equal(initials.total, 5);
  assert_int_equal(expanded->case_count, 1);
  assert_near(expanded->cases[0].values[0], 0.5, 0);
  assert_near(expanded->cases[0].values[1], 1, 0.1); /* the mean of the data */
  system_free(expanded);
  ans_measurements_free(m);
  ans_problem_free(problem);
  ans_context_free(context);
}

/* ---- Fits ----------------------------------------------------------------------------------------------- */

static const char wave[] = "coordinate x in [0, 1) periodic\n"
                           "coordinate t in [0, 1] time\n"
                           "field u\n"
                           "coefficient D in [0.002, 0.05] log\n"
                           "coefficient c in [0, 1]\n"
                           "equation u: u_t + c*u_x = D*u_xx\n"
                           "initial u unknown\n"
                           "network width 16, layers 1\n"
                           "case known: D=0.01 c=0.4\n";

static double exact(double x, double t) {
  double k = 2 * PI, y = x - 0.4 * t;
  return 0.5 + exp(-0.01 * k * k * t) * sin(k * y) + 0.3 * exp(-0.04 * k * k * t) * cos(2 * k * y + 0.7);
}

static ans_measurements *measure(ans_context *context, const ans_problem *problem, double sigma) {
  enum { COUNT = 80 };
  static const char *const names[] = {"x", "t", "u"};
  double rows[3 * COUNT];
  ans_measurements *m;
  random_stream stream = random_open(5, RANDOM_TEST, 0, 0);
  for (int i = 0; i < COUNT; i++) {
    double x = rows[3 * i] = random_uniform(&stream), t = rows[3 * i + 1] = random_uniform(&stream);
    rows[3 * i + 2] = exact(x, t) + sigma * random_normal(&stream);
  }
  assert_ok(context, ans_measurements_new(context, problem, names, 3, rows, COUNT, &m));
  return m;
}

/* At 16 places: near the truth in standard errors, which are neither nothing nor everything. */
static void check_profile(ans_context *context, const ans_fit *fit) {
  double places[16], values[16], errors[16], squares = 0;
  for (int i = 0; i < 16; i++) places[i] = i / 16.0;
  assert_string_equal(ans_fit_initial_of(fit, 0).field, "u");
  assert_int_equal(ans_fit_initial_of(fit, 0).terms, 9);
  assert_null(ans_fit_initial_of(fit, 1).field);
  assert_ok(context, ans_fit_initial_at(context, fit, 0, places, 16, values, errors));
  for (int i = 0; i < 16; i++) {
    double away = (values[i] - exact(places[i], 0)) / errors[i];
    assert_true(errors[i] > 0.002 && errors[i] < 0.05);
    assert_true(fabs(away) < 4);
    squares += away * away / 16;
  }
  assert_true(squares < 3);
}

static void numbers_and_profile_are_found_together(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = read_problem(context, wave);
  ans_measurements *m = measure(context, problem, 0.01);
  ans_fit_options options = {.size = sizeof options, .unknown = "D,c"};
  static const double truth[] = {0.01, 0.4};
  ans_fit *fit;
  assert_ok(context, ans_fit_new(context, problem, m, &options, &fit));
  assert_int_equal(ans_fit_count(fit), 2);
  for (size_t i = 0; i < 2; i++) {
    ans_fit_unknown u = ans_fit_number(fit, i);
    assert_true(fabs(u.estimate - truth[i]) < 4 * u.error && u.error < 0.1 * truth[i]);
    assert_near(ans_fit_covariance(fit)[3 * i], u.error * u.error, 1e-9 * u.error * u.error);
  }
  check_profile(context, fit);
  ans_fit_summary s = ans_fit_summarise(fit);
  assert_false(s.flagged);
  assert_true(s.freedom > 80 - 11 && s.freedom < 80 - 2 - 4); /* of nine terms the data fix most */
  assert_near(s.noise[0], 0.01, 0.003);
  char *text;
  assert_ok(context, ans_fit_print(context, fit, &text));
  assert_non_null(strstr(text, "initial    u as a series of 9 terms"));
  ans_free(text);
  ans_fit_free(fit);
  ans_measurements_free(m);
  ans_problem_free(problem);
  ans_context_free(context);
}

/* With all coefficients known, the initial value is all there is to seek. */
static void a_profile_alone_is_found(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = read_problem(context, wave);
  ans_measurements *m = measure(context, problem, 0.01);
  ans_fit_options options = {.size = sizeof options, .case_name = "known"};
  ans_fit *fit;
  assert_ok(context, ans_fit_new(context, problem, m, &options, &fit));
  assert_int_equal(ans_fit_count(fit), 0);
  check_profile(context, fit);
  ans_fit_free(fit);
  ans_measurements_free(m);
  ans_problem_free(problem);
  ans_context_free(context);
}

/* Two numbers, one of a field that is not measured: u'' = -k u, u(0) = 0.8, u'(0) = 0.5. */
static void initial_numbers_of_an_unmeasured_field_are_found(void **state) {
  (void)state;
  static const char text[] =
      "coordinate t in [0, 2] time\nfield u, v\ncoefficient k in [0.2, 3]\nequation u: u_t = v\n"
      "equation v: v_t = -k*u\ninitial u unknown\ninitial v unknown\nnetwork width 16, layers 1\n";
  static const char *const names[] = {"t", "u"};
  static const double truth[] = {0.8, 0.5};
  double rows[2 * 40], omega = sqrt(1.7);
  random_stream stream = random_open(5, RANDOM_TEST, 1, 0);
  for (int i = 0; i < 40; i++) {
    double t = rows[2 * i] = i / 20.0;
    rows[2 * i + 1] = 0.8 * cos(omega * t) + 0.5 / omega * sin(omega * t) + 0.01 * random_normal(&stream);
  }
  ans_context *context = new_context();
  ans_problem *problem = read_problem(context, text);
  ans_measurements *m;
  ans_fit_options options = {.size = sizeof options, .unknown = "k"};
  ans_fit *fit;
  assert_ok(context, ans_measurements_new(context, problem, names, 2, rows, 40, &m));
  assert_ok(context, ans_fit_new(context, problem, m, &options, &fit));
  assert_true(fabs(ans_fit_number(fit, 0).estimate - 1.7) < 4 * ans_fit_number(fit, 0).error);
  for (size_t i = 0; i < 2; i++) {
    double value, error;
    assert_ok(context, ans_fit_initial_at(context, fit, i, NULL, 1, &value, &error));
    assert_true(fabs(value - truth[i]) < 4 * error && error < 0.05);
  }
  ans_fit_free(fit);
  ans_measurements_free(m);
  ans_problem_free(problem);
  ans_context_free(context);
}

/* Second order in time: the value is unknown, the rate is given. u = 0.7 sin(2 pi x) cos(2 pi c t), c = 1.3. */
static void a_value_is_found_beside_a_rate_that_is_given(void **state) {
  (void)state;
  static const char text[] = "coordinate x in [0, 1) periodic\ncoordinate t in [0, 1] time\nfield u\n"
                             "coefficient c in [0.8, 2]\nequation u: u_tt = c^2*u_xx\ninitial u unknown\n"
                             "initial u_t = 0\nnetwork width 16, layers 2\n";
  static const char *const names[] = {"x", "t", "u"};
  double rows[3 * 60], place = 0.25, value, error;
  random_stream stream = random_open(5, RANDOM_TEST, 2, 0);
  for (int i = 0; i < 60; i++) {
    double x = rows[3 * i] = random_uniform(&stream), t = rows[3 * i + 1] = random_uniform(&stream);
    rows[3 * i + 2] = 0.7 * sin(2 * PI * x) * cos(2 * PI * 1.3 * t) + 0.01 * random_normal(&stream);
  }
  ans_context *context = new_context();
  ans_problem *problem = read_problem(context, text);
  ans_measurements *m;
  ans_fit_options options = {.size = sizeof options, .unknown = "c=1.2"};
  ans_fit *fit;
  assert_ok(context, ans_measurements_new(context, problem, names, 3, rows, 60, &m));
  assert_ok(context, ans_fit_new(context, problem, m, &options, &fit));
  assert_true(fabs(ans_fit_number(fit, 0).estimate - 1.3) < 4 * ans_fit_number(fit, 0).error);
  assert_ok(context, ans_fit_initial_at(context, fit, 0, &place, 1, &value, &error));
  assert_true(fabs(value - 0.7) < 4 * error && error < 0.1);
  ans_fit_free(fit);
  ans_measurements_free(m);
  ans_problem_free(problem);
  ans_context_free(context);
}

/* What else a problem without its initial value can be used for: nothing, and it says so. */
static void other_uses_are_refused(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = read_problem(context, wave);
  ans_instance *instance;
  ans_solver *solver;
  ans_training *training;
  ans_solver_options adapting = {.size = sizeof adapting};
  ans_training_options learning = {.size = sizeof learning};
  assert_ok(context, ans_instance_new(context, problem, (ans_choice){.case_name = "known"}, &instance));
  assert_int_equal(ans_solver_begin(context, NULL, instance, &adapting, &solver), ANS_UNSUPPORTED);
  assert_non_null(strstr(ans_context_diagnostic(context)->message, "the initial value of 'u' is unknown"));
  assert_int_equal(ans_training_begin(context, problem, &learning, &training), ANS_UNSUPPORTED);
  assert_non_null(strstr(ans_context_diagnostic(context)->message, "the initial value of 'u' is unknown"));
  ans_instance_free(instance);
  ans_problem_free(problem);
  static const char plane[] = "coordinate x in [0, 1) periodic\ncoordinate y in [0, 1) periodic\n"
                              "coordinate t in [0, 1] time\nfield u\ncoefficient D in [0.1, 1]\n"
                              "equation u: u_t = D*u_xx + D*u_yy\ninitial u unknown\n";
  static const char *const names[] = {"x", "y", "t", "u"};
  double row[] = {0, 0, 0, 1, 0, 0, 1, 0.5, 0, 0.5, 1, 0.4};
  ans_fit_options options = {.size = sizeof options, .unknown = "D"};
  ans_measurements *m;
  ans_fit *fit;
  problem = read_problem(context, plane);
  assert_ok(context, ans_measurements_new(context, problem, names, 4, row, 3, &m));
  assert_int_equal(ans_fit_new(context, problem, m, &options, &fit), ANS_UNSUPPORTED);
  assert_non_null(strstr(ans_context_diagnostic(context)->message, "one space coordinate at most"));
  ans_measurements_free(m);
  ans_problem_free(problem);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(series_have_the_boundary_values),
      cmocka_unit_test(series_follow_data_and_text),
      cmocka_unit_test(numbers_and_profile_are_found_together),
      cmocka_unit_test(a_profile_alone_is_found),
      cmocka_unit_test(initial_numbers_of_an_unmeasured_field_are_found),
      cmocka_unit_test(a_value_is_found_beside_a_rate_that_is_given),
      cmocka_unit_test(other_uses_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
