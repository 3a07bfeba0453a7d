/* SPDX-License-Identifier: Apache-2.0
 *
 * solution.c - a tensor grid with its fields, and the distance between two of them.
 */
#include "solution/solution.h"

#include <assert.h>
#include <math.h>
#include <string.h>

int solution_coordinate(const ans_problem *problem, int axis) {
  assert(axis >= 0 && axis < problem->coordinate_count);
  if (problem->time < 0) return axis;
  if (axis == 0) return problem->time;
  return axis <= problem->time ? axis - 1 : axis;
}

static const char *copied(arena *arena, const char *text) { return arena_string(arena, text, strlen(text)); }

static bool copy_names(ans_solution *solution, const ans_problem *problem) {
  const char **coordinates = arena_array(solution->arena, const char *, (size_t)problem->coordinate_count);
  const char **fields = arena_array(solution->arena, const char *, (size_t)problem->field_count);
  if (!coordinates || !fields) return false;
  for (int i = 0; i < problem->coordinate_count; i++) {
    coordinates[i] = copied(solution->arena, problem->coordinates[solution_coordinate(problem, i)].name);
    if (!coordinates[i]) return false;
  }
  for (int f = 0; f < problem->field_count; f++) {
    fields[f] = copied(solution->arena, problem->fields[f].name);
    if (!fields[f]) return false;
  }
  solution->coordinate_names = coordinates;
  solution->field_names = fields;
  return true;
}

static bool copy_axes(ans_solution *solution, const int *sizes, const double *const *axes) {
  size_t count = (size_t)solution->coordinate_count;
  int *axis_sizes = arena_array(solution->arena, int, count);
  const double **copies = arena_array(solution->arena, const double *, count);
  if (!axis_sizes || !copies) return false;
  for (size_t i = 0; i < count; i++) {
    double *axis = arena_array(solution->arena, double, (size_t)sizes[i]);
    if (!axis) return false;
    memcpy(axis, axes[i], (size_t)sizes[i] * sizeof *axis);
    copies[i] = axis;
    axis_sizes[i] = sizes[i];
    solution->point_count = size_product(solution->point_count, (size_t)sizes[i]);
  }
  solution->axis_sizes = axis_sizes;
  solution->axes = copies;
  return true;
}

static bool take_values(ans_solution *solution) {
  assert(solution->point_count > 0 && solution->field_count > 0);
  double **values = arena_array(solution->arena, double *, (size_t)solution->field_count);
  if (!values) return false;
  for (int f = 0; f < solution->field_count; f++) {
    values[f] = arena_array(solution->arena, double, solution->point_count);
    if (!values[f]) return false;
  }
  solution->values = values;
  return true;
}

static bool copy_text(ans_context *context, ans_solution *solution, const ans_problem *problem, const char *settings) {
  char *text = NULL;
  if (system_print(context, problem, &text) != ANS_OK) return false;
  solution->problem_text = copied(solution->arena, text);
  solution->settings = copied(solution->arena, settings);
  ans_free(text);
  return solution->problem_text && solution->settings;
}

ans_status solution_new(ans_context *context, const ans_problem *problem, const int *sizes, const double *const *axes,
                        const char *settings, ans_solution **result) {
  *result = NULL;
  for (int i = 0; i < problem->coordinate_count; i++)
    FAIL_IF(sizes[i] < 1, context, ANS_ARGUMENT, "the grid has no node along %s",
            problem->coordinates[solution_coordinate(problem, i)].name);
  arena *arena;
  TRY(arena_new(context, &arena));
  ans_solution *solution = arena_take(arena, sizeof *solution);
  if (!solution) {
    arena_free(arena);
    return context_no_memory(context);
  }
  *solution = (ans_solution){.arena = arena,
                             .coordinate_count = problem->coordinate_count,
                             .field_count = problem->field_count,
                             .point_count = 1};
  if (!copy_names(solution, problem) || !copy_axes(solution, sizes, axes) || !take_values(solution) ||
      !copy_text(context, solution, problem, settings)) {
    arena_free(arena);
    return context_no_memory(context);
  }
  *result = solution;
  return ANS_OK;
}

ans_status solution_mark_corrected(ans_context *context, ans_solution *solution) {
  buffer line = {0};
  buffer_add(&line, "%s; corrected by the defect equation", solution->settings);
  const char *kept = line.failed ? NULL : arena_string(solution->arena, line.text, line.length);
  buffer_drop(&line);
  if (!kept) return context_no_memory(context);
  solution->settings = kept;
  solution->corrected = true;
  return ANS_OK;
}

void solution_free(ans_solution *solution) {
  if (solution) arena_free(solution->arena);
}

static bool same_axis(const ans_solution *a, const ans_solution *b, int axis) {
  assert(axis >= 0 && axis < a->coordinate_count && axis < b->coordinate_count);
  if (strcmp(a->coordinate_names[axis], b->coordinate_names[axis]) != 0 || a->axis_sizes[axis] != b->axis_sizes[axis])
    return false;
  int last = b->axis_sizes[axis] - 1;
  double span = fabs(b->axes[axis][last] - b->axes[axis][0]) + fabs(b->axes[axis][last]);
  for (int i = 0; i <= last; i++)
    if (!(fabs(a->axes[axis][i] - b->axes[axis][i]) <= 1e-12 * span)) return false;
  return true;
}

/* The exponent by which numbers up to `most` are scaled before they are squared: a power of two rounds nothing. */
static int exponent_of(double most) {
  int exponent = 0;
  if (most > 0 && isfinite(most)) (void)frexp(most, &exponent);
  return exponent;
}

/* ||a - b||_2 / ||b||_2; the root mean square of a - b when b is zero. */
static double relative_error(const double *a, const double *b, size_t count) {
  assert(count > 0);
  double most_change = 0, most = 0, difference = 0, size = 0;
  for (size_t i = 0; i < count; i++) {
    most_change = fmax(most_change, fabs(a[i] - b[i]));
    most = fmax(most, fabs(b[i]));
  }
  int change_exponent = exponent_of(most_change), exponent = exponent_of(most);
  for (size_t i = 0; i < count; i++) {
    double d = ldexp(a[i] - b[i], -change_exponent), v = ldexp(b[i], -exponent);
    difference += d * d;
    size += v * v;
  }
  return size > 0 ? ldexp(sqrt(difference / size), change_exponent - exponent)
                  : ldexp(sqrt(difference / (double)count), change_exponent);
}

ans_status solution_compare(ans_context *context, const ans_solution *a, const ans_solution *b,
                            double *relative_errors) {
  FAIL_IF(a->coordinate_count != b->coordinate_count || a->field_count != b->field_count, context, ANS_ARGUMENT,
          "the two solutions have %d and %d fields over %d and %d coordinates", a->field_count, b->field_count,
          a->coordinate_count, b->coordinate_count);
  for (int i = 0; i < b->coordinate_count; i++)
    FAIL_IF(!same_axis(a, b, i), context, ANS_ARGUMENT, "the two solutions have different nodes along %s",
            b->coordinate_names[i]);
  for (int f = 0; f < b->field_count; f++)
    FAIL_IF(strcmp(a->field_names[f], b->field_names[f]) != 0, context, ANS_ARGUMENT,
            "field %d is %s in one solution and %s in the other", f + 1, a->field_names[f], b->field_names[f]);
  for (int f = 0; f < b->field_count; f++)
    relative_errors[f] = relative_error(a->values[f], b->values[f], b->point_count);
  return ANS_OK;
}
