/* SPDX-License-Identifier: Apache-2.0
 *
 * fault_test.c - every single allocation of reading, printing and instantiating fails once; each time the call
 * says so, gives nothing back, and the next attempt succeeds. (The sanitized build of this test finds leaks.)
 */
#include "family.h"

/* Everything in a row; the first failure ends it. */
static ans_status whole_path(ans_context *context, const char *path) {
  ans_problem *problem = NULL, *again = NULL;
  ans_instance *instance = NULL;
  char *text = NULL;
  ans_status status = system_read(context, path, &problem);
  if (status != ANS_OK) assert_null(problem);
  if (status == ANS_OK) status = system_print(context, problem, &text);
  if (status == ANS_OK) status = system_parse(context, "again.pde", NULL, text, strlen(text), &again);
  if (status == ANS_OK)
    status = system_instance(context, problem, problem->cases[0].structure, problem->cases[0].values, false, &instance);
  if (status != ANS_OK) assert_null(instance);
  system_instance_free(instance);
  ans_free(text);
  system_free(again);
  system_free(problem);
  return status;
}

static void check_family(const char *path, const char *name) {
  ans_context *context = new_context();
  long before = memory_taken();
  assert_ok(context, whole_path(context, path));
  long count = memory_taken() - before;
  assert_true(count > 5);
  for (int forever = 0; forever <= 1; forever++)
    for (long n = 1; n <= count; n++) {
      memory_fail_after(n, forever);
      ans_status status = whole_path(context, path);
      memory_fail_after(0, false);
      if (status != ANS_MEMORY)
        fail_msg("%s: allocation %ld of %ld failed and the status is %d", name, n, count, (int)status);
    }
  assert_ok(context, whole_path(context, path));
  ans_context_free(context);
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  each_problem_file(FAMILIES, check_family);
}

/* A suggestion, a long message, a bad include: failures on the way to a failure. */
static void refuse(const char *path, const char *name) {
  ans_context *context = new_context();
  ans_problem *problem;
  long before = memory_taken();
  ans_status expected = system_read(context, path, &problem);
  long count = memory_taken() - before;
  for (long n = 1; n <= count; n++) {
    memory_fail_after(n, false);
    ans_status status = system_read(context, path, &problem);
    memory_fail_after(0, false);
    assert_null(problem);
    if (status != ANS_MEMORY && status != expected)
      fail_msg("%s: allocation %ld failed and the status is %d", name, n, (int)status);
  }
  ans_context_free(context);
}

static void wrong_files_may_fail_too(void **state) {
  (void)state;
  each_problem_file(BAD, refuse);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail),
                                     cmocka_unit_test(wrong_files_may_fail_too)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
