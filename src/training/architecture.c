/* SPDX-License-Identifier: Apache-2.0 */
#include "training/architecture.h"

#include <assert.h>

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

/* ---- The table of unknowns --------------------------------------------------------------------------- */

ans_status architecture_describe(ans_context *context, arena *arena, const architecture *architecture,
                                 unknown_table *result) {
  const backbone *backbone = &architecture->backbone;
  int hyper_count = 0;
  const unknown_part *hyper_parts =
      architecture->hypernetwork ? hypernetwork_parts(architecture->hypernetwork, &hyper_count) : NULL;
  *result = (unknown_table){.limit = backbone->part_count + hyper_count};
  result->parts = arena_array(arena, unknown_part, (size_t)result->limit);
  if (!result->parts) return context_no_memory(context);
  unknown_append(result, "backbone.", backbone->parts, backbone->part_count);
  unknown_append(result, "hypernetwork.", hyper_parts, hyper_count);
  assert(result->size == architecture->size);
  return ANS_OK;
}

ans_status architecture_unknowns(ans_context *context, arena *arena, const ans_problem *problem, descriptor_kind kind,
                                 int rounds, unknown_table *result) {
  architecture *architecture;
  TRY(architecture_new(context, problem, kind, rounds, &architecture));
  ans_status status = architecture_describe(context, arena, architecture, result);
  architecture_free(architecture);
  return status;
}
