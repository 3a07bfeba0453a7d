/* SPDX-License-Identifier: Apache-2.0 */
#include "solve_row.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "interrupt.h"
#include "output.h"
#include "progress.h"

enum { STRIDE = 50, /* steps between looks */ ROW_BYTES = 4096 };

bool row_solved(const row_outcome *outcome) { return outcome->begun && outcome->status == ANS_OK; }

static void note_failure(ans_status status, const char *sentence, row_outcome *outcome) {
  outcome->status = status;
  snprintf(outcome->sentence, sizeof outcome->sentence, "%s", sentence);
}

/* ---- Cells ------------------------------------------------------------------------------------------- */

static const char *row_cell(const table *table, size_t row, const char *name) {
  int column = table_column(table, name);
  const char *cell = column < 0 ? "" : table_entry(table, row, (size_t)column);
  return *cell ? cell : NULL;
}

void row_name(const table *table, size_t row, char name[ROW_NAME]) {
  const char *cell = row_cell(table, row, "name");
  if (cell)
    snprintf(name, ROW_NAME, "%s", cell);
  else
    snprintf(name, ROW_NAME, "%zu", row + 1);
}

/* "a=1,b=2" of the cells that are not empty and name symbols. False: they do not fit, and `why` says so. */
static bool row_assignments(const table *table, size_t row, char text[ROW_BYTES], char why[ROW_SENTENCE]) {
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; i < table->column_count; i++) {
    const char *name = table->names[i], *cell = table_entry(table, row, i);
    if (!*cell || strcmp(name, "name") == 0 || strcmp(name, "structure") == 0) continue;
    if (strlen(cell) > TABLE_NUMBER) {
      snprintf(why, ROW_SENTENCE, "line %u, column %s: a number has at most %d characters, not %zu", table->lines[row],
               name, TABLE_NUMBER, strlen(cell));
      return false;
    }
    int length = snprintf(text + used, ROW_BYTES - used, "%s%s=%s", used ? "," : "", name, cell);
    if (length < 0 || (size_t)length >= ROW_BYTES - used) {
      snprintf(why, ROW_SENTENCE, "the values of this row take more than %d bytes", ROW_BYTES - 1);
      return false;
    }
    used += (size_t)length;
  }
  return true;
}

/* ---- Patterns ---------------------------------------------------------------------------------------- */

/* A name as part of a path: nothing in it leads to another folder. */
static void add_name(const char *name, char *path, size_t room, size_t *used) {
  for (; *name && *used + 1 < room; name++) path[(*used)++] = strchr("/\\:*?\"<>|", *name) || *name < ' ' ? '_' : *name;
}

/* "s-{name}.solver" -> "s-first.solver". False: it is too long. */
static bool fill_pattern(const char *pattern, const char *name, size_t row, char *path, size_t room) {
  size_t used = 0;
  while (*pattern && used + 1 < room) {
    char number[24];
    snprintf(number, sizeof number, "%zu", row + 1);
    if (strncmp(pattern, "{row}", 5) == 0)
      add_name(number, path, room, &used), pattern += 5;
    else if (strncmp(pattern, "{name}", 6) == 0)
      add_name(name, path, room, &used), pattern += 6;
    else
      path[used++] = *pattern++;
  }
  path[used] = '\0';
  return used + 1 < room;
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Whether no two rows fill the pattern alike. */
static bool paths_differ(const row_task *task, const char *option, const char *pattern) {
  size_t rows = task->table->row_count, made = 0;
  char **paths = calloc(rows + 1, sizeof *paths), path[4096], name[ROW_NAME];
  bool good = paths != NULL;
  for (; good && made < rows; made++) {
    row_name(task->table, made, name);
    good = fill_pattern(pattern, name, made, path, sizeof path) && (paths[made] = strdup(path));
  }
  if (!good) complain("--%s: a path is too long, or memory is exhausted", option);
  if (good) qsort(paths, rows, sizeof *paths, by_text);
  for (size_t i = 1; good && i < rows; i++)
    if (strcmp(paths[i - 1], paths[i]) == 0) {
      complain("--%s: two rows would write %s; put {row} into the pattern", option, paths[i]);
      good = false;
    }
  for (size_t i = 0; paths && i < made; i++) free(paths[i]);
  free(paths);
  return good;
}

bool row_patterns_fit(const row_task *task) {
  static const char *const options[] = {"save", "figure"};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    const char *pattern = option_value(task->arguments, options[i]);
    if (!pattern) continue;
    if (!strstr(pattern, "{row}") && !strstr(pattern, "{name}")) {
      complain("--%s %s: with --targets the path needs {row} or {name}, so that each row has a file of its own",
               options[i], pattern);
      return false;
    }
    if (!paths_differ(task, options[i], pattern)) return false;
  }
  return true;
}

