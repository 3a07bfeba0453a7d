/* SPDX-License-Identifier: Apache-2.0
 *
 * adaptation.h - the gradient of one equation's loss with respect to its codes and its own backbone.
 *
 * With relu_codes the network sees s = ReLU(s~). The points of step n are those of (seed, n): the same for every
 * descriptor, every equation and from scratch.
 */
#ifndef TRAINING_ADAPTATION_H
#define TRAINING_ADAPTATION_H

#include "numeric/real.h"
#include "training/precision.h"

/* Adaptation draws its points from a part of the streams that no meta-training structure uses. */
enum { ADAPTATION_PART = 1 << 16 };

#define adaptation_unknowns REAL_NAME(adaptation_unknowns)
#define adaptation_new      REAL_NAME(adaptation_new)
#define adaptation_free     REAL_NAME(adaptation_free)
#define adaptation_descent  REAL_NAME(adaptation_descent)
#define adaptation_gradient REAL_NAME(adaptation_gradient)
#define adaptation_check    REAL_NAME(adaptation_check)
#define adaptation_grid     REAL_NAME(adaptation_grid)
#define adaptation_evaluate REAL_NAME(adaptation_evaluate)

/* Codes, then the backbone. The mode says what is frozen, the problem whether a ReLU stands before the codes. */
ans_status adaptation_unknowns(ans_context *context, arena *arena, const ans_problem *problem,
                               const adaptation_options *options, unknown_table *result);

/* Starts from scratch: backbone of the seed, codes at one. */
ans_status adaptation_new(ans_context *context, const ans_instance *instance, const adaptation_options *options,
                          adaptation **result);
void adaptation_free(adaptation *adaptation);
descent *adaptation_descent(adaptation *adaptation);
ans_status adaptation_gradient(ans_context *context, void *adaptation, long step, double *loss, const char **worst);
double adaptation_check(adaptation *adaptation);
ans_status adaptation_grid(ans_context *context, adaptation *adaptation, double *mean_square);
ans_status adaptation_evaluate(ans_context *context, adaptation *adaptation, const double *points, size_t count,
                               const uint8_t *order, double *values);

#endif
