/* SPDX-License-Identifier: Apache-2.0
 *
 * tangent.h - how a solution's network follows its equation.
 *
 * Rows r(x, c) vanish, as far as the network can, at x(c) for the coefficients c. Where c changes by dc, x changes by
 *
 *   dx = -(J^T J)^-1 J^T (d r / d c) dc
 *
 * The rows' change at fixed x is a central difference over whole instances, so that whatever a coefficient touches
 * (terms, derived values, conditions, charts) is in it. The damped factor of normal.h is used a few times on what it
 * has left (iterated Tikhonov), which takes the bias of the damping away where the rows say anything.
 */
#ifndef TRAINING_TANGENT_H
#define TRAINING_TANGENT_H

#include "training/objective.h"

#define tangent_solve REAL_NAME(tangent_solve)

/* directions: [changes->count][unknowns], zero where frozen. The adaptation offers rows, and ends as it began. */
ans_status tangent_solve(ans_context *context, objective *adaptation, const tangent_changes *changes, int threads,
                         double *directions);

#endif