/* ---- One row ----------------------------------------------------------------------------------------- */

/* Drawing has libraries underneath whose threads share state. */
static pthread_mutex_t drawing = PTHREAD_MUTEX_INITIALIZER;

/* What a row holds while it is worked on. */
typedef struct row_work {
  const row_task *task;
  row_outcome *outcome;
  ans_instance *instance;
  ans_solver **solver;
  ans_solution *reference, *solution;
} row_work;

static void describe(row_work *work, double *values) {
  const ans_problem *problem = work->task->start->problem;
  work->outcome->described = true;
  work->outcome->structure = ans_instance_structure(work->instance);
  for (size_t i = 0; i < ans_problem_count(problem, ANS_SYMBOLS); i++)
    values[i] = ans_instance_value(work->instance, i);
}

/* Whether the held-out residual is computed where no step needs it: before the first, or instead of one. It would be
 * most of the work of a row without steps. */
static bool judges(const row_task *task) { return !option_value(task->arguments, "no-estimate"); }

/* The row's equation and its solver. */
static ans_status begin(ans_context *context, row_work *work, double *values) {
  const row_task *task = work->task;
  char assignments[ROW_BYTES], why[ROW_SENTENCE];
  ans_choice choice = ANS_CHOICE_DEFAULT;
  choice.structure = row_cell(task->table, work->outcome->row, "structure");
  choice.assignments = assignments;
  choice.outside = option_value(task->arguments, "outside") != NULL;
  if (!row_assignments(task->table, work->outcome->row, assignments, why))
    return ans_context_fail(context, ANS_ARGUMENT, why);
  ans_status status = ans_instance_new(context, task->start->problem, choice, &work->instance);
  if (status != ANS_OK) return status;
  describe(work, values);
  status = ans_solver_renew(context, option_value(task->arguments, "from-scratch") ? NULL : task->start->model,
                            work->instance, &task->options, work->solver);
  if (status == ANS_OK && judges(task))
    status = ans_solver_residual(context, *work->solver, &work->outcome->before, NULL);
  return status;
}

static ans_status adapt(ans_context *context, row_work *work, ans_watcher watcher, void *user_data) {
  row_outcome *outcome = work->outcome;
  ans_run_rules rules = work->task->rules;
  rules.every = watcher ? STRIDE : 0;
  ans_status status = ans_solver_run(context, *work->solver, &rules, watcher, user_data);
  ans_progress now = ans_solver_state(*work->solver);
  outcome->steps = now.step;
  outcome->seconds = now.seconds;
  outcome->partial = now.end == ANS_END_INTERRUPTED;
  return status;
}

/* Errors on the reference's nodes; a reference that there is not costs no solution. */
static ans_status check(ans_context *context, row_work *work) {
  row_outcome *outcome = work->outcome;
  ans_status status = solve_reference(context, work->instance, &work->reference, &outcome->self_check);
  if (solve_goes_on(status)) {
    note_failure(ANS_OK, ans_context_diagnostic(context)->message, outcome);
    outcome->reference_status = status;
    return ANS_OK;
  }
  if (status != ANS_OK) return status;
  for (size_t f = 0; f < ans_solution_field_count(work->reference); f++)
    outcome->absolute[f] = solve_absolute(work->reference, f);
  return solve_errors(context, *work->solver, work->reference, outcome->errors, &outcome->error);
}

static ans_status take_fields(ans_context *context, row_work *work) {
  const arguments *arguments = work->task->arguments;
  ans_estimate left;
  ans_status status =
      solve_fields(context, arguments, *work->solver, work->reference, work->task->sizes, &work->solution);
  if (status == ANS_OK && option_value(arguments, "correct"))
    status = ans_solver_correct(context, *work->solver, work->solution, &left);
  for (size_t i = 0; status == ANS_OK && i < ans_solution_axis_count(work->solution); i++) {
    size_t size;
    (void)ans_solution_axis(work->solution, i, NULL, &size);
    work->outcome->axis_sizes[i] = size;
  }
  return status;
}

