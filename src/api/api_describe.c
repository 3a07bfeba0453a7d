/* SPDX-License-Identifier: Apache-2.0
 *
 * api_describe.c - public functions that put parts of problems and instances into words.
 *
 * The words are those of the canonical text: what system_print writes about a part, it writes on one line that begins
 * with the part's keyword.
 */
#include <string.h>

#include "api/api.h"
#include "system/print.h"

/* ---- Terms ------------------------------------------------------------------------------------------- */

/* One term as the language writes it: a problem that has this term only is printed. */
static void print_single_term(buffer *words, const ans_problem *problem, const system_term *term) {
  ans_problem single = *problem;
  single.terms = term;
  single.term_count = 1;
  print_terms(words, &single, term->equation);
}

ans_status ans_instance_factor_text(ans_context *context, const ans_instance *instance, size_t term, size_t factor,
                                    char **text) {
  *text = NULL;
  FAIL_IF(factor >= ans_instance_term(instance, term).factor_count, context, ANS_ARGUMENT,
          "there is no factor %zu in term %zu", factor, term);
  const system_factor *f = &instance->terms[term].term->factors[factor];
  buffer words = {0};
  print_derivative(&words, instance->problem, f->field, f->order);
  return buffer_finish(context, &words, text);
}

ans_status ans_instance_term_text(ans_context *context, const ans_instance *instance, size_t term, char **text) {
  *text = NULL;
  FAIL_IF(term >= (size_t)instance->term_count, context, ANS_ARGUMENT, "there is no term %zu: the instance has %d",
          term, instance->term_count);
  const instance_term *t = &instance->terms[term];
  const expression_step number = {.op = EXPRESSION_NUMBER, .number = t->coefficient};
  const expression coefficient = {.count = 1, .depth = 1, .steps = &number};
  system_term numeric = *t->term;
  numeric.coefficient = &coefficient;
  buffer words = {0};
  print_single_term(&words, instance->problem, &numeric);
  return buffer_finish(context, &words, text);
}

/* ---- Parts of a problem ------------------------------------------------------------------------------ */

/* The keywords with which the canonical text begins the lines of each kind of part. */
static const char *const keywords[][3] = {
    [ANS_COORDINATES] = {"coordinate "},
    [ANS_FIELDS] = {"field "},
    [ANS_SYMBOLS] = {"coefficient ", "parameter ", "let "},
    [ANS_EQUATIONS] = {"equation "},
    [ANS_CONDITIONS] = {"initial ", "boundary "},
    [ANS_SETTINGS] = {NULL},
};

static bool begins_with(const char *line, const char *word) { return word && strncmp(line, word, strlen(word)) == 0; }

static bool is_line_of(const char *line, ans_part part, size_t index) {
  if (part == ANS_SETTINGS) return begins_with(line, setting_names[index]) && line[strlen(setting_names[index])] == ' ';
  return begins_with(line, keywords[part][0]) || begins_with(line, keywords[part][1]) ||
         begins_with(line, keywords[part][2]);
}

/* The line of the canonical text that is about this part; its length in *length. */
static const char *find_line(const char *text, ans_part part, size_t index, size_t *length) {
  size_t skip = part == ANS_SETTINGS ? 0 : index;
  for (const char *line = text; *line;) {
    *length = strcspn(line, "\n");
    if (is_line_of(line, part, index) && skip-- == 0) return line;
    line += *length + (line[*length] == '\n');
  }
  *length = 0;
  return text;
}

static ans_status describe_by_line(ans_context *context, const ans_problem *problem, ans_part part, size_t index,
                                   char **text) {
  char *canonical;
  TRY(system_print(context, problem, &canonical));
  size_t length;
  const char *line = find_line(canonical, part, index, &length);
  buffer words = {0};
  buffer_bytes(&words, line, length);
  ans_free(canonical);
  return buffer_finish(context, &words, text);
}

/* With the transform that a hard initial value implies, which the canonical text leaves to the reader. */
static void describe_field(buffer *words, const ans_problem *problem, const system_field *field) {
  buffer_add(words, "%s = ", field->name);
  if (field->transform)
    print_expression(words, problem, field->transform);
  else
    buffer_add(words, "_");
}

ans_status ans_problem_describe(ans_context *context, const ans_problem *problem, ans_part part, size_t index,
                                char **text) {
  *text = NULL;
  FAIL_IF(index >= ans_problem_count(problem, part), context, ANS_ARGUMENT, "there is no part %zu of this kind", index);
  buffer words = {0};
  if (part == ANS_TERMS)
    print_single_term(&words, problem, &problem->terms[index]);
  else if (part == ANS_FIELDS)
    describe_field(&words, problem, &problem->fields[index]);
  else if (part == ANS_STRUCTURES)
    print_structure(&words, problem, &problem->structures[index]);
  else if (part == ANS_CASES)
    print_case(&words, problem, &problem->cases[index]);
  else
    return describe_by_line(context, problem, part, index, text);
  return buffer_finish(context, &words, text);
}
