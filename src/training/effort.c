/* SPDX-License-Identifier: Apache-2.0 */
#include "training/effort.h"

#include <math.h>

#include "base/clock.h"

/* A run that may take no time at all takes a step. */
static const double LEAST = 1e-3;

effort effort_begin(double seconds, bool by_work, double already, double work) {
  return (effort){.seconds = seconds, .begun = clock_seconds() - already, .work = work, .by_work = by_work};
}

static double on_the_clock(const effort *effort) { return clock_seconds() - effort->begun; }

double effort_spent(const effort *effort) {
  return effort->by_work ? effort->work / EFFORT_RATE : on_the_clock(effort);
}

double effort_left(const effort *effort) { return effort->seconds - fmax(effort_spent(effort), on_the_clock(effort)); }

void effort_bound(const effort *effort, double share, run_rules *rules) {
  double left = effort->seconds - effort_spent(effort);
  rules->seconds = fmax(effort->by_work ? effort->seconds - on_the_clock(effort) : share * left, LEAST);
  rules->work = effort->by_work ? fmax(share * left, LEAST) * EFFORT_RATE : 0;
}
