/* SPDX-License-Identifier: Apache-2.0
 *
 * solve_many.c - every row of a table as one equation: as many at a time as there are threads, each with one thread.
 *
 * A row that cannot be read or whose adaptation fails gets its sentence in the table of results; the others go on.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "json.h"
#include "output.h"
#include "progress.h"
#include "solve.h"
#include "table.h"

enum {
  SENTENCE = 256,
  STRIDE = 50, /* steps between looks at the clock and the stopping rule */
  ROW_BYTES = 4096
};

typedef struct outcome {
  const char *name;
  bool begun; /* false: the run was interrupted before this row's turn */
  ans_status status;
  char sentence[SENTENCE]; /* why there is no solution */
  long steps;
  double before, residual; /* held-out */
  double errors[ANS_MAX_FIELDS], error;
  double self_check;             /* of the reference */
  bool absolute[ANS_MAX_FIELDS]; /* errors of fields whose reference is zero everywhere */
  ans_status reference_status;   /* ANS_OK unless --check could not be made; then `sentence` says why */
  ans_estimate estimate;
  ans_progress end;
  ans_solution *solution;
} outcome;

typedef struct batch {
  const arguments *arguments;
  const start *start;
  table table;
  outcome *outcomes; /* [rows] */
  ans_solver_options options;
  ans_run_rules rules;
  size_t sizes[ANS_MAX_COORDINATES];
  double seconds;
} batch;

static void note_failure(ans_status status, const char *sentence, outcome *outcome) {
  outcome->status = status;
  snprintf(outcome->sentence, sizeof outcome->sentence, "%s", sentence);
}

static bool succeeded(const outcome *outcome) { return outcome->begun && outcome->status == ANS_OK; }

/* ---- One row as an equation -------------------------------------------------------------------------- */

/* "a=1,b=2" of the cells that are not empty and name symbols. False: they do not fit, and `why` says so. */
static bool row_assignments(const batch *batch, size_t row, char text[ROW_BYTES], char why[SENTENCE]) {
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; i < batch->table.column_count; i++) {
    const char *name = batch->table.names[i], *cell = table_entry(&batch->table, row, i);
    if (!*cell || strcmp(name, "name") == 0 || strcmp(name, "structure") == 0) continue;
    if (strlen(cell) > TABLE_NUMBER) {
      snprintf(why, SENTENCE, "line %zu, column %s: a number has at most %d characters, not %zu",
               batch->table.lines[row], name, TABLE_NUMBER, strlen(cell));
      return false;
    }
    int length = snprintf(text + used, ROW_BYTES - used, "%s%s=%s", used ? "," : "", name, cell);
    if (length < 0 || (size_t)length >= ROW_BYTES - used) {
      snprintf(why, SENTENCE, "the values of this row take more than %d bytes", ROW_BYTES - 1);
      return false;
    }
    used += (size_t)length;
  }
  return true;
}

static const char *row_cell(const batch *batch, size_t row, const char *name) {
  int column = table_column(&batch->table, name);
  const char *cell = column < 0 ? "" : table_entry(&batch->table, row, (size_t)column);
  return *cell ? cell : NULL;
}

/* The row's equation and its solver; what fails is noted. */
static ans_status row_begin(ans_context *context, const batch *batch, size_t row, ans_instance **instance,
                            ans_solver **solver) {
  char assignments[ROW_BYTES], why[SENTENCE];
  outcome *outcome = &batch->outcomes[row];
  ans_choice choice = ANS_CHOICE_DEFAULT;
  choice.structure = row_cell(batch, row, "structure");
  choice.assignments = assignments;
  choice.outside = option_value(batch->arguments, "outside") != NULL;
  outcome->begun = true;
  outcome->sentence[0] = '\0';
  if (!row_assignments(batch, row, assignments, why)) {
    note_failure(ANS_ARGUMENT, why, outcome);
    return ANS_ARGUMENT;
  }
  ans_status status = ans_instance_new(context, batch->start->problem, choice, instance);
  if (status == ANS_OK)
    status = ans_solver_begin(context, option_value(batch->arguments, "from-scratch") ? NULL : batch->start->model,
                              *instance, &batch->options, solver);
  if (status == ANS_OK) status = ans_solver_residual(context, *solver, &outcome->before, NULL);
  if (status != ANS_OK) note_failure(status, ans_context_diagnostic(context)->message, outcome);
  return status;
}

