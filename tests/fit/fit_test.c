/* SPDX-License-Identifier: Apache-2.0
 *
 * fit_test.c - whole fits, of equations whose solutions are known as formulas.
 */
#include "check.h"

#include "ansatz_tools.h"
#include "base/random.h"

static const double PI = 3.14159265358979323846;

/* u = a exp(-4 pi^2 D t) sin(2 pi (x - c t)): coefficient, advection and a scalar in the initial value. */
static const char wave[] = "coordinate x in [0, 1) periodic\n"
                           "coordinate t in [0, 1] time\n"
                           "field u\n"
                           "coefficient D in [0.002, 0.05] log\n"
                           "coefficient c in [0, 1]\n"
                           "parameter a in [0.5, 2]\n"
                           "equation u: u_t + c*u_x = D*u_xx\n"
                           "initial u = a*sin(2*pi*x)\n"
                           "network width 16, layers 1\n"
                           "reference points 32, times 41\n";

static double exact(double x, double t) { return 1.2 * exp(-4 * PI * PI * 0.01 * t) * sin(2 * PI * (x - 0.4 * t)); }

/* Two further hundredths of noise at `count` places. */
static ans_measurements *measure(ans_context *context, const ans_problem *problem, size_t count, double sigma) {
  static const char *const names[] = {"x", "t", "u"};
  double *rows = calloc(3 * count, sizeof *rows);
  ans_measurements *m;
  random_stream stream = random_open(7, RANDOM_TEST, 0, 0);
  for (size_t i = 0; i < count; i++) {
    rows[3 * i] = random_uniform(&stream);
    rows[3 * i + 1] = random_uniform(&stream);
    rows[3 * i + 2] = exact(rows[3 * i], rows[3 * i + 1]) + sigma * random_normal(&stream);
  }
  assert_ok(context, ans_measurements_new(context, problem, names, 3, rows, count, &m));
  assert_int_equal(ans_measurements_count(m), count);
  free(rows);
  return m;
}

static ans_problem *read_problem(ans_context *context, const char *text) {
  ans_problem *problem;
  assert_ok(context, ans_problem_parse(context, "wave", text, strlen(text), &problem));
  return problem;
}

static void numbers_errors_and_noise_are_found(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = read_problem(context, wave);
  ans_measurements *m = measure(context, problem, 80, 0.02);
  ans_fit_options options = {.size = sizeof options, .unknown = "D,c,a"};
  static const double truth[] = {0.01, 0.4, 1.2};
  ans_fit *fit;
  assert_ok(context, ans_fit_new(context, problem, m, &options, &fit));
  ans_measurements_free(m);
  ans_problem_free(problem); /* the fit needs neither */
  assert_int_equal(ans_fit_count(fit), 3);
  for (size_t i = 0; i < 3; i++) {
    ans_fit_unknown u = ans_fit_number(fit, i);
    assert_near(u.estimate, truth[i], 3.5 * u.error);
    assert_true(u.error > 0 && u.error < 0.05 * truth[i] && u.identified && !u.at_end);
    assert_true(u.low < u.estimate && u.estimate < u.high);
    assert_near(sqrt(ans_fit_covariance(fit)[i * 4]), u.error, 1e-9 * u.error);
  }
  ans_fit_summary s = ans_fit_summarise(fit);
  assert_true(s.converged && s.corrected && !s.flagged);
  assert_true(s.noise_estimated[0]);
  assert_near(s.noise[0], 0.02, 0.006);
  assert_int_equal(s.values, 80);

  /* The classical fit agrees. */
  ans_fit_reference reference;
  assert_ok(context, ans_fit_check(context, fit, &reference));
  if (reference.available) assert_true(reference.converged && reference.agrees && reference.distance < 0.1);

  /* The solver is the equation's with these numbers. */
  double point[2] = {0.3, 0.5}, value;
  assert_ok(context, ans_solver_evaluate(context, ans_fit_solver(fit), point, 1, NULL, &value));
  assert_near(value, exact(0.3, 0.5), 0.03);
  ans_fit_value at;
  assert_true(ans_fit_value_at(fit, 79, &at));
  assert_near(at.fitted, exact(at.point[0], at.point[1]), 0.03);
  assert_false(ans_fit_value_at(fit, 80, &at));
  ans_fit_free(fit);
  ans_context_free(context);
}

