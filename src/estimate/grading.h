/* SPDX-License-Identifier: Apache-2.0
 *
 * grading.h - where a mesh needs its nodes: many where a field is steep, at any time, and fewer elsewhere.
 *
 * Half of the density of nodes is even and half in proportion to the steepest slope of all profiles that were added,
 * each divided by the range of its field. Then the spacing h(x) is made to change slowly, |h(x) - h(y)| <= c |x - y|,
 * which also surrounds a front with nodes for its feet. Next to a wall the nodes crowd as Chebyshev's do: one-sided
 * formulas of high order need that to be stable.
 */
#ifndef ESTIMATE_GRADING_H
#define ESTIMATE_GRADING_H

#include "estimate/mesh.h"

typedef struct grading grading;

/* places: where the profiles are known: increasing, with both ends, or periodic with the low one. Copied. */
ans_status grading_new(ans_context *context, arena *arena, mesh_kind kind, double low, double high,
                       const double *places, int nodes, grading **result);

/* One profile, [nodes], of a field with this range. Ranges that are zero or not finite count for nothing. */
void grading_add(grading *grading, const double *values, double range);

/* The places of a mesh: as for mesh_graded_new. */
void grading_places(grading *grading, int nodes, double *places);

#endif
