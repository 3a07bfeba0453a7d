/* SPDX-License-Identifier: Apache-2.0
 *
 * doc_test.c - the examples of doc/language.md. A block fenced "pde" must be read; a block fenced "pde wrong" must
 * be refused, and the page must quote the place and the sentence.
 */
#include "family.h"

typedef struct example {
  const char *text;
  size_t length;
  bool wrong;
} example;

/* The next fenced problem at or after *page; false at the end. */
static bool next_example(const char **page, example *result) {
  const char *fence = strstr(*page, "\n```pde");
  if (!fence) return false;
  const char *start = strchr(fence + 1, '\n') + 1, *end = strstr(start, "\n```");
  assert_non_null(end);
  *result = (example){start, (size_t)(end + 1 - start), strncmp(fence, "\n```pde wrong\n", 14) == 0};
  *page = end + 1;
  return true;
}

static void check_example(ans_context *context, const char *page, const example *example) {
  ans_problem *problem;
  ans_status status = system_parse(context, "language.pde", FAMILIES, example->text, example->length, &problem);
  const ans_diagnostic *diagnostic = ans_context_diagnostic(context);
  if (!example->wrong) {
    if (status != ANS_OK)
      fail_msg("%zu:%zu: %s in\n%.*s", diagnostic->line, diagnostic->column, diagnostic->message, (int)example->length,
               example->text);
    system_free(problem);
    return;
  }
  char quoted[1200];
  snprintf(quoted, sizeof quoted, "\n%zu:%zu: %s\n", diagnostic->line, diagnostic->column, diagnostic->message);
  assert_true(status != ANS_OK);
  if (!strstr(page, quoted)) fail_msg("the page does not quote%s", quoted);
}

static void examples_of_the_page_are_read(void **state) {
  (void)state;
  ans_context *context = new_context();
  char *page;
  size_t size;
  assert_ok(context, file_read(context, DOC "/language.md", 1 << 20, &page, &size));
  int fine = 0, wrong = 0;
  example example;
  for (const char *rest = page; next_example(&rest, &example);) {
    check_example(context, page, &example);
    *(example.wrong ? &wrong : &fine) += 1;
  }
  assert_true(fine >= 6 && wrong >= 3);
  memory_give(page);
  ans_context_free(context);
}

/* "N_tau + mu*N_xi*Phi_xi + ..." on the page is what the program prints. */
static void the_expanded_equation_is_as_quoted(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem =
      parse(context, "coordinate xi in [0, 1) periodic\ncoordinate tau in [0, 1] time\nfield N, Phi\n"
                     "coefficient mu, D in [0.1, 1]\n"
                     "equation N: N_tau + d(mu*N*d(Phi, xi) - D*d(N, xi), xi) = 0\n"
                     "equation Phi: Phi_xixi = N - 1\ninitial N = 1\n");
  char *text;
  assert_ok(context, system_print(context, problem, &text));
  assert_non_null(strstr(text, "equation N: N_tau + mu*N_xi*Phi_xi + mu*N*Phi_xixi - D*N_xixi = 0\n"));
  ans_free(text);
  system_free(problem);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(examples_of_the_page_are_read),
      cmocka_unit_test(the_expanded_equation_is_as_quoted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
