/* SPDX-License-Identifier: Apache-2.0
 *
 * grid.c - see grid.h.
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solution/grid.h"

enum { CHUNK = 4096, DEFAULT_POINTS = 128, DEFAULT_TIMES = 101, MOST_NODES = 1 << 20 };

/* Nodes along a coordinate that were not asked for, by the number of coordinates: some million on the whole grid. */
static const int most_by_default[SYSTEM_MAX_COORDINATES + 1] = {[1] = MOST_NODES, [2] = MOST_NODES, [3] = 96, [4] = 32};

/* The coordinates of point `index` of the grid, in the problem's order. */
static void grid_point(const ans_problem *problem, const ans_solution *grid, size_t index, double *point) {
  assert(index < grid->point_count);
  for (int axis = problem->coordinate_count; axis-- > 0;) {
    size_t size = (size_t)grid->axis_sizes[axis];
    point[solution_coordinate(problem, axis)] = grid->axes[axis][index % size];
    index /= size;
  }
}

static ans_status fill_chunk(ans_context *context, ans_solver *solver, ans_solution *solution, size_t begin,
                             size_t count, double *points, double *values) {
  assert(count <= CHUNK && begin + count <= solution->point_count);
  const ans_problem *problem = solver_instance(solver)->problem;
  for (size_t i = 0; i < count; i++)
    grid_point(problem, solution, begin + i, points + i * (size_t)problem->coordinate_count);
  TRY(solver_evaluate(context, solver, points, count, NULL, values));
  for (size_t i = 0; i < count; i++)
    for (int f = 0; f < problem->field_count; f++)
      solution->values[f][begin + i] = values[i * (size_t)problem->field_count + (size_t)f];
  for (size_t i = 0; i < count * (size_t)problem->field_count; i++)
    FAIL_IF(!isfinite(values[i]), context, ANS_DIVERGED, "field %s is not finite on the grid",
            problem->fields[i % (size_t)problem->field_count].name);
  return ANS_OK;
}

static ans_status fill(ans_context *context, ans_solver *solver, ans_solution *solution) {
  size_t room = solution->point_count < CHUNK ? solution->point_count : CHUNK;
  double *points = memory_take(room * (SYSTEM_MAX_COORDINATES + SYSTEM_MAX_FIELDS) * sizeof *points);
  if (!points) return context_no_memory(context);
  ans_status status = ANS_OK;
  for (size_t begin = 0; begin < solution->point_count && status == ANS_OK; begin += CHUNK) {
    size_t rest = solution->point_count - begin;
    status = fill_chunk(context, solver, solution, begin, rest < CHUNK ? rest : CHUNK, points,
                        points + room * SYSTEM_MAX_COORDINATES);
  }
  memory_give(points);
  return status;
}

static ans_status on_axes(ans_context *context, ans_solver *solver, const int *sizes, const double *const *axes,
                          ans_solution **solution) {
  const ans_instance *instance = solver_instance(solver);
  const ans_problem *problem = instance->problem;
  char *values, *settings;
  TRY(system_print_values(context, instance, &values));
  buffer line = {0};
  buffer_add(&line, "%s: %s; neural solver after %ld steps", problem->structures[instance->structure].name, values,
             solver_progress(solver).step);
  memory_give(values);
  TRY(buffer_finish(context, &line, &settings));
  ans_status status = solution_new(context, problem, sizes, axes, settings, solution);
  memory_give(settings);
  TRY(status);
  status = fill(context, solver, *solution);
  if (status != ANS_OK) {
    solution_free(*solution);
    *solution = NULL;
  }
  return status;
}

ans_status grid_evaluate_like(ans_context *context, ans_solver *solver, const ans_solution *grid,
                              ans_solution **solution) {
  *solution = NULL;
  const ans_problem *problem = solver_instance(solver)->problem;
  FAIL_IF(grid->coordinate_count != problem->coordinate_count, context, ANS_ARGUMENT,
          "the grid has %d coordinates and the problem %d", grid->coordinate_count, problem->coordinate_count);
  for (int axis = 0; axis < grid->coordinate_count; axis++) {
    const char *own = problem->coordinates[solution_coordinate(problem, axis)].name;
    FAIL_IF(strcmp(grid->coordinate_names[axis], own) != 0, context, ANS_ARGUMENT,
            "axis %d of the grid is %s, and that of the problem %s", axis, grid->coordinate_names[axis], own);
  }
  return on_axes(context, solver, grid->axis_sizes, grid->axes, solution);
}

static int axis_size(const ans_problem *problem, int coordinate, const size_t *sizes) {
  assert(coordinate >= 0 && coordinate < problem->coordinate_count);
  if (sizes && sizes[coordinate] > 0) return (int)sizes[coordinate];
  bool time = coordinate == problem->time;
  int own = time ? problem->protocol.reference.times : problem->protocol.reference.points;
  if (own <= 0) own = time ? DEFAULT_TIMES : DEFAULT_POINTS;
  int most = most_by_default[problem->coordinate_count];
  return own < most ? own : most;
}

/* Evenly spaced; the far end of a periodic coordinate is its near end and is left out. */
static void fill_axis(const system_coordinate *coordinate, int size, double *axis) {
  assert(size > 0);
  int intervals = coordinate->periodic ? size : size > 1 ? size - 1 : 1;
  for (int i = 0; i < size; i++) axis[i] = coordinate->low + (coordinate->high - coordinate->low) * i / intervals;
}

ans_status grid_evaluate(ans_context *context, ans_solver *solver, const size_t *sizes, ans_solution **solution) {
  *solution = NULL;
  const ans_problem *problem = solver_instance(solver)->problem;
  int axis_sizes[SYSTEM_MAX_COORDINATES];
  const double *axes[SYSTEM_MAX_COORDINATES];
  arena *arena;
  TRY(arena_new(context, &arena));
  ans_status status = ANS_OK;
  for (int k = 0; k < problem->coordinate_count && status == ANS_OK; k++) {
    int c = solution_coordinate(problem, k);
    if (sizes && sizes[c] > MOST_NODES) {
      status = context_fail(context, ANS_ARGUMENT, "the grid has %zu nodes along %s, and at most %d are possible",
                            sizes[c], problem->coordinates[c].name, MOST_NODES);
      break;
    }
    axis_sizes[k] = axis_size(problem, c, sizes);
    double *axis = arena_array(arena, double, (size_t)axis_sizes[k]);
    if (axis)
      fill_axis(&problem->coordinates[c], axis_sizes[k], axis);
    else
      status = context_no_memory(context);
    axes[k] = axis;
  }
  if (status == ANS_OK) status = on_axes(context, solver, axis_sizes, axes, solution);
  arena_free(arena);
  return status;
}
