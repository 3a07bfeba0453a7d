/* SPDX-License-Identifier: Apache-2.0
 *
 * batch_file.c - all rows of a table as one file, one row in memory at a time.
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "output.h"

/* ---- Columns ------------------------------------------------------------------------------------------ */

enum { COLUMN_NAME = 128, PLAIN_COLUMNS = 32 };

typedef struct columns {
  size_t count;
  ans_column *all;
  char (*names)[COLUMN_NAME], (*meanings)[COLUMN_NAME];
  ans_cell *cells;
  size_t name_bytes, structure_bytes, failure_bytes; /* of the longest */
} columns;

static bool taken(const ans_problem *problem, const columns *columns, const char *name) {
  static const ans_part parts[] = {ANS_FIELDS, ANS_COORDINATES, ANS_SYMBOLS};
  size_t index;
  for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
    if (ans_problem_find(problem, parts[p], name, &index)) return true;
  for (size_t c = 0; columns && c < columns->count; c++)
    if (strcmp(columns->names[c], name) == 0) return true;
  return false;
}

/* With as many underscores behind it as it takes to be no name of the problem. */
static void own_name(const ans_problem *problem, const columns *columns, const char *name, char *own) {
  snprintf(own, COLUMN_NAME, "%s", name);
  for (size_t length = strlen(own); taken(problem, columns, own) && length + 1 < COLUMN_NAME; length++)
    own[length] = '_', own[length + 1] = '\0';
}

static void add_column(const ans_problem *problem, columns *columns, ans_column_kind kind, size_t bytes,
                       const char *name, const char *meaning) {
  size_t c = columns->count;
  own_name(problem, columns, name, columns->names[c]);
  snprintf(columns->meanings[c], COLUMN_NAME, "%s", meaning);
  columns->all[c] = (ans_column){columns->names[c], columns->meanings[c], kind, bytes};
  columns->count++;
}

/* A coefficient keeps its name: nothing else of the file has it. */
static void add_coefficient(const ans_problem *problem, columns *columns, size_t symbol) {
  size_t c = columns->count++;
  snprintf(columns->names[c], COLUMN_NAME, "%s", ans_problem_symbol(problem, symbol).name);
  snprintf(columns->meanings[c], COLUMN_NAME, "coefficient %.64s; NaN where the row has none", columns->names[c]);
  columns->all[c] = (ans_column){columns->names[c], columns->meanings[c], ANS_NUMBERS, 0};
}

static void add_by_field(const ans_problem *problem, columns *columns, const char *what, const char *meaning) {
  for (size_t f = 0; f < ans_problem_count(problem, ANS_FIELDS); f++) {
    char name[COLUMN_NAME], text[COLUMN_NAME];
    snprintf(name, sizeof name, "%s_%.64s", what, ans_problem_name(problem, ANS_FIELDS, f));
    snprintf(text, sizeof text, "%s of %.64s", meaning, ans_problem_name(problem, ANS_FIELDS, f));
    add_column(problem, columns, ANS_NUMBERS, 0, name, text);
  }
}

static bool coefficient(const ans_problem *problem, size_t symbol) {
  return ans_problem_symbol(problem, symbol).kind != ANS_DERIVED;
}

