/* SPDX-License-Identifier: Apache-2.0
 *
 * predictor.h - a model's hypernetwork, ready to be asked for the codes of one equation after another.
 */
#ifndef TRAINING_PREDICTOR_H
#define TRAINING_PREDICTOR_H

#include "numeric/real.h"
#include "training/engine.h"

#define predictor_new  REAL_NAME(predictor_new)
#define predictor_run  REAL_NAME(predictor_run)
#define predictor_free REAL_NAME(predictor_free)

/* `parameters`: a model's block. It is narrowed to this precision here, once for all equations, and not kept. */
ans_status predictor_new(ans_context *context, const ans_problem *problem, descriptor_kind kind, int rounds,
                         const double *parameters, predictor **result);
void predictor_free(predictor *predictor); /* or NULL */

ans_status predictor_run(ans_context *context, predictor *predictor, const ans_instance *instance, double *codes);

#endif
