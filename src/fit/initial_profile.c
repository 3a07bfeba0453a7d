/* SPDX-License-Identifier: Apache-2.0 */
#include "fit/initial_profile.h"

#include <math.h>
#include <string.h>

#include "fit/small_matrix.h"

static const double DISTANCE = 1e-3; /* of a range; series are linear in their coefficients */
static const double ROUGH = 0.3;     /* of a field's spread: how well its start describes the measured values */
static const double FADES = 4;       /* the logarithm by which a value counts less at the end of time */
enum { MOST_VALUES = 2000 };         /* that are looked at for the start */

static const expression *initial_value_of(const ans_problem *problem, int field) {
  for (int i = 0; i < problem->condition_count; i++) {
    const system_condition *c = &problem->conditions[i];
    if (c->kind == CONDITION_INITIAL && c->field == field && c->order[c->coordinate] == 0) return c->value;
  }
  return NULL;
}

ans_status initial_profile(ans_context *context, const sought *sought, const double *z, int field, const double *places,
                           size_t count, double *values) {
  double numbers[SYSTEM_MAX_SYMBOLS], point[SYSTEM_MAX_COORDINATES] = {0};
  const ans_problem *problem = sought->problem;
  const expression *value = initial_value_of(problem, field);
  ans_instance *instance;
  sought_values(sought, z, numbers);
  TRY(system_instance(context, problem, sought->structure, numbers, true, &instance));
  for (size_t i = 0; i < count; i++) {
    for (int d = 0; d < problem->coordinate_count; d++)
      point[d] = d == problem->time ? problem->coordinates[d].low : places[i];
    values[i] = expression_value(value, instance->values, point, 0);
  }
  system_instance_free(instance);
  return ANS_OK;
}

ans_status initial_slope(ans_context *context, const sought *sought, const double *z, int field, int index,
                         const double *places, size_t count, double *slope, double *other) {
  double moved[FIT_MAX_UNKNOWNS];
  memcpy(moved, z, (size_t)sought->count * sizeof *moved);
  moved[index] = z[index] + DISTANCE;
  TRY(initial_profile(context, sought, moved, field, places, count, slope));
  moved[index] = z[index] - DISTANCE;
  TRY(initial_profile(context, sought, moved, field, places, count, other));
  for (size_t k = 0; k < count; k++) slope[k] = (slope[k] - other[k]) / (2 * DISTANCE);
  return ANS_OK;
}

/* ---- Starts --------------------------------------------------------------------------------------------- */

/* Measured values of one field, some of many, with what they count. */
typedef struct early_values {
  size_t count;
  double places[MOST_VALUES], values[MOST_VALUES], weights[MOST_VALUES];
} early_values;

static void take_early(const sought *sought, const measurements *data, int field, double spread, early_values *early) {
  const ans_problem *problem = sought->problem;
  const system_coordinate *time = &problem->coordinates[problem->time];
  size_t all = measurements_of(data, field), stride = all / MOST_VALUES + 1, seen = 0;
  int space = problem->coordinate_count == 1 ? -1 : problem->time == 0 ? 1 : 0;
  early->count = 0;
  for (size_t i = 0; i < data->value_count && early->count < MOST_VALUES; i++) {
    const measured_value *v = &data->values[i];
    if (v->field != (uint32_t)field || seen++ % stride) continue;
    const double *point = data->points + (size_t)v->point * (size_t)data->coordinate_count;
    double late = (point[problem->time] - time->low) / (time->high - time->low), size = ROUGH * spread;
    early->places[early->count] = space < 0 ? 0 : point[space];
    early->values[early->count] = v->value;
    early->weights[early->count++] = exp(-FADES * late) / (size * size);
  }
}

/* Ridge regression of the values on terms first .. first + terms - 1. room: [terms + 2][MOST_VALUES]. */
static ans_status regress(ans_context *context, const early_values *early, int field, int first, int terms,
                          double *room, sought *sought) {
  double a[FIT_MAX_UNKNOWNS * FIT_MAX_UNKNOWNS], b[FIT_MAX_UNKNOWNS];
  double *known = room, *other = room + MOST_VALUES, *slopes = room + 2 * (size_t)MOST_VALUES;
  TRY(initial_profile(context, sought, sought->start, field, early->places, early->count, known));
  for (int i = 0; i < terms; i++)
    TRY(initial_slope(context, sought, sought->start, field, first + i, early->places, early->count,
                      slopes + (size_t)i * MOST_VALUES, other));
  for (int i = 0; i < terms; i++) {
    b[i] = 0;
    for (int k = 0; k < terms; k++) a[i * terms + k] = i == k ? sought->prior[first + i] : 0;
    for (size_t v = 0; v < early->count; v++) {
      double slope = early->weights[v] * slopes[(size_t)i * MOST_VALUES + v];
      b[i] += slope * (early->values[v] - known[v]);
      for (int k = 0; k < terms; k++) a[i * terms + k] += slope * slopes[(size_t)k * MOST_VALUES + v];
    }
  }
  if (!small_solve(terms, a, b)) return ANS_OK;
  for (int i = 0; i < terms; i++)
    if (isfinite(b[i])) sought->start[first + i] = fmin(fmax(sought->start[first + i] + b[i], 0), 1);
  return ANS_OK;
}

ans_status initial_start(ans_context *context, const measurements *data, const unknown_initials *initials,
                         sought *sought) {
  noise noise = noise_begin(data, NULL);
  early_values *early = memory_take(sizeof *early);
  double *room = memory_take(sizeof(double[FIT_MAX_UNKNOWNS + 2][MOST_VALUES]));
  ans_status status = early && room ? ANS_OK : context_no_memory(context);
  for (int k = 0, first = sought->named; status == ANS_OK && k < initials->count; first += initials->terms[k++]) {
    int field = initials->fields[k];
    if (!(noise.spread[field] > 0)) continue; /* not measured, or constant: the middle will do */
    take_early(sought, data, field, noise.spread[field], early);
    status = regress(context, early, field, first, initials->terms[k], room, sought);
  }
  memory_give(early);
  memory_give(room);
  return status;
}
