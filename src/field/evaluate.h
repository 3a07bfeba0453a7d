/* SPDX-License-Identifier: Apache-2.0
 *
 * evaluate.h - the fields and their derivatives at given points.
 */
#ifndef FIELD_EVALUATE_H
#define FIELD_EVALUATE_H

#include "base/base.h"
#include "field/chart.h"
#include "field/network.h"

#define field_evaluate REAL_NAME(field_evaluate)

/* values[p][fields] <- d^order u at points[p][coordinates], output transform included. order: [coordinates]. */
ans_status field_evaluate(ans_context *context, const ans_instance *instance, const field_chart *chart,
                          const network_shape *shape, const real *formed, const double *points, size_t count,
                          const uint8_t *order, int threads, double *values);

#endif
