/* SPDX-License-Identifier: Apache-2.0
 *
 * steady.h - a state of rest of the method of lines, by Newton's method.
 */
#ifndef REFERENCE_STEADY_H
#define REFERENCE_STEADY_H

#include "reference/preconditioner.h"

/* From `state`, [unknowns], which becomes the solution; work: [3][unknowns]. ANS_DIVERGED: there is none near it. */
ans_status steady_solve(ans_context *context, lines *lines, preconditioner *preconditioner, double *state, double *work,
                        long *steps);

#endif
