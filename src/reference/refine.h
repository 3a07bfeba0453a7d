/* SPDX-License-Identifier: Apache-2.0
 *
 * refine.h - an initial value problem on as many nodes as its own checks ask for.
 *
 * The nodes that the text asks for are the first attempt. When they do not represent the initial values and sources, do
 * not resolve the solution, or the solution changes too much at half of them, the next attempt has twice as many: in a
 * periodic space up to 8,192; between walls on graded nodes (Chebyshev's become too inaccurate), up to 8,193, or 1,025
 * for derivatives above the second. The output stays on the nodes that were asked for.
 */
#ifndef REFERENCE_REFINE_H
#define REFERENCE_REFINE_H

#include "reference/reference.h"

ans_status refine_solve(ans_context *context, const ans_instance *instance, int points, int times, bool self_check,
                        ans_solution **result, reference_report *report);

/* A check may fail where the solution does not: the difference is then infinite, not an error. */
bool refine_only_check_failed(ans_status status);

#endif
