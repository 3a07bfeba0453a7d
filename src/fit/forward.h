/* SPDX-License-Identifier: Apache-2.0
 *
 * forward.h - what predicts the measured values from the unknown numbers. There are three: a trained model's guess, a
 * network that is adapted to the physics (and its error taken away), and the classical reference. One search (search.h)
 * serves them all.
 */
#ifndef FIT_FORWARD_H
#define FIT_FORWARD_H

#include "base/base.h"
#include "fit/measurements.h"
#include "fit/sought.h"

typedef struct forward {
  void *object;

  /* values: [measured values] at z. ANS_DIVERGED and ANS_TOLERANCE: there is no answer at this z. */
  ans_status (*predict)(ans_context *context, void *object, const double *z, double *values);

  /* The last prediction was better than all before: further ones start there. NULL: nothing to do. */
  void (*accept)(void *object);

  /* slopes: [unknowns][measured values], at the accepted z, whose values are given. NULL: by differences. */
  ans_status (*differentiate)(ans_context *context, void *object, const double *z, const double *values,
                              double *slopes);
  double distance; /* of two predictions whose difference is a slope, in z */
} forward;

/* values [measured values] <- those of all_values: [points][fields] */
void forward_pick(const measurements *data, const double *all_values, double *values);

#endif
