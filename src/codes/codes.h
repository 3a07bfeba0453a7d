/* SPDX-License-Identifier: Apache-2.0
 *
 * codes.h - the door of codes/: descriptor -> codes, the hypernetworks.
 *
 * A hypernetwork is a fixed plan (which descriptor, widths, rounds) plus one block of parameters that the
 * caller owns. forward keeps what backward needs inside the object; call them in pairs.
 */
#ifndef CODES_CODES_H
#define CODES_CODES_H

#include "base/base.h"
#include "codes/shape.h"
#include "graph/graph.h"
#include "numeric/unknowns.h"
#include "numeric/real.h"

typedef struct hypernetwork hypernetwork;

#define hypernetwork_new        REAL_NAME(hypernetwork_new)
#define hypernetwork_free       REAL_NAME(hypernetwork_free)
#define hypernetwork_parts      REAL_NAME(hypernetwork_parts)
#define hypernetwork_size       REAL_NAME(hypernetwork_size)
#define hypernetwork_initialise REAL_NAME(hypernetwork_initialise)
#define hypernetwork_forward    REAL_NAME(hypernetwork_forward)
#define hypernetwork_backward   REAL_NAME(hypernetwork_backward)

/* rounds: message-passing rounds, 0 for the problem's own. */
ans_status hypernetwork_new(ans_context *context, const ans_problem *problem, code_shape shape, descriptor_kind kind,
                            int rounds, hypernetwork **result);
void hypernetwork_free(hypernetwork *hypernetwork);

size_t hypernetwork_size(const hypernetwork *hypernetwork); /* parameters */
const unknown_part *hypernetwork_parts(const hypernetwork *hypernetwork, int *count);
void hypernetwork_initialise(const hypernetwork *hypernetwork, uint64_t seed, real *parameters);

/* codes <- H(descriptor), ReLU included. Allocation only while the largest descriptor grows. */
ans_status hypernetwork_forward(ans_context *context, hypernetwork *hypernetwork, const descriptor *descriptor,
                                const real *parameters, real *codes);

/* parameter_gradient += , for the last forward. */
void hypernetwork_backward(hypernetwork *hypernetwork, const real *parameters, const real *code_gradient,
                           real *parameter_gradient);

#endif
