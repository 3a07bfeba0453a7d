/* SPDX-License-Identifier: Apache-2.0
 *
 * alias.h - whether the nodes show what the text says.
 *
 * A wave that is shorter than two nodes looks to the nodes like a longer one, on half as many nodes too, and no
 * comparison of grids finds that. So the interpolants of initial values, sources and coefficients are compared with the
 * text at places off the nodes, among them those where bounds of the function say that it varies between nodes.
 */
#ifndef REFERENCE_ALIAS_H
#define REFERENCE_ALIAS_H

#include "reference/lines.h"
#include "reference/schedule.h"

/* difference: the largest, relative to the function's size, over all functions that are smooth. ANS_TOLERANCE, with a
 * sentence that names the function, when one of them is not represented. */
ans_status alias_check(ans_context *context, lines *lines, const schedule *schedule, double *difference);

#endif
