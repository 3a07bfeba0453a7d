/* SPDX-License-Identifier: Apache-2.0
 *
 * run.h - steps of an optimiser that survive a bad one, until a rule ends them.
 *
 * Policy alone: meta-training and adaptation differ in their objective, Adam and others in how they step. Every
 * KEEP_EVERY steps the optimiser keeps its state in memory. A loss or gradient that is not finite, or a loss that
 * exploded since then, rolls back to the kept state and softens the optimiser (Adam halves its rate); after RETRIES
 * rollbacks the run gives up with ANS_DIVERGED.
 */
#ifndef TRAINING_RUN_H
#define TRAINING_RUN_H

#include "training/optimiser.h"

enum { RUN_KEEP_EVERY = 100, RUN_RETRIES = 8, RUN_JUDGE_EVERY = 100 };

typedef struct run {
  optimiser *optimiser;
  const char *what; /* "training", "adaptation": for messages */
  long step, kept_step;
  int rollbacks;
  long cleared;   /* large losses up to this step were looked at and found to be those of their draws */
  long first;     /* the step before the first recorded loss */
  double *losses; /* [step - first]: loss of each step so far */
  long room;
  double seconds; /* spent in steps, on the monotonic clock; watchers do not count */
  double work;    /* of the optimiser, in all steps */

  /* Patience: so many checks in a row, one every RUN_JUDGE_EVERY steps, may pass without an improvement of one per cent
   * over the least loss. 0: no such rule. */
  int patience, waited;
  double (*judge)(objective *objective); /* the loss at points never trained on */
  double least;

  /* Asked before the first step and after every step forward; what it sets in *end, if not ANS_END_NONE, ends the run
   * for ever. NULL: none. */
  ans_status (*verify)(ans_context *context, void *owner, ans_end *end);
  void *verify_owner;
  bool verified;
  ans_end verdict;

  ans_end ended; /* why the last run_until ended; patience and exhaustion hold for ever */
} run;

/* When run_until ends, and who looks on. */
typedef struct run_rules {
  long goal;                                   /* the step to reach */
  double seconds;                              /* of steps, from now on; 0: no bound */
  double work;                                 /* the same, of operations */
  const volatile int *interrupt;               /* ends the run when it is not zero; NULL: none */
  long every;                                  /* steps between two calls of `watch`; 0: never */
  ans_watcher watch;                           /* false ends the run; NULL: none */
  void *user_data;                             /* of watch */
  ans_progress (*progress)(const void *owner); /* what watch is given */
  const void *owner;
} run_rules;

/* The other members are set by the caller. */
ans_status run_begin(ans_context *context, run *run, long expected_steps);
void run_end(run *run);

/* As before run_begin and before the caller set anything, with the memory kept. */
void run_forget(run *run);

/* One step forward, or a rollback to the kept one. What happens depends on the steps alone, never on when a checkpoint
 * was written. After ANS_DIVERGED the parameters are the last good ones. */
ans_status run_step(ans_context *context, run *run);

/* A caller's rules up to the step `goal`; `progress` of `owner` is what the watcher sees. */
run_rules run_rules_of(const ans_run_rules *rules, long goal, ans_watcher watcher, void *user_data,
                       ans_progress (*progress)(const void *owner), const void *owner);

/* Steps until a rule ends them, which run->ended names. How the steps are divided among calls changes no bit. */
ans_status run_until(ans_context *context, run *run, const run_rules *rules);

/* Continues at `step` with these losses, from `now`; a bad step rolls back to `kept`. */
ans_status run_resume(ans_context *context, run *run, long step, const double *losses, const optimiser_state *now,
                      long kept_step, const optimiser_state *kept);

double run_loss(const run *run); /* of the last step; NaN before the first */

#endif
