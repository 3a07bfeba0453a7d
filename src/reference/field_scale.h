/* SPDX-License-Identifier: Apache-2.0
 *
 * field_scale.h - how large each field of an initial value problem is, which decides what an absolute error means.
 *
 * The scale of a field is its largest initial value or, if larger, what its first rate f makes of it over the whole
 * span T: the smaller of |T f| and |(I - T J)^-1 T f|, T f being the integral of |f| at the initial state over the
 * schedule's cells where sources or boundary values depend on time. The second is one step of backward Euler; it keeps
 * a rate that soon dies out, as beside a boundary value or in a stiff decay, from counting for all of T. Scales of
 * ordinary size, and of a field that neither is nor moves, count as 1: there an absolute tolerance means what was
 * declared.
 */
#ifndef REFERENCE_FIELD_SCALE_H
#define REFERENCE_FIELD_SCALE_H

#include "reference/lines.h"
#include "reference/preconditioner.h"
#include "reference/schedule.h"

typedef struct field_scales {
  double values[SYSTEM_MAX_FIELDS];
  double initial[SYSTEM_MAX_FIELDS]; /* the same from the initial values alone */
} field_scales;

/* work: [2][unknowns]; nodes: [fields][nodes]. */
field_scales field_scales_find(lines *lines, preconditioner *preconditioner, const schedule *schedule,
                               const double *start, double *nodes, double *work);

/* Whether a field was expected to grow by its rate and stayed far smaller: `most` is the largest it became. */
bool field_scale_missed(const field_scales *scales, int field, double most);

#endif