/* The order here is the order of fill_cells. */
static bool make_columns(const batch_view *view, columns *columns) {
  const ans_problem *problem = view->problem;
  size_t symbols = ans_problem_count(problem, ANS_SYMBOLS), most = PLAIN_COLUMNS + symbols;
  columns->all = calloc(most, sizeof *columns->all);
  columns->names = calloc(most, sizeof *columns->names);
  columns->meanings = calloc(most, sizeof *columns->meanings);
  columns->cells = calloc(most, sizeof *columns->cells);
  if (!columns->all || !columns->names || !columns->meanings || !columns->cells) return false;
  add_column(problem, columns, ANS_TEXTS, columns->name_bytes, "name", "name of the row, or its number from 1");
  add_column(problem, columns, ANS_TEXTS, columns->structure_bytes, "structure", "structure of the equation");
  add_column(problem, columns, ANS_TEXTS, sizeof "missing" - 1, "status",
             "solved, missed (the tolerance), failed or missing");
  add_column(problem, columns, ANS_TEXTS, columns->failure_bytes, "failure",
             "why there is no solution, no reference or no tolerance met");
  for (size_t i = 0; i < symbols; i++)
    if (coefficient(problem, i)) add_coefficient(problem, columns, i);
  add_column(problem, columns, ANS_INTEGERS, 0, "steps", "steps of adaptation");
  add_column(problem, columns, ANS_NUMBERS, 0, "residual_initial", "held-out residual before adaptation");
  add_column(problem, columns, ANS_NUMBERS, 0, "residual", "held-out residual after adaptation");
  add_by_field(problem, columns, "estimate", "estimated relative L2 error");
  add_column(problem, columns, ANS_NUMBERS, 0, "estimate_mean", "mean of the estimates over the fields");
  add_column(problem, columns, ANS_INTEGERS, 0, "trusted", "1: the estimate can be trusted");
  if (!view->check) return true;
  add_by_field(problem, columns, "error", "relative L2 error against the reference");
  add_column(problem, columns, ANS_NUMBERS, 0, "error_mean", "mean of the errors over the fields");
  add_column(problem, columns, ANS_NUMBERS, 0, "reference_self_check", "how far the reference itself is in doubt");
  return true;
}

static void drop_columns(columns *columns) {
  free(columns->all);
  free(columns->names);
  free(columns->meanings);
  free(columns->cells);
}

static const char *status_of(const row_outcome *outcome) {
  if (!outcome->begun || outcome->partial) return "missing";
  return !row_solved(outcome) ? "failed" : outcome->missed ? "missed" : "solved";
}

static const char *failure_of(const row_outcome *outcome) {
  return outcome->missed ? outcome->shortfall : outcome->sentence;
}

static const char *structure_of(const batch_view *view, const row_outcome *outcome) {
  return outcome->described ? ans_problem_name(view->problem, ANS_STRUCTURES, outcome->structure) : "";
}

static double number_if(bool known, double number) { return known ? number : (double)NAN; }

static void fill_cells(const batch_view *view, const part_row *row, ans_cell *cell) {
  const row_outcome *outcome = &row->outcome;
  const ans_estimate *estimate = &outcome->estimate;
  size_t fields = ans_problem_count(view->problem, ANS_FIELDS);
  bool solved = row_solved(outcome) && !outcome->partial, estimated = solved && estimate->available;
  bool checked = solved && outcome->reference_status == ANS_OK;
  (cell++)->text = outcome->name;
  (cell++)->text = structure_of(view, outcome);
  (cell++)->text = status_of(outcome);
  (cell++)->text = failure_of(outcome);
  for (size_t i = 0; i < ans_problem_count(view->problem, ANS_SYMBOLS); i++)
    if (coefficient(view->problem, i)) (cell++)->number = row->values ? row->values[i] : (double)NAN;
  (cell++)->number = solved ? (double)outcome->steps : 0;
  (cell++)->number = number_if(solved, outcome->before);
  (cell++)->number = number_if(solved, outcome->residual);
  for (size_t f = 0; f < fields; f++) (cell++)->number = number_if(estimated, estimate->errors[f]);
  (cell++)->number = number_if(estimated, estimate->mean);
  (cell++)->number = estimated && estimate->trusted;
  if (!view->check) return;
  for (size_t f = 0; f < fields; f++) (cell++)->number = number_if(checked, outcome->errors[f]);
  (cell++)->number = number_if(checked, outcome->error);
  (cell++)->number = number_if(checked, outcome->self_check);
}

/* ---- The grid ----------------------------------------------------------------------------------------- */

/* What the first row with fields has, and every other must have. */
typedef struct common {
  bool found;
  size_t row;
  uint64_t sizes[ANS_MAX_COORDINATES];
  double *axes[ANS_MAX_COORDINATES];
} common;

