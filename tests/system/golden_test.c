/* SPDX-License-Identifier: Apache-2.0
 *
 * golden_test.c - every shipped family and what the program understands by it, as text under tests/golden.
 *
 * After an intended change run it with ANSATZ_GOLDEN=write and read the difference before committing it.
 */
#include "family.h"

static void check_cases(ans_context *context, const ans_problem *problem) {
  assert_true(problem->case_count >= 2);
  for (int i = 0; i < problem->case_count; i++) {
    ans_instance *instance = case_instance(context, problem, i);
    assert_true(instance->term_count >= problem->equation_count);
    assert_true(system_instance_hash(instance) != 0);
    system_instance_free(instance);
  }
}

static void check_round_trip(ans_context *context, const ans_problem *problem, const char *text) {
  ans_problem *again;
  char *text_again;
  assert_ok(context, system_parse(context, "again.pde", NULL, text, strlen(text), &again));
  assert_true(system_equal(problem, again));
  assert_ok(context, system_print(context, again, &text_again));
  assert_string_equal(text, text_again);
  ans_free(text_again);
  system_free(again);
}

static void check_family(const char *path, const char *name) {
  ans_context *context = new_context();
  ans_problem *problem;
  char *text, *expected, golden[1024];
  size_t size;
  assert_ok(context, system_read(context, path, &problem));
  assert_ok(context, system_print(context, problem, &text));
  snprintf(golden, sizeof golden, "%s/%s.txt", GOLDEN, name);
  const char *mode = getenv("ANSATZ_GOLDEN");
  if (mode && strcmp(mode, "write") == 0) assert_ok(context, file_write(context, golden, text, strlen(text)));
  assert_ok(context, file_read(context, golden, 1 << 20, &expected, &size));
  assert_string_equal(text, expected);
  check_round_trip(context, problem, text);
  check_cases(context, problem);
  memory_give(expected);
  ans_free(text);
  system_free(problem);
  ans_context_free(context);
}

static void every_family_reads_as_recorded(void **state) {
  (void)state;
  assert_true(each_problem_file(FAMILIES, check_family) >= 16);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_family_reads_as_recorded)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
