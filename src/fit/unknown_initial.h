/* SPDX-License-Identifier: Apache-2.0
 *
 * unknown_initial.h - `initial u unknown`: the initial value as a short series whose coefficients are sought.
 *
 * The series is one of sines and cosines of the space coordinate that has the boundary values of the field; without a
 * space coordinate it is one number. Its coefficients become parameters behind all symbols of the problem. They have a
 * prior from the measured values: normal about zero (the constant term: about their mean), with a standard deviation of
 * TWICE the spread of the data, which falls with the number of waves. So more terms than the data can fix do no harm,
 * and what the data do not say shows up in the error of the profile.
 */
#ifndef FIT_UNKNOWN_INITIAL_H
#define FIT_UNKNOWN_INITIAL_H

#include "fit/measurements.h"

/* The range of a coefficient is three standard deviations of its prior to both sides: z deviates by 1/6. */
#define INITIAL_PRIOR 36.0

/* Which fields have such a series, and how many terms, in the order of the parameters. */
typedef struct unknown_initials {
  int count, total;
  int fields[SYSTEM_MAX_FIELDS], terms[SYSTEM_MAX_FIELDS];
} unknown_initials;

/* A problem of its own, with series of `terms` terms, or fewer where there are few data or many fields. */
ans_status unknown_initials_expand(ans_context *context, const ans_problem *problem, const measurements *data,
                                   int terms, unknown_initials *initials, ans_problem **expanded);

#endif
