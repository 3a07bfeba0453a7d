/* SPDX-License-Identifier: Apache-2.0 */
#include "reference/boundary.h"

#include <math.h>

#include "reference/dense.h"

int boundary_node(const boundary *boundary, int nodes, int i) {
  return i < boundary->low ? i : nodes - boundary->count + i;
}

static bool at_low(const system_condition *condition, const space *space) {
  return fabs(condition->at - space->low) <= 1e-12 * (space->high - space->low);
}

static bool at_high(const system_condition *condition, const space *space) {
  return fabs(condition->at - space->high) <= 1e-12 * (space->high - space->low);
}

static ans_status check(ans_context *context, const ans_problem *problem, const system_condition *condition,
                        const space *space) {
  const char *field = problem->fields[condition->field].name;
  FAIL_IF(!at_low(condition, space) && !at_high(condition, space), context, ANS_UNSUPPORTED,
          "the condition on %s at %s = %g is inside the domain; the reference takes conditions at its ends", field,
          problem->coordinates[condition->coordinate].name, condition->at);
  for (int c = 0; c < problem->coordinate_count; c++)
    FAIL_IF(
        c != condition->coordinate && condition->order[c] > 0, context, ANS_UNSUPPORTED,
        "a boundary condition on %s differentiates along %s; the reference takes derivatives across the boundary only",
        field, problem->coordinates[c].name);
  FAIL_IF(condition->order[condition->coordinate] > SPACE_MAX_ORDER, context, ANS_UNSUPPORTED,
          "a boundary condition on %s has order %d", field, condition->order[condition->coordinate]);
  return ANS_OK;
}

/* Those at the low end first. */
static ans_status collect(ans_context *context, const ans_problem *problem, int field, int coordinate,
                          const space *space, boundary *result) {
  for (int end = 0; end < 2; end++)
    for (int i = 0; i < problem->condition_count; i++) {
      const system_condition *condition = &problem->conditions[i];
      if (condition->kind != CONDITION_BOUNDARY || condition->field != field || condition->coordinate != coordinate)
        continue;
      TRY(check(context, problem, condition, space));
      if (at_low(condition, space) != (end == 0)) continue;
      FAIL_IF(result->count == BOUNDARY_MAX, context, ANS_UNSUPPORTED, "%s has more than %d boundary conditions",
              problem->fields[field].name, BOUNDARY_MAX);
      result->conditions[result->count++] = condition;
      *(end == 0 ? &result->low : &result->high) += 1;
    }
  return ANS_OK;
}

/* Of the value at a node in the condition. */
static double condition_weight(space *space, const boundary *boundary, int i, int node) {
  const system_condition *condition = boundary->conditions[i];
  int end = i < boundary->low ? 0 : space->node_count - 1;
  space_row row = space->row(space, condition->order[condition->coordinate], end);
  return node >= row.first && node < row.first + row.count ? row.weights[node - row.first] : 0;
}

/* One column of B_E^-1 times the given right side. */
static void solve_column(int count, const double *factors, const int *pivots, const double *right, double *column) {
  for (int i = 0; i < count; i++) column[i] = right[i];
  dense_solve(count, factors, pivots, column);
}

static bool invert(space *space, boundary *b) {
  int n = space->node_count, pivots[BOUNDARY_MAX];
  double factors[BOUNDARY_MAX * BOUNDARY_MAX], right[BOUNDARY_MAX], column[BOUNDARY_MAX];
  for (int i = 0; i < b->count; i++)
    for (int j = 0; j < b->count; j++)
      factors[i * b->count + j] = condition_weight(space, b, i, boundary_node(b, n, j));
  if (!dense_factorise(b->count, factors, pivots)) return false;
  for (int node = b->low; node < n - b->high; node++) {
    for (int i = 0; i < b->count; i++) right[i] = -condition_weight(space, b, i, node);
    solve_column(b->count, factors, pivots, right, column);
    for (int i = 0; i < b->count; i++) b->from_nodes[(size_t)i * n + node] = column[i];
  }
  for (int j = 0; j < b->count; j++) {
    for (int i = 0; i < b->count; i++) right[i] = i == j;
    solve_column(b->count, factors, pivots, right, column);
    for (int i = 0; i < b->count; i++) b->from_data[i * b->count + j] = column[i];
  }
  return true;
}

ans_status boundary_new(ans_context *context, const ans_problem *problem, int field, int coordinate, space *space,
                        arena *arena, boundary *result) {
  *result = (boundary){0};
  if (coordinate < 0) return ANS_OK;
  TRY(collect(context, problem, field, coordinate, space, result));
  if (result->count == 0) return ANS_OK;
  FAIL_IF(problem->coordinates[coordinate].periodic, context, ANS_UNSUPPORTED,
          "%s has a boundary condition although %s is periodic", problem->fields[field].name,
          problem->coordinates[coordinate].name);
  result->from_nodes = arena_array(arena, double, size_product((size_t)result->count, (size_t)space->node_count));
  result->from_data = arena_array(arena, double, (size_t)(result->count * result->count));
  if (!result->from_nodes || !result->from_data) return context_no_memory(context);
  FAIL_IF(!invert(space, result), context, ANS_MEANING, "the boundary conditions of %s repeat or contradict each other",
          problem->fields[field].name);
  return ANS_OK;
}

void boundary_fill(const boundary *b, int nodes, const double *data, double *values) {
  for (int i = 0; i < b->count; i++) {
    double sum = 0;
    for (int node = b->low; node < nodes - b->high; node++)
      sum += b->from_nodes[(size_t)i * nodes + node] * values[node];
    for (int j = 0; data && j < b->count; j++) sum += b->from_data[i * b->count + j] * data[j];
    values[boundary_node(b, nodes, i)] = sum;
  }
}
