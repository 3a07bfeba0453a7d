/* SPDX-License-Identifier: Apache-2.0 */
#include "reference/rewrite.h"

#include <stdio.h>
#include <string.h>

/* The fields of the new problem: those of the given one first, then the time derivatives below each one's highest. */
typedef struct plan {
  const ans_instance *given;
  int order[SYSTEM_MAX_FIELDS]; /* highest time derivative of a given field, at least 1 */
  int extra[SYSTEM_MAX_FIELDS]; /* the new field of its first derivative */
  int field_count, term_count, condition_count;
  int time;
} plan;

static int time_order(const plan *p, const system_factor *factor) {
  return p->given->problem->time < 0 ? 0 : factor->order[p->given->problem->time];
}

/* The new field of time derivative k of a given one. */
static int field_of(const plan *p, int field, int k) { return k == 0 ? field : p->extra[field] + k - 1; }

/* Whose equation carries the terms of the given equation: the one of the last derivative. */
static int carrier(const plan *p, int field) { return field_of(p, field, p->order[field] - 1); }

static ans_status make_plan(ans_context *context, const ans_instance *given, plan *p) {
  const ans_problem *problem = given->problem;
  *p = (plan){.given = given, .field_count = problem->field_count, .time = problem->time};
  if (p->time < 0) p->time = problem->coordinate_count;
  for (int f = 0; f < problem->field_count; f++) p->order[f] = 1;
  for (int i = 0; i < given->term_count; i++)
    for (int k = 0; k < given->terms[i].term->factor_count; k++) {
      const system_factor *factor = &given->terms[i].term->factors[k];
      if (time_order(p, factor) > p->order[factor->field]) p->order[factor->field] = time_order(p, factor);
    }
  for (int f = 0; f < problem->field_count; f++) {
    p->extra[f] = p->field_count;
    p->field_count += p->order[f] - 1;
  }
  FAIL_IF(p->field_count > SYSTEM_MAX_FIELDS, context, ANS_UNSUPPORTED,
          "as a system of first order in time the problem has %d fields; the reference takes %d", p->field_count,
          SYSTEM_MAX_FIELDS);
  return ANS_OK;
}

/* ---- Fields and coordinates -------------------------------------------------------------------------- */

static bool copy_coordinates(const plan *p, arena *arena, ans_problem *made) {
  const ans_problem *given = p->given->problem;
  if (given->time >= 0) return true;
  system_coordinate *coordinates = arena_array(arena, system_coordinate, (size_t)given->coordinate_count + 1);
  if (!coordinates) return false;
  memcpy(coordinates, given->coordinates, (size_t)given->coordinate_count * sizeof *coordinates);
  coordinates[p->time] = (system_coordinate){.name = "time", .low = 0, .high = 1, .time = true};
  made->coordinates = coordinates;
  made->coordinate_count = given->coordinate_count + 1;
  made->time = p->time;
  return true;
}

static bool copy_fields(const plan *p, arena *arena, ans_problem *made) {
  const ans_problem *given = p->given->problem;
  system_field *fields = arena_array(arena, system_field, (size_t)p->field_count);
  system_equation *equations = arena_array(arena, system_equation, (size_t)p->field_count);
  if (!fields || !equations) return false;
  for (int f = 0; f < given->field_count; f++) {
    fields[f] = given->fields[f];
    for (int k = 1; k < p->order[f]; k++) {
      char name[128];
      int used = snprintf(name, sizeof name, "%.100s_", given->fields[f].name);
      for (int i = 0; i < k; i++) name[used++] = 't';
      const char *kept = arena_string(arena, name, (size_t)used);
      if (!kept) return false;
      fields[field_of(p, f, k)] = (system_field){.name = kept};
    }
  }
  for (int f = 0; f < p->field_count; f++) equations[f] = (system_equation){f, 1};
  made->fields = fields;
  made->equations = equations;
  made->field_count = made->equation_count = p->field_count;
  return true;
}

/* ---- Terms ------------------------------------------------------------------------------------------- */

static system_factor moved(const plan *p, system_factor factor) {
  int order = time_order(p, &factor), field = factor.field;
  bool highest = p->order[field] > 1 && order == p->order[field];
  if (p->order[field] == 1) return factor;
  factor.field = field_of(p, field, highest ? order - 1 : order);
  factor.order[p->time] = highest;
  return factor;
}

/* coefficient * d^order of the field in time, in the given equation. */
static bool add_linear(arena *arena, const plan *p, int equation, double coefficient, int field, int order,
                       instance_term *to) {
  system_term *term = arena_take(arena, sizeof *term);
  system_factor *factor = arena_take(arena, sizeof *factor);
  if (!term || !factor) return false;
  *factor = (system_factor){.field = field, .power = 1};
  factor->order[p->time] = (uint8_t)order;
  *term = (system_term){.equation = equation, .factor_count = 1, .factors = factor, .arity = 1};
  *to = (instance_term){term, coefficient};
  return true;
}

