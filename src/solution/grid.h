/* SPDX-License-Identifier: Apache-2.0
 *
 * grid.h - a solver's fields as a solution: the end of the data's path.
 */
#ifndef SOLUTION_GRID_H
#define SOLUTION_GRID_H

#include "solution/solution.h"
#include "training/training.h"

/* On an even grid (sizes: of each coordinate; 0 or NULL: the problem's own), or on the nodes of another solution. A
 * value that is not finite is ANS_DIVERGED. */
ans_status grid_evaluate(ans_context *context, ans_solver *solver, const size_t *sizes, ans_solution **solution);
ans_status grid_evaluate_like(ans_context *context, ans_solver *solver, const ans_solution *grid,
                              ans_solution **solution);

#endif
