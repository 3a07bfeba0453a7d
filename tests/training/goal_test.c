/* SPDX-License-Identifier: Apache-2.0
 *
 * goal_test.c - when a tolerance is looked at, met, missed and refused.
 */
#include "check.h"
#include "training/goal.h"

static estimate_summary summary_of(double u, double v, bool trusted) {
  return (estimate_summary){.available = true, .trusted = trusted, .field_count = 2, .errors = {u, v}};
}

static goal_verdict judge(goal *goal, long step, double residual, estimate_summary summary, bool *best) {
  ans_context *context = new_context();
  goal_verdict verdict;
  assert_ok(context, goal_judge(context, goal, step, residual, &summary, best, &verdict));
  ans_context_free(context);
  return verdict;
}

static void every_field_must_be_below_and_trusted(void **state) {
  (void)state;
  bool best;
  goal goal = {.tolerance = 1e-3, .stride = 50};
  assert_int_equal(judge(&goal, 0, 1, summary_of(1e-4, 2e-3, true), &best), GOAL_GOES_ON);
  assert_true(best);
  assert_int_equal(judge(&goal, 50, 1, summary_of(9e-4, 1e-4, false), &best), GOAL_GOES_ON);
  assert_int_equal(judge(&goal, 100, 1, summary_of(1e-3, 9e-4, true), &best), GOAL_MET);
  assert_false(best);
}

static void the_guide_decides_when_to_look(void **state) {
  (void)state;
  bool best;
  goal goal = {.tolerance = 1e-3, .stride = 50};
  assert_true(goal_due(&goal, 0, 1));
  judge(&goal, 1000, 1, summary_of(1e-2, 1e-3, true), &best);
  assert_false(goal_due(&goal, 1050, 1));
  assert_false(goal_due(&goal, 1050, 0.02)); /* predicts 1.4e-3 */
  assert_true(goal_due(&goal, 1050, 0.014)); /* predicts 1.18e-3 */
  assert_false(goal_due(&goal, 1049, 1e-9)); /* not within a stride */
  assert_true(goal_due(&goal, 1600, 1));     /* half as many steps again */
}

static void a_run_that_no_longer_improves_is_stalled(void **state) {
  (void)state;
  bool best;
  goal goal = {.tolerance = 1e-6, .stride = 50};
  judge(&goal, 6000, 1, summary_of(1e-3, 1e-3, true), &best);
  assert_int_equal(judge(&goal, 9950, 1, summary_of(0.95e-3, 1e-4, true), &best), GOAL_GOES_ON);
  assert_true(best);
  assert_int_equal(judge(&goal, 10050, 1, summary_of(0.94e-3, 1e-4, true), &best), GOAL_STALLED);
}

static void without_an_estimate_there_is_no_tolerance(void **state) {
  (void)state;
  ans_context *context = new_context();
  goal goal = {.tolerance = 1e-3, .stride = 50};
  estimate_summary none = {.reason = "time is periodic", .field_count = 1};
  bool best;
  goal_verdict verdict;
  assert_int_equal(goal_judge(context, &goal, 0, 1, &none, &best, &verdict), ANS_UNSUPPORTED);
  assert_non_null(strstr(ans_context_diagnostic(context)->message, "time is periodic"));
  assert_int_equal(goal_check(context, -1, 32), ANS_ARGUMENT);
  assert_int_equal(goal_check(context, NAN, 32), ANS_ARGUMENT);
  assert_int_equal(goal_check(context, 1e-6, 32), ANS_ARGUMENT);
  assert_int_equal(goal_check(context, 1e-12, 64), ANS_ARGUMENT);
  assert_ok(context, goal_check(context, 1e-6, 64));
  assert_ok(context, goal_check(context, 0, 32));
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_field_must_be_below_and_trusted),
      cmocka_unit_test(the_guide_decides_when_to_look),
      cmocka_unit_test(a_run_that_no_longer_improves_is_stalled),
      cmocka_unit_test(without_an_estimate_there_is_no_tolerance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