/* u = exp(-k t), v = 1 - u: only u is measured. */
static void a_field_without_values_has_no_misfit(void **state) {
  (void)state;
  static const char pair[] = "coordinate t in [0, 1] time\nfield u, v\ncoefficient k in [0.2, 3]\n"
                             "equation u: u_t = -k*u\nequation v: v_t = k*u\ninitial u = 1\ninitial v = 0\n"
                             "network width 8, layers 1\n";
  static const char *const names[] = {"t", "u"};
  double rows[2 * 12], sum = 0;
  for (int i = 0; i < 12; i++) {
    rows[2 * i] = (i + 0.5) / 12;
    rows[2 * i + 1] = exp(-1.5 * rows[2 * i]) + (i % 2 ? 0.01 : -0.01);
  }
  ans_context *context = new_context();
  ans_problem *problem = read_problem(context, pair);
  ans_measurements *m;
  ans_fit *fit;
  char *report;
  ans_fit_options options = {.size = sizeof options, .unknown = "k", .noise = "u=0.01"};
  assert_ok(context, ans_measurements_new(context, problem, names, 2, rows, 12, &m));
  assert_ok(context, ans_fit_new(context, problem, m, &options, &fit));
  ans_fit_summary s = ans_fit_summarise(fit);
  assert_near(ans_fit_number(fit, 0).estimate, 1.5, 3 * ans_fit_number(fit, 0).error);
  for (size_t i = 0; i < 12; i++) {
    ans_fit_value at;
    assert_true(ans_fit_value_at(fit, i, &at));
    sum += (at.fitted - rows[2 * i + 1]) * (at.fitted - rows[2 * i + 1]) / 12;
  }
  assert_int_equal(s.measured[0], 12);
  assert_near(s.misfit[0], sqrt(sum), 1e-9);
  assert_int_equal(s.measured[1], 0);
  assert_near(s.misfit[1], 0, 0);
  assert_ok(context, ans_fit_print(context, fit, &report));
  assert_non_null(strstr(report, "\ntime       "));
  ans_free(report);
  ans_fit_free(fit);
  ans_measurements_free(m);
  ans_problem_free(problem);
  ans_context_free(context);
}

/* The same bits again, for any number of threads. */
static void a_fit_is_repeatable(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = read_problem(context, wave);
  ans_measurements *m = measure(context, problem, 30, 0.02);
  double estimates[2];
  for (int i = 0; i < 2; i++) {
    ans_fit_options options = {
        .size = sizeof options, .unknown = "D,c", .fixed = "a=1.2", .noise = "u=0.02", .threads = i + 1};
    ans_fit *fit;
    assert_ok(context, ans_fit_new(context, problem, m, &options, &fit));
    estimates[i] = ans_fit_number(fit, 0).estimate;
    ans_fit_free(fit);
  }
  assert_true(estimates[0] == estimates[1]);
  ans_measurements_free(m);
  ans_problem_free(problem);
  ans_context_free(context);
}

static bool has_note(const ans_fit *fit, const char *part) {
  const char *note;
  bool flagged;
  for (size_t i = 0; (note = ans_fit_note(fit, i, &flagged)); i++)
    if (flagged && strstr(note, part)) return true;
  return false;
}

static void data_of_another_equation_are_flagged(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = read_problem(context, wave);
  ans_measurements *m = measure(context, problem, 80, 0.02);
  ans_fit *fit;
  /* Without advection: c is fixed at a wrong value. */
  ans_fit_options options = {.size = sizeof options, .unknown = "D", .fixed = "a=1.2,c=0", .noise = "u=0.02"};
  assert_ok(context, ans_fit_new(context, problem, m, &options, &fit));
  assert_true(ans_fit_summarise(fit).flagged);
  assert_true(has_note(fit, "chi2 per degree of freedom"));
  ans_fit_free(fit);
  /* The same when the noise is not known: residuals are no noise. */
  options.noise = NULL;
  assert_ok(context, ans_fit_new(context, problem, m, &options, &fit));
  assert_true(has_note(fit, "are not noise"));
  ans_fit_free(fit);
  ans_measurements_free(m);
  ans_problem_free(problem);
  ans_context_free(context);
}

