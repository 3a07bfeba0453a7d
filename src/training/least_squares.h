/* SPDX-License-Identifier: Apache-2.0
 *
 * least_squares.h - one equation's rows at fixed points: a set that is trained on and can grow, and a second one that
 * only judges. What an adaptation offers to a second-order method.
 */
#ifndef TRAINING_LEAST_SQUARES_H
#define TRAINING_LEAST_SQUARES_H

#include "field/backbone.h"
#include "residual/jacobian.h"
#include "residual/residual.h"

#define least_squares_plan   REAL_NAME(least_squares_plan)
#define least_squares        REAL_NAME(least_squares)
#define least_squares_new    REAL_NAME(least_squares_new)
#define least_squares_free   REAL_NAME(least_squares_free)
#define least_squares_grow   REAL_NAME(least_squares_grow)
#define least_squares_shrink REAL_NAME(least_squares_shrink)

typedef struct least_squares {
  residual *trained, *judged;
  jacobian *jacobian;
  int points, most;                         /* interior points that are trained on: now, and at most */
  int judging, least_judging, most_judging; /* those that judge: never fewer than half of them */
} least_squares;

typedef struct least_squares_plan {
  residual_subset subset;
  int most, judged; /* interior points: trained on at most, and those that judge */
  int threads;
  double time_weight; /* see residual.h */
  bool smooth, moving, scaled;
} least_squares_plan;

ans_status least_squares_new(ans_context *context, const ans_instance *instance, const backbone *dense,
                             const least_squares_plan *plan, least_squares *result);
void least_squares_free(least_squares *squares);

/* At least so many points (at most `most`); those there are stay. Half of them judge where fewer did: then what was
 * judged before is another number. */
void least_squares_grow(least_squares *squares, int points);

/* Back to the one point of the beginning. */
void least_squares_shrink(least_squares *squares);

#endif