/* ---- A wave of rows ---------------------------------------------------------------------------------- */

typedef struct wave {
  size_t first, count;
  ans_instance **instances; /* [count] */
  ans_solver **solvers;
  ans_status *statuses;
  char *sentences; /* [count][SENTENCE] */
} wave;

static void begin_wave(ans_context *context, batch *batch, wave *wave) {
  for (size_t i = 0; i < wave->count; i++) {
    wave->instances[i] = NULL;
    wave->solvers[i] = NULL;
    wave->statuses[i] = row_begin(context, batch, wave->first + i, &wave->instances[i], &wave->solvers[i]);
  }
}

typedef struct onlooker {
  progress *bar;
  long before;    /* steps of earlier waves */
  double seconds; /* of this one */
} onlooker;

static bool look_on(void *data, ans_progress now) {
  onlooker *onlooker = data;
  onlooker->seconds = now.seconds;
  progress_update(onlooker->bar, onlooker->before + now.step, (double)NAN);
  return true;
}

static void adapt_wave(batch *batch, wave *wave, progress *bar) {
  onlooker onlooker = {.bar = bar, .before = (long)wave->first * shown_steps(&batch->rules)};
  ans_run_rules rules = batch->rules;
  rules.every = STRIDE;
  ans_solver_run_many(wave->solvers, wave->count, &rules, batch->arguments->threads, look_on, &onlooker, wave->statuses,
                      wave->sentences, SENTENCE);
  batch->seconds += onlooker.seconds;
}

/* Residual, errors on the reference's nodes, and the fields when they will be written. */
static ans_status look_at(ans_context *context, batch *batch, const ans_instance *instance, ans_solver *solver,
                          outcome *outcome) {
  bool check = option_value(batch->arguments, "check") != NULL;
  ans_solution *reference = NULL;
  ans_estimate left;
  ans_status status = ans_solver_residual(context, solver, &outcome->residual, NULL);
  if (status == ANS_OK) status = ans_solver_estimate(context, solver, &outcome->estimate);
  if (status == ANS_OK && check) status = solve_reference(context, instance, &reference, &outcome->self_check);
  if (check && solve_goes_on(status)) {
    note_failure(ANS_OK, ans_context_diagnostic(context)->message, outcome);
    outcome->reference_status = status;
    status = ANS_OK;
  }
  if (status == ANS_OK && reference)
    status = solve_errors(context, solver, reference, outcome->errors, &outcome->error);
  for (size_t f = 0; reference && f < ans_solution_field_count(reference); f++)
    outcome->absolute[f] = solve_absolute(reference, f);
  if (status == ANS_OK && option_value(batch->arguments, "output"))
    status = solve_fields(context, batch->arguments, solver, reference, batch->sizes, &outcome->solution);
  if (status == ANS_OK && outcome->solution && option_value(batch->arguments, "correct"))
    status = ans_solver_correct(context, solver, outcome->solution, &left);
  ans_solution_free(reference);
  return status;
}

static void end_wave(ans_context *context, batch *batch, wave *wave) {
  for (size_t i = 0; i < wave->count; i++) {
    outcome *outcome = &batch->outcomes[wave->first + i];
    if (wave->solvers[i]) outcome->end = ans_solver_state(wave->solvers[i]);
    outcome->steps = outcome->end.step;
    /* Steps are dealt out in strides: a row that has some left was stopped by the clock. */
    if (outcome->end.end == ANS_END_STEPS && outcome->steps < batch->rules.steps) outcome->end.end = ANS_END_SECONDS;
    if (outcome->status == ANS_OK && wave->statuses[i] != ANS_OK)
      note_failure(wave->statuses[i], wave->sentences + i * SENTENCE, outcome);
    if (outcome->status == ANS_OK) {
      ans_status status = look_at(context, batch, wave->instances[i], wave->solvers[i], outcome);
      if (status != ANS_OK) note_failure(status, ans_context_diagnostic(context)->message, outcome);
    }
    ans_solver_free(wave->solvers[i]);
    ans_instance_free(wave->instances[i]);
  }
}

