/* SPDX-License-Identifier: Apache-2.0
 *
 * solve_report.c - what came of one equation.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "interrupt.h"
#include "json.h"
#include "output.h"
#include "progress.h"
#include "solve.h"

void coverage_text(const solved *solved, char *text, size_t room) {
  const ans_coverage *coverage = &solved->coverage;
  const char *structure =
      ans_problem_name(solved->start->problem, ANS_STRUCTURES, ans_instance_structure(solved->instance));
  int used = snprintf(text, room, "structure %s %s", structure,
                      coverage->structure_trained ? "was trained on" : "was never seen in training");
  if (used < 0 || (size_t)used >= room) return;
  text += used;
  room -= (size_t)used;
  if (coverage->outside_count == 0)
    snprintf(text, room, "; every value lies in its trained range");
  else if (coverage->outside_count == 1)
    snprintf(text, room, "; %s = %g lies outside its trained range [%g, %g]", coverage->symbol, coverage->value,
             coverage->low, coverage->high);
  else
    snprintf(text, room, "; %zu values lie outside their trained ranges, first %s = %g outside [%g, %g]",
             coverage->outside_count, coverage->symbol, coverage->value, coverage->low, coverage->high);
}

/* ---- Files that were written ------------------------------------------------------------------------- */

enum { FILES = 3 };
static const char *const file_options[FILES] = {"output", "figure", "save"};

/* NULL when it was not asked for, or could not be written. */
static const char *path_written(const solved *solved, int file) {
  const bool wrote[FILES] = {solved->wrote_output, solved->wrote_figure, solved->wrote_save};
  return wrote[file] ? option_value(solved->arguments, file_options[file]) : NULL;
}

/* ---- JSON -------------------------------------------------------------------------------------------- */

static json_t *errors_json(const solved *solved, const look *look) {
  json_t *object = json_object();
  size_t fields = ans_problem_count(solved->start->problem, ANS_FIELDS);
  for (size_t f = 0; f < fields; f++)
    json_object_set_new(object, ans_problem_name(solved->start->problem, ANS_FIELDS, f),
                        json_of_number(look->errors[f]));
  return object;
}

/* Names of the fields whose errors are absolute. */
static json_t *absolute_json(const solved *solved) {
  json_t *list = json_array();
  for (size_t f = 0; f < ans_problem_count(solved->start->problem, ANS_FIELDS); f++)
    if (solve_absolute(solved->reference, f))
      json_array_append_new(list, json_string(ans_problem_name(solved->start->problem, ANS_FIELDS, f)));
  return list;
}

static json_t *values_json(const solved *solved) {
  json_t *object = json_object();
  const ans_problem *problem = solved->start->problem;
  for (size_t i = 0; i < ans_problem_count(problem, ANS_SYMBOLS); i++) {
    ans_symbol symbol = ans_problem_symbol(problem, i);
    double value = ans_instance_value(solved->instance, i);
    if (symbol.kind != ANS_DERIVED && !isnan(value)) json_object_set_new(object, symbol.name, json_of_number(value));
  }
  return object;
}

