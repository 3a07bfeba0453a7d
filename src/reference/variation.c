/* SPDX-License-Identifier: Apache-2.0 */
#include "reference/variation.h"

#include <assert.h>
#include <math.h>

#include "reference/range.h"

enum { PLACES = 11, MOST_HALVINGS = 40 };

/* A function that varies by less than this part of its size over a step is seen by an error control. */
static const double VARIATION = 0.25;

ans_status variation_new(ans_context *context, arena *arena, const ans_instance *instance, int coordinate, int capacity,
                         variation *result) {
  *result = (variation){.instance = instance, .coordinate = coordinate, .capacity = capacity};
  size_t functions = (size_t)(instance->term_count + instance->problem->condition_count + 1);
  result->watched = arena_array(arena, variation_watched, functions);
  result->cells = arena_array(arena, variation_cell, (size_t)capacity);
  result->next = arena_array(arena, variation_cell, (size_t)capacity);
  return result->watched && result->cells && result->next ? ANS_OK : context_no_memory(context);
}

void variation_watch(variation *v, const expression *expression) {
  const ans_problem *problem = v->instance->problem;
  if (!expression || !expression_uses_index(expression, EXPRESSION_COORDINATE, v->coordinate)) return;
  bool spread = false;
  for (int c = 0; c < problem->coordinate_count; c++)
    spread = spread || (c != v->coordinate && expression_uses_index(expression, EXPRESSION_COORDINATE, c));
  v->watched[v->watched_count++] = (variation_watched){expression, spread ? PLACES : 1, 0};
}

void variation_place(const ans_problem *problem, int place, double *coordinates) {
  const double golden = 0.6180339887498949;
  for (int c = 0; c < problem->coordinate_count; c++) {
    const system_coordinate *along = &problem->coordinates[c];
    double part = place < 2 ? place : (place - 1) * golden - floor((place - 1) * golden);
    coordinates[c] = along->low + part * (along->high - along->low);
  }
}

/* Of one function at one place over a cell, relative to its size; infinite while no value but zero has been seen. */
static double one_variation(variation *v, variation_watched *w, int place, variation_cell cell) {
  const ans_problem *problem = v->instance->problem;
  double coordinates[SYSTEM_MAX_COORDINATES], margin = fmin(v->margin, (cell.high - cell.low) / 4);
  range box[SYSTEM_MAX_COORDINATES];
  variation_place(problem, place, coordinates);
  for (int c = 0; c < problem->coordinate_count; c++) box[c] = (range){coordinates[c], coordinates[c]};
  box[v->coordinate] = (range){cell.low + margin, cell.high - margin};
  coordinates[v->coordinate] = cell.low + (cell.high - cell.low) / 2;
  double middle = fabs(expression_value(w->expression, v->instance->values, coordinates, 0));
  if (isfinite(middle)) w->scale = fmax(w->scale, middle);
  range r = expression_range(w->expression, v->instance->values, box);
  v->bounds++;
  return r.high > r.low ? (r.high - r.low) / w->scale : 0;
}

static bool varies(variation *v, variation_cell cell) {
  bool result = false;
  for (int i = 0; i < v->watched_count; i++)
    for (int p = 0; p < v->watched[i].places; p++)
      result = one_variation(v, &v->watched[i], p, cell) > VARIATION || result;
  return result;
}

/* All cells of one length before the shorter ones: so the sizes are known early. */
int variation_halve(variation *v, int count, long most) {
  const system_coordinate *along = &v->instance->problem->coordinates[v->coordinate];
  double least = ldexp(along->high - along->low, -MOST_HALVINGS);
  assert(count > 0 && count <= v->capacity);
  for (bool halved = true; halved;) {
    halved = false;
    int filled = 0;
    for (int i = 0; i < count; i++) {
      variation_cell cell = v->cells[i];
      double middle = cell.low + (cell.high - cell.low) / 2;
      bool room = filled + (count - i) + 1 <= v->capacity && v->bounds < most && cell.high - cell.low > least;
      cell.settled = cell.settled || !room || !varies(v, cell);
      v->next[filled++] = cell;
      if (cell.settled) continue;
      v->next[filled - 1].high = middle;
      v->next[filled++] = (variation_cell){middle, cell.high, false};
      halved = true;
    }
    variation_cell *kept = v->cells;
    v->cells = v->next;
    v->next = kept;
    count = filled;
    assert(count <= v->capacity);
  }
  return count;
}
