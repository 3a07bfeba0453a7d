/* SPDX-License-Identifier: Apache-2.0
 *
 * adaptation.h - the objective of one equation over its codes and its own backbone.
 *
 * With relu_codes the network sees s = ReLU(s~). The points of step n are those of (seed, n): the same for every
 * descriptor, every equation and from scratch. Rows and Jacobian are offered with options.fixed_points, at points that
 * do not change; they leave the penalty on the bases out.
 */
#ifndef TRAINING_ADAPTATION_H
#define TRAINING_ADAPTATION_H

#include "training/objective.h"

/* Adaptation draws its points from a part of the streams that no meta-training structure uses. */
enum { ADAPTATION_PART = 1 << 16 };

#define adaptation_unknowns REAL_NAME(adaptation_unknowns)
#define adaptation_new      REAL_NAME(adaptation_new)
#define adaptation_grid     REAL_NAME(adaptation_grid)
#define adaptation_evaluate REAL_NAME(adaptation_evaluate)
#define adaptation_retarget REAL_NAME(adaptation_retarget)
#define adaptation_reframe  REAL_NAME(adaptation_reframe)
#define adaptation_renew    REAL_NAME(adaptation_renew)

/* Codes, then the backbone. The mode says what is frozen, the problem whether a ReLU stands before the codes. */
ans_status adaptation_unknowns(ans_context *context, arena *arena, const ans_problem *problem,
                               const adaptation_options *options, unknown_table *result);

ans_status adaptation_new(ans_context *context, const ans_instance *instance, const adaptation_options *options,
                          objective **result);

/* Mean squared residual of the equations on a grid of midpoints. */
ans_status adaptation_grid(ans_context *context, objective *objective, double *mean_square);

/* values: [orders][count][fields] of the derivatives of these orders. */
ans_status adaptation_evaluate(ans_context *context, objective *objective, const double *points, size_t count,
                               const system_orders *orders, double *values);

/* From now on the rows are those of this instance, of the same problem; the unknowns stay. After a failure it has to be
 * called again before anything else. */
ans_status adaptation_retarget(ans_context *context, objective *objective, const ans_instance *instance);

/* From now on the fields are represented in frames that move, or not; the unknowns stay. */
ans_status adaptation_reframe(ans_context *context, objective *objective, bool moving);

/* What adaptation_new would give, in the memory of this one. The options differ from its own in start, frame, time
 * weight and whether that eases, and in nothing else. */
ans_status adaptation_renew(ans_context *context, objective *objective, const ans_instance *instance,
                            const adaptation_options *options);

#endif