/* u = exp(-t) sin(pi x) for C = 1, where du/dC = a(t) sin(pi x), a' = -pi^2 a - pi^2 exp(-t): the error is known
 * exactly. The tangent of the network is long there, and a difference over a long way along it is wrong. */
static void standard_errors_are_those_of_the_equation(void **state) {
  (void)state;
  static const char diffusion[] = "coordinate x in [-1, 1]\n"
                                  "coordinate t in [0, 1] time\n"
                                  "field u\n"
                                  "coefficient C in [0.2, 5] log\n"
                                  "equation u: u_t = C*u_xx - exp(-t)*(sin(pi*x) - pi^2*sin(pi*x))\n"
                                  "initial u = sin(pi*x)\n"
                                  "boundary u at x=-1: u = 0\n"
                                  "boundary u at x=1: u = 0\n";
  static const char *const names[] = {"x", "t", "u"};
  double rows[3 * 10], slope = -PI * PI / (PI * PI - 1) * (exp(-1) - exp(-PI * PI));
  ans_context *context = new_context();
  ans_problem *problem = read_problem(context, diffusion);
  for (int i = 0; i < 10; i++) {
    rows[3 * i] = -1 + 0.2 * (i + 0.5);
    rows[3 * i + 1] = 1;
    rows[3 * i + 2] = exp(-1) * sin(PI * rows[3 * i]) + (i % 2 ? 1e-3 : -1e-3);
  }
  ans_measurements *m;
  ans_fit *fit;
  ans_fit_options options = {.size = sizeof options, .unknown = "C", .noise = "u=0.0026", .seed = 101};
  assert_ok(context, ans_measurements_new(context, problem, names, 3, rows, 10, &m));
  assert_ok(context, ans_fit_new(context, problem, m, &options, &fit));
  ans_fit_unknown c = ans_fit_number(fit, 0);
  assert_near(c.error, 0.0026 / (fabs(slope) * sqrt(5)), 0.05 * c.error);
  assert_near(c.estimate, 1, 2 * c.error);
  ans_fit_free(fit);
  ans_measurements_free(m);
  ans_problem_free(problem);
  ans_context_free(context);
}

/* With one unknown: profile and slopes give the same interval; a next value shrinks the error. */
static void a_fit_answers_more_questions(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = read_problem(context, wave);
  ans_measurements *m = measure(context, problem, 30, 0.02);
  ans_fit_options options = {.size = sizeof options, .unknown = "D", .fixed = "a=1.2,c=0.4", .noise = "u=0.02"};
  ans_fit *fit;
  volatile int flag = 0;
  options.interrupt = &flag;
  assert_ok(context, ans_fit_new(context, problem, m, &options, &fit));
  flag = 1; /* nobody looks at it any more: the caller's memory may be gone */
  ans_fit_unknown u = ans_fit_number(fit, 0);
  ans_fit_profile profile;
  assert_ok(context, ans_fit_profile_of(context, fit, 0, &profile));
  assert_near(profile.low, u.low, 0.1 * u.error);
  assert_near(profile.high, u.high, 0.1 * u.error);
  for (int i = 0; i < ANS_FIT_PROFILE; i++)
    assert_near(profile.chi2[i] - profile.least, (i - 3) * (i - 3), 0.1 * (i - 3) * (i - 3) + 0.05);
  assert_int_equal(ans_fit_profile_of(context, fit, 1, &profile), ANS_ARGUMENT);
  ans_fit_set_interrupt(fit, &flag);
  assert_ok(context, ans_fit_profile_of(context, fit, 0, &profile));
  assert_true(isnan(profile.low) && isnan(profile.high));
  ans_fit_set_interrupt(fit, NULL);
  ans_fit_place next[2];
  assert_ok(context, ans_fit_next(context, fit, next, 2));
  assert_true(next[0].errors[0] < u.error && next[1].errors[0] < next[0].errors[0]);
  /* t exp(-4 pi^2 D t) sin(2 pi (x - c t)) tells most of D: late, at a crest. */
  assert_true(next[0].point[1] > 0.8);
  assert_near(fabs(sin(2 * PI * (next[0].point[0] - 0.4 * next[0].point[1]))), 1, 0.05);
  assert_int_equal(ans_fit_next(context, fit, next, 1000000), ANS_ARGUMENT);
  ans_fit_free(fit);
  ans_measurements_free(m);
  ans_problem_free(problem);
  ans_context_free(context);
}

