/* SPDX-License-Identifier: Apache-2.0 */
#include "reference/alias.h"

#include <math.h>

#include "reference/variation.h"

enum { SPREAD = 61, NARROW = 64, TIMES = 12, CELLS = 4096, MOST_BOUNDS = 50000 };

/* Of the largest value: a smooth function that is farther off is not represented. The interpolant of one that jumps is
 * far off beside the jump on any nodes; it is looked at in the mean. */
static const double SMOOTH_LIMIT = 1e-3, ROUGH_LIMIT = 0.2;

typedef struct comparison {
  const lines *lines;
  const expression *function;
  const char *what, *name; /* "the initial value of", "u" */
  bool rough;
  int count;
  double *places, *values, *nodes;
  double off, size; /* largest difference and value so far; means over the places for a rough function */
} comparison;

static double text_value(const comparison *c, double x, double t) {
  double place[SYSTEM_MAX_COORDINATES] = {0};
  place[c->lines->coordinate] = x;
  place[c->lines->instance->problem->time] = t;
  return expression_value(c->function, c->lines->instance->values, place, 0);
}

static bool is_rough(const comparison *c, double t) {
  const space *space = c->lines->space;
  if (expression_uses(c->function, EXPRESSION_INSIDE) || expression_uses(c->function, EXPRESSION_ABS)) return true;
  double low = text_value(c, space->low, t), high = text_value(c, space->high, t);
  return !space->row && fabs(high - low) > 1e-6 * (fabs(high) + fabs(low));
}

static void compare(comparison *c, double t) {
  space *space = c->lines->space;
  double off = 0, size = 0;
  for (int j = 0; j < space->node_count; j++) {
    c->nodes[j] = text_value(c, space->places[j], t);
    if (!isfinite(c->nodes[j])) return; /* said elsewhere */
    if (!c->rough) c->size = fmax(c->size, fabs(c->nodes[j]));
  }
  space->evaluate(space, c->nodes, c->count, c->places, c->values);
  for (int i = 0; i < c->count; i++) {
    double value = text_value(c, c->places[i], t), difference = fabs(c->values[i] - value);
    if (!isfinite(value)) continue;
    off = c->rough ? off + difference * difference / c->count : fmax(off, difference);
    size = c->rough ? size + value * value / c->count : fmax(size, fabs(value));
  }
  c->off = fmax(c->off, c->rough ? sqrt(off) : off);
  c->size = fmax(c->size, c->rough ? sqrt(size) : size);
}

/* Places that no lattice of nodes shares and, for a smooth function, the narrowest cells on which it varies. */
static void choose_places(comparison *c, variation *v) {
  const space *space = c->lines->space;
  const double golden = 0.6180339887498949;
  double length = space->high - space->low;
  for (int i = 1; i <= SPREAD; i++) c->places[c->count++] = space->low + length * (i * golden - floor(i * golden));
  if (c->rough) return;
  v->watched_count = 0;
  v->bounds = 0;
  v->cells[0] = (variation_cell){space->low, space->high, false};
  variation_watch(v, c->function);
  int cells = variation_halve(v, 1, MOST_BOUNDS);
  double least = length;
  for (int i = 0; i < cells; i++) least = fmin(least, v->cells[i].high - v->cells[i].low);
  for (int i = 0; i < cells && c->count < SPREAD + NARROW; i++)
    if (v->cells[i].high - v->cells[i].low <= 2 * least && 2 * least < length / space->node_count)
      c->places[c->count++] = v->cells[i].low + (v->cells[i].high - v->cells[i].low) / 2;
}

static ans_status judge(ans_context *context, const comparison *c, double *difference) {
  double limit = c->rough ? ROUGH_LIMIT : SMOOTH_LIMIT, part = c->size > 0 ? c->off / c->size : 0;
  FAIL_IF(part > limit, context, ANS_TOLERANCE,
          "%d nodes do not represent %s %s: between them it differs from the text by %.1e of its size (limit %.0e)",
          c->lines->node_count, c->what, c->name, part, limit);
  if (!c->rough) *difference = fmax(*difference, part);
  return ANS_OK;
}

static ans_status check(ans_context *context, comparison c, const schedule *schedule, variation *v,
                        double *difference) {
  const ans_problem *problem = c.lines->instance->problem;
  if (!c.function || !expression_uses_index(c.function, EXPRESSION_COORDINATE, c.lines->coordinate)) return ANS_OK;
  c.rough = is_rough(&c, schedule->begin);
  choose_places(&c, v);
  if (!expression_uses_index(c.function, EXPRESSION_COORDINATE, problem->time)) {
    compare(&c, schedule->begin);
    return judge(context, &c, difference);
  }
  int every = schedule->cell_count / TIMES + 1;
  for (int k = 0; k <= schedule->cell_count; k += every) compare(&c, schedule->cells[k]);
  for (int k = 0; k < TIMES; k++) compare(&c, schedule->begin + (schedule->end - schedule->begin) * (k + 0.5) / TIMES);
  return judge(context, &c, difference);
}

static ans_status check_all(ans_context *context, comparison c, const schedule *schedule, variation *v,
                            double *difference) {
  const ans_instance *instance = c.lines->instance;
  const ans_problem *problem = instance->problem;
  for (int i = 0; i < problem->condition_count; i++) {
    const system_condition *condition = &problem->conditions[i];
    if (condition->kind != CONDITION_INITIAL) continue;
    c.function = condition->value;
    c.what = "the initial value of";
    c.name = problem->fields[condition->field].name;
    TRY(check(context, c, schedule, v, difference));
  }
  for (int i = 0; i < instance->term_count; i++) {
    c.function = instance->terms[i].term->source;
    c.what = "a source or coefficient in the equation of";
    c.name = problem->fields[problem->equations[instance->terms[i].term->equation].field].name;
    TRY(check(context, c, schedule, v, difference));
  }
  return ANS_OK;
}

ans_status alias_check(ans_context *context, lines *lines, const schedule *schedule, double *difference) {
  *difference = 0;
  if (lines->coordinate < 0) return ANS_OK;
  double places[SPREAD + NARROW], values[SPREAD + NARROW];
  comparison c = {.lines = lines, .places = places, .values = values, .nodes = lines->scratch};
  arena *arena;
  TRY(arena_new(context, &arena));
  variation v;
  ans_status status = variation_new(context, arena, lines->instance, lines->coordinate, CELLS, &v);
  if (status == ANS_OK) status = check_all(context, c, schedule, &v, difference);
  arena_free(arena);
  return status;
}
