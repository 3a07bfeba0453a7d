/* SPDX-License-Identifier: Apache-2.0
 *
 * ladder.h - attempts at one equation, from the cheap one up, until the estimate says that it is solved.
 *
 * The first attempt is one network as the defaults make it. When its estimated error is above the goal, or cannot be
 * trusted, the next rungs change what the estimate finds lacking: windows of time, whose lengths follow from the
 * estimate of each as the steps of an integrator follow from theirs; a narrow network with every weight adapted, or a
 * finer one; another start. The best attempt by estimate is kept. No rung sees a reference.
 */
#ifndef TRAINING_LADDER_H
#define TRAINING_LADDER_H

#include "training/effort.h"
#include "training/windows.h"

enum { LADDER_RUNGS = 6 };

/* Without a tolerance: aim at this error of every field, within so many seconds. */
#define LADDER_GOAL    1e-3
#define LADDER_SECONDS 60.0

typedef struct ladder_rung {
  char what[64];
  bool finished; /* reached the end of time before the seconds were over */
  bool trusted;
  bool narrow;    /* one narrow network for the whole */
  double error;   /* estimated, of the worst field; infinite: none */
  double seconds; /* spent, on the clock */
  double effort;  /* the same in the units of effort.h */
  int windows;
  long steps;
} ladder_rung;

typedef struct ladder {
  const ans_instance *instance;
  ans_solver_options options;
  double goal, seconds; /* error to reach; time that all rungs together may take */
  bool by_work;         /* see effort.h */
  run_rules rules;      /* of the watcher and the interrupt */
  windows *best;        /* owned by the caller, who gives the first attempt */
  int most;             /* rungs; 0: all */
  int rung_count, kept;
  ladder_rung rungs[LADDER_RUNGS];
} ladder;

/* The first attempt, which is ladder->best, has been run, in `already` seconds and with so much work: judge it, and
 * climb on while that helps. *end: why it ended (ANS_END_TOLERANCE: at the goal), left alone when it ended by itself.
 */
ans_status ladder_climb(ans_context *context, ladder *ladder, double already, double work, ans_end *end);

#endif
