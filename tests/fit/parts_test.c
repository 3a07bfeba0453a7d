/* SPDX-License-Identifier: Apache-2.0
 *
 * parts_test.c - the mathematics under a fit: quantiles, small matrices, interpolation, the search itself.
 */
#include "check.h"

#include "fit/interpolate.h"
#include "fit/search.h"
#include "fit/small_matrix.h"
#include "fit/student.h"
#include "fit/uncertainty.h"

static void intervals_reach_as_far_as_tables_say(void **state) {
  (void)state;
  /* Table of Student's distribution, two-sided 95 %. */
  static const double table[][2] = {{1, 12.7062}, {2, 4.3027}, {5, 2.5706}, {30, 2.0423}, {60, 2.0003}, {1000, 1.9623}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) assert_near(student_reach(table[i][0]), table[i][1], 1e-4);
  assert_near(student_reach((double)INFINITY), 1.959964, 1e-6);
}

static void a_large_chi2_is_unlikely(void **state) {
  (void)state;
  assert_near(chi2_excess(100, 100), 0, 0.1);
  assert_near(chi2_excess(124.342, 100), 1.645, 0.01); /* the 95th percentile */
  assert_true(chi2_excess(300, 100) > 8);
}

static void small_matrices_are_inverted_and_taken_apart(void **state) {
  (void)state;
  double a[9] = {4, 1, 0.5, 1, 3, -1, 0.5, -1, 5}, inverse[9], values[3], vectors[9], copy[9];
  assert_true(small_inverse(3, a, inverse));
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      double sum = 0;
      for (int j = 0; j < 3; j++) sum += a[i * 3 + j] * inverse[j * 3 + k];
      assert_near(sum, i == k, 1e-14);
    }
  memcpy(copy, a, sizeof a);
  small_eigen(3, copy, values, vectors);
  assert_true(values[0] < values[1] && values[1] < values[2]);
  for (int v = 0; v < 3; v++)
    for (int i = 0; i < 3; i++) {
      double sum = 0;
      for (int j = 0; j < 3; j++) sum += a[i * 3 + j] * vectors[v * 3 + j];
      assert_near(sum, values[v] * vectors[v * 3 + i], 1e-12);
    }
  double singular[4] = {1, 1, 1, 1};
  assert_false(small_inverse(2, singular, inverse));
}

static void polynomials_of_degree_five_are_interpolated_exactly(void **state) {
  (void)state;
  double times[9], places[16], values[9 * 16];
  for (int i = 0; i < 9; i++) times[i] = 0.25 * i;
  for (int k = 0; k < 16; k++) places[k] = k / 16.0;
  for (int i = 0; i < 9; i++)
    for (int k = 0; k < 16; k++) values[i * 16 + k] = pow(times[i], 5) + cos(2 * 3.14159265358979 * places[k]);
  lattice lattice = {.axis_count = 2,
                     .axes = {{.nodes = times, .size = 9, .coordinate = 1},
                              {.nodes = places, .size = 16, .period = 1, .coordinate = 0}}};
  for (double x = -0.2; x < 1.3; x += 0.17) {
    double point[2] = {x, 1.1};
    assert_near(lattice_value(&lattice, values, point), pow(1.1, 5) + cos(2 * 3.14159265358979 * x), 2e-4);
  }
  double node[2] = {0.25, 0.5};
  assert_near(lattice_value(&lattice, values, node), pow(0.5, 5), 1e-12);
}

/* A period that begins anywhere. */
static void periods_are_interpolated_across_their_ends(void **state) {
  (void)state;
  double places[16], values[16];
  lattice lattice = {.axis_count = 1, .axes = {{.nodes = places, .size = 16, .period = 2, .coordinate = 0}}};
  for (double low = -2.6; low < 3; low += 0.7) {
    for (int k = 0; k < 16; k++) places[k] = low + k / 8.0, values[k] = cos(3.14159265358979 * places[k]);
    for (double x = low - 3; x < low + 5; x += 0.37)
      assert_near(lattice_value(&lattice, values, &x), cos(3.14159265358979 * x), 2e-4);
  }
}

/* ---- The search on a forward with a formula --------------------------------------------------------------- */

static const char decay[] = "coordinate t in [0, 4] time\n"
                            "field u\n"
                            "coefficient k in [0.1, 3] log\n"
                            "coefficient c in [0, 2]\n"
                            "coefficient e in [0, 2]\n"
                            "equation u: u_t + k*u + (c + e)*u^2 = 0\n"
                            "initial u = 1\n";

