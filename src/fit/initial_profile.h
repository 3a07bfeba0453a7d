/* SPDX-License-Identifier: Apache-2.0
 *
 * initial_profile.h - the series that stand for unknown initial values, as functions of the place: values, errors, and
 * where to begin.
 */
#ifndef FIT_INITIAL_PROFILE_H
#define FIT_INITIAL_PROFILE_H

#include "fit/noise.h"
#include "fit/sought.h"
#include "fit/unknown_initial.h"

/* The initial value of a field at z, along the space coordinate: [count]. */
ans_status initial_profile(ans_context *context, const sought *sought, const double *z, int field, const double *places,
                           size_t count, double *values);

/* How it changes with unknown `index`: [count]; `other` is room for as many. */
ans_status initial_slope(ans_context *context, const sought *sought, const double *z, int field, int index,
                         const double *places, size_t count, double *slope, double *other);

/* The starts of the series' coefficients: the profile nearest to the measured values, the earliest above all. */
ans_status initial_start(ans_context *context, const measurements *data, const unknown_initials *initials,
                         sought *sought);

#endif
