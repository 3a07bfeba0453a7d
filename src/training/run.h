/* SPDX-License-Identifier: Apache-2.0
 *
 * run.h - steps of gradient descent that survive a bad one.
 *
 * Meta-training and adaptation differ in their gradient only. Every KEEP_EVERY steps the parameters and moments
 * are kept in memory. A loss or gradient that is not finite, or a loss that exploded since then, returns to what was
 * kept and halves the rate; after RETRIES such returns the run gives up with ANS_DIVERGED.
 */
#ifndef TRAINING_RUN_H
#define TRAINING_RUN_H

#include "training/precision.h"

enum { RUN_KEEP_EVERY = 100, RUN_RETRIES = 8 };

typedef ans_status run_gradient(ans_context *context, void *object, long step, double *loss, const char **worst);

typedef struct run {
  const precision_table *table;
  run_gradient *gradient;
  void *object; /* the gradient's */
  descent *descent;
  double rate, clip; /* rate: the present one */
  const char *what;  /* "training", "adaptation": for messages */
  long step, kept_step;
  int returns;    /* times the run went back */
  long cleared;   /* large losses up to this step were looked at and found to be those of their draws */
  double norm;    /* of the last gradient, before clipping */
  long first;     /* the step before the first recorded loss */
  double *losses; /* [step - first]: loss of each step so far */
  long room;
} run;

/* The other members are set by the caller. */
ans_status run_begin(ans_context *context, run *run, long expected_steps);
void run_end(run *run);

/* One step forward, or back to the kept one. What happens depends on the steps alone, never on when a checkpoint was
 * written. After ANS_DIVERGED the parameters are the last good ones. */
ans_status run_step(ans_context *context, run *run);

/* Continues at `step` with these losses, from `now`; a bad step returns to `kept`. */
ans_status run_resume(ans_context *context, run *run, long step, const double *losses, const descent_state *now,
                      long kept_step, const descent_state *kept);

double run_loss(const run *run); /* of the last step; NaN before the first */

#endif
