/* SPDX-License-Identifier: Apache-2.0 */
#include "training/least_squares.h"

#include <assert.h>

/* Where the two sequences begin: apart by an amount that no step of either makes up. */
static const double TRAINED_START = 0.5, JUDGED_START = 0.191;

enum { CONDITION_SHARE = 8 }; /* a line or surface of conditions has an eighth of the interior's points */

static ans_status make_residual(ans_context *context, const ans_instance *instance, const backbone *dense,
                                const least_squares_plan *plan, int points, residual **result) {
  network_shape thickest = backbone_thickest(dense);
  int line = points / CONDITION_SHARE > 1 ? points / CONDITION_SHARE : 1;
  residual_options options = {.points = points,
                              .initial_points = line,
                              .period_points = line,
                              .boundary_points = line,
                              .threads = plan->threads,
                              .smooth = plan->smooth,
                              .moving = plan->moving,
                              .scaled = plan->scaled,
                              .tangents = true,
                              .spare = &thickest};
  TRY(residual_new(context, instance, &dense->shape, &options, result));
  residual_set_time_weight(*result, plan->time_weight);
  return ANS_OK;
}

static void judge_at(least_squares *squares, int points) {
  squares->judging = points;
  residual_lay_points(squares->judged, JUDGED_START, (double)points / squares->most_judging);
}

ans_status least_squares_new(ans_context *context, const ans_instance *instance, const backbone *dense,
                             const least_squares_plan *plan, least_squares *result) {
  assert(plan->most > 0 && plan->judged > 0);
  *result = (least_squares){.most = plan->most, .least_judging = plan->judged};
  result->most_judging = plan->most / 2 > plan->judged ? plan->most / 2 : plan->judged;
  ans_status status = make_residual(context, instance, dense, plan, plan->most, &result->trained);
  if (status == ANS_OK) status = make_residual(context, instance, dense, plan, result->most_judging, &result->judged);
  if (status == ANS_OK) status = jacobian_new(context, result->trained, dense, plan->subset, &result->jacobian);
  if (status != ANS_OK) {
    least_squares_free(result);
    return status;
  }
  least_squares_shrink(result);
  return ANS_OK;
}

void least_squares_free(least_squares *squares) {
  jacobian_free(squares->jacobian);
  residual_free(squares->trained);
  residual_free(squares->judged);
  *squares = (least_squares){0};
}

void least_squares_grow(least_squares *squares, int points) {
  assert(squares->trained && squares->most > 0);
  if (points > squares->most) points = squares->most;
  if (points <= squares->points) return;
  squares->points = points;
  residual_lay_points(squares->trained, TRAINED_START, (double)points / squares->most);
  if (points / 2 > squares->judging) judge_at(squares, points / 2);
}

void least_squares_shrink(least_squares *squares) {
  squares->points = 0;
  judge_at(squares, squares->least_judging);
  least_squares_grow(squares, 1);
}
