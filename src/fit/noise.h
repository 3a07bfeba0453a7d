/* SPDX-License-Identifier: Apache-2.0
 *
 * noise.h - the standard deviation of every measured value: given with it, given for its field, or estimated.
 *
 * An estimate is of a whole field: the root mean square of what the fit leaves, with as many degrees of freedom taken
 * away as the field's share of the unknowns.
 */
#ifndef FIT_NOISE_H
#define FIT_NOISE_H

#include "fit/measurements.h"

typedef struct noise {
  const measurements *data;
  double field[SYSTEM_MAX_FIELDS];                           /* of values without a sigma of their own */
  bool estimated[SYSTEM_MAX_FIELDS];                         /* else given, or not needed */
  double mean[SYSTEM_MAX_FIELDS], spread[SYSTEM_MAX_FIELDS]; /* of the measured values: mean and standard deviation */
} noise;

/* given: [fields], NaN where nothing is known; NULL: nowhere. */
noise noise_begin(const measurements *data, const double *given);

/* Estimates anew from what is left at these predictions: [values]. */
void noise_update(noise *noise, const double *predicted, double unknowns);

static inline double noise_of(const noise *noise, size_t i) {
  const measured_value *v = &noise->data->values[i];
  return v->sigma > 0 ? v->sigma : noise->field[v->field];
}

bool noise_is_estimated(const noise *noise); /* of any field */

/* The sum of squares of (measured - predicted) / sigma. */
double noise_chi2(const noise *noise, const double *predicted);

/* How alike neighbouring residuals of a field are: their correlation over pairs of nearest neighbours in time (or along
 * the first coordinate) and place, and how many standard deviations that is away from none. */
ans_status noise_alike(ans_context *context, const noise *noise, const ans_problem *problem, const double *predicted,
                       int field, double *correlation, double *significance);

#endif