/* The data have advection: the structure with it is chosen, and without it where they have none. */
static void the_structure_of_the_data_is_chosen(void **state) {
  (void)state;
  static const char optional[] = "coordinate x in [0, 1) periodic\n"
                                 "coordinate t in [0, 1] time\n"
                                 "field u\n"
                                 "coefficient D in [0.002, 0.05] log\n"
                                 "coefficient c in [0.05, 1] optional\n"
                                 "equation u: u_t + c*u_x = D*u_xx\n"
                                 "initial u = 1.2*sin(2*pi*x)\n"
                                 "structure still without c\n"
                                 "structure moving\n"
                                 "network width 16, layers 1\n";
  static const char *const names[] = {"x", "t", "u"};
  ans_context *context = new_context();
  ans_problem *problem = read_problem(context, optional);
  ans_fit_options options = {.size = sizeof options, .unknown = "D,c", .noise = "u=0.02"};
  for (int moving = 0; moving < 2; moving++) {
    double rows[3 * 40];
    random_stream stream = random_open(9, RANDOM_TEST, 0, 0);
    for (int i = 0; i < 40; i++) {
      double x = rows[3 * i] = random_uniform(&stream), t = rows[3 * i + 1] = random_uniform(&stream);
      rows[3 * i + 2] = exact(x + (moving ? 0 : 0.4 * t), t) + 0.02 * random_normal(&stream);
    }
    ans_measurements *m;
    ans_fit_candidate table[2];
    ans_fit *best;
    assert_ok(context, ans_measurements_new(context, problem, names, 3, rows, 40, &m));
    assert_ok(context, ans_fit_structures(context, problem, m, &options, table, &best));
    assert_string_equal(ans_fit_summarise(best).structure, moving ? "moving" : "still");
    assert_int_equal(ans_fit_count(best), moving ? 2 : 1);
    assert_true(table[0].fitted && table[1].fitted);
    assert_true((table[0].bic < table[1].bic) == !moving);
    assert_false(ans_fit_summarise(best).flagged);
    ans_fit_free(best);
    ans_measurements_free(m);
  }
  ans_problem_free(problem);
  ans_context_free(context);
}

/* Data that drift and do not decay, and four structures: those without the drift are out of reach by the fit of all
 * terms, which their own fits confirm. */
static void hopeless_structures_are_not_fitted(void **state) {
  (void)state;
  static const char optional[] = "coordinate x in [0, 1) periodic\n"
                                 "coordinate t in [0, 1] time\n"
                                 "field u\n"
                                 "coefficient D in [0.002, 0.05] log\n"
                                 "coefficient c in [0.05, 1] optional\n"
                                 "coefficient r in [0.2, 2] optional\n"
                                 "equation u: u_t + c*u_x + r*u = D*u_xx\n"
                                 "initial u = 1.2*sin(2*pi*x)\n"
                                 "structure plain without c, r\n"
                                 "structure drift without r\n"
                                 "structure decay without c\n"
                                 "held both\n"
                                 "network width 16, layers 1\n";
  static const char *const names[] = {"x", "t", "u"};
  ans_context *context = new_context();
  ans_problem *problem = read_problem(context, optional);
  ans_fit_options options = {.size = sizeof options, .unknown = "D,c,r", .noise = "u=0.02"};
  ans_fit_options alone = {.size = sizeof options, .unknown = "D", .noise = "u=0.02", .structure = "plain"};
  double rows[3 * 60];
  random_stream stream = random_open(11, RANDOM_TEST, 0, 0);
  for (int i = 0; i < 60; i++) {
    double x = rows[3 * i] = random_uniform(&stream), t = rows[3 * i + 1] = random_uniform(&stream);
    rows[3 * i + 2] = exact(x, t) + 0.02 * random_normal(&stream);
  }
  ans_measurements *m;
  ans_fit_candidate table[4];
  ans_fit *best, *plain;
  assert_ok(context, ans_measurements_new(context, problem, names, 3, rows, 60, &m));
  assert_ok(context, ans_fit_structures(context, problem, m, &options, table, &best));
  assert_string_equal(ans_fit_summarise(best).structure, "drift");
  assert_true(table[1].fitted && table[3].fitted && !table[0].fitted && !table[2].fitted);
  assert_non_null(strstr(table[0].reason, "out of reach"));
  assert_ok(context, ans_fit_new(context, problem, m, &alone, &plain));
  assert_true(ans_fit_summarise(plain).bic > table[1].bic + 40);
  assert_true(table[0].bic > table[1].bic + 40);
  ans_fit_free(plain);
  ans_fit_free(best);
  ans_measurements_free(m);
  ans_problem_free(problem);
  ans_context_free(context);
}