typedef struct formula {
  const sought *sought;
  const measurements *data;
} formula;

/* (c + e) exp(-k t): not the equation's solution, but with unknowns of the same kind. */
static ans_status predict(ans_context *context, void *object, const double *z, double *values) {
  const formula *f = object;
  (void)context;
  double k = sought_value(f->sought, 0, z[0]), c = sought_value(f->sought, 1, z[1]);
  double e = f->sought->count > 2 ? sought_value(f->sought, 2, z[2]) : 0;
  for (size_t i = 0; i < f->data->value_count; i++) values[i] = (c + e) * exp(-k * f->data->points[i]);
  return ANS_OK;
}

typedef struct trial {
  ans_context *context;
  ans_problem *problem;
  measurements *data;
  sought sought;
} trial;

static trial begin_trial(const char *unknown, const char *fixed) {
  trial t = {.context = new_context()};
  assert_ok(t.context, ans_problem_parse(t.context, "decay", decay, strlen(decay), &t.problem));
  sought_request request = {.unknown = unknown, .fixed = fixed};
  assert_ok(t.context, sought_read(t.context, t.problem, &request, &t.sought));
  assert_ok(t.context, measurements_new(t.context, t.problem, &t.data));
  for (int i = 0; i < 40; i++) {
    double time = 0.1 * i, value = 1.2 * exp(-0.7 * time) + 0.01 * sin(37.0 * i * i);
    assert_ok(t.context, measurements_add(t.context, t.data, t.problem, &time, &value, NULL));
  }
  return t;
}

static void end_trial(trial *t) {
  measurements_free(t->data);
  ans_problem_free(t->problem);
  ans_context_free(t->context);
}

static search run_search(trial *t, noise *noise) {
  search s;
  formula f = {&t->sought, t->data};
  forward forward = {.object = &f, .predict = predict, .distance = 1e-6};
  assert_ok(t->context, search_begin(t->context, &t->sought, noise, &s));
  assert_ok(t->context, search_run(t->context, &s, &forward));
  return s;
}

static void the_search_finds_numbers_and_their_errors(void **state) {
  (void)state;
  trial t = begin_trial("k=2.5,c=0.1", "e=0");
  noise noise = noise_begin(t.data, NULL);
  search s = run_search(&t, &noise);
  uncertainty u = uncertainty_of(&s, 38, NULL);
  assert_true(s.converged);
  assert_near(u.numbers[0].estimate, 0.7, 3 * u.numbers[0].error);
  assert_near(u.numbers[1].estimate, 1.2, 3 * u.numbers[1].error);
  assert_near(noise.field[0], 0.007, 0.002); /* a sine of amplitude 0.01 */
  /* The errors of a linear fit of log(u) with these weights, by hand: sigma_k about 0.0047. */
  assert_true(u.numbers[0].error > 0.002 && u.numbers[0].error < 0.01);
  assert_true(u.numbers[0].low < u.numbers[0].estimate && u.numbers[0].estimate < u.numbers[0].high);
  assert_int_equal(u.loose_count, 0);
  search_end(&s);
  end_trial(&t);
}

/* A search that refines ends where a second one, begun there, finds little left. */
static void a_refined_search_ends_at_the_least_sum(void **state) {
  (void)state;
  trial t = begin_trial("k=2.5,c=0.1", "e=0");
  formula f = {&t.sought, t.data};
  forward forward = {.object = &f, .predict = predict, .distance = 1e-6};
  double left[2];
  for (int refine = 0; refine < 2; refine++) {
    noise noise = noise_begin(t.data, (const double[SYSTEM_MAX_FIELDS]){0.01});
    search first, second;
    assert_ok(t.context, search_begin(t.context, &t.sought, &noise, &first));
    first.refine = refine;
    assert_ok(t.context, search_run(t.context, &first, &forward));
    assert_true(first.converged);
    assert_ok(t.context, search_begin(t.context, &t.sought, &noise, &second));
    memcpy(second.z, first.z, 2 * sizeof *first.z);
    assert_ok(t.context, search_run(t.context, &second, &forward));
    left[refine] = second.left;
    search_end(&first);
    search_end(&second);
  }
  assert_true(left[0] < 0.03);

  assert_true(left[1] < 0.1 * left[0]);
  end_trial(&t);
}

