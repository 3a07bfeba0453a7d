/* SPDX-License-Identifier: Apache-2.0
 *
 * features.h - what the network reads of a point: for each coordinate in order of declaration either the
 * coordinate itself or sin, cos of 2 pi k (x - low)/(high - low), k = low..high of its Fourier range.
 * Where the slope of the field is fixed at an end of the coordinate, an even function about that end takes the
 * coordinate's place. Coordinates are those of a field's chart (chart.h), channels are derivatives in the chart's
 * coordinates at rest.
 */
#ifndef FIELD_FEATURES_H
#define FIELD_FEATURES_H

#include "field/chart.h"
#include "numeric/algebra.h"
#include "numeric/real.h"
#include "system/system.h"

#define features_fill REAL_NAME(features_fill)

enum { FEATURES_MAX_POINTS = 96 }; /* of one call */

/* What the network reads for one field (the first of a stream with several). rows: [point][channel][stride], zero
 * beyond the features. coordinates: [coordinate][points], where the chart has moved them. */
void features_fill(const ans_problem *problem, const field_chart *chart, int field, const algebra *algebra, int points,
                   const double *coordinates, int stride, real *rows);

#endif