static bool keep_axes(size_t axes, const part_row *row, common *common) {
  common->found = true;
  common->row = row->outcome.row;
  memcpy(common->sizes, row->outcome.axis_sizes, sizeof common->sizes);
  for (size_t i = 0; i < axes; i++) {
    size_t bytes = common->sizes[i] * sizeof(double);
    assert(row->axes[i]);
    common->axes[i] = malloc(bytes);
    if (!common->axes[i]) return false;
    memcpy(common->axes[i], row->axes[i], bytes);
  }
  return true;
}

static bool same_axes(size_t axes, const part_row *row, const common *common) {
  for (size_t i = 0; i < axes; i++) {
    if (row->outcome.axis_sizes[i] != common->sizes[i]) return false;
    assert(row->axes[i] && common->axes[i]); /* no axis is without nodes */
    if (memcmp(row->axes[i], common->axes[i], common->sizes[i] * sizeof(double)) != 0) return false;
  }
  return true;
}

static void longest(const char *text, size_t *bytes) {
  size_t length = strlen(text);
  if (length > *bytes) *bytes = length;
}

/* ---- Rows --------------------------------------------------------------------------------------------- */

/* The row, or one that says it is missing. */
static int load(batch_view *view, size_t row, bool fields, part_row *result) {
  bool unreadable;
  if (ledger_load(view->ledger, view->problem, row, fields, result, &unreadable) && !result->outcome.partial)
    return EXIT_OK;
  if (unreadable) return EXIT_FILE;
  result->outcome = (row_outcome){.row = row, .sentence = "not solved yet"};
  result->values = NULL;
  memset(result->axes, 0, sizeof result->axes);
  if (view->table)
    row_name(view->table, row, result->outcome.name);
  else
    snprintf(result->outcome.name, ROW_NAME, "%zu", row + 1);
  return EXIT_OK;
}

/* A first look at all rows, without their fields: widths of texts, and the first grid. */
static int survey(batch_view *view, columns *columns, common *common) {
  part_row row = {0};
  size_t axes = ans_problem_count(view->problem, ANS_COORDINATES);
  int code = EXIT_OK;
  for (size_t r = 0; code == EXIT_OK && r < view->ledger->rows; r++) {
    code = load(view, r, false, &row);
    longest(row.outcome.name, &columns->name_bytes);
    longest(structure_of(view, &row.outcome), &columns->structure_bytes);
    longest(failure_of(&row.outcome), &columns->failure_bytes);
    if (code != EXIT_OK || common->found || row.outcome.axis_sizes[0] == 0) continue;
    code = load(view, r, true, &row);
    if (code == EXIT_OK && row.axes[0] && !keep_axes(axes, &row, common))
      code = EXIT_MEMORY, complain("memory is exhausted");
  }
  part_row_drop(&row);
  return code;
}

static void put_time(FILE *times, const row_outcome *outcome) {
  fprintf(times, "%llu,\"", (unsigned long long)outcome->row);
  for (const char *c = outcome->name; *c; c++) fprintf(times, *c == '"' ? "\"\"" : "%c", *c);
  fprintf(times, "\",%s,%.6f,%.6f,%.6f\n", status_of(outcome), outcome->seconds, outcome->whole_seconds,
          outcome->processor_seconds);
}

static int add_row(ans_context *context, batch_view *view, columns *columns, const common *common, ans_stack *stack,
                   size_t r, part_row *row) {
  size_t axes = ans_problem_count(view->problem, ANS_COORDINATES);
  int code = load(view, r, true, row);
  if (code != EXIT_OK) return code;
  if (row->axes[0] && !same_axes(axes, row, common)) {
    complain("row %zu (%s) has its fields on other nodes than row %zu; give --grid", r + 1, row->outcome.name,
             common->row + 1);
    return EXIT_USAGE;
  }
  fill_cells(view, row, columns->cells);
  ans_status status = ans_stack_add(context, stack, columns->cells, row->axes[0] ? row->fields : NULL);
  return status == ANS_OK ? EXIT_OK : report_failure(context, status);
}

