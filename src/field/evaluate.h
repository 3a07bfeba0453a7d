/* SPDX-License-Identifier: Apache-2.0
 *
 * evaluate.h - the fields and their derivatives at given points.
 */
#ifndef FIELD_EVALUATE_H
#define FIELD_EVALUATE_H

#include "base/base.h"
#include "field/chart.h"
#include "field/network.h"

#define evaluator_new  REAL_NAME(evaluator_new)
#define evaluator_set  REAL_NAME(evaluator_set)
#define evaluator_run  REAL_NAME(evaluator_run)
#define evaluator_free REAL_NAME(evaluator_free)
#define field_evaluate REAL_NAME(field_evaluate)

/* One network and some of its derivatives, planned and packed. What two of them have in common is computed once,
 * and the last bits of one may depend on the others. It keeps no copy of instance and chart, but needs `formed` no
 * longer. */
typedef struct evaluator evaluator;
ans_status evaluator_new(ans_context *context, const ans_instance *instance, const field_chart *chart,
                         const network_shape *shape, const real *formed, const system_orders *orders, int threads,
                         evaluator **result);
void evaluator_free(evaluator *evaluator); /* or NULL */

/* Another network of the same shape, for an instance of the same problem. */
void evaluator_set(evaluator *evaluator, const ans_instance *instance, const field_chart *chart, const real *formed);

/* values[order][p][fields] <- at points[p][coordinates], output transform included. */
void evaluator_run(evaluator *evaluator, const double *points, size_t count, double *values);

/* The same for a single use and one derivative: order: [coordinates]. */
ans_status field_evaluate(ans_context *context, const ans_instance *instance, const field_chart *chart,
                          const network_shape *shape, const real *formed, const double *points, size_t count,
                          const uint8_t *order, int threads, double *values);

#endif