static ans_status draw(ans_context *context, row_work *work, const char *path) {
  ans_figure figure = {
      .title = work->outcome->name, .path = path, .rainbow = option_choice(work->task->arguments, "colours") == 1};
  bool compare = work->reference && !option_value(work->task->arguments, "grid");
  pthread_mutex_lock(&drawing);
  ans_status status = compare ? ans_comparison_figure(context, work->solution, work->reference, figure)
                              : ans_solution_figure(context, work->solution, figure);
  pthread_mutex_unlock(&drawing);
  return status;
}

/* The row's own files, before the row counts as done. */
static ans_status write_files(ans_context *context, row_work *work) {
  const char *save = option_value(work->task->arguments, "save");
  const char *figure = option_value(work->task->arguments, "figure");
  const row_outcome *outcome = work->outcome;
  char path[4096];
  ans_status status = ANS_OK;
  if (save && fill_pattern(save, outcome->name, outcome->row, path, sizeof path))
    status = ans_solver_save(context, *work->solver, path);
  if (status == ANS_OK && figure && fill_pattern(figure, outcome->name, outcome->row, path, sizeof path))
    status = draw(context, work, path);
  return status;
}

static ans_status examine(ans_context *context, row_work *work) {
  const row_task *task = work->task;
  row_outcome *outcome = work->outcome;
  ans_status status = ANS_OK;
  if (judges(task) || outcome->steps > 0)
    status = ans_solver_residual(context, *work->solver, &outcome->residual, NULL);
  if (status == ANS_OK) status = solve_estimate(context, task->arguments, *work->solver, &outcome->estimate);
  if (status == ANS_OK && option_value(task->arguments, "check")) status = check(context, work);
  if (status != ANS_OK || outcome->partial) return status;
  ans_progress now = ans_solver_state(*work->solver);
  outcome->missed = task->options.tolerance > 0 && now.end != ANS_END_TOLERANCE;
  if (outcome->missed)
    tolerance_text(task->arguments, &outcome->estimate, now, outcome->residual, outcome->shortfall,
                   sizeof outcome->shortfall);
  if (task->fields || option_value(task->arguments, "figure")) status = take_fields(context, work);
  return status == ANS_OK ? write_files(context, work) : status;
}

/* Of this thread, which does the whole row. */
static double processor_seconds(void) {
  struct timespec spent = {0};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return (double)spent.tv_sec + 1e-9 * (double)spent.tv_nsec;
}

bool row_solve(ans_context *context, const row_task *task, size_t row, ans_watcher watcher, void *user_data,
               ans_solver **solver, row_result *result) {
  size_t symbols = ans_problem_count(task->start->problem, ANS_SYMBOLS);
  memset(result, 0, sizeof *result);
  result->values = malloc((symbols + 1) * sizeof *result->values);
  if (!result->values) return false;
  for (size_t i = 0; i <= symbols; i++) result->values[i] = (double)NAN;
  double begun = monotonic_seconds(), begun_processor = processor_seconds();
  row_outcome *outcome = &result->outcome;
  row_work work = {.task = task, .outcome = outcome, .solver = solver};
  outcome->row = row;
  outcome->before = outcome->residual = (double)NAN;
  outcome->begun = true;
  row_name(task->table, row, outcome->name);
  ans_status status = begin(context, &work, result->values);
  if (status == ANS_OK) status = adapt(context, &work, watcher, user_data);
  if (status == ANS_OK) status = examine(context, &work);
  if (status != ANS_OK) {
    note_failure(status, ans_context_diagnostic(context)->message, outcome);
    memset(outcome->axis_sizes, 0, sizeof outcome->axis_sizes);
    ans_solution_free(work.solution);
    work.solution = NULL;
  }
  result->solution = work.solution;
  ans_solution_free(work.reference);
  ans_instance_free(work.instance);
  outcome->whole_seconds = monotonic_seconds() - begun;
  outcome->processor_seconds = processor_seconds() - begun_processor;
  return true;
}

void row_drop(row_result *result) {
  free(result->values);
  ans_solution_free(result->solution);
  memset(result, 0, sizeof *result);
}
