/* SPDX-License-Identifier: Apache-2.0 */
#include "training/sharpness.h"

#include <math.h>

#include "field/scales.h"

enum { NODES = 64 };

typedef struct setting {
  const ans_instance *instance;
  int space;
  bool walls;                      /* at the ends of the space coordinate: linear terms make layers there */
  double length;                   /* of the space coordinate */
  double sizes[SYSTEM_MAX_FIELDS]; /* the largest initial value; of a field that begins with zero, see measure_fields */
} setting;

static double largest_value(const setting *s, const system_condition *condition) {
  const ans_problem *problem = s->instance->problem;
  double point[SYSTEM_MAX_COORDINATES] = {0}, most = 0;
  point[problem->time] = condition->at;
  for (int j = 0; j <= NODES; j++) {
    point[s->space] = problem->coordinates[s->space].low + s->length * j / NODES;
    double value = fabs(expression_value(condition->value, s->instance->values, point, 0));
    if (isfinite(value)) most = fmax(most, value);
  }
  return most;
}

/* Between walls without initial values, or from rest: what conditions and sources make of the fields. */
static void measure_driven(setting *s, const field_scales *scales) {
  for (int f = 0; f < s->instance->problem->field_count; f++)
    s->sizes[f] = fmax(scales->size[f], fabs(scales->mean[f]));
}

/* A field that begins with zero has as many times its scale as the others have of theirs: fields differ in units. */
static void measure_fields(setting *s) {
  const ans_problem *problem = s->instance->problem;
  field_scales scales = scales_of(s->instance);
  double most = 0;
  for (int c = 0; problem->time >= 0 && c < problem->condition_count; c++) {
    const system_condition *condition = &problem->conditions[c];
    if (condition->kind != CONDITION_INITIAL || condition->order[problem->time] > 0) continue;
    s->sizes[condition->field] = largest_value(s, condition);
    most = fmax(most, s->sizes[condition->field] / scales.size[condition->field]);
  }
  if (!(most > 0) && s->walls) measure_driven(s, &scales);
  for (int f = 0; f < problem->field_count; f++)
    if (!(s->sizes[f] > 0)) s->sizes[f] = most * scales.size[f];
}

/* |coefficient| times the sizes of the factors, and how many derivatives along a coordinate they have in all. */
static double strength(const setting *s, const instance_term *term, int *space_order, int *time_order) {
  double product = fabs(term->coefficient);
  *space_order = *time_order = 0;
  for (int i = 0; i < term->term->factor_count; i++) {
    const system_factor *factor = &term->term->factors[i];
    product *= pow(s->sizes[factor->field], factor->power);
    *space_order += factor->order[s->space] * factor->power;
    if (s->instance->problem->time >= 0) *time_order += factor->order[s->instance->problem->time] * factor->power;
  }
  return product;
}

/* What stops fronts in one equation: its highest derivative in space that stands alone. */
typedef struct balance {
  int order;
  double strength;
} balance;

static balance balance_of(const setting *s, int equation) {
  balance b = {0};
  for (int t = 0; t < s->instance->term_count; t++) {
    const instance_term *term = &s->instance->terms[t];
    int space, time;
    if (term->term->equation != equation || term->term->arity != 1) continue;
    double size = strength(s, term, &space, &time);
    if (time > 0 || space < 2 || space < b.order) continue;
    b.strength = space > b.order ? size : b.strength + size;
    b.order = space;
  }
  return b;
}

/* A product makes fronts, and between walls so does what is linear in the equation's own field. */
static bool makes_fronts(const setting *s, const system_term *term) {
  return term->arity > 1 || (s->walls && term->arity == 1 && term->factors[0].field == term->equation);
}

/* The thinnest front or layer that one term makes. */
static double front_of(const setting *s, const instance_term *term) {
  int space, time;
  if (!makes_fronts(s, term->term)) return 1;
  balance against = balance_of(s, term->term->equation);
  double size = strength(s, term, &space, &time);
  if (time > 0 || space >= against.order || !(against.strength > 0) || !(size > 0)) return 1;
  double front = pow(against.strength / size, 1.0 / (against.order - space)) / s->length;
  return front < 1 ? front : 1;
}

double sharpness_of(const ans_instance *instance) {
  const ans_problem *problem = instance->problem;
  if (problem->coordinate_count != (problem->time < 0 ? 1 : 2)) return 1;
  setting s = {.instance = instance, .space = problem->time < 0 ? 0 : 1 - problem->time};
  s.walls = !problem->coordinates[s.space].periodic;
  double thinnest = 1;
  s.length = problem->coordinates[s.space].high - problem->coordinates[s.space].low;
  measure_fields(&s);
  for (int t = 0; t < instance->term_count; t++) thinnest = fmin(thinnest, front_of(&s, &instance->terms[t]));
  return thinnest;
}
