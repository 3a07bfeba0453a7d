/* SPDX-License-Identifier: Apache-2.0
 *
 * range.h - bounds of an expression over a box of coordinates, by interval arithmetic.
 *
 * Samples can miss a pulse that is narrower than their distance; bounds cannot. They are wider than the true range
 * where a coordinate occurs more than once, and become exact as the box shrinks. Roundings are not directed outward:
 * the bounds guide where to look, they prove nothing to the last bit.
 */
#ifndef REFERENCE_RANGE_H
#define REFERENCE_RANGE_H

#include "system/expression.h"

typedef struct range {
  double low, high; /* infinite where there is no bound */
} range;

/* coordinates: [coordinates], a point being a range with equal ends. The expression does not use the raw output. */
range expression_range(const expression *expression, const double *values, const range *coordinates);

#endif
