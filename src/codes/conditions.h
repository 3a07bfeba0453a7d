/* SPDX-License-Identifier: Apache-2.0
 *
 * conditions.h - the prescribed initial points that a conditional decoder's encoder reads.
 */
#ifndef CODES_CONDITIONS_H
#define CODES_CONDITIONS_H

#include "base/base.h"
#include "system/system.h"

/* points: [PLAN_CONDITION_POINTS][features + fields], coordinate features followed by each field's initial
 * value (zero for a field without one). Initial values must not depend on what is sampled. */
ans_status condition_points(ans_context *context, const ans_problem *problem, double *points);

#endif