static bool run_waves(ans_context *context, batch *batch) {
  size_t width = (size_t)batch->arguments->threads, rows = batch->table.row_count;
  wave wave = {.instances = calloc(width, sizeof *wave.instances),
               .solvers = calloc(width, sizeof *wave.solvers),
               .statuses = calloc(width, sizeof *wave.statuses),
               .sentences = calloc(width, SENTENCE)};
  bool good = wave.instances && wave.solvers && wave.statuses && wave.sentences;
  progress bar;
  progress_begin(&bar, "adapt", 0, (long)rows * shown_steps(&batch->rules), batch->arguments->quiet);
  for (wave.first = 0; good && wave.first < rows && !interrupted(); wave.first += width) {
    wave.count = rows - wave.first < width ? rows - wave.first : width;
    begin_wave(context, batch, &wave);
    adapt_wave(batch, &wave, &bar);
    end_wave(context, batch, &wave);
  }
  progress_end(&bar);
  free(wave.instances);
  free(wave.solvers);
  free(wave.statuses);
  free(wave.sentences);
  if (!good) complain("memory is exhausted");
  return good;
}

/* ---- Results ----------------------------------------------------------------------------------------- */

/* Whether a row ended above the tolerance. */
static bool missed(const batch *batch, const outcome *outcome) {
  return batch->options.tolerance > 0 && succeeded(outcome) && outcome->end.end != ANS_END_TOLERANCE;
}

static json_t *outcome_json(const batch *batch, const outcome *outcome) {
  json_t *object = json_pack("{s:o, s:b, s:I}", "name", json_of_text(outcome->name), "ok", succeeded(outcome), "steps",
                             (json_int_t)outcome->steps);
  if (!succeeded(outcome)) {
    json_object_set_new(object, "failure", json_of_text(outcome->sentence));
    return object;
  }
  json_object_set_new(object, "residual_initial", json_of_number(outcome->before));
  json_object_set_new(object, "residual", json_of_number(outcome->residual));
  estimate_json(batch->start->problem, &outcome->estimate, object);
  if (batch->options.tolerance > 0) json_object_set_new(object, "tolerance_met", json_boolean(!missed(batch, outcome)));
  if (!option_value(batch->arguments, "check")) return object;
  if (outcome->reference_status != ANS_OK) {
    json_object_set_new(object, "reference_failure", json_of_text(outcome->sentence));
    return object;
  }
  json_t *errors = json_object(), *absolute = json_array();
  for (size_t f = 0; f < ans_problem_count(batch->start->problem, ANS_FIELDS); f++) {
    const char *name = ans_problem_name(batch->start->problem, ANS_FIELDS, f);
    json_object_set_new(errors, name, json_of_number(outcome->errors[f]));
    if (outcome->absolute[f]) json_array_append_new(absolute, json_string(name));
  }
  json_object_set_new(object, "error_absolute", absolute);
  json_object_set_new(object, "error", errors);
  json_object_set_new(object, "error_mean", json_of_number(outcome->error));
  json_object_set_new(object, "reference_self_check", json_of_number(outcome->self_check));
  return object;
}

static int report_json(const batch *batch) {
  json_t *list = json_array();
  for (size_t i = 0; i < batch->table.row_count; i++)
    json_array_append_new(list, outcome_json(batch, &batch->outcomes[i]));
  return print_json(json_pack("{s:o, s:o, s:b}", "targets", list, "seconds", json_of_number(batch->seconds),
                              "interrupted", interrupted()));
}

/* Names and sentences hold what stands in the file. */
static void print_name(const char *name) {
  enum { COLUMN = 24 };
  size_t used = print_safely(stdout, name, SIZE_MAX);
  printf("%*s ", used < COLUMN ? (int)(COLUMN - used) : 0, "");
}

