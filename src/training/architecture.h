/* SPDX-License-Identifier: Apache-2.0
 *
 * architecture.h - backbone and hypernetwork of a problem, as one parameter block: backbone, then hypernetwork.
 */
#ifndef TRAINING_ARCHITECTURE_H
#define TRAINING_ARCHITECTURE_H

#include "codes/codes.h"
#include "field/backbone.h"
#include "training/engine.h"

typedef struct architecture {
  backbone backbone;
  hypernetwork *hypernetwork; /* NULL when there is nothing to condition on (DESCRIPTOR_NONE) */
  size_t size;
} architecture;

#define architecture_new        REAL_NAME(architecture_new)
#define architecture_free       REAL_NAME(architecture_free)
#define architecture_initialise REAL_NAME(architecture_initialise)
#define architecture_describe   REAL_NAME(architecture_describe)
#define architecture_unknowns   REAL_NAME(architecture_unknowns)

ans_status architecture_new(ans_context *context, const ans_problem *problem, descriptor_kind kind, int rounds,
                            architecture **result);
void architecture_free(architecture *architecture);
void architecture_initialise(const architecture *architecture, uint64_t seed, real *parameters);

/* The table of its unknowns, in the arena; and the same for an architecture that is only described. */
ans_status architecture_describe(ans_context *context, arena *arena, const architecture *architecture,
                                 unknown_table *result);
ans_status architecture_unknowns(ans_context *context, arena *arena, const ans_problem *problem, descriptor_kind kind,
                                 int rounds, unknown_table *result);

#endif
