/* SPDX-License-Identifier: Apache-2.0
 *
 * solver.h - inside training/: what a solver consists of. solver.c adapts, saves and loads it; follow.c sends it to
 * other members of its family.
 */
#ifndef TRAINING_SOLVER_H
#define TRAINING_SOLVER_H

#include "training/goal.h"
#include "training/method.h"
#include "training/model.h"
#include "training/run.h"
#include "training/training.h"

struct ans_solver {
  ans_problem *problem; /* shared */
  ans_instance *instance;
  arena *arena;
  unknown_table unknowns; /* codes, then backbone */
  bool decoder;
  bool guessing; /* the fields are still the model's guess, at rest: the first step will move their frames */
  method_choice choice;
  uint64_t seed;
  int threads, bits;    /* bits: to end with */
  const engine *engine; /* the present one */
  objective *adaptation;
  optimiser *optimiser;
  run run;
  goal goal;
};

/* codes <- the model's guess for the present member; *rests: as it is at rest, though its frame would move. */
ans_status solver_codes(ans_context *context, const ans_solver *solver, const ans_model *model, double *codes,
                        bool *rests);

/* numbers <- what the model has of the table's parts, by name. */
void solver_copy_shared(const unknown_table *to, double *numbers, const ans_model *model);

#endif
