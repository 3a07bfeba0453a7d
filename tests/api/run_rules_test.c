/* SPDX-License-Identifier: Apache-2.0
 *
 * run_rules_test.c - what the library makes of a caller's rules: those it was given, the defaults for the rest.
 */
#include "check.h"

#include "api/api.h"

static void seconds_that_are_no_bound_are_none(void **state) {
  (void)state;
  typedef struct limit {
    double given, used;
  } limit;
  static const limit seconds[] = {{0, 0}, {-1, 0}, {NAN, 0}, {2.5, 2.5}, {1e-9, 1e-9}};
  for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++) {
    ans_run_rules rules = ANS_RUN_RULES_DEFAULT;
    rules.seconds = seconds[i].given;
    rules.every = 7;
    ans_run_rules own = api_rules(&rules);
    assert_true(own.seconds == seconds[i].used);
    assert_int_equal(own.every, 7);
    assert_int_equal(own.steps, -1);
  }
}

static void no_rules_are_the_default(void **state) {
  (void)state;
  ans_run_rules own = api_rules(NULL);
  assert_int_equal(own.steps, -1);
  assert_int_equal(own.every, 0);
  assert_true(own.seconds == 0);
  assert_null(own.interrupt);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(seconds_that_are_no_bound_are_none),
                                     cmocka_unit_test(no_rules_are_the_default)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