/* The units of u in u' = -k u change with k up to k = 1 and not beyond: slopes must not see that. */
static void errors_do_not_depend_on_units(void **state) {
  (void)state;
  static const char decay[] =
      "coordinate t in [0, 1] time\nfield u\ncoefficient k in [0.1, 3]\nequation u: u_t = -k*u\n"
      "initial u = 1\nnetwork width 8, layers 1\n";
  static const char *const names[] = {"t", "u"};
  static const double rates[] = {0.97, 0.99, 0.995, 1, 1.005, 1.01, 1.03};
  ans_context *context = new_context();
  ans_problem *problem = read_problem(context, decay);
  ans_fit_options options = {.size = sizeof options, .unknown = "k", .noise = "u=0.05"};
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
    double k = rates[i], rows[] = {0.5, exp(-0.5 * k), 1, exp(-k)}, half = 0.5 * exp(-0.5 * k), end = exp(-k);
    ans_measurements *m;
    ans_fit *fit;
    assert_ok(context, ans_measurements_new(context, problem, names, 2, rows, 2, &m));
    assert_ok(context, ans_fit_new(context, problem, m, &options, &fit));
    assert_near(ans_fit_number(fit, 0).estimate, k, 2e-3);
    assert_near(ans_fit_number(fit, 0).error, 0.05 / sqrt(half * half + end * end), 1e-3);
    ans_fit_free(fit);
    ans_measurements_free(m);
  }
  ans_problem_free(problem);
  ans_context_free(context);
}

static void wrong_requests_are_refused(void **state) {
  (void)state;
  static const struct {
    size_t count;
    ans_fit_options options;
    const char *sentence;
  } wrong[] = {
      {2, {.unknown = "D,c,a"}, "2 measured values cannot determine 3 unknown numbers"},
      {3, {.unknown = "D,c,a"}, "nothing to estimate the noise from"},
      {9, {.unknown = "D,c,a", .noise = "w=1"}, "'w' is not a field"},
      {9, {.unknown = "D,c,a", .noise = "u=0"}, "positive number"},
      {9, {.unknown = "D,c,a", .noise = "u"}, "positive number"},
      {9, {.unknown = "D,c,a", .structure = "none"}, "no structure 'none'"},
      {9, {.unknown = "D,c,a", .case_name = "none"}, "no case 'none'"},
  };
  ans_context *context = new_context();
  ans_problem *problem = read_problem(context, wave);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ans_measurements *m = measure(context, problem, wrong[i].count, 0.02);
    ans_fit *fit;
    assert_int_equal(ans_fit_new(context, problem, m, &wrong[i].options, &fit), ANS_ARGUMENT);
    assert_null(fit);
    if (!strstr(ans_context_diagnostic(context)->message, wrong[i].sentence))
      fail_msg("\"%s\" instead of \"%s\"", ans_context_diagnostic(context)->message, wrong[i].sentence);
    ans_measurements_free(m);
  }
  ans_problem_free(problem);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_errors_and_noise_are_found),
      cmocka_unit_test(a_field_without_values_has_no_misfit),
      cmocka_unit_test(a_fit_is_repeatable),
      cmocka_unit_test(data_of_another_equation_are_flagged),
      cmocka_unit_test(standard_errors_are_those_of_the_equation),
      cmocka_unit_test(a_fit_answers_more_questions),
      cmocka_unit_test(the_structure_of_the_data_is_chosen),
      cmocka_unit_test(hopeless_structures_are_not_fitted),
      cmocka_unit_test(errors_do_not_depend_on_units),
      cmocka_unit_test(wrong_requests_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
