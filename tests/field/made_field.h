/* SPDX-License-Identifier: Apache-2.0
 *
 * made_field.h - a problem's text with a network of random parameters on it, in its first structure at the middle of
 * every range.
 */
#ifndef TESTS_MADE_FIELD_H
#define TESTS_MADE_FIELD_H

#include "check.h"

#include "field/backbone.h"
#include "field/evaluate.h"

typedef struct made_field {
  ans_context *context;
  ans_problem *problem;
  ans_instance *instance;
  field_chart chart;
  backbone backbone;
  real *formed;
} made_field;

static inline real *take_reals(size_t count) { return memory_take((count + 1) * sizeof(real)); }

static inline made_field open_field(const char *text) {
  made_field it = {.context = new_context(), .chart = chart_plain()};
  double values[SYSTEM_MAX_SYMBOLS];
  assert_ok(it.context, system_parse(it.context, "made", NULL, text, strlen(text), &it.problem));
  for (int i = 0; i < it.problem->symbol_count; i++) values[i] = system_symbol_middle(&it.problem->symbols[i]);
  assert_ok(it.context, system_instance(it.context, it.problem, 0, values, false, &it.instance));
  assert_ok(it.context, backbone_plan(it.context, it.problem, BACKBONE_FACTORIZED, &it.backbone));
  real *parameters = take_reals(it.backbone.size), *codes = take_reals(code_count(it.backbone.codes)),
       *workspace = take_reals(backbone_workspace(&it.backbone));
  it.formed = take_reals(network_size(&it.backbone.shape));
  backbone_initialise(&it.backbone, 3, parameters);
  for (size_t i = 0; i < code_count(it.backbone.codes); i++) codes[i] = 1;
  backbone_form(&it.backbone, parameters, codes, workspace, it.formed);
  memory_give(parameters), memory_give(codes), memory_give(workspace);
  return it;
}

static inline void close_field(made_field *it) {
  memory_give(it->formed);
  system_instance_free(it->instance);
  system_free(it->problem);
  ans_context_free(it->context);
}

/* All fields, or one derivative of them, at one point. */
static inline void field_at(const made_field *it, const double *point, const uint8_t *order, double *values) {
  assert_ok(it->context, field_evaluate(it->context, it->instance, &it->chart, &it->backbone.shape, it->formed, point,
                                        1, order, 1, values));
}

#endif
