/* SPDX-License-Identifier: Apache-2.0
 *
 * score_test.c - how sharp an estimate calls itself: the changes between two resolutions beside the errors. The source
 * is compiled here, since nobody else may call this.
 */
#include "check.h"

#include <string.h>

#include "estimate/level_norm.c"

static double score_of(const double *errors, const double *changes, int fields) {
  level_answer answer = {.score = -1};
  memcpy(answer.errors, errors, (size_t)fields * sizeof *errors);
  memcpy(answer.changes, changes, (size_t)fields * sizeof *changes);
  judge(&answer, fields);
  return answer.score;
}

#define SCORE(errors, changes)                                                                                         \
  score_of((const double[])errors, (const double[])changes, (int)(sizeof((double[])errors) / sizeof(double)))
/* clang-format off */
#define LIST(...)                                                                                                      \
  { __VA_ARGS__ }
/* clang-format on */

static void a_change_counts_beside_its_own_error(void **state) {
  (void)state;
  assert_near(SCORE(LIST(1e-3), LIST(2e-5)), 0.02, 1e-15);
  assert_near(SCORE(LIST(1e-3, 4e-4), LIST(2e-5, 2e-5)), 0.05, 1e-15);
}

/* Its share may be ten times as rough as that of the worst, at most. */
static void a_field_far_better_than_the_others_counts_less(void **state) {
  (void)state;
  assert_near(SCORE(LIST(1e-6, 1e-9), LIST(1e-9, 5e-9)), 0.05, 1e-15);
  assert_near(SCORE(LIST(1e-9, 1e-6), LIST(5e-9, 1e-9)), 0.05, 1e-15);
}

static void the_last_digits_count_for_nothing(void **state) {
  (void)state;
  assert_near(SCORE(LIST(1e-14, 0), LIST(1e-13, 0)), 0.01, 1e-15);
  assert_near(SCORE(LIST(0), LIST(0)), 0, 0);
}

static void what_is_unknown_is_never_sharp(void **state) {
  (void)state;
  assert_true(isinf(SCORE(LIST(INFINITY, 1e-3), LIST(1e-9, 1e-9))));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_change_counts_beside_its_own_error),
      cmocka_unit_test(a_field_far_better_than_the_others_counts_less),
      cmocka_unit_test(the_last_digits_count_for_nothing),
      cmocka_unit_test(what_is_unknown_is_never_sharp),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
