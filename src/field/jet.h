/* SPDX-License-Identifier: Apache-2.0
 *
 * jet.h - expressions of the language on channels: values, exact derivatives, and reverse mode.
 *
 * Output transforms (u0(x) + t*_, xi*(1-xi)*exp(_)), sources and condition values are short; they are
 * interpreted, but over many points at a time. An element is [channel][point] in double, in both precisions.
 */
#ifndef FIELD_JET_H
#define FIELD_JET_H

#include "base/base.h"
#include "field/chart.h"
#include "numeric/algebra.h"
#include "system/expression.h"

enum { JET_MAX_POINTS = 96 }; /* of one call */

typedef struct jet_plan jet_plan;

/* Lives in the arena. */
ans_status jet_compile(ans_context *context, arena *arena, const expression *expression, const jet_plan **result);

size_t jet_workspace(const jet_plan *plan, int rows); /* doubles; rows: most channels * points of a call */

/* values: [symbols]; coordinates: [coordinate][points], the problem's, where the chart has moved them for a field; raw:
 * [channel][points], may be NULL when unused. Channels are derivatives in the chart's units (NULL: plain and at rest).
 * Returns the result, an element inside the workspace. */
const double *jet_forward(const jet_plan *plan, const double *values, const algebra *algebra, const field_chart *chart,
                          int field, int points, const double *coordinates, const double *raw, double *workspace);

/* raw_gradient <- transposed derivative with respect to raw, applied to `gradient`; after jet_forward with the same
 * arguments. */
void jet_backward(const jet_plan *plan, const algebra *algebra, int points, const double *gradient, double *workspace,
                  double *raw_gradient);

/* Whether the result is known part + factor * raw, by its form. */
bool jet_affine(const jet_plan *plan);

/* The factor of raw in an affine plan, an element inside the workspace; after jet_forward, whose result with raw = 0 is
 * the known part. */
const double *jet_factor(const jet_plan *plan, const algebra *algebra, int points, double *workspace);

/* out += a b, and out += transposed multiplication by a, applied to g: elements, none of them the same. */
void jet_add_product(const algebra *algebra, int points, const double *a, const double *b, double *out);
void jet_add_transposed(const algebra *algebra, int points, const double *a, const double *g, double *out);

#endif
