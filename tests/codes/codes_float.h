/* SPDX-License-Identifier: Apache-2.0
 *
 * codes_float.h - codes and gradients computed in float, for a test that is written in double.
 */
#ifndef TESTS_CODES_FLOAT_H
#define TESTS_CODES_FLOAT_H

#include "base/base.h"
#include "codes/shape.h"
#include "graph/graph.h"

/* Everything by the parameters that `seed` begins with. parameters, gradient: [hypernetwork size]; codes: [codes] */
ans_status codes_in_float(ans_context *context, const ans_problem *problem, code_shape shape,
                          const descriptor *descriptor, uint64_t seed, const double *code_gradient, double *parameters,
                          double *codes, double *gradient);

#endif
