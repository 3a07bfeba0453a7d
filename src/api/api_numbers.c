/* SPDX-License-Identifier: Apache-2.0
 *
 * api_numbers.c - sources, conditions and weights as numbers, for `ansatz check`.
 */
#include "ansatz_tools.h"
#include "system/system.h"

double ans_instance_source(const ans_instance *instance, size_t term, const double *point) {
  if (term >= (size_t)instance->term_count) return 0;
  const expression *source = instance->terms[term].term->source;
  return source ? expression_value(source, instance->values, point, 0) : 1;
}

ans_condition ans_problem_condition(const ans_problem *problem, size_t condition) {
  if (condition >= (size_t)problem->condition_count) return (ans_condition){0};
  const system_condition *c = &problem->conditions[condition];
  ans_condition result = {
      (size_t)c->field, (size_t)c->coordinate, c->at, {0}, c->kind == CONDITION_INITIAL, c->hard, c->remark,
      c->unknown};
  for (int i = 0; i < SYSTEM_MAX_COORDINATES; i++) result.order[i] = c->order[i];
  return result;
}

double ans_instance_condition_value(const ans_instance *instance, size_t condition, const double *point) {
  if (condition >= (size_t)instance->problem->condition_count) return 0;
  return expression_value(instance->problem->conditions[condition].value, instance->values, point, 0);
}

double ans_problem_equation_weight(const ans_problem *problem, size_t equation) {
  return equation < (size_t)problem->equation_count ? problem->equations[equation].weight : 0;
}

long ans_problem_adapt_evaluate(const ans_problem *problem) { return problem->protocol.adapt.evaluate_every; }
