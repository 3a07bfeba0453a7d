/* SPDX-License-Identifier: Apache-2.0
 *
 * bad_test.c - every wrong file under tests/bad is refused with exactly the line that tests/bad/expected.txt
 * has for it: file:line:column: [status] message.
 *
 * After an intended change run it with ANSATZ_GOLDEN=write and read the difference before committing it.
 */
#include "family.h"

static buffer told;

static const char *status_name(ans_status status) {
  return status == ANS_SYNTAX        ? "syntax"
         : status == ANS_MEANING     ? "meaning"
         : status == ANS_UNSUPPORTED ? "unsupported"
         : status == ANS_FILE        ? "file"
                                     : "?";
}

static const char *base_name(const char *path) { return strrchr(path, '/') ? strrchr(path, '/') + 1 : path; }

/* Messages name files by their path; the record must not depend on where the tree stands. */
static void add_without_directory(buffer *out, const char *message) {
  const char *found;
  while ((found = strstr(message, BAD "/"))) {
    buffer_bytes(out, message, (size_t)(found - message));
    message = found + strlen(BAD "/");
  }
  buffer_add(out, "%s", message);
}

static void refuse(const char *path, const char *name) {
  ans_context *context = new_context();
  ans_problem *problem;
  ans_status status = system_read(context, path, &problem);
  const ans_diagnostic *diagnostic = ans_context_diagnostic(context);
  if (status == ANS_OK) fail_msg("%s was accepted", name);
  assert_null(problem);
  assert_true(strlen(diagnostic->message) > 0 && !strchr(diagnostic->message, '\n'));
  if (diagnostic->line) {
    assert_true(diagnostic->column >= 1 && diagnostic->length >= 1);
    /* The place is in the line that is shown, or just behind it. */
    if (diagnostic->source[0]) assert_true(diagnostic->column + diagnostic->length <= strlen(diagnostic->source) + 2);
  }
  buffer_add(&told, "%s: %s:%zu:%zu: [%s] ", name, base_name(diagnostic->file), diagnostic->line, diagnostic->column,
             status_name(status));
  add_without_directory(&told, diagnostic->message);
  buffer_add(&told, "\n");
  ans_context_free(context);
}

static void wrong_files_get_their_exact_messages(void **state) {
  (void)state;
  ans_context *context = new_context();
  assert_true(each_problem_file(BAD, refuse) >= 60);
  char *text, *expected;
  size_t size;
  assert_ok(context, buffer_finish(context, &told, &text));
  const char *mode = getenv("ANSATZ_GOLDEN");
  if (mode && strcmp(mode, "write") == 0)
    assert_ok(context, file_write(context, BAD "/expected.txt", text, strlen(text)));
  assert_ok(context, file_read(context, BAD "/expected.txt", 1 << 20, &expected, &size));
  for (char *a = text, *b = expected; *a || *b;) {
    size_t a_length = strcspn(a, "\n"), b_length = strcspn(b, "\n");
    if (a_length != b_length || memcmp(a, b, a_length) != 0)
      fail_msg("\n     got %.*s\nexpected %.*s", (int)a_length, a, (int)b_length, b);
    a += a_length + (a[a_length] == '\n');
    b += b_length + (b[b_length] == '\n');
  }
  memory_give(expected);
  ans_free(text);
  ans_context_free(context);
}

/* Texts too large to keep as files. */
static ans_status refuse_text(ans_context *context, const char *text, size_t length) {
  ans_problem *problem;
  ans_status status = system_parse(context, "large.pde", NULL, text, length, &problem);
  assert_null(problem);
  return status;
}

static void huge_texts_are_refused_quickly(void **state) {
  (void)state;
  ans_context *context = new_context();
  size_t room = 3u << 20;
  char *text = malloc(room);
  assert_non_null(text);
  memset(text, 'u', room);
  assert_int_equal(refuse_text(context, text, room), ANS_UNSUPPORTED);
  assert_string_equal(ans_context_diagnostic(context)->message, "the text has 3145728 bytes; at most 1048576 are read");
  size_t megabyte = 1u << 20;
  assert_int_equal(refuse_text(context, text, megabyte), ANS_SYNTAX);
  memset(text, '(', megabyte);
  memcpy(text, "let a =", 7);
  assert_int_equal(refuse_text(context, text, megabyte), ANS_UNSUPPORTED);
  memset(text, '-', megabyte);
  memcpy(text, "let a =", 7);
  assert_int_equal(refuse_text(context, text, megabyte), ANS_UNSUPPORTED);
  memset(text, '1', megabyte);
  memcpy(text, "let a =", 7);
  assert_int_equal(refuse_text(context, text, megabyte), ANS_SYNTAX);
  for (size_t i = 0; i < megabyte; i++) text[i] = i % 2 ? '+' : '1';
  memcpy(text, "let a = 1", 9);
  assert_int_equal(refuse_text(context, text, megabyte), ANS_UNSUPPORTED);
  for (size_t i = 0; i + 8 <= megabyte; i += 8) memcpy(text + i, "field u\n", 8);
  assert_int_equal(refuse_text(context, text, megabyte), ANS_UNSUPPORTED);
  memset(text, '\n', megabyte);
  assert_int_equal(refuse_text(context, text, megabyte), ANS_MEANING);
  free(text);
  ans_context_free(context);
}

/* Few terms in the end, but many on the way. */
static void endless_products_are_refused(void **state) {
  (void)state;
  ans_context *context = new_context();
  buffer text = {0};
  buffer_add(&text, "coordinate x in [0, 1) periodic\ncoordinate t in [0, 1] time\nfield u\nequation u: u_t = 0");
  for (int i = 1; i <= 40; i++) buffer_add(&text, "\n + %d*(u + x*u + x^2*u + x^3*u + x^4*u + x^5*u + u_x)^7", i);
  buffer_add(&text, "\ninitial u = 0\n");
  assert_false(text.failed);
  assert_int_equal(refuse_text(context, text.text, text.length), ANS_UNSUPPORTED);
  assert_string_equal(ans_context_diagnostic(context)->message,
                      "multiplying the equation out takes more than 32768 steps; write it with fewer products of sums");
  buffer_drop(&text);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_files_get_their_exact_messages),
      cmocka_unit_test(huge_texts_are_refused_quickly),
      cmocka_unit_test(endless_products_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