static bool any_absolute(const outcome *outcome) {
  for (size_t f = 0; f < ANS_MAX_FIELDS; f++)
    if (outcome->absolute[f]) return true;
  return false;
}

static void print_check(const outcome *outcome) {
  char doubt[160];
  if (outcome->reference_status != ANS_OK) {
    printf(" %12s  (no reference: ", "-");
    print_safely(stdout, outcome->sentence, SIZE_MAX);
    printf(")");
    return;
  }
  printf(" %12.3e%s", outcome->error, any_absolute(outcome) ? " (absolute)" : "");
  if (solve_doubts(outcome->self_check, doubt, sizeof doubt)) printf("  (%s)", doubt);
}

static void print_outcome(const outcome *outcome, bool check) {
  const ans_estimate *estimate = &outcome->estimate;
  char number[32] = "none";
  if (!succeeded(outcome)) {
    fputs(outcome->begun ? "failed: " : "", stdout);
    print_safely(stdout, outcome->sentence, SIZE_MAX);
    return;
  }
  if (estimate->available) snprintf(number, sizeof number, "%.3e", estimate->mean);
  printf("%8ld %12.3e %12.3e %12s", outcome->steps, outcome->before, outcome->residual, number);
  if (check) print_check(outcome);
  if (!estimate->trusted) printf("  (%s%s)", estimate->available ? "not trusted: " : "", estimate->reason);
}

static int report_text(const batch *batch) {
  bool check = option_value(batch->arguments, "check") != NULL;
  printf("%-24s %8s %12s %12s %12s%s\n", "target", "steps", "residual 0", "residual", "estimate",
         check ? "   mean error" : "");
  for (size_t i = 0; i < batch->table.row_count; i++) {
    print_name(batch->outcomes[i].name);
    print_outcome(&batch->outcomes[i], check);
    printf("\n");
  }
  printf("adapted in %.2f s\n", batch->seconds);
  return EXIT_OK;
}

static bool any_solution(const batch *batch) {
  for (size_t i = 0; i < batch->table.row_count; i++)
    if (batch->outcomes[i].solution) return true;
  return false;
}

/* "target", with as many underscores as it takes to be no field and no coordinate. */
static void name_axis(const ans_problem *problem, char *name, size_t room) {
  size_t index, length = strlen("target");
  snprintf(name, room, "target");
  while ((ans_problem_find(problem, ANS_FIELDS, name, &index) ||
          ans_problem_find(problem, ANS_COORDINATES, name, &index)) &&
         length + 1 < room) {
    name[length++] = '_';
    name[length] = '\0';
  }
}

static ans_status write_stack(ans_context *context, const batch *batch, const char *path) {
  size_t rows = batch->table.row_count;
  const ans_solution **solutions = calloc(rows + 1, sizeof *solutions);
  ans_solution *stacked = NULL;
  if (!solutions) return ANS_MEMORY;
  for (size_t i = 0; i < rows; i++) solutions[i] = batch->outcomes[i].solution;
  char axis[sizeof "target" + ANS_MAX_FIELDS + ANS_MAX_COORDINATES];
  name_axis(batch->start->problem, axis, sizeof axis);
  ans_status status = ans_solution_stack(context, solutions, rows, axis, &stacked);
  if (status == ANS_OK) status = ans_solution_write(context, stacked, path);
  ans_solution_free(stacked);
  free(solutions);
  return status;
}

/* The exit code; a failure was reported. */
static int write_all(ans_context *context, const batch *batch) {
  const char *path = option_value(batch->arguments, "output");
  if (!path) return EXIT_OK;
  if (!any_solution(batch)) {
    complain("%s is not written: no row was solved", path);
    return EXIT_USAGE;
  }
  ans_status status = write_stack(context, batch, path);
  if (status != ANS_OK) return report_failure(context, status);
  if (!batch->arguments->json) printf("wrote %s\n", path);
  return EXIT_OK;
}

