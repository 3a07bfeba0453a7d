/* SPDX-License-Identifier: Apache-2.0
 *
 * run.h - steps of an optimiser that survive a bad one.
 *
 * Policy alone: meta-training and adaptation differ in their objective, Adam and others in how they step. Every
 * KEEP_EVERY steps the optimiser keeps its state in memory. A loss or gradient that is not finite, or a loss that
 * exploded since then, rolls back to the kept state and softens the optimiser (Adam halves its rate); after RETRIES
 * rollbacks the run gives up with ANS_DIVERGED.
 */
#ifndef TRAINING_RUN_H
#define TRAINING_RUN_H

#include "training/optimiser.h"

enum { RUN_KEEP_EVERY = 100, RUN_RETRIES = 8 };

typedef struct run {
  optimiser *optimiser;
  const char *what; /* "training", "adaptation": for messages */
  long step, kept_step;
  int rollbacks;
  long cleared;   /* large losses up to this step were looked at and found to be those of their draws */
  long first;     /* the step before the first recorded loss */
  double *losses; /* [step - first]: loss of each step so far */
  long room;
} run;

/* The other members are set by the caller. */
ans_status run_begin(ans_context *context, run *run, long expected_steps);
void run_end(run *run);

/* One step forward, or a rollback to the kept one. What happens depends on the steps alone, never on when a checkpoint
 * was written. After ANS_DIVERGED the parameters are the last good ones. */
ans_status run_step(ans_context *context, run *run);

/* Continues at `step` with these losses, from `now`; a bad step rolls back to `kept`. */
ans_status run_resume(ans_context *context, run *run, long step, const double *losses, const optimiser_state *now,
                      long kept_step, const optimiser_state *kept);

double run_loss(const run *run); /* of the last step; NaN before the first */

#endif