static void what_the_data_cannot_tell_apart_is_named(void **state) {
  (void)state;
  trial t = begin_trial("k,c,e", NULL);
  noise noise = noise_begin(t.data, NULL);
  search s = run_search(&t, &noise);
  uncertainty u = uncertainty_of(&s, 37, NULL);
  buffer loose = {0}, correlated = {0};
  uncertainty_words(&u, &t.sought, &loose, &correlated);
  assert_int_equal(u.loose_count, 1);
  assert_string_equal(loose.text, "not identified: these data do not tell c and e apart\n");
  assert_true(u.numbers[0].identified);
  assert_false(u.numbers[1].identified || u.numbers[2].identified);
  assert_near(u.numbers[1].estimate + u.numbers[2].estimate, 1.2, 0.02);
  buffer_drop(&loose);
  buffer_drop(&correlated);
  search_end(&s);
  end_trial(&t);
}

static void a_number_of_which_the_data_say_nothing_is_named(void **state) {
  (void)state;
  trial t = begin_trial("k,c", "e=0");
  uncertainty u = {.count = 2, .z_covariance = {1, 0.95, 0.95, 1}, .loose_count = 1, .loose = {0, 1}};
  u.numbers[0].z_error = u.numbers[1].z_error = 1;
  buffer loose = {0}, correlated = {0};
  uncertainty_words(&u, &t.sought, &loose, &correlated);
  assert_string_equal(loose.text, "not identified: these data say less about c than its range does\n");
  assert_string_equal(correlated.text, "correlation k, c +0.950: these data hardly tell k from c\n");
  buffer_drop(&loose);
  buffer_drop(&correlated);
  end_trial(&t);
}

static void residuals_of_another_equation_are_alike(void **state) {
  (void)state;
  trial t = begin_trial("k,c", "e=0");
  double predicted[40], correlation, significance;
  for (int i = 0; i < 40; i++) predicted[i] = 1.2 - 0.2 * t.data->points[i];
  noise noise = noise_begin(t.data, NULL);
  noise_update(&noise, predicted, 2);
  assert_ok(t.context, noise_alike(t.context, &noise, t.problem, predicted, 0, &correlation, &significance));
  assert_true(correlation > 0.8 && significance > 4);
  end_trial(&t);
}

static void sought_numbers_are_checked(void **state) {
  (void)state;
  static const struct {
    const char *unknown, *fixed, *sentence;
  } wrong[] = {
      {"", "c=1,e=1", "nothing is sought"},
      {"k,c", NULL, "'e' is neither sought nor fixed"},
      {"k,k", "c=1,e=1", "'k' is sought twice"},
      {"k,c", "c=1,e=1", "'c' is both sought and fixed"},
      {"kk", "c=1,e=1", "'kk' is not a coefficient or parameter of decay"},
      {"k=9", "c=1,e=1", "the start k = 9 is outside the range [0.1, 3]"},
      {"k,", "c=1,e=1", "empty name"},
  };
  ans_context *context = new_context();
  ans_problem *problem;
  assert_ok(context, ans_problem_parse(context, "decay", decay, strlen(decay), &problem));
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    sought_request request = {.unknown = wrong[i].unknown, .fixed = wrong[i].fixed};
    sought sought;
    assert_int_equal(sought_read(context, problem, &request, &sought), ANS_ARGUMENT);
    if (!strstr(ans_context_diagnostic(context)->message, wrong[i].sentence))
      fail_msg("\"%s\" instead of \"%s\"", ans_context_diagnostic(context)->message, wrong[i].sentence);
  }
  ans_problem_free(problem);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(intervals_reach_as_far_as_tables_say),
      cmocka_unit_test(a_large_chi2_is_unlikely),
      cmocka_unit_test(small_matrices_are_inverted_and_taken_apart),
      cmocka_unit_test(polynomials_of_degree_five_are_interpolated_exactly),
      cmocka_unit_test(periods_are_interpolated_across_their_ends),
      cmocka_unit_test(the_search_finds_numbers_and_their_errors),
      cmocka_unit_test(a_refined_search_ends_at_the_least_sum),
      cmocka_unit_test(what_the_data_cannot_tell_apart_is_named),
      cmocka_unit_test(a_number_of_which_the_data_say_nothing_is_named),
      cmocka_unit_test(residuals_of_another_equation_are_alike),
      cmocka_unit_test(sought_numbers_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
