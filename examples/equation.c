/* SPDX-License-Identifier: Apache-2.0
 *
 * equation.c - an equation written in the program itself: what the library understood of it, term by term, and what it
 * says about one with a spelling mistake.
 *
 *   cc equation.c $(pkg-config --cflags --libs ansatz) -o equation
 */
#include <ansatz.h>
#include <stdio.h>
#include <string.h>

static const char burgers[] = "coordinate x in [0, 1) periodic\n"
                              "coordinate t in [0, 1] time\n"
                              "field u\n"
                              "coefficient nu in [0.01, 0.1] log\n"
                              "equation u: u_t + u*u_x - nu*u_xx = 0\n"
                              "initial u = sin(2*pi*x)\n";

static const char misspelt[] = "coordinate x in [0, 1) periodic\n"
                               "coordinate t in [0, 1] time\n"
                               "field u\n"
                               "coefficient kappa in [0.01, 0.1]\n"
                               "equation u: u_t - kapa*u_xx = 0\n"
                               "initial u = sin(2*pi*x)\n";

static ans_status print_terms(ans_context *context, const ans_instance *instance) {
  for (size_t i = 0; i < ans_instance_term_count(instance); i++) {
    char *text;
    ans_status status = ans_instance_term_text(context, instance, i, &text);
    if (status != ANS_OK) return status;
    printf("%s\n", text);
    ans_free(text);
  }
  return ANS_OK;
}

static ans_status understand(ans_context *context, const char *text) {
  ans_problem *problem = NULL;
  ans_instance *instance = NULL;
  ans_choice choice = ANS_CHOICE_DEFAULT;
  choice.assignments = "nu=0.02";
  ans_status status = ans_problem_parse(context, "equation", text, strlen(text), &problem);
  if (status == ANS_OK) status = ans_instance_new(context, problem, choice, &instance);
  if (status == ANS_OK) status = print_terms(context, instance);
  ans_instance_free(instance);
  ans_problem_free(problem);
  return status;
}

int main(void) {
  ans_context *context;
  if (ans_context_new(&context) != ANS_OK) return 1;
  bool fine = understand(context, burgers) == ANS_OK;
  if (understand(context, misspelt) != ANS_OK) {
    const ans_diagnostic *what = ans_context_diagnostic(context);
    printf("line %zu, column %zu: %s\n", what->line, what->column, what->message);
  }
  ans_context_free(context);
  return fine ? 0 : 1;
}
