/* SPDX-License-Identifier: Apache-2.0
 *
 * adaptation.h - the gradient of one equation's loss with respect to its codes and its own backbone.
 *
 * The trained numbers are the codes, then the backbone. With relu_codes the network sees s = ReLU(s~) and the
 * gradient of s~ is masked where s~ <= 0. The points of step n are those of (seed, n): the same for every
 * descriptor, every equation and from scratch.
 */
#ifndef TRAINING_ADAPTATION_H
#define TRAINING_ADAPTATION_H

#include "numeric/real.h"
#include "training/precision.h"

/* Adaptation draws its points from a part of the streams that no meta-training structure uses. */
enum { ADAPTATION_PART = 1 << 16 };

#define adaptation_new      REAL_NAME(adaptation_new)
#define adaptation_free     REAL_NAME(adaptation_free)
#define adaptation_descent  REAL_NAME(adaptation_descent)
#define adaptation_gradient REAL_NAME(adaptation_gradient)
#define adaptation_check    REAL_NAME(adaptation_check)
#define adaptation_grid     REAL_NAME(adaptation_grid)
#define adaptation_evaluate REAL_NAME(adaptation_evaluate)

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
