/* SPDX-License-Identifier: Apache-2.0
 *
 * What attempts may cost: by work, which no clock changes, or by the clock.
 */
#include "check.h"

#include "training/effort.h"

static void work_is_nominal_time(void **state) {
  (void)state;
  effort e = effort_begin(60, true, 0, 0);
  assert_true(effort_spent(&e) == 0);
  e.work = 12 * EFFORT_RATE;
  assert_near(effort_spent(&e), 12, 1e-12);
  assert_near(effort_left(&e), 48, 1e-9);
  run_rules rules = {.goal = 5};
  effort_bound(&e, 0.25, &rules);
  assert_near(rules.work, 12 * EFFORT_RATE, 1e-6 * EFFORT_RATE);
  assert_true(rules.seconds > 50 && rules.seconds <= 60); /* the clock bounds the whole, not the share */
  assert_int_equal(rules.goal, 5);
}

/* A slow machine: the clock has run while little was done. */
static void the_clock_ends_what_work_does_not(void **state) {
  (void)state;
  effort e = effort_begin(60, true, 70, EFFORT_RATE);
  assert_near(effort_spent(&e), 1, 1e-12);
  assert_true(effort_left(&e) <= -10);
  run_rules rules = {0};
  effort_bound(&e, 1, &rules);
  assert_true(rules.seconds > 0 && rules.seconds < 0.01); /* zero would be no bound at all */
}

static void with_a_tolerance_the_clock_counts(void **state) {
  (void)state;
  effort e = effort_begin(60, false, 20, 1e30);
  assert_true(effort_spent(&e) >= 20 && effort_spent(&e) < 30);
  run_rules rules = {.work = 7};
  effort_bound(&e, 0.5, &rules);
  assert_true(rules.work == 0 && rules.seconds <= 20 && rules.seconds > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(work_is_nominal_time),
                                     cmocka_unit_test(the_clock_ends_what_work_does_not),
                                     cmocka_unit_test(with_a_tolerance_the_clock_counts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
