/* SPDX-License-Identifier: Apache-2.0
 *
 * goal.h - adapt until the estimated error of every field is below a tolerance.
 *
 * A real estimate (estimate/) costs as much as a few steps. Between estimates a guide is enough: the error goes about
 * with the root of the held-out loss L, so the last estimate E at L0 predicts E sqrt(L/L0). A real estimate is made
 * when the prediction comes near the tolerance, and else when the steps have grown by half since the last one. When
 * depends on the steps alone, not on the clock, so a run ends at the same step on every machine.
 */
#ifndef TRAINING_GOAL_H
#define TRAINING_GOAL_H

#include "estimate/estimate.h"

typedef struct goal {
  double tolerance; /* of every field's error; 0: none */
  long stride;      /* steps between looks at the guide */
  bool begun;
  long at;                /* step of the last estimate */
  double error, residual; /* largest field's error then; held-out loss then */
  double least;           /* error of the best estimate so far */
  long least_at;
  double *kept;   /* [unknowns] of the best estimate */
  double seconds; /* spent in estimates */
} goal;

typedef enum goal_verdict {
  GOAL_GOES_ON,
  GOAL_MET,
  GOAL_STALLED /* no estimate was a tenth better while the steps grew by two thirds */
} goal_verdict;

/* Whether a real estimate is due at this step, given the held-out loss. */
bool goal_due(const goal *goal, long step, double residual);

/* Takes a real estimate into account; *best: it is the best so far. ANS_UNSUPPORTED when the first one is not
 * available: a tolerance could never be met. */
ans_status goal_judge(ans_context *context, goal *goal, long step, double residual, const estimate_summary *summary,
                      bool *best, goal_verdict *verdict);

/* ANS_ARGUMENT with the reason when numbers of so many bits cannot meet it. */
ans_status goal_check(ans_context *context, double tolerance, int bits);

/* Below this, single precision is not enough. */
#define GOAL_SINGLE 5e-6

#endif
