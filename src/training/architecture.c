/* SPDX-License-Identifier: Apache-2.0 */
#include "training/architecture.h"

#include <stdio.h>

#include "numeric/blas.h"

ans_status architecture_new(ans_context *context, const ans_problem *problem, descriptor_kind kind, int rounds,
                            architecture **result) {
  *result = NULL;
  architecture *made = memory_take(sizeof *made);
  if (!made) return context_no_memory(context);
  backbone_kind network = kind == DESCRIPTOR_DICTIONARY ? BACKBONE_DECODER : BACKBONE_FACTORIZED;
  ans_status status = backbone_plan(context, problem, network, &made->backbone);
  if (status == ANS_OK && kind != DESCRIPTOR_NONE)
    status = hypernetwork_new(context, problem, made->backbone.codes, kind, rounds, &made->hypernetwork);
  if (status != ANS_OK) {
    architecture_free(made);
    return status;
  }
  made->size = made->backbone.size + (made->hypernetwork ? hypernetwork_size(made->hypernetwork) : 0);
  *result = made;
  return ANS_OK;
}

void architecture_free(architecture *architecture) {
  if (!architecture) return;
  hypernetwork_free(architecture->hypernetwork);
  memory_give(architecture);
}

void architecture_initialise(const architecture *architecture, uint64_t seed, real *parameters) {
  backbone_initialise(&architecture->backbone, seed, parameters);
  if (architecture->hypernetwork)
    hypernetwork_initialise(architecture->hypernetwork, seed, parameters + architecture->backbone.size);
}

/* ---- The table of parts ------------------------------------------------------------------------------ */

static void add_parts(model_plan *plan, const char *owner, const parameter_part *parts, int count, size_t offset) {
  for (int i = 0; i < count; i++) {
    model_part *part = &plan->parts[plan->part_count++];
    *part = (model_part){.offset = offset + parts[i].offset, .rows = parts[i].rows, .columns = parts[i].columns};
    snprintf(part->name, sizeof part->name, "%s.%.40s", owner, parts[i].name);
  }
}

ans_status architecture_plan(ans_context *context, arena *arena, const ans_problem *problem, descriptor_kind kind,
                             int rounds, model_plan *result) {
  architecture *architecture;
  TRY(architecture_new(context, problem, kind, rounds, &architecture));
  const backbone *backbone = &architecture->backbone;
  int hyper_count = 0;
  const parameter_part *hyper_parts =
      architecture->hypernetwork ? hypernetwork_parts(architecture->hypernetwork, &hyper_count) : NULL;
  *result = (model_plan){.size = architecture->size,
                         .backbone_size = backbone->size,
                         .code_count = code_count(backbone->codes),
                         .code_fields = backbone->codes.fields,
                         .code_layers = backbone->codes.layers,
                         .code_width = backbone->codes.width,
                         .backbone_part_count = backbone->part_count};
  result->parts = arena_array(arena, model_part, (size_t)(backbone->part_count + hyper_count));
  if (result->parts) {
    add_parts(result, "backbone", backbone->parts, backbone->part_count, 0);
    add_parts(result, "hypernetwork", hyper_parts, hyper_count, backbone->size);
  }
  architecture_free(architecture);
  return result->parts ? ANS_OK : context_no_memory(context);
}

/* ---- Codes of one equation --------------------------------------------------------------------------- */

static ans_status forward(ans_context *context, const architecture *architecture, const descriptor *descriptor,
                          const double *parameters, real *narrowed, real *codes, double *result) {
  size_t count = architecture->size - architecture->backbone.size;
  for (size_t i = 0; i < count; i++) narrowed[i] = (real)parameters[architecture->backbone.size + i];
  TRY(hypernetwork_forward(context, architecture->hypernetwork, descriptor, narrowed, codes));
  for (size_t i = 0; i < code_count(architecture->backbone.codes); i++) result[i] = (double)codes[i];
  return ANS_OK;
}

ans_status architecture_predict(ans_context *context, const ans_instance *instance, descriptor_kind kind, int rounds,
                                const double *parameters, double *codes) {
  architecture *architecture;
  if (!blas_ready()) return context_no_memory(context);
  TRY(architecture_new(context, instance->problem, kind, rounds, &architecture));
  descriptor *descriptor = NULL;
  ans_status status = descriptor_build(context, instance, kind, &descriptor);
  if (status == ANS_OK) {
    real *narrowed = memory_take(size_product(architecture->size, sizeof *narrowed));
    real *predicted = memory_take(size_product(code_count(architecture->backbone.codes), sizeof *predicted));
    status = narrowed && predicted ? forward(context, architecture, descriptor, parameters, narrowed, predicted, codes)
                                   : context_no_memory(context);
    memory_give(predicted);
    memory_give(narrowed);
  }
  descriptor_free(descriptor);
  architecture_free(architecture);
  return status;
}
