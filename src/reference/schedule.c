/* SPDX-License-Identifier: Apache-2.0 */
#include "reference/schedule.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "reference/variation.h"

enum { SAMPLES = 4096, MAX_EDGES = 1000, MAX_CELLS = 1 << 14, MOST_BOUNDS = 300000 };

typedef struct scan {
  const ans_instance *instance;
  schedule *schedule;
  variation variation; /* of what depends on time */
  int edge_count;
  double *edges;
} scan;

/* Farther from an edge than it may be wrong by rounding, and nothing on the scale of the problem. */
static double inward(const schedule *schedule) {
  return 16 * DBL_EPSILON * fmax(fabs(schedule->begin), fabs(schedule->end));
}

/* ---- What depends on time ---------------------------------------------------------------------------- */

static void collect(scan *s) {
  const ans_instance *instance = s->instance;
  for (int i = 0; i < instance->term_count; i++) variation_watch(&s->variation, instance->terms[i].term->source);
  for (int i = 0; i < instance->problem->condition_count; i++)
    if (instance->problem->conditions[i].kind == CONDITION_BOUNDARY)
      variation_watch(&s->variation, instance->problem->conditions[i].value);
  s->schedule->moving = s->variation.watched_count > 0;
}

/* ---- Edges ------------------------------------------------------------------------------------------- */

/* inside(value, low, high) switches where value - low or high - value changes its sign. */
typedef struct switched {
  expression above, below;
} switched;

static double switch_value(const scan *s, const switched *sw, double t) {
  double coordinates[SYSTEM_MAX_COORDINATES] = {0};
  coordinates[s->instance->problem->time] = t;
  return expression_value(&sw->above, s->instance->values, coordinates, 0) -
         expression_value(&sw->below, s->instance->values, coordinates, 0);
}

/* The first time after the change of sign between a and b. */
static double bisect(const scan *s, const switched *sw, double a, double b) {
  bool sign = switch_value(s, sw, a) >= 0;
  for (int i = 0; i < 200; i++) {
    double middle = a + (b - a) / 2;
    if (middle <= a || middle >= b) break;
    *((switch_value(s, sw, middle) >= 0) == sign ? &a : &b) = middle;
  }
  return b;
}

static bool add_edges(scan *s, const switched *sw) {
  const schedule *schedule = s->schedule;
  double span = schedule->end - schedule->begin, before = schedule->begin, value = switch_value(s, sw, before);
  for (int k = 1; k <= SAMPLES; k++) {
    double t = k == SAMPLES ? schedule->end : schedule->begin + span * k / SAMPLES, next = switch_value(s, sw, t);
    if ((value >= 0) != (next >= 0)) {
      if (s->edge_count == MAX_EDGES) return false;
      s->edges[s->edge_count++] = bisect(s, sw, before, t);
    }
    before = t;
    value = next;
  }
  return true;
}

static bool only_time(const scan *s, const expression *expression) {
  for (int c = 0; c < s->instance->problem->coordinate_count; c++)
    if (c != s->instance->problem->time && expression_uses_index(expression, EXPRESSION_COORDINATE, c)) return false;
  return true;
}

/* The operands of a postfix program stand one after the other before their operation. */
static bool find_edges(scan *s, const expression *expression) {
  size_t starts[EXPRESSION_MAX_DEPTH + 1];
  int top = 0;
  for (size_t i = 0; i < expression->count; i++) {
    const expression_step *steps = expression->steps;
    int operands = expression_operands(steps[i].op);
    if (steps[i].op == EXPRESSION_INSIDE) {
      const size_t *at = starts + top - 3;
      assert(top >= 3 && operands == 3);
      struct expression value = {at[1] - at[0], expression->depth, steps + at[0]},
                        low = {at[2] - at[1], expression->depth, steps + at[1]},
                        high = {i - at[2], expression->depth, steps + at[2]};
      bool known = only_time(s, &value) && only_time(s, &low) && only_time(s, &high);
      if (known && (!add_edges(s, &(switched){value, low}) || !add_edges(s, &(switched){high, value}))) return false;
    }
    top -= operands;
    if (operands == 0) starts[top] = i;
    top++;
    assert(top > 0 && top <= EXPRESSION_MAX_DEPTH);
  }
  return true;
}