static void shape_of(const batch_view *view, const columns *columns, const common *common, ans_stack_shape *shape) {
  const ans_problem *problem = view->problem;
  *shape = (ans_stack_shape){.rows = view->ledger->rows,
                             .axis_count = ans_problem_count(problem, ANS_COORDINATES),
                             .field_count = ans_problem_count(problem, ANS_FIELDS),
                             .column_count = columns->count,
                             .columns = columns->all,
                             .problem = ledger_text(view->ledger->header, "problem"),
                             .settings = ledger_text(view->ledger->header, "line"),
                             .corrected = view->corrected};
  size_t time = shape->axis_count;
  for (size_t i = 0; i < shape->axis_count; i++)
    if (ans_problem_coordinate(problem, i).time) time = i;
  for (size_t i = 0; i < shape->axis_count; i++) { /* time first, then the others in their order */
    size_t coordinate = time == shape->axis_count ? i : i == 0 ? time : i <= time ? i - 1 : i;
    shape->axis_names[i] = ans_problem_name(problem, ANS_COORDINATES, coordinate);
    shape->axis_sizes[i] = common->sizes[i];
    shape->axes[i] = common->axes[i];
  }
  for (size_t f = 0; f < shape->field_count; f++) shape->field_names[f] = ans_problem_name(problem, ANS_FIELDS, f);
}

static int write_rows(ans_context *context, batch_view *view, columns *columns, const common *common,
                      const char *output, FILE *times) {
  char axis[COLUMN_NAME];
  ans_stack_shape shape;
  ans_stack *stack;
  part_row row = {0};
  shape_of(view, columns, common, &shape);
  own_name(view->problem, columns, "target", axis);
  shape.axis = axis;
  ans_status status = ans_stack_open(context, output, &shape, &stack);
  if (status != ANS_OK) return report_failure(context, status);
  int code = EXIT_OK;
  fprintf(times, "row,name,status,seconds,whole_seconds,processor_seconds\n");
  for (size_t r = 0; code == EXIT_OK && r < view->ledger->rows; r++) {
    code = add_row(context, view, columns, common, stack, r, &row);
    if (code == EXIT_OK) put_time(times, &row.outcome);
  }
  if (code == EXIT_OK && (status = ans_stack_close(context, stack)) != ANS_OK) code = report_failure(context, status);
  ans_stack_free(stack);
  part_row_drop(&row);
  return code;
}

/* The seconds stand apart, so that the file itself is the same however the work was divided. */
static int write_file(ans_context *context, batch_view *view, columns *columns, const common *common,
                      const char *output) {
  char *text = NULL, path[PATH_MAX + 16];
  size_t size = 0;
  FILE *times = open_memstream(&text, &size);
  if (!times) return complain("memory is exhausted"), EXIT_MEMORY;
  int code = write_rows(context, view, columns, common, output, times);
  bool whole = fclose(times) == 0;
  snprintf(path, sizeof path, "%s.times.csv", output);
  if (code == EXIT_OK && whole) {
    ans_status status = ans_file_write(context, path, text, size);
    if (status != ANS_OK) code = report_failure(context, status);
  }
  free(text);
  return code;
}

int batch_write(ans_context *context, batch_view *view, const char *output, bool *none) {
  columns columns = {0};
  common common = {0};
  int code = survey(view, &columns, &common);
  *none = code == EXIT_OK && !common.found;
  if (*none) {
    complain("%s is not written: no row was solved", output);
    code = EXIT_USAGE;
  }
  if (code == EXIT_OK && !make_columns(view, &columns)) code = EXIT_MEMORY, complain("memory is exhausted");
  if (code == EXIT_OK) code = write_file(context, view, &columns, &common, output);
  for (size_t i = 0; i < ANS_MAX_COORDINATES; i++) free(common.axes[i]);
  drop_columns(&columns);
  return code;
}