static json_t *looks_json(const solved *solved) {
  json_t *list = json_array();
  for (size_t i = 0; i < solved->look_count; i++) {
    const look *look = &solved->looks[i];
    json_t *object = json_pack("{s:I, s:o, s:o}", "step", (json_int_t)look->step, "loss", json_of_number(look->loss),
                               "residual", json_of_number(look->residual));
    if (solved->reference) json_object_set_new(object, "error_mean", json_of_number(look->error));
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *parts_json(const solved *solved) {
  json_t *list = json_array();
  for (size_t i = 0; i < solved->parts.count; i++)
    json_array_append_new(list, json_pack("{s:o, s:o, s:o}", "of", json_of_text(solved->parts.list[i].of),
                                          "relative_initial", json_of_number(solved->parts_before.list[i].relative),
                                          "relative", json_of_number(solved->parts.list[i].relative)));
  return list;
}

static void add_paths(const solved *solved, json_t *object) {
  for (int i = 0; i < FILES; i++) {
    const char *path = path_written(solved, i);
    if (path) json_object_set_new(object, file_options[i], json_of_text(path));
  }
}

static const char *method_word(ans_method method) { return method == ANS_ADAM ? "adam" : "gauss_newton"; }

static const char *unknowns_word(ans_mode mode) {
  static const char *const names[] = {[ANS_MODE_AUTOMATIC] = "automatic",
                                      [ANS_FULL] = "all",
                                      [ANS_CODES] = "codes",
                                      [ANS_FROZEN_BASES] = "tangent",
                                      [ANS_WEIGHTS] = "weights"};
  return names[mode];
}

static void add_method(const solved *solved, json_t *object) {
  ans_solver_info info = ans_solver_information(solved->solver);
  json_object_set_new(object, "method", json_string(method_word(info.method)));
  json_object_set_new(object, "unknowns", json_string(unknowns_word(info.mode)));
  json_object_set_new(object, "time_weight", json_of_number(info.time_weight));
  json_object_set_new(object, "frame", json_string(info.moving_frame ? "moving" : "fixed"));
  json_object_set_new(object, "precision", json_integer(info.precision));
}

static void add_attempts(const solved *solved, json_t *object) {
  json_t *list = json_array();
  ans_attempt attempt;
  for (size_t i = 0; (attempt = ans_solver_attempt(solved->solver, i)).what; i++)
    json_array_append_new(list, json_pack("{s:s, s:o, s:b, s:b, s:b, s:I, s:I, s:o}", "what", attempt.what, "estimate",
                                          isfinite(attempt.estimate) ? json_of_number(attempt.estimate) : json_null(),
                                          "finished", attempt.finished, "trusted", attempt.trusted, "kept",
                                          attempt.kept, "windows", (json_int_t)attempt.windows, "steps",
                                          (json_int_t)attempt.steps, "seconds", json_of_number(attempt.seconds)));
  json_object_set_new(object, "windows", json_integer((json_int_t)ans_solver_information(solved->solver).windows));
  json_object_set_new(object, "attempts", list);
}

static int report_json(const solved *solved) {
  const look *first = &solved->looks[0], *last = &solved->looks[solved->look_count - 1];
  const char *structure =
      ans_problem_name(solved->start->problem, ANS_STRUCTURES, ans_instance_structure(solved->instance));
  ans_progress now = ans_solver_state(solved->solver);
  json_t *object =
      json_pack("{s:o, s:s, s:o, s:b}", "equation", json_of_text(solved->label), "structure", structure, "values",
                values_json(solved), "from_scratch", option_value(solved->arguments, "from-scratch") != NULL);
  if (solved->start->model) {
    json_object_set_new(object, "structure_trained", json_boolean(solved->coverage.structure_trained));
    json_object_set_new(object, "values_outside", json_integer((json_int_t)solved->coverage.outside_count));
  }
  add_method(solved, object);
  json_object_set_new(object, "steps", json_integer(now.step));
  if (solved->start->saved) json_object_set_new(object, "steps_before", json_integer(solved->before));
  json_object_set_new(object, "seconds", json_of_number(solved->seconds));
  json_object_set_new(object, "loss", json_of_number(now.loss));
  json_object_set_new(object, "rate", json_of_number(now.rate));
  json_object_set_new(object, "rollbacks", json_integer(now.rollbacks));
  json_object_set_new(object, "residual_initial", json_of_number(first->residual));
  json_object_set_new(object, "residual", json_of_number(last->residual));
  json_object_set_new(object, "residual_grid", json_of_number(solved->grid));
  json_object_set_new(object, "residual_parts", parts_json(solved));
  if (solved->reference) {
    json_object_set_new(object, "error", errors_json(solved, last));
    json_object_set_new(object, "error_varying",
                        varying_json(solved->start->problem, last->errors, solved->varying,
                                     ans_problem_count(solved->start->problem, ANS_FIELDS)));
    json_object_set_new(object, "error_mean", json_of_number(last->error));
    json_object_set_new(object, "error_initial", json_of_number(first->error));
    json_object_set_new(object, "error_absolute", absolute_json(solved));
    json_object_set_new(object, "reference_self_check", json_of_number(solved->self_check));
  }
  if (solved->reference_status != ANS_OK)
    json_object_set_new(object, "reference_failure", json_of_text(solved->reference_failure));
  solve_estimate_json(solved, object);
  add_attempts(solved, object);
  json_object_set_new(object, "stopped", json_boolean(now.stopped));
  json_object_set_new(object, "interrupted", json_boolean(interrupted()));
  json_object_set_new(object, "looks", looks_json(solved));
  add_paths(solved, object);
  return print_json(object);
}

/* ---- Text -------------------------------------------------------------------------------------------- */

static void print_values(const solved *solved) {
  const ans_problem *problem = solved->start->problem;
  for (size_t i = 0; i < ans_problem_count(problem, ANS_SYMBOLS); i++) {
    ans_symbol symbol = ans_problem_symbol(problem, i);
    double value = ans_instance_value(solved->instance, i);
    if (symbol.kind != ANS_DERIVED && !isnan(value)) printf(" %s=%g", symbol.name, value);
  }
}

/* Of many parts the worst ones. */
static void print_parts(const solved *solved) {
  enum { SHOWN = 4, NAME = 48 };
  const solve_part *before = solved->parts_before.list, *after = solved->parts.list;
  size_t count = solved->parts.count, shown = 0;
  for (size_t i = 0; i < count; i++) {
    size_t worse = 0;
    for (size_t k = 0; k < count; k++)
      worse += after[k].relative > after[i].relative || (after[k].relative == after[i].relative && k < i);
    if (worse >= SHOWN) continue;
    printf("%-20s %12.3e %12.3e  %.*s%s\n", shown++ == 0 ? "  over its terms" : "", before[i].relative,
           after[i].relative, NAME, after[i].of, strlen(after[i].of) > NAME ? "..." : "");
  }
}

static void print_table(const solved *solved) {
  const look *first = &solved->looks[0], *last = &solved->looks[solved->look_count - 1];
  size_t fields = ans_problem_count(solved->start->problem, ANS_FIELDS);
  printf("\n%-20s %12s %12s\n", "", "before", "after");
  printf("%-20s %12.3e %12.3e\n", "held-out residual", first->residual, last->residual);
  print_parts(solved);
  if (!solved->reference) return;
  for (size_t f = 0; f < fields; f++) {
    char name[64];
    snprintf(name, sizeof name, "%s of %s", solve_absolute(solved->reference, f) ? "absolute error" : "error",
             ans_problem_name(solved->start->problem, ANS_FIELDS, f));
    printf("%-20s %12.3e %12.3e\n", name, first->errors[f], last->errors[f]);
    double share = solved->varying[f];
    if (ans_varies_little(share))
      printf("%-20s %12.3e %12.3e\n", "  of what varies", first->errors[f] / share, last->errors[f] / share);
  }
  if (fields > 1) printf("%-20s %12.3e %12.3e\n", "mean error", first->error, last->error);
}

static void print_looks(const solved *solved) {
  printf("\n%8s %12s%s\n", "step", "residual", solved->reference ? "   mean error" : "");
  for (size_t i = 0; i < solved->look_count; i++) {
    const look *look = &solved->looks[i];
    printf("%8ld %12.3e", look->step, look->residual);
    if (solved->reference) printf(" %12.3e", look->error);
    printf("\n");
  }
}

static const char *end_text(ans_progress now, bool resumed) {
  if (interrupted()) return ", interrupted";
  switch (now.end) {
  case ANS_END_PATIENCE: return ", stopped because the held-out residual no longer fell";
  case ANS_END_TOLERANCE: return ", stopped because the estimated error is below the tolerance";
  case ANS_END_STALLED: return ", stopped because the estimated error no longer fell";
  case ANS_END_SECONDS: return ", stopped because the time limit was reached";
  case ANS_END_EXHAUSTED: return resumed ? ", stopped because the method finds no better point from here" : "";
  default: return "";
  }
}

/* "method     Gauss-Newton on all but the bases, 32 bits, time weight 5, moving frame" */
static void print_method(const solved *solved) {
  static const char *const unknowns[] = {[ANS_MODE_AUTOMATIC] = "",
                                         [ANS_FULL] = "codes and network",
                                         [ANS_CODES] = "the codes",
                                         [ANS_FROZEN_BASES] = "all but the bases",
                                         [ANS_WEIGHTS] = "all weights"};
  ans_solver_info info = ans_solver_information(solved->solver);
  printf("\nmethod     %s on %s, %d bits", info.method == ANS_ADAM ? "Adam" : "Gauss-Newton", unknowns[info.mode],
         info.precision);
  if (info.time_weight != 0) printf(", time weight %g", info.time_weight);
  if (info.moving_frame) printf(", moving frame");
}

/* What was tried, in three lines at most: the last ones, and the one that is kept. */
static void print_attempts(const solved *solved) {
  size_t count = 0;
  while (ans_solver_attempt(solved->solver, count).what) count++;
  if (count < 2) return;
  for (size_t i = count > 3 ? count - 3 : 0; i < count; i++) {
    ans_attempt attempt = ans_solver_attempt(solved->solver, i);
    printf("%-10s %s: ", i + 3 == count || i == 0 ? "tried" : "", attempt.what);
    if (!attempt.finished)
      printf("not finished");
    else if (!isfinite(attempt.estimate))
      printf("no estimate");
    else
      printf("estimate %.1e%s", attempt.estimate, attempt.trusted ? "" : ", not trusted");
    printf(", %.1f s%s\n", attempt.seconds, attempt.kept ? " (kept)" : "");
  }
}

static int report_text(const solved *solved) {
  ans_progress now = ans_solver_state(solved->solver);
  printf("equation   %s:",
         ans_problem_name(solved->start->problem, ANS_STRUCTURES, ans_instance_structure(solved->instance)));
  print_values(solved);
  print_method(solved);
  bool resumed = solved->start->saved != NULL;
  if (resumed)
    printf("\nadapted    %ld more steps (%ld in all) in %.2f s%s\n", now.step - solved->before, now.step,
           solved->seconds, end_text(now, resumed));
  else
    printf("\nadapted    %ld steps in %.2f s%s\n", now.step, solved->seconds, end_text(now, resumed));
  print_attempts(solved);
  if (now.rollbacks)
    printf("divergence the run was rolled back %d times; the rate is now %g\n", now.rollbacks, now.rate);
  if (option_value(solved->arguments, "evaluate")) print_looks(solved);
  print_table(solved);
  solve_print_estimate(solved);
  const char *gap = "\n";
  for (int i = 0; i < FILES; i++) {
    const char *path = path_written(solved, i);
    if (path) printf("%swrote      %s\n", gap, path), gap = "";
  }
  return EXIT_OK;
}

int solve_report(const solved *solved) { return solved->arguments->json ? report_json(solved) : report_text(solved); }
