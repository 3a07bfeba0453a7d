/* SPDX-License-Identifier: Apache-2.0
 *
 * part_test.c - what a part file may claim of a row. Its hash guards against damage, not against claims, so these are
 * looked at by themselves: the source is compiled here.
 */
#include "cli/part.c"

#include "check.h"

static ans_problem *plane(ans_context *context) {
  static const char text[] = "coordinate x in [0, 1) periodic\ncoordinate y in [0, 1) periodic\n"
                             "coordinate t in [0, 1] time\nfield u\nequation u: u_t = u_xx + u_yy\n"
                             "initial u = sin(2*pi*x)\n";
  ans_problem *problem;
  assert_ok(context, ans_problem_parse(context, "plane", text, strlen(text), &problem));
  return problem;
}

static frame frame_for(size_t numbers) { return (frame){.bytes = sizeof(row_outcome) + numbers * sizeof(double)}; }

static void sizes_are_those_of_the_record(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = plane(context);
  row_outcome outcome = {.row = 3, .axis_sizes = {4, 5, 6}};
  frame right = frame_for(4 + 5 + 6 + 4 * 5 * 6), wrong = frame_for(4 + 5 + 6 + 4 * 5 * 6 + 1);
  assert_true(outcome_fits(problem, 3, &outcome, &right));
  assert_false(outcome_fits(problem, 3, &outcome, &wrong));
  assert_false(outcome_fits(problem, 2, &outcome, &right));
  outcome.structure = 1;
  assert_false(outcome_fits(problem, 3, &outcome, &right));
  ans_problem_free(problem);
  ans_context_free(context);
}

/* 2^64 points are no points in the arithmetic of a machine. */
static void sizes_whose_product_overflows_are_refused(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = plane(context);
  row_outcome outcome = {.row = 3, .axis_sizes = {1 << 24, 1 << 24, 1 << 16}};
  frame frame = frame_for((1 << 24) + (1 << 24) + (1 << 16));
  assert_false(outcome_fits(problem, 3, &outcome, &frame));
  ans_problem_free(problem);
  ans_context_free(context);
}

/* A text that does not end is cut, one that just ends is not. */
static void texts_end(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = plane(context);
  row_outcome outcome = {.row = 3};
  frame frame = frame_for(0);
  for (int full = 0; full < 2; full++) {
    memset(outcome.name, 'n', ROW_NAME - 1 + full);
    memset(outcome.sentence, 's', ROW_SENTENCE - 1 + full);
    memset(outcome.shortfall, 'f', ROW_SHORTFALL - 1 + full);
    assert_true(outcome_fits(problem, 3, &outcome, &frame));
    assert_int_equal(strlen(outcome.name), ROW_NAME - 1);
    assert_int_equal(strlen(outcome.sentence), ROW_SENTENCE - 1);
    assert_int_equal(strlen(outcome.shortfall), ROW_SHORTFALL - 1);
  }
  ans_problem_free(problem);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_are_those_of_the_record),
      cmocka_unit_test(sizes_whose_product_overflows_are_refused),
      cmocka_unit_test(texts_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
