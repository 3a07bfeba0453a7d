/* SPDX-License-Identifier: Apache-2.0
 *
 * solve_start.c - MODEL, FILE or SOLVER, and the options that say how to go on from it and what to compare and write.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interrupt.h"
#include "output.h"
#include "problem_file.h"
#include "solve.h"

/* ---- Model or problem -------------------------------------------------------------------------------- */

static int open_problem(ans_context *context, const arguments *arguments, start *start) {
  char near[ANS_SUGGESTION_BYTES];
  if (*shipped_suggestion(start->operand, "models|families", near)) {
    complain("cannot open %s: %s%s", start->operand, strerror(ENOENT), near);
    return EXIT_FILE;
  }
  ans_status status = problem_open(context, start->operand, &start->own);
  if (status != ANS_OK) return report_failure(context, status);
  start->problem = start->own;
  if (option_value(arguments, "from-scratch")) return EXIT_OK;
  complain("%s is a problem, not a trained model: add --from-scratch, or train one with `ansatz train %s -o MODEL`",
           start->operand, start->operand);
  return EXIT_USAGE;
}

/* An option that has no place beside a saved solver; NULL: none. */
static const char *misplaced(const arguments *arguments) {
  static const char *const options[] = {"case",         "structure", "set",    "outside",  "targets",    "shard",
                                        "from-scratch", "attempts",  "method", "unknowns", "time-weight"};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    if (option_value(arguments, options[i])) return options[i];
  return arguments->seeded ? "seed" : NULL;
}

static int open_saved(ans_context *context, const arguments *arguments, const char *path, start *start) {
  ans_solver_options options = {0};
  const char *option = misplaced(arguments);
  if (option) {
    complain("%s is a saved solver, which keeps its equation, seed and method: --%s cannot be used with it",
             start->operand, option);
    return EXIT_USAGE;
  }
  if (!solve_options(arguments, &options)) return EXIT_USAGE;
  ans_status status = ans_solver_resume(context, path, &options, &start->saved);
  if (status != ANS_OK) return report_failure(context, status);
  start->problem = ans_instance_problem(ans_solver_instance(start->saved));
  long steps = -1;
  size_t windows = ans_solver_information(start->saved).windows;
  if (!option_integer(arguments, "steps", 0, 1000000000, &steps)) return EXIT_USAGE;
  if (windows == 1 || steps == 0) return EXIT_OK;
  complain("%s has %zu windows of time, which are adapted once: solve its equation again with a smaller --tolerance or "
           "more --seconds, or add --steps 0 to check and write what it has",
           start->operand, windows);
  return exit_code(ANS_UNSUPPORTED);
}

int start_open(ans_context *context, const arguments *arguments, start *start) {
  char path[4096];
  bool saved;
  start->operand = arguments->operands[0];
  if (strcmp(start->operand, "-") == 0 || !model_path(start->operand, path, sizeof path))
    return open_problem(context, arguments, start);
  /* Of a path this is known by now, of the name of a shipped model not. */
  if (strcmp(path, start->operand) != 0 && !option_files_differ(arguments, "MODEL", path)) return EXIT_USAGE;
  ans_status status = ans_file_is_solver(context, path, &saved);
  if (status == ANS_OK && saved) return open_saved(context, arguments, path, start);
  if (status == ANS_OK) status = ans_model_read(context, path, &start->model);
  if (status != ANS_OK) return report_failure(context, status);
  start->problem = ans_model_problem(start->model);
  return EXIT_OK;
}

void start_close(start *start) {
  ans_solver_free(start->saved);
  ans_model_free(start->model);
  ans_problem_free(start->own);
}

/* ---- Options ----------------------------------------------------------------------------------------- */

/* More steps than any run takes, where only the tolerance and the clock count; seconds that are enough for a tolerance
 * that can be met. */
static const long MANY_STEPS = 1000000000;
static const double TOLERANCE_SECONDS = 120;

long shown_steps(const ans_run_rules *rules) { return rules->steps < MANY_STEPS ? rules->steps : 0; }

bool solve_rules(const arguments *arguments, const start *start, const ans_solver_options *options,
                 ans_run_rules *rules) {
  bool tolerance = option_value(arguments, "tolerance") != NULL;
  *rules = (ans_run_rules)ANS_RUN_RULES_DEFAULT;
  const ans_model *model = option_value(arguments, "from-scratch") ? NULL : start->model;
  rules->steps = tolerance      ? MANY_STEPS
                 : start->saved ? ans_solver_information(start->saved).steps
                                : ans_solver_steps(model, start->problem, options);
  rules->seconds = tolerance ? TOLERANCE_SECONDS : 0;
  rules->interrupt = interrupt_flag();
  return option_integer(arguments, "steps", 0, 1000000000, &rules->steps) &&
         option_number(arguments, "seconds", 1e-3, 1e9, &rules->seconds);
}

/* From scratch and without a number of steps the library tries on while the estimate, where there is one, asks for it.
 */
