/* SPDX-License-Identifier: Apache-2.0
 *
 * effort.h - what the attempts at one equation may cost together.
 *
 * A bound by the clock makes answers depend on what else the machine does. Where nobody asked for a tolerance, attempts
 * are therefore paced by their work, counted in operations: seconds of a nominal machine that does EFFORT_RATE of them.
 * The same text then has the same attempts on every machine that is at least as fast; on a slower one the clock ends
 * them. With a tolerance the clock alone counts, so that no second that was granted is left unused.
 */
#ifndef TRAINING_EFFORT_H
#define TRAINING_EFFORT_H

#include "training/run.h"

/* Operations of a nominal second: about what two cores with AVX2 do. */
#define EFFORT_RATE 5e10

typedef struct effort {
  double seconds; /* allowed */
  double begun;   /* on the clock */
  double work;    /* done */
  bool by_work;
} effort;

/* An effort of which so many seconds and so much work are spent already. */
effort effort_begin(double seconds, bool by_work, double already, double work);

/* In seconds, nominal or of the clock; what is left is never more than the clock leaves. */
double effort_spent(const effort *effort);
double effort_left(const effort *effort);

/* Bounds a run to this share of what is left. */
void effort_bound(const effort *effort, double share, run_rules *rules);

#endif
