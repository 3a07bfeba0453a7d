/* SPDX-License-Identifier: Apache-2.0 */
#include "training/goal.h"

#include <assert.h>
#include <math.h>

/* The prediction is near when it is below this many tolerances. */
static const double NEAR = 1.2;

ans_status goal_check(ans_context *context, double tolerance, int bits) {
  double least = bits == 32 ? GOAL_SINGLE : 1e-11;
  FAIL_IF(!(tolerance >= 0) || !isfinite(tolerance), context, ANS_ARGUMENT, "a tolerance is a positive number, not %g",
          tolerance);
  FAIL_IF(tolerance > 0 && tolerance < least, context, ANS_ARGUMENT,
          "a tolerance of %g is below what %d bits can give (%g)%s", tolerance, bits, least,
          bits == 32 ? "; use 64 bits" : "");
  return ANS_OK;
}

bool goal_due(const goal *goal, long step, double residual) {
  assert(goal->stride > 0);
  if (!goal->begun) return true;
  if (step - goal->at < goal->stride) return false;
  double predicted = goal->error * sqrt(residual / goal->residual);
  return predicted <= NEAR * goal->tolerance || step >= goal->at + goal->at / 2 + 2 * goal->stride;
}

ans_status goal_judge(ans_context *context, goal *goal, long step, double residual, const estimate_summary *summary,
                      bool *best, goal_verdict *verdict) {
  assert(goal->stride > 0);
  const long patience = 40; /* strides, at least */
  double most = summary->available ? 0 : (double)INFINITY;
  FAIL_IF(!goal->begun && !summary->available, context, ANS_UNSUPPORTED,
          "a tolerance needs an estimate of the error, and there is none: %s", summary->reason);
  for (int f = 0; summary->available && f < summary->field_count; f++) most = fmax(most, summary->errors[f]);
  goal->at = step;
  goal->error = most;
  goal->residual = residual;
  goal->seconds += summary->seconds;
  *best = !goal->begun || most < goal->least;
  if (!goal->begun || most < 0.9 * goal->least) goal->least_at = step;
  if (*best) goal->least = most;
  goal->begun = true;
  long wait = step - goal->least_at, least = patience * goal->stride;
  *verdict = summary->trusted && most <= goal->tolerance                                ? GOAL_MET
             : wait > (2 * goal->least_at / 3 > least ? 2 * goal->least_at / 3 : least) ? GOAL_STALLED
                                                                                        : GOAL_GOES_ON;
  return ANS_OK;
}
