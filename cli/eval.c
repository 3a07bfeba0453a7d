/* SPDX-License-Identifier: Apache-2.0
 *
 * eval.c - `ansatz eval`: an adapted solver at any points, values or derivatives.
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ansatz_tools.h"
#include "json.h"
#include "options.h"
#include "output.h"
#include "table.h"

typedef struct wanted {
  size_t field;                        /* the one column of a derivative */
  bool all;                            /* every field's value */
  unsigned order[ANS_MAX_COORDINATES]; /* of the derivative */
  const char *name;
} wanted;

/* ---- Points ------------------------------------------------------------------------------------------ */

static bool read_number(const char *text, size_t length, double *number) {
  char copy[TABLE_NUMBER + 1], *end;
  if (length == 0 || length >= sizeof copy) return false;
  memcpy(copy, text, length);
  copy[length] = '\0';
  *number = strtod(copy, &end);
  return *end == '\0' && isfinite(*number);
}

/* "x=0.25,t=0.5": every coordinate once. */
static bool read_point(const ans_problem *problem, const char *list, double *point) {
  size_t coordinates = ans_problem_count(problem, ANS_COORDINATES), given = 0, index;
  bool seen[ANS_MAX_COORDINATES] = {false};
  const char *word;
  int length;
  for (int i = 0; (word = list_word(list, ',', i, &length)); i++) {
    const char *equals = memchr(word, '=', (size_t)length);
    char name[65];
    size_t used = equals ? (size_t)(equals - word) : sizeof name;
    if (used < sizeof name) {
      memcpy(name, word, used);
      name[used] = '\0';
    }
    if (used >= sizeof name || !ans_problem_find(problem, ANS_COORDINATES, name, &index) || seen[index] ||
        !read_number(equals + 1, (size_t)length - used - 1, &point[index])) {
      complain("--at %s: expected a coordinate and its value, like x=0.25, not '%.*s'", list, length, word);
      return false;
    }
    seen[index] = true;
    given++;
  }
  if (given == coordinates) return true;
  for (index = 0; seen[index]; index++) continue;
  complain("--at %s: %s has no value", list, ans_problem_name(problem, ANS_COORDINATES, index));
  return false;
}

static bool read_cells(const ans_problem *problem, const char *path, const table *table, double *points) {
  size_t coordinates = ans_problem_count(problem, ANS_COORDINATES);
  for (size_t k = 0; k < coordinates; k++) {
    const char *name = ans_problem_name(problem, ANS_COORDINATES, k);
    int column = table_column(table, name);
    if (column < 0) {
      complain("%s has no column %s", path, name);
      return false;
    }
    for (size_t row = 0; row < table->row_count; row++) {
      const char *cell = table_entry(table, row, (size_t)column);
      if (read_number(cell, strlen(cell), &points[row * coordinates + k])) continue;
      if (strlen(cell) > TABLE_NUMBER)
        complain("%s:%u: column %s: a number has at most %d characters, not %zu", path, table->lines[row], name,
                 TABLE_NUMBER, strlen(cell));
      else
        complain("%s:%u: column %s: \"%s\" is not a number", path, table->lines[row], name, cell);
      return false;
    }
  }
  return true;
}

/* *points: [count][coordinates]. The exit code; a mistake was reported. */
static int read_points(const arguments *arguments, const ans_problem *problem, double **points, size_t *count) {
  size_t coordinates = ans_problem_count(problem, ANS_COORDINATES);
  const char *at = option_value(arguments, "at"), *path = option_value(arguments, "points");
  table table = {0};
  if (!at == !path) {
    complain("eval needs either --at or --points");
    return EXIT_USAGE;
  }
  if (path && !table_read(path, &table)) return EXIT_FILE;
  *count = at ? 1 : table.row_count;
  *points = calloc(*count * coordinates + 1, sizeof **points);
  int code = EXIT_OK;
  if (!*points) {
    complain("memory is exhausted");
    code = EXIT_MEMORY;
  } else if (!(at ? read_point(problem, at, *points) : read_cells(problem, path, &table, *points))) {
    code = EXIT_USAGE;
  }
  table_drop(&table);
  return code;
}

static void point_text(const ans_problem *problem, const double *point, char *text, size_t room) {
  for (size_t k = 0, used = 0; k < ans_problem_count(problem, ANS_COORDINATES) && used < room; k++)
    used += (size_t)snprintf(text + used, room - used, "%s%s = %g", k ? ", " : "",
                             ans_problem_name(problem, ANS_COORDINATES, k), point[k]);
}

static bool is_outside(const ans_problem *problem, const double *point) {
  for (size_t k = 0; k < ans_problem_count(problem, ANS_COORDINATES); k++) {
    ans_coordinate c = ans_problem_coordinate(problem, k);
    double slack = 1e-9 * (c.high - c.low); /* a bound that was computed is still the bound */
    if (!c.periodic && (point[k] < c.low - slack || point[k] > c.high + slack)) return true;
  }
  return false;
}

/* No step of the adaptation looked at the equations there. */
static void remark_outside(const ans_problem *problem, const double *points, size_t count) {
  size_t coordinates = ans_problem_count(problem, ANS_COORDINATES), outside = 0, first = 0;
  for (size_t i = count; i-- > 0;)
    if (is_outside(problem, points + i * coordinates)) {
      outside++;
      first = i;
    }
  char text[256];
  if (outside == 0) return;
  point_text(problem, points + first * coordinates, text, sizeof text);
  remark("points outside the problem's domain: %zu of %zu, the first at %s; what is printed there is an extrapolation",
         outside, count, text);
}

/* ---- Results ----------------------------------------------------------------------------------------- */