bool solve_climbs(const solved *solved) {
  const start *start = solved->start;
  bool scratch = (!start->model && !start->saved) || option_value(solved->arguments, "from-scratch");
  return scratch && !option_value(solved->arguments, "steps") && !option_value(solved->arguments, "no-estimate");
}

bool solve_options(const arguments *arguments, ans_solver_options *options) {
  long patience = 0, attempts = 0;
  options->size = sizeof *options;
  if (!option_number(arguments, "rate", 1e-12, 1e3, &options->rate) ||
      !option_number(arguments, "tolerance", 1e-11, 1, &options->tolerance) ||
      !option_number(arguments, "time-weight", -1, 100, &options->time_weight) ||
      !option_integer(arguments, "patience", 1, 1000000, &patience) ||
      !option_integer(arguments, "attempts", 1, 100, &attempts))
    return false;
  static const ans_mode modes[] = {ANS_MODE_AUTOMATIC, ANS_FULL, ANS_CODES, ANS_FROZEN_BASES, ANS_WEIGHTS};
  static const ans_method methods[] = {ANS_METHOD_AUTOMATIC, ANS_METHOD_AUTOMATIC, ANS_GAUSS_NEWTON, ANS_ADAM};
  options->mode = modes[option_choice(arguments, "unknowns") + 1];
  options->method = methods[option_choice(arguments, "method") + 1];
  options->precision = option_choice(arguments, "precision") < 0    ? 0
                       : option_choice(arguments, "precision") == 1 ? 64
                                                                    : 32;
  options->patience = (int)patience;
  options->attempts = (int)attempts;
  options->seed = arguments->seed;
  options->threads = arguments->threads;
  return true;
}

static bool read_size(const ans_problem *problem, const char *word, int length, size_t *sizes) {
  char name[65], *end;
  const char *equals = memchr(word, '=', (size_t)length);
  size_t index, used = equals ? (size_t)(equals - word) : 0;
  if (!equals || used >= sizeof name) return false;
  memcpy(name, word, used);
  name[used] = '\0';
  long size = strtol(equals + 1, &end, 10);
  if (end != word + length || size < 2 || size > 1 << 20 || !ans_problem_find(problem, ANS_COORDINATES, name, &index))
    return false;
  sizes[index] = (size_t)size;
  return true;
}

bool solve_grid(const arguments *arguments, const ans_problem *problem, size_t *sizes) {
  const char *list = option_value(arguments, "grid"), *word;
  int length;
  for (int i = 0; list && (word = list_word(list, ',', i, &length)); i++)
    if (!read_size(problem, word, length, sizes)) {
      complain("--grid %s: expected a coordinate and its nodes, like x=256 (2 to 1048576), not '%.*s'", list, length,
               word);
      return false;
    }
  return true;
}

ans_status solve_reference(ans_context *context, const ans_instance *instance, ans_solution **reference,
                           double *self_check) {
  ans_reference_options options = {0};
  ans_reference_report report;
  ans_status status = ans_reference_solve(context, instance, options, reference, &report);
  *self_check = status == ANS_OK ? fmax(report.self_difference, report.time_difference) : (double)NAN;
  return status;
}

bool solve_goes_on(ans_status reference_status) {
  return reference_status == ANS_UNSUPPORTED || reference_status == ANS_DIVERGED || reference_status == ANS_TOLERANCE;
}

bool solve_absolute(const ans_solution *reference, size_t field) {
  const char *name;
  size_t count;
  const double *values = ans_solution_values(reference, field, &name, &count);
  for (size_t i = 0; i < count; i++)
    if (values[i] != 0) return false;
  return true;
}

bool solve_doubts(double self_check, char *sentence, size_t room) {
  const double limit = 1e-2; /* as in `ansatz check` */
  if (!(self_check > limit)) return false;
  if (isinf(self_check))
    snprintf(
        sentence, room,
        "the reference has no answer at half the points or other time steps, so nothing says what errors against it "
        "mean");
  else
    snprintf(sentence, room,
             "the reference itself changes by %.1e at half the points or time steps; errors against it mean little",
             self_check);
  return true;
}

ans_status solve_errors(ans_context *context, ans_solver *solver, const ans_solution *reference, double *errors,
                        double *mean) {
  size_t fields = ans_solution_field_count(reference);
  ans_solution *solution;
  ans_status status = ans_solver_solution_like(context, solver, reference, &solution);
  if (status == ANS_OK) status = ans_solution_compare(context, solution, reference, errors);
  ans_solution_free(solution);
  *mean = 0;
  for (size_t f = 0; f < fields; f++) *mean += errors[f] / (double)fields;
  return status;
}

ans_status solve_fields(ans_context *context, const arguments *arguments, ans_solver *solver,
                        const ans_solution *reference, const size_t *sizes, ans_solution **solution) {
  return reference && !option_value(arguments, "grid") ? ans_solver_solution_like(context, solver, reference, solution)
                                                       : ans_solver_solution(context, solver, sizes, solution);
}
