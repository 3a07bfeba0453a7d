/* SPDX-License-Identifier: Apache-2.0
 *
 * text_test.c - tokens, trees, suggestions and includes.
 */
#include "check.h"

#include <unistd.h>

#include "text/text.h"
#include "text/token.h"

/* ---- Tokens ------------------------------------------------------------------------------------------------ */

static void tokens_know_their_place(void **state) {
  (void)state;
  ans_context *context = new_context();
  const char *text = "# comment\nlet a = .5e-3*x # more\n  + 1..4\n\nfield\n";
  static const struct {
    token_kind kind;
    uint32_t line, column, length;
  } expected[] = {{TOKEN_NAME, 2, 1, 3},    {TOKEN_NAME, 2, 5, 1},   {TOKEN_SYMBOL, 2, 7, 1},  {TOKEN_NUMBER, 2, 9, 5},
                  {TOKEN_SYMBOL, 2, 14, 1}, {TOKEN_NAME, 2, 15, 1},  {TOKEN_SYMBOL, 3, 3, 1},  {TOKEN_NUMBER, 3, 5, 1},
                  {TOKEN_SYMBOL, 3, 6, 2},  {TOKEN_NUMBER, 3, 8, 1}, {TOKEN_NEWLINE, 3, 9, 1}, {TOKEN_NAME, 5, 1, 5},
                  {TOKEN_NEWLINE, 5, 6, 1}, {TOKEN_END, 6, 1, 1}};
  lexer lexer;
  assert_ok(context, lexer_open(context, "a", text, strlen(text), &lexer));
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    assert_int_equal(lexer.current.kind, expected[i].kind);
    assert_int_equal(lexer.current.place.line, expected[i].line);
    assert_int_equal(lexer.current.place.column, expected[i].column);
    assert_int_equal(lexer.current.place.length, expected[i].length);
    if (i == 3) assert_true(lexer.current.number == 0.5e-3);
    assert_ok(context, lexer_next(&lexer));
  }
  ans_context_free(context);
}

/* What a terminal might obey is a question mark in the line that is shown; the lines are the text's own. */
static void a_wrong_byte_is_shown_in_its_line(void **state) {
  (void)state;
  ans_context *context = new_context();
  const char *text = "field u\n\tlet a\033 = 1\nfield v\n";
  ans_problem *problem;
  assert_int_equal(ans_problem_parse(context, "a", text, strlen(text), &problem), ANS_SYNTAX);
  assert_int_equal(ans_context_diagnostic(context)->line, 2);
  assert_string_equal(ans_context_diagnostic(context)->source, "\tlet a? = 1");
  ans_context_free(context);
}

static void labels_hold_dots_and_dashes(void **state) {
  (void)state;
  ans_context *context = new_context();
  const char *text = "AR_4.5_8.5 ar:";
  lexer lexer;
  assert_ok(context, lexer_open(context, "a", text, strlen(text), &lexer));
  assert_ok(context, lexer_label(&lexer));
  assert_int_equal(lexer.current.length, 10);
  assert_ok(context, lexer_next(&lexer));
  assert_int_equal(lexer.current.length, 2);
  ans_context_free(context);
}

static void numbers_are_read_whole_or_not_at_all(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool fine;
    double value;
  } numbers[] = {{"1", true, 1},      {" -2.5e3 ", true, -2500}, {"+.5", true, 0.5}, {"1.", true, 1},
                 {"", false, 0},      {"-", false, 0},           {"1x", false, 0},   {"1e", false, 0},
                 {".", false, 0},     {"1e999", false, 0},       {"nan", false, 0},  {"inf", false, 0},
                 {"0x10", false, 0},  {"1 2", false, 0},         {"--1", false, 0},  {".e5", false, 0},
                 {"0e-999", true, 0}, {"1e-400", false, 0}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    double value = 0;
    if (text_number(numbers[i].text, strlen(numbers[i].text), &value) != numbers[i].fine)
      fail_msg("'%s'", numbers[i].text);
    if (numbers[i].fine) assert_true(value == numbers[i].value);
  }
}

/* ---- Trees ------------------------------------------------------------------------------------------------------ */

static void write_tree(buffer *out, const syntax_node *node) {
  if (node->kind == SYNTAX_NUMBER)
    buffer_number(out, node->number);
  else if (node->kind == SYNTAX_NAME)
    buffer_add(out, "%s", node->word);
  else {
    buffer_add(out, "(%s%c",
               node->kind == SYNTAX_CALL     ? node->word
               : node->kind == SYNTAX_NEGATE ? "neg"
                                             : "",
               node->operation ? node->operation : ' ');
    for (int i = 0; i < node->argument_count; i++) {
      buffer_add(out, " ");
      write_tree(out, node->arguments[i]);
    }
    buffer_add(out, ")");
  }
}