static int print_table(const ans_problem *problem, const wanted *wanted, const double *points, const double *values,
                       size_t count) {
  size_t coordinates = ans_problem_count(problem, ANS_COORDINATES), fields = ans_problem_count(problem, ANS_FIELDS);
  for (size_t k = 0; k < coordinates; k++) printf("%s,", ans_problem_name(problem, ANS_COORDINATES, k));
  if (!wanted->all) printf("%s\n", wanted->name);
  for (size_t f = 0; wanted->all && f < fields; f++)
    printf("%s%c", ans_problem_name(problem, ANS_FIELDS, f), f + 1 < fields ? ',' : '\n');
  for (size_t i = 0; i < count; i++) {
    for (size_t k = 0; k < coordinates; k++) printf("%.17g,", points[i * coordinates + k]);
    if (!wanted->all) printf("%.9g\n", values[i * fields + wanted->field]);
    for (size_t f = 0; wanted->all && f < fields; f++)
      printf("%.9g%c", values[i * fields + f], f + 1 < fields ? ',' : '\n');
  }
  return EXIT_OK;
}

static json_t *column_json(const double *values, size_t count, size_t stride, size_t column) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, json_of_number(values[i * stride + column]));
  return list;
}

static int print_columns(const ans_problem *problem, const wanted *wanted, const double *points, const double *values,
                         size_t count) {
  size_t coordinates = ans_problem_count(problem, ANS_COORDINATES), fields = ans_problem_count(problem, ANS_FIELDS);
  json_t *object = json_object();
  for (size_t k = 0; k < coordinates; k++)
    json_object_set_new(object, ans_problem_name(problem, ANS_COORDINATES, k),
                        column_json(points, count, coordinates, k));
  if (!wanted->all) json_object_set_new(object, wanted->name, column_json(values, count, fields, wanted->field));
  for (size_t f = 0; wanted->all && f < fields; f++)
    json_object_set_new(object, ans_problem_name(problem, ANS_FIELDS, f), column_json(values, count, fields, f));
  return print_json(object);
}

/* ---- The command ------------------------------------------------------------------------------------- */

/* Everything is printed first, so that one bad point costs no other. */
static int check_finite(const ans_problem *problem, const wanted *wanted, const double *points, const double *values,
                        size_t count) {
  size_t fields = ans_problem_count(problem, ANS_FIELDS);
  for (size_t i = 0; i < count * fields; i++) {
    if (isfinite(values[i]) || (!wanted->all && i % fields != wanted->field)) continue;
    char text[256];
    point_text(problem, points + i / fields * ans_problem_count(problem, ANS_COORDINATES), text, sizeof text);
    complain("%s is not finite at %s", wanted->all ? ans_problem_name(problem, ANS_FIELDS, i % fields) : wanted->name,
             text);
    return exit_code(ANS_DIVERGED);
  }
  return EXIT_OK;
}

static int evaluate(ans_context *context, const arguments *arguments, ans_solver *solver) {
  const ans_problem *problem = ans_instance_problem(ans_solver_instance(solver));
  wanted wanted = {.name = option_value(arguments, "derivative")};
  wanted.all = !wanted.name;
  ans_status status = ANS_OK;
  if (wanted.name) status = ans_problem_derivative(context, problem, wanted.name, &wanted.field, wanted.order);
  if (status != ANS_OK) return report_failure(context, status);
  size_t count;
  double *points = NULL;
  int code = read_points(arguments, problem, &points, &count);
  if (code != EXIT_OK) {
    free(points);
    return code;
  }
  if (!arguments->quiet) remark_outside(problem, points, count);
  double *values = malloc((count * ans_problem_count(problem, ANS_FIELDS) + 1) * sizeof *values);
  status = values ? ans_solver_evaluate(context, solver, points, count, wanted.order, values) : ANS_MEMORY;
  code = status != ANS_OK  ? report_failure(context, status)
         : arguments->json ? print_columns(problem, &wanted, points, values, count)
                           : print_table(problem, &wanted, points, values, count);
  assert(values || code != EXIT_OK);
  if (code == EXIT_OK) code = check_finite(problem, &wanted, points, values, count);
  free(values);
  free(points);
  return code;
}

static int run_eval(const arguments *arguments) {
  ans_context *context;
  if (ans_context_new(&context) != ANS_OK) {
    complain("memory is exhausted");
    return EXIT_MEMORY;
  }
  ans_solver *solver = NULL;
  ans_status status = ans_solver_load(context, arguments->operands[0], arguments->threads, &solver);
  int code = status == ANS_OK ? evaluate(context, arguments, solver) : report_failure(context, status);
  ans_solver_free(solver);
  ans_context_free(context);
  return code;
}

const command eval_command = {
    .name = "eval",
    .operands = "SOLVER",
    .summary = "evaluate an adapted solver at any points",
    .description = "Reads a solver saved by `ansatz solve --save` and prints its fields, or one derivative of one "
                   "field, at a point or at every row of a CSV file whose columns are the coordinates. The result is "
                   "CSV, or one list per column with --json. Points outside the domain are evaluated with a warning. "
                   "Values that are not finite are reported as an error after everything is printed.",
    .options =
        (const option[]){
            {"at", 0, "NAME=VALUE,...", "one point: a value for every coordinate"},
            {"points", 0, "PATH", "a CSV file of points (- for standard input)"},
            {"derivative", 0, "NAME", "a derivative like u_xx instead of the fields"},
            {0},
        },
    .examples = (const example[]){{"eval h1.solver --at x=0.25,t=0.5", "all fields at one point"},
                                  {"eval h1.solver --at x=0.25,t=0.5 --derivative u_xx", "a second derivative"},
                                  {"eval h1.solver --points points.csv", "all fields at many points"},
                                  {0}},
    .run = run_eval,
};
