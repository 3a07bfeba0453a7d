/* SPDX-License-Identifier: Apache-2.0
 *
 * space.c - what all spaces share, and the space that has no extent.
 */
#include "reference/space.h"

#include <assert.h>

ans_status space_new(ans_context *context, double low, double high, int nodes, space **result, double **places) {
  *result = NULL;
  arena *arena;
  TRY(arena_new(context, &arena));
  space *space = arena_take(arena, sizeof *space);
  *places = arena_array(arena, double, (size_t)nodes);
  if (!space || !*places) {
    arena_free(arena);
    return context_no_memory(context);
  }
  space->arena = arena;
  space->node_count = nodes;
  space->low = low;
  space->high = high;
  space->places = *places;
  *result = space;
  return ANS_OK;
}

void space_free(space *space) {
  if (!space) return;
  if (space->release) space->release(space);
  arena_free(space->arena);
}

static void point_differentiate(space *space, const double *values, int count, const int *orders,
                                double *const *results) {
  (void)space;
  for (int i = 0; i < count; i++) results[i][0] = orders[i] == 0 ? values[0] : 0;
}

static void point_evaluate(space *space, const double *values, int count, const double *places, double *results) {
  (void)space, (void)places;
  for (int i = 0; i < count; i++) results[i] = values[0];
}

static double point_tail(space *space, const double *values) {
  (void)space, (void)values;
  return 0;
}

static space_row point_row(space *space, int order, int node) {
  static const double one = 1, zero = 0;
  (void)space, (void)node;
  return (space_row){order == 0 ? &one : &zero, 0, 1};
}

ans_status space_point(ans_context *context, space **result) {
  double *places;
  TRY(space_new(context, 0, 0, 1, result, &places));
  assert(*result);
  (*result)->differentiate = point_differentiate;
  (*result)->evaluate = point_evaluate;
  (*result)->tail = point_tail;
  (*result)->row = point_row;
  return ANS_OK;
}