static void operators_bind_as_written_down(void **state) {
  (void)state;
  static const char *const trees[][2] = {{"1 - 2 - 3", "(- (- 1 2) 3)"},
                                         {"a + b*c", "(+ a (* b c))"},
                                         {"a/b*c", "(* (/ a b) c)"},
                                         {"-x^2", "(neg  (^ x 2))"},
                                         {"(-x)^2", "(^ (neg  x) 2)"},
                                         {"2^-x", "(^ 2 (neg  x))"},
                                         {"a^b^c", "(^ a (^ b c))"},
                                         {"-a*b", "(* (neg  a) b)"},
                                         {"a - -b", "(- a (neg  b))"},
                                         {"d(u*v, x, t)", "(d  (* u v) x t)"},
                                         {"+a", "a"},
                                         {"f(x)^2", "(^ (f  x) 2)"}};
  ans_context *context = new_context();
  for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
    char text[128], *written;
    arena *arena;
    syntax_statement *statements;
    buffer out = {0};
    snprintf(text, sizeof text, "let q = %s", trees[i][0]);
    assert_ok(context, arena_new(context, &arena));
    assert_ok(context, text_parse(context, arena, "t", NULL, text, strlen(text), &statements));
    write_tree(&out, statements->let.value);
    assert_ok(context, buffer_finish(context, &out, &written));
    assert_string_equal(written, trees[i][1]);
    ans_free(written);
    arena_free(arena);
  }
  ans_context_free(context);
}

static void suggestions_are_near_or_absent(void **state) {
  (void)state;
  static const struct {
    const char *wanted, *candidate, *best;
  } pairs[] = {{"kapa", "kappa", "kappa"}, {"widht", "width", "width"},
               {"u_xxz", "u_xx", "u_xx"},  {"coeficient", "coefficient", "coefficient"},
               {"gravity", "rho", ""},     {"ab", "cd", ""},
               {"same", "same", ""},       {"x", "y", ""}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    suggestion suggestion = suggest_for(pairs[i].wanted, strlen(pairs[i].wanted));
    suggest_offer(&suggestion, pairs[i].candidate);
    assert_string_equal(suggestion.best, pairs[i].best);
  }
}

/* ---- Includes ------------------------------------------------------------------------------------------------------
 */

static char directory[64];

static void write_text(const char *name, const char *text) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static ans_status parse_in_directory(ans_context *context, const char *text, int *count) {
  arena *arena;
  syntax_statement *statements;
  assert_ok(context, arena_new(context, &arena));
  ans_status status = text_parse(context, arena, "main.pde", directory, text, strlen(text), &statements);
  *count = 0;
  for (syntax_statement *s = statements; s && status == ANS_OK; s = s->next) (*count)++;
  arena_free(arena);
  return status;
}

static void includes_stand_where_they_are_named(void **state) {
  (void)state;
  ans_context *context = new_context();
  strcpy(directory, "/tmp/ansatz-text-XXXXXX");
  assert_non_null(mkdtemp(directory));
  int count;
  write_text("two.pde", "let a = 1\nlet b = 2\n");
  write_text("empty.pde", "# nothing\n");
  assert_ok(context,
            parse_in_directory(context, "include \"two.pde\"\ninclude \"empty.pde\"\ninclude \"two.pde\"\nlet c = 3",
                               &count));
  assert_int_equal(count, 5);

  char deep[64];
  for (int i = 0; i < 12; i++) {
    snprintf(deep, sizeof deep, "include \"deep%d.pde\"\n", i + 1);
    char name[32];
    snprintf(name, sizeof name, "deep%d.pde", i);
    write_text(name, deep);
  }
  assert_int_equal(parse_in_directory(context, "include \"deep0.pde\"", &count), ANS_UNSUPPORTED);
  assert_string_equal(ans_context_diagnostic(context)->message, "files include each other more than 8 deep");

  write_text("ping.pde", "include \"pong.pde\"");
  write_text("pong.pde", "include \"ping.pde\"");
  assert_int_equal(parse_in_directory(context, "include \"ping.pde\"", &count), ANS_MEANING);
  assert_string_equal(ans_context_diagnostic(context)->message, "'ping.pde' includes itself");

  /* A file that includes its like many times over must not multiply. */
  char bomb[1024] = "";
  for (int i = 0; i < 40; i++) strcat(bomb, "include \"two.pde\"\n");
  assert_int_equal(parse_in_directory(context, bomb, &count), ANS_UNSUPPORTED);
  assert_string_equal(ans_context_diagnostic(context)->message, "a problem includes at most 32 files");

  char command[128];
  snprintf(command, sizeof command, "rm -r %s", directory);
  assert_int_equal(system(command), 0);
  ans_context_free(context);
}

static void texts_in_memory_include_nothing(void **state) {
  (void)state;
  ans_context *context = new_context();
  arena *arena;
  syntax_statement *statements;
  assert_ok(context, arena_new(context, &arena));
  assert_int_equal(text_parse(context, arena, "t", NULL, "include \"a\"", 11, &statements), ANS_MEANING);
  arena_free(arena);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tokens_know_their_place),
      cmocka_unit_test(labels_hold_dots_and_dashes),
      cmocka_unit_test(a_wrong_byte_is_shown_in_its_line),
      cmocka_unit_test(numbers_are_read_whole_or_not_at_all),
      cmocka_unit_test(operators_bind_as_written_down),
      cmocka_unit_test(suggestions_are_near_or_absent),
      cmocka_unit_test(includes_stand_where_they_are_named),
      cmocka_unit_test(texts_in_memory_include_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