/* ---- The whole --------------------------------------------------------------------------------------- */

static void name_rows(batch *batch, char (*numbers)[24]) {
  for (size_t i = 0; i < batch->table.row_count; i++) {
    const char *name = row_cell(batch, i, "name");
    snprintf(numbers[i], sizeof numbers[i], "%zu", i + 1);
    batch->outcomes[i] = (outcome){.name = name ? name : numbers[i], .status = ANS_OK, .sentence = "not begun"};
  }
}

/* What holds back the first row that missed the tolerance, and how many did. */
static int tell_missed(const batch *batch, size_t first) {
  const outcome *outcome = &batch->outcomes[first];
  char sentence[400];
  size_t count = 0;
  for (size_t i = 0; i < batch->table.row_count; i++) count += missed(batch, &batch->outcomes[i]);
  tolerance_text(batch->arguments, &outcome->estimate, outcome->end, outcome->residual, sentence, sizeof sentence);
  complain("%zu of %zu targets miss the tolerance; the first, %s: %s", count, batch->table.row_count, outcome->name,
           sentence);
  return exit_code(ANS_TOLERANCE);
}

static int first_failure(const batch *batch) {
  for (size_t i = 0; i < batch->table.row_count; i++)
    if (batch->outcomes[i].status != ANS_OK) return exit_code(batch->outcomes[i].status);
  for (size_t i = 0; i < batch->table.row_count; i++)
    if (batch->outcomes[i].reference_status != ANS_OK) return exit_code(batch->outcomes[i].reference_status);
  for (size_t i = 0; i < batch->table.row_count; i++)
    if (missed(batch, &batch->outcomes[i])) return tell_missed(batch, i);
  return EXIT_OK;
}

/* The rows are reported before anything is written: what became of them is known even when that fails. */
static int run_batch(ans_context *context, batch *batch) {
  interrupt_begin();
  if (!run_waves(context, batch)) return EXIT_MEMORY;
  int told = batch->arguments->json ? report_json(batch) : report_text(batch);
  int written = write_all(context, batch), failed = first_failure(batch);
  if (told != EXIT_OK) return told;
  if (written != EXIT_OK && any_solution(batch)) return written;
  if (interrupted()) return interrupt_code();
  return failed != EXIT_OK ? failed : written;
}

/* Columns of these names say something else than a coefficient's value. */
static bool columns_fit(const ans_problem *problem, const char *path, const table *table) {
  static const char *const names[] = {"name", "structure"};
  size_t index;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (table_column(table, names[i]) >= 0 && ans_problem_find(problem, ANS_SYMBOLS, names[i], &index)) {
      complain("%s: the column %s gives a row's %s, but the problem also has a coefficient of that name, which a "
               "table cannot give; rename it",
               path, names[i], names[i]);
      return false;
    }
  return true;
}

int solve_many(ans_context *context, const arguments *arguments, const start *start, const char *path) {
  batch batch = {.arguments = arguments, .start = start};
  if (!solve_options(arguments, &batch.options) || !solve_rules(arguments, start, &batch.options, &batch.rules) ||
      !solve_grid(arguments, start->problem, batch.sizes))
    return EXIT_USAGE;
  if (!table_read(path, &batch.table)) return EXIT_FILE;
  if (!columns_fit(start->problem, path, &batch.table)) {
    table_drop(&batch.table);
    return EXIT_USAGE;
  }
  batch.options.threads = 1;
  batch.outcomes = calloc(batch.table.row_count + 1, sizeof *batch.outcomes);
  char(*numbers)[24] = calloc(batch.table.row_count + 1, sizeof *numbers);
  int code = EXIT_MEMORY;
  if (batch.outcomes && numbers) {
    name_rows(&batch, numbers);
    code = run_batch(context, &batch);
    for (size_t i = 0; i < batch.table.row_count; i++) ans_solution_free(batch.outcomes[i].solution);
  } else {
    complain("memory is exhausted");
  }
  free(numbers);
  free(batch.outcomes);
  table_drop(&batch.table);
  return code;
}
