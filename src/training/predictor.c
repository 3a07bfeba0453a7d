/* SPDX-License-Identifier: Apache-2.0 */
#include "training/predictor.h"

#include "numeric/blas.h"
#include "training/architecture.h"

struct predictor {
  architecture *architecture;
  descriptor_kind kind;
  arena *arena;     /* of the present descriptor */
  real *parameters; /* of the hypernetwork */
  real *codes;
};

static ans_status fill(ans_context *context, const ans_problem *problem, int rounds, const double *parameters,
                       predictor *p) {
  TRY(architecture_new(context, problem, p->kind, rounds, &p->architecture));
  TRY(arena_new(context, &p->arena));
  size_t backbone = p->architecture->backbone.size, count = p->architecture->size - backbone;
  p->parameters = memory_take(size_product(count + 1, sizeof *p->parameters));
  p->codes = memory_take(size_product(code_count(p->architecture->backbone.codes), sizeof *p->codes));
  if (!p->parameters || !p->codes) return context_no_memory(context);
  for (size_t i = 0; i < count; i++) p->parameters[i] = (real)parameters[backbone + i];
  return ANS_OK;
}

ans_status predictor_new(ans_context *context, const ans_problem *problem, descriptor_kind kind, int rounds,
                         const double *parameters, predictor **result) {
  *result = NULL;
  predictor *made = blas_ready() ? memory_take(sizeof *made) : NULL;
  if (!made) return context_no_memory(context);
  made->kind = kind;
  ans_status status = fill(context, problem, rounds, parameters, made);
  if (status == ANS_OK)
    *result = made;
  else
    predictor_free(made);
  return status;
}

void predictor_free(predictor *p) {
  if (!p) return;
  architecture_free(p->architecture);
  arena_free(p->arena);
  memory_give(p->parameters);
  memory_give(p->codes);
  memory_give(p);
}

ans_status predictor_run(ans_context *context, predictor *p, const ans_instance *instance, double *codes) {
  descriptor *descriptor;
  arena_clear(p->arena);
  TRY(descriptor_build_in(context, p->arena, instance, p->kind, &descriptor));
  TRY(hypernetwork_forward(context, p->architecture->hypernetwork, descriptor, p->parameters, p->codes));
  for (size_t i = 0; i < code_count(p->architecture->backbone.codes); i++) codes[i] = (double)p->codes[i];
  return ANS_OK;
}
