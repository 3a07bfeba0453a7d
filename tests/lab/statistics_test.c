/* SPDX-License-Identifier: Apache-2.0
 *
 * statistics_test.c - tails with closed forms, quantiles of printed tables, Welch's test worked out by hand.
 */
#include "check.h"

#include "lab/statistics.h"

static const double pi = 3.14159265358979323846;

/* One degree of freedom is Cauchy's distribution, two has a root, four the next polynomial in it. */
static void tails_have_their_closed_forms(void **state) {
  (void)state;
  for (double t = 0; t < 60; t = t * 1.3 + 0.01) {
    double two = t / sqrt(2 + t * t), four = t / sqrt(4 + t * t);
    assert_near(student_tail(t, 1), 1 - 2 * atan(t) / pi, 1e-13);
    assert_near(student_tail(t, 2), 1 - two, 1e-13);
    assert_near(student_tail(t, 4), 1 - four * (1 + 0.5 * (1 - four * four)), 1e-13);
    assert_near(student_tail(-t, 4), student_tail(t, 4), 0);
    assert_near(student_tail(t, 1e5), erfc(t / sqrt(2)), 5e-6);
  }
  assert_true(student_tail(0, 3) == 1);
  assert_true(isnan(student_tail(nan(""), 3)));
  assert_true(isnan(student_tail(1, 0)));
  assert_true(student_tail(INFINITY, 3) == 0);
}

/* The 5 per cent column of any table. */
static void quantiles_are_those_of_the_tables(void **state) {
  (void)state;
  static const struct {
    double freedom, t;
  } expected[] = {{1, 12.706}, {2, 4.303}, {4, 2.776}, {9, 2.262}, {30, 2.042}, {1000, 1.962}};
  for (int i = 0; i < 6; i++) assert_near(student_quantile(0.05, expected[i].freedom), expected[i].t, 5.1e-4);
  assert_near(student_quantile(0.5, 1), 1, 1e-12);
  assert_true(isnan(student_quantile(0, 4)));
  assert_true(isnan(student_quantile(1, 4)));
}

static void samples_are_summed(void **state) {
  (void)state;
  sample s = sample_of((double[]){2, 4, 4, 4, 5, 5, 7, 9}, 8);
  assert_near(s.mean, 5, 1e-15);
  assert_near(s.deviation, sqrt(32.0 / 7), 1e-15);
  assert_true(isnan(sample_of((double[]){3}, 1).deviation));
  assert_true(sample_of((double[]){3}, 1).mean == 3);
  assert_true(isnan(sample_of(NULL, 0).mean));
}

/* Equal sizes and deviations: 2 (n - 1) degrees of freedom. A deviation of zero on one side: those of the other. */
static void welch_is_students_test_where_it_must_be(void **state) {
  (void)state;
  sample a = {3, 1, 1}, b = {3, 3, 1};
  assert_near(welch_p(a, b), student_tail(2 / sqrt(2.0 / 3), 4), 1e-14);
  assert_near(welch_p(b, a), welch_p(a, b), 1e-16);
  sample exact = {10, 3, 0};
  assert_near(welch_p(a, exact), student_tail(2 / sqrt(1.0 / 3), 2), 1e-14);
  assert_true(welch_p(a, a) == 1);
  /* u = 4 / 4, v = 9 / 9: t = 3 / sqrt 2, freedom 4 / (1 / 3 + 1 / 8) = 8.7272... */
  sample four = {4, 10, 2}, nine = {9, 7, 3};
  assert_near(welch_p(four, nine), student_tail(3 / sqrt(2.0), 4 / (1.0 / 3 + 1.0 / 8)), 1e-14);
  assert_true(welch_p(four, nine) > 0.05 && welch_p(four, nine) < 0.075);
}

static void nothing_is_said_without_a_spread(void **state) {
  (void)state;
  sample one = {1, 3, nan("")}, three = {3, 1, 1}, flat = {3, 1, 0}, other = {3, 2, 0};
  assert_true(isnan(welch_p(one, three)) && isnan(welch_p(three, one)));
  assert_true(isnan(welch_p(flat, other)));
  assert_true(isnan(interval_of((double[]){3}, 1).low) && isnan(interval_of((double[]){3}, 1).high));
  assert_true(interval_of((double[]){3}, 1).mean == 3);
}

static void the_interval_of_a_difference(void **state) {
  (void)state;
  interval i = interval_of((double[]){1, 2, 3, 4, 5}, 5);
  double reach = 2.7764451051977987 * sqrt(2.5 / 5);
  assert_near(i.mean, 3, 1e-15);
  assert_near(i.low, 3 - reach, 1e-9);
  assert_near(i.high, 3 + reach, 1e-9);
  i = interval_of((double[]){2, 2}, 2);
  assert_true(i.low == 2 && i.high == 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tails_have_their_closed_forms),
      cmocka_unit_test(quantiles_are_those_of_the_tables),
      cmocka_unit_test(samples_are_summed),
      cmocka_unit_test(welch_is_students_test_where_it_must_be),
      cmocka_unit_test(nothing_is_said_without_a_spread),
      cmocka_unit_test(the_interval_of_a_difference),
  };
  return cmocka_run_group_tests_name("statistics", tests, NULL, NULL);
}
