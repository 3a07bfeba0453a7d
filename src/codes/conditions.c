/* SPDX-License-Identifier: Apache-2.0
 *
 * conditions.c - 64 initial points with their features and values.
 *
 * One space coordinate: x_i = i/64 of the range. More: the rank-one lattice (i 27^s mod 64)/64 for the s-th,
 * which is even in every coordinate and begins with the same i/64.
 */
#include "codes/conditions.h"

#include <assert.h>
#include <math.h>

#include "codes/plan.h"

/* Derived symbols that follow from constants alone; NaN for whatever depends on a sampled one. */
static void constant_symbols(const ans_problem *problem, double *values) {
  for (int s = 0; s < problem->symbol_count; s++) {
    const system_symbol *symbol = &problem->symbols[s];
    values[s] = symbol->kind == SYMBOL_DERIVED ? expression_value(symbol->value, values, NULL, 0.0) : (double)NAN;
  }
}

static void place_point(const ans_problem *problem, int point, double *place) {
  unsigned lattice = (unsigned)point;
  for (int c = 0; c < problem->coordinate_count; c++) {
    const system_coordinate *coordinate = &problem->coordinates[c];
    place[c] = coordinate->low;
    if (coordinate->time) continue;
    place[c] += (coordinate->high - coordinate->low) * (double)lattice / PLAN_CONDITION_POINTS;
    lattice = lattice * 27u % PLAN_CONDITION_POINTS;
  }
}

static double *write_features(const ans_problem *problem, const double *place, double *out) {
  for (int c = 0; c < problem->coordinate_count; c++) {
    const system_coordinate *coordinate = &problem->coordinates[c];
    if (!coordinate->fourier_high) {
      *out++ = place[c];
      continue;
    }
    double phase = 2 * 3.14159265358979323846 * (place[c] - coordinate->low) / (coordinate->high - coordinate->low);
    for (int k = coordinate->fourier_low; k <= coordinate->fourier_high; k++) {
      *out++ = sin(k * phase);
      *out++ = cos(k * phase);
    }
  }
  return out;
}

static bool is_value_of(const system_condition *condition, const ans_problem *problem, int field) {
  if (condition->kind != CONDITION_INITIAL || condition->field != field) return false;
  for (int c = 0; c < problem->coordinate_count; c++)
    if (condition->order[c]) return false;
  return true;
}

static double initial_value(const ans_problem *problem, int field, const double *symbols, const double *place) {
  assert(field >= 0 && field < problem->field_count);
  for (int i = 0; i < problem->condition_count; i++)
    if (is_value_of(&problem->conditions[i], problem, field))
      return expression_value(problem->conditions[i].value, symbols, place, 0.0);
  return 0.0;
}

ans_status condition_points(ans_context *context, const ans_problem *problem, double *points) {
  double symbols[SYSTEM_MAX_SYMBOLS] = {0}, place[SYSTEM_MAX_COORDINATES];
  constant_symbols(problem, symbols);
  for (int i = 0; i < PLAN_CONDITION_POINTS; i++) {
    place_point(problem, i, place);
    points = write_features(problem, place, points);
    for (int f = 0; f < problem->field_count; f++) {
      *points = initial_value(problem, f, symbols, place);
      FAIL_IF(!isfinite(*points), context, ANS_UNSUPPORTED,
              "the conditional decoder needs an initial value of %s that is finite and free of sampled coefficients",
              problem->fields[f].name);
      points++;
    }
  }
  return ANS_OK;
}
