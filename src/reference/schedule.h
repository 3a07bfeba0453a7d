/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule.h - where in time an instance asks for care, found before the integration begins.
 *
 * An integrator that sees only its own steps walks over what happens between them. So every source, coefficient and
 * boundary value that depends on time is looked at beforehand:
 *   edges      the times at which an inside(...) of time alone switches; the integration ends there and begins anew
 *   variation  bounds of the functions over intervals of time, halved until they vary by no more than a quarter of
 *              their size; where that makes an interval shorter than the largest step, its length bounds the step
 */
#ifndef REFERENCE_SCHEDULE_H
#define REFERENCE_SCHEDULE_H

#include "base/base.h"
#include "system/system.h"

/* From the end of the one before. */
typedef struct schedule_stretch {
  double end, max_step;
  bool jump; /* something switches at its end */
} schedule_stretch;

typedef struct schedule {
  arena *arena;
  double begin, end;
  bool moving; /* something depends on time */
  int count;
  schedule_stretch *stretches; /* the last one ends at `end` */
  int cell_count;              /* of the intervals on which the functions hardly vary: 0 when nothing moves */
  double *cells;               /* [cell_count + 1], increasing */
} schedule;

/* max_step: the largest step where nothing asks for a smaller one. ANS_TOLERANCE: too many edges. */
ans_status schedule_new(ans_context *context, const ans_instance *instance, double max_step, schedule **result);
void schedule_free(schedule *schedule); /* accepts NULL */

/* The times between the edges around t, a little inside of them: evaluating a function at min(max(t, low), high) never
 * sees the other side of an edge. An edge belongs to the stretch that it ends. */
void schedule_window(const schedule *schedule, double t, double *low, double *high);

#endif