static int increasing(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Sorted, once each, none at the ends. */
static void sort_edges(scan *s) {
  const schedule *schedule = s->schedule;
  double apart = 4 * inward(schedule), last = schedule->begin;
  int kept = 0;
  qsort(s->edges, (size_t)s->edge_count, sizeof *s->edges, increasing);
  for (int i = 0; i < s->edge_count; i++)
    if (s->edges[i] > last + apart && s->edges[i] < schedule->end - apart) last = s->edges[kept++] = s->edges[i];
  s->edge_count = kept;
}

static int start_cells(scan *s) {
  int count = 0;
  double low = s->schedule->begin;
  for (int e = 0; e <= s->edge_count; e++) {
    double high = e < s->edge_count ? s->edges[e] : s->schedule->end;
    s->variation.cells[count++] = (variation_cell){low, high, false};
    low = high;
  }
  return count;
}

/* ---- The schedule ------------------------------------------------------------------------------------ */

static bool is_edge(const scan *s, double t) {
  return bsearch(&t, s->edges, (size_t)s->edge_count, sizeof t, increasing) != NULL;
}

/* Neighbours with the same bound on the step are one stretch, unless an edge parts them. */
static void join_cells(const scan *s, int count, double max_step) {
  schedule *schedule = s->schedule;
  assert(schedule->stretches && schedule->cells);
  for (int i = 0; i < count; i++) {
    schedule->cells[i] = s->variation.cells[i].low;
    double width = s->variation.cells[i].high - s->variation.cells[i].low, step = fmin(max_step, width);
    schedule_stretch *last = schedule->count ? &schedule->stretches[schedule->count - 1] : NULL;
    /* Halves of one cell differ by rounding. */
    bool alike = last && !last->jump && fabs(last->max_step - step) <= 1e-6 * step;
    if (!alike) schedule->stretches[schedule->count++] = (schedule_stretch){0, step, false};
    last = &schedule->stretches[schedule->count - 1];
    last->end = s->variation.cells[i].high;
    last->jump = is_edge(s, s->variation.cells[i].high);
  }
  schedule->cells[count] = schedule->end;
  assert(count <= MAX_CELLS && schedule->count <= count);
  schedule->cell_count = count;
}

static ans_status fill(ans_context *context, scan *s, double max_step) {
  schedule *schedule = s->schedule;
  arena *arena = schedule->arena;
  const ans_problem *problem = s->instance->problem;
  TRY(variation_new(context, arena, s->instance, problem->time, MAX_CELLS, &s->variation));
  collect(s);
  size_t cells = schedule->moving ? MAX_CELLS + 1 : 1;
  schedule->stretches = arena_array(arena, schedule_stretch, cells);
  if (!schedule->stretches) return context_no_memory(context);
  if (!schedule->moving) {
    schedule->stretches[schedule->count++] = (schedule_stretch){schedule->end, max_step, false};
    return ANS_OK;
  }
  s->edges = arena_array(arena, double, MAX_EDGES);
  schedule->cells = arena_array(arena, double, cells);
  if (!s->edges || !schedule->cells) return context_no_memory(context);
  for (int i = 0; i < s->variation.watched_count; i++)
    FAIL_IF(!find_edges(s, s->variation.watched[i].expression), context, ANS_TOLERANCE,
            "something switches more than %d times between %s = %g and %g, and the reference stops at every switch",
            MAX_EDGES, problem->coordinates[problem->time].name, schedule->begin, schedule->end);
  sort_edges(s);
  s->variation.margin = inward(schedule);
  int count = variation_halve(&s->variation, start_cells(s), MOST_BOUNDS);
  join_cells(s, count, max_step);
  return ANS_OK;
}

ans_status schedule_new(ans_context *context, const ans_instance *instance, double max_step, schedule **result) {
  assert(max_step > 0 && instance->problem->time >= 0);
  *result = NULL;
  arena *arena;
  TRY(arena_new(context, &arena));
  schedule *made = arena_take(arena, sizeof *made);
  if (!made) {
    arena_free(arena);
    return context_no_memory(context);
  }
  const system_coordinate *time = &instance->problem->coordinates[instance->problem->time];
  *made = (schedule){.arena = arena, .begin = time->low, .end = time->high};
  scan scan = {.instance = instance, .schedule = made};
  ans_status status = fill(context, &scan, max_step);
  if (status != ANS_OK) {
    arena_free(arena);
    return status;
  }
  *result = made;
  return ANS_OK;
}

void schedule_free(schedule *schedule) {
  if (schedule) arena_free(schedule->arena);
}

void schedule_window(const schedule *schedule, double t, double *low, double *high) {
  *low = -INFINITY;
  *high = INFINITY;
  for (int i = 0; i < schedule->count; i++) {
    const schedule_stretch *stretch = &schedule->stretches[i];
    if (!stretch->jump) continue;
    if (t <= stretch->end) {
      *high = stretch->end - inward(schedule);
      return;
    }
    *low = stretch->end + inward(schedule);
  }
}
