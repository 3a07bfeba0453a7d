/* SPDX-License-Identifier: Apache-2.0
 *
 * measurements_load.c - measurements from a file of any kind: a CSV table, or fields on a grid that the program wrote.
 */
#include <math.h>
#include <stdio.h>
#include <strings.h>

#include "base/file.h"
#include "fit/measurements.h"
#include "solution/solution.h"

/* The point of the grid with this number, in the problem's order of coordinates. */
static void grid_point(const ans_problem *problem, const ans_solution *solution, size_t number, double *point) {
  for (int a = solution->coordinate_count; a-- > 0; number /= (size_t)solution->axis_sizes[a])
    point[solution_coordinate(problem, a)] = solution->axes[a][number % (size_t)solution->axis_sizes[a]];
}

/* Every node of the grid; a value that is not a number was not measured. */
static ans_status take_grid(ans_context *context, const ans_problem *problem, const char *path,
                            const ans_solution *solution, measurements *m) {
  for (size_t i = 0; i < solution->point_count; i++) {
    double point[SYSTEM_MAX_COORDINATES], values[SYSTEM_MAX_FIELDS];
    grid_point(problem, solution, i, point);
    for (int f = 0; f < solution->field_count; f++) values[f] = solution->values[f][i];
    ans_status status = measurements_add(context, m, problem, point, values, NULL);
    if (status != ANS_ARGUMENT) {
      TRY(status);
      continue;
    }
    char sentence[512];
    snprintf(sentence, sizeof sentence, "%s", ans_context_diagnostic(context)->message);
    FAIL(context, ANS_ARGUMENT, "%s: %s", path, sentence);
  }
  FAIL_IF(m->value_count == 0, context, ANS_ARGUMENT, "%s has no value of any field of %s", path, problem->name);
  return ANS_OK;
}

static ans_status load_grid(ans_context *context, const ans_problem *problem, const char *path, measurements **result) {
  ans_solution *solution;
  measurements *m = NULL;
  TRY(solution_read(context, problem, path, &solution));
  ans_status status = measurements_new(context, problem, &m);
  if (status == ANS_OK) status = take_grid(context, problem, path, solution, m);
  solution_free(solution);
  if (status == ANS_OK)
    *result = m;
  else
    measurements_free(m);
  return status;
}

ans_status measurements_load(ans_context *context, const ans_problem *problem, const char *path,
                             measurements **result) {
  const char *extension = file_extension(path);
  bool grid = strcasecmp(extension, ".nc") == 0 || strcasecmp(extension, ".npz") == 0;
  *result = NULL;
  return grid ? load_grid(context, problem, path, result) : measurements_read(context, problem, path, result);
}
