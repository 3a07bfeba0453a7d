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

  /* slopes: [unknowns][measured values], at the accepted z, whose values are given. */
  ans_status (*differentiate)(ans_context *context, void *object, const double *z, const double *values,
                              double *slopes);
} forward;

/* By one difference per unknown, towards the middle of its range. For a `differentiate`. */
ans_status forward_difference(ans_context *context, const forward *forward, int unknowns, size_t value_count,
                              double distance, const double *z, const double *values, double *slopes);

/* values [measured values] <- those of all_values: [points][fields] */
void forward_pick(const measurements *data, const double *all_values, double *values);

#endif
