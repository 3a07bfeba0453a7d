/* SPDX-License-Identifier: Apache-2.0
 *
 * solver.h - inside training/: what a solver consists of. solver.c adapts, saves and loads it; follow.c sends it to
 * other members of its family.
 */
#ifndef TRAINING_SOLVER_H
#define TRAINING_SOLVER_H

#include "training/ladder.h"
#include "training/training.h"

struct ans_solver {
  ans_problem *problem; /* shared */
  ans_instance *instance;
  ans_solver_options options;
  bool scratch;    /* begun without a model or a file */
  windows windows; /* of the best attempt */
  ladder ladder;   /* of the last run that climbed */
  bool climbed;
  double seconds; /* of rungs beyond the first */
  ans_end end;    /* of the climb; ANS_END_NONE: the piece's own */
};

static inline piece *solver_first_piece(const ans_solver *solver) { return solver->windows.list[0].piece; }

#endif
