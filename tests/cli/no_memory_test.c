/* SPDX-License-Identifier: Apache-2.0
 *
 * no_memory_test.c - JSON when memory ends: a sentence and its exit code, whether the object could not be made or not
 * be printed.
 */
#include "check.h"

#include "cli/json.h"
#include "cli/output.h"

static char said[256];

void complain(const char *format, ...) {
  va_list words;
  va_start(words, format);
  vsnprintf(said, sizeof said, format, words);
  va_end(words);
}

size_t character_bytes(const char *text) { return *text != '\0'; }

static bool empty;

static void *take(size_t bytes) { return empty ? NULL : malloc(bytes); }

static void an_object_that_could_not_be_made(void **state) {
  (void)state;
  said[0] = '\0';
  assert_int_equal(print_json(NULL), EXIT_MEMORY);
  assert_string_equal(said, "memory is exhausted");
}

static void an_object_that_cannot_be_printed(void **state) {
  (void)state;
  said[0] = '\0';
  json_t *object = json_pack("{s:{s:f}}", "outer", "inner", 0.5);
  assert_non_null(object);
  empty = true;
  int code = print_json(object);
  empty = false;
  assert_int_equal(code, EXIT_MEMORY);
  assert_string_equal(said, "memory is exhausted");
}

static void an_object_that_is_there(void **state) {
  (void)state;
  said[0] = '\0';
  json_t *object = json_pack("{s:f}", "a", 0.5);
  assert_non_null(object);
  assert_int_equal(print_json(object), EXIT_OK);
  assert_string_equal(said, "");
}

int main(void) {
  json_set_alloc_funcs(take, free);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_object_that_could_not_be_made),
      cmocka_unit_test(an_object_that_cannot_be_printed),
      cmocka_unit_test(an_object_that_is_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
