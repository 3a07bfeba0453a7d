/* SPDX-License-Identifier: Apache-2.0
 *
 * hypernetwork.c - a plan, a tape, and the numbers that pass between them and the caller.
 */
#include "codes/codes.h"

#include <assert.h>
#include <string.h>

#include "codes/conditions.h"
#include "codes/plan.h"
#include "codes/record.h"
#include "numeric/initial.h"
#include "numeric/tape.h"

struct hypernetwork {
  hypernetwork_plan plan;
  double *points; /* conditional decoder: condition points; else NULL */
  tape tape;
  recording recording;
};

static ans_status fill_hypernetwork(ans_context *context, const ans_problem *problem, code_shape shape,
                                    descriptor_kind kind, int rounds, hypernetwork *h) {
  TRY(hypernetwork_plan_make(context, problem, shape, kind, rounds, &h->plan));
  if (h->plan.form != FORM_DICTIONARY) return ANS_OK;
  size_t columns = (size_t)h->plan.layers[h->plan.points.first].inputs;
  h->points = memory_take(size_product(columns, PLAN_CONDITION_POINTS * sizeof *h->points));
  if (!h->points) return context_no_memory(context);
  return condition_points(context, problem, h->points);
}

ans_status hypernetwork_new(ans_context *context, const ans_problem *problem, code_shape shape, descriptor_kind kind,
                            int rounds, hypernetwork **result) {
  *result = NULL;
  hypernetwork *h = memory_take(sizeof *h);
  if (!h) return context_no_memory(context);
  ans_status status = fill_hypernetwork(context, problem, shape, kind, rounds, h);
  if (status == ANS_OK)
    *result = h;
  else
    hypernetwork_free(h);
  return status;
}

void hypernetwork_free(hypernetwork *h) {
  if (!h) return;
  tape_drop(&h->tape);
  memory_give(h->points);
  memory_give(h);
}

size_t hypernetwork_size(const hypernetwork *h) { return h->plan.size; }

const unknown_part *hypernetwork_parts(const hypernetwork *h, int *count) {
  *count = h->plan.part_count;
  return h->plan.parts;
}

void hypernetwork_initialise(const hypernetwork *h, uint64_t seed, real *parameters) {
  const hypernetwork_plan *plan = &h->plan;
  for (int p = 0, l = 0; p < plan->part_count; l++) {
    const plan_layer *layer = &plan->layers[l];
    initial_linear(&plan->parts[p++], layer->inputs, seed, RANDOM_HYPERNETWORK, parameters);
    if (layer->bias != PLAN_NO_BIAS)
      initial_linear(&plan->parts[p++], layer->inputs, seed, RANDOM_HYPERNETWORK, parameters);
  }
}

static ans_status check_descriptor(ans_context *context, const hypernetwork_plan *plan, const descriptor *descriptor) {
  FAIL_IF(!descriptor || descriptor->kind != plan->kind || descriptor->columns != plan->columns || descriptor->rows < 1,
          context, ANS_ARGUMENT, "the descriptor does not belong to this hypernetwork");
  FAIL_IF(plan->form == FORM_GRAPH && descriptor->fields != plan->shape.fields, context, ANS_ARGUMENT,
          "the graph has %d fields and the network %d", descriptor->fields, plan->shape.fields);
  return ANS_OK;
}

ans_status hypernetwork_forward(ans_context *context, hypernetwork *h, const descriptor *descriptor,
                                const real *parameters, real *codes) {
  size_t count = code_count(h->plan.shape);
  if (h->plan.form == FORM_NONE) {
    for (size_t i = 0; i < count; i++) codes[i] = 1;
    return ANS_OK;
  }
  TRY(check_descriptor(context, &h->plan, descriptor));
  h->recording = record_program(&h->plan, descriptor, &h->tape);
  TRY(tape_prepare(context, &h->tape));
  record_fill(&h->plan, descriptor, h->points, &h->recording, &h->tape);
  tape_run(&h->tape, parameters);
  memcpy(codes, tape_value(&h->tape, h->recording.result), count * sizeof *codes);
  return ANS_OK;
}

void hypernetwork_backward(hypernetwork *h, const real *parameters, const real *code_gradient,
                           real *parameter_gradient) {
  if (h->plan.form == FORM_NONE) return;
  tape_reverse(&h->tape, h->recording.result, code_gradient, parameters, parameter_gradient);
}