static bool copy_term(arena *arena, const plan *p, const instance_term *from, instance_term *to) {
  system_term *term = arena_take(arena, sizeof *term);
  system_factor *factors = arena_array(arena, system_factor, (size_t)from->term->factor_count + 1);
  if (!term || !factors) return false;
  *term = *from->term;
  for (int k = 0; k < term->factor_count; k++) factors[k] = moved(p, term->factors[k]);
  term->factors = factors;
  term->equation = carrier(p, p->given->problem->equations[term->equation].field);
  *to = (instance_term){term, from->coefficient};
  return true;
}

static bool copy_terms(const plan *p, arena *arena, ans_instance *made) {
  const ans_instance *given = p->given;
  instance_term *terms = arena_array(arena, instance_term, (size_t)(given->term_count + 2 * p->field_count));
  if (!terms) return false;
  int count = 0;
  for (int i = 0; i < given->term_count; i++)
    if (!copy_term(arena, p, &given->terms[i], &terms[count++])) return false;
  for (int f = 0; f < given->problem->field_count; f++) {
    for (int k = 0; k + 1 < p->order[f]; k++) {
      int lower = field_of(p, f, k), upper = field_of(p, f, k + 1);
      if (!add_linear(arena, p, lower, 1, lower, 1, &terms[count++])) return false;
      if (!add_linear(arena, p, lower, -1, upper, 0, &terms[count++])) return false;
    }
    if (given->problem->time < 0 && !add_linear(arena, p, f, 1, f, 1, &terms[count++])) return false;
  }
  made->terms = terms;
  made->term_count = count;
  return true;
}

/* ---- Conditions -------------------------------------------------------------------------------------- */

static bool copy_conditions(const plan *p, arena *arena, ans_problem *made) {
  static const expression_step zero_step = {.op = EXPRESSION_NUMBER};
  static const expression zero = {1, 1, &zero_step};
  const ans_problem *given = p->given->problem;
  system_condition *conditions =
      arena_array(arena, system_condition, (size_t)(given->condition_count + given->field_count));
  if (!conditions) return false;
  int count = 0;
  for (int i = 0; i < given->condition_count; i++) {
    system_condition condition = given->conditions[i];
    if (condition.kind == CONDITION_INITIAL) {
      int order = condition.order[p->time];
      if (order >= p->order[condition.field]) continue;
      condition.field = field_of(p, condition.field, order);
      condition.order[p->time] = 0;
    }
    conditions[count++] = condition;
  }
  for (int f = 0; given->time < 0 && f < given->field_count; f++)
    conditions[count++] =
        (system_condition){.kind = CONDITION_INITIAL, .field = f, .coordinate = p->time, .value = &zero};
  made->conditions = conditions;
  made->condition_count = count;
  return true;
}

/* ---- The whole --------------------------------------------------------------------------------------- */

static bool build(const plan *p, arena *arena, rewritten *result) {
  ans_problem *problem = arena_take(arena, sizeof *problem);
  ans_instance *instance = arena_take(arena, sizeof *instance);
  if (!problem || !instance) return false;
  *problem = *p->given->problem;
  *instance = *p->given;
  instance->problem = problem;
  if (!copy_coordinates(p, arena, problem) || !copy_fields(p, arena, problem) || !copy_conditions(p, arena, problem) ||
      !copy_terms(p, arena, instance))
    return false;
  /* What looks at the terms of the problem (the highest order in space) finds those of the given one, which do. */
  result->instance = instance;
  return true;
}

ans_status rewrite(ans_context *context, const ans_instance *instance, rewritten *result) {
  const ans_problem *problem = instance->problem;
  plan p;
  *result = (rewritten){.instance = instance, .steady = problem->time < 0 && problem->coordinate_count == 1};
  if (problem->time < 0 && !result->steady) return ANS_OK;
  TRY(make_plan(context, instance, &p));
  if (!result->steady && p.field_count == problem->field_count) return ANS_OK;
  TRY(arena_new(context, &result->arena));
  if (build(&p, result->arena, result)) return ANS_OK;
  rewrite_free(result);
  return context_no_memory(context);
}

void rewrite_free(rewritten *rewritten) {
  if (rewritten->arena) arena_free(rewritten->arena);
  rewritten->arena = NULL;
}

ans_status rewrite_back(ans_context *context, const rewritten *rewritten, const ans_instance *given,
                        ans_solution **solution) {
  if (!rewritten->arena) return ANS_OK;
  const ans_solution *from = *solution;
  const double *axes[2] = {from->axes[rewritten->steady ? 1 : 0], from->coordinate_count > 1 ? from->axes[1] : NULL};
  int sizes[2] = {from->axis_sizes[rewritten->steady ? 1 : 0], from->coordinate_count > 1 ? from->axis_sizes[1] : 0};
  ans_solution *made = NULL;
  ans_status status = solution_new(context, given->problem, sizes, axes, from->settings, &made);
  for (int f = 0; status == ANS_OK && f < made->field_count; f++)
    memcpy(made->values[f], from->values[f] + (from->point_count - made->point_count),
           made->point_count * sizeof(double));
  solution_free(*solution);
  *solution = made;
  return status;
}
