/* SPDX-License-Identifier: Apache-2.0
 *
 * api_estimate.c - how wrong a solver's fields are, and the fields without that error.
 */
#include <stdio.h>
#include <string.h>

#include "estimate/estimate.h"
#include "solution/solution.h"
#include "training/training.h"

_Static_assert(sizeof((ans_estimate *)0)->reason == sizeof((estimate_summary *)0)->reason, "reasons are copied whole");

static ans_estimate public_form(const estimate_summary *from) {
  ans_estimate to = {.available = from->available,
                     .trusted = from->trusted,
                     .lost = from->lost,
                     .field_count = (size_t)from->field_count,
                     .mean = from->mean,
                     .mean_difference = from->mean_difference,
                     .nodes = (size_t)from->nodes,
                     .times = (size_t)from->times,
                     .points = from->points,
                     .seconds = from->seconds};
  memcpy(to.reason, from->reason, sizeof to.reason);
  for (int f = 0; f < from->field_count; f++) {
    to.errors[f] = from->errors[f];
    to.differences[f] = from->differences[f];
    to.absolute[f] = from->absolute[f];
    to.varying[f] = from->varying[f];
  }
  return to;
}

ans_status ans_solver_estimate(ans_context *context, ans_solver *solver, ans_estimate *result) {
  estimate *estimate;
  *result = (ans_estimate){0};
  TRY(solver_estimate(context, solver, &estimate));
  *result = public_form(estimate_result(estimate));
  estimate_free(estimate);
  return ANS_OK;
}

static ans_status correct(ans_context *context, const ans_problem *problem, estimate *estimate,
                          ans_solution *solution) {
  const estimate_summary *summary = estimate_result(estimate);
  bool time = problem->time >= 0;
  int space = time ? 1 : 0;
  FAIL_IF(!summary->available, context, ANS_UNSUPPORTED, "the fields cannot be corrected: %s", summary->reason);
  FAIL_IF(solution->coordinate_count != problem->coordinate_count || solution->field_count != problem->field_count,
          context, ANS_ARGUMENT, "the fields are not those of this solver");
  const double *places = space < solution->coordinate_count ? solution->axes[space] : NULL;
  const double *times = time ? solution->axes[0] : NULL;
  const system_coordinate *span = time ? &problem->coordinates[problem->time] : NULL;
  for (int k = 0; time && k < solution->axis_sizes[0]; k++)
    FAIL_IF(!(times[k] >= span->low && times[k] <= span->high && (k == 0 || times[k] > times[k - 1])), context,
            ANS_ARGUMENT, "the times of the grid do not increase inside the problem's");
  return estimate_correct(context, estimate, times, time ? solution->axis_sizes[0] : 1, places,
                          places ? solution->axis_sizes[space] : 1, solution->values);
}

ans_status ans_solver_correct(ans_context *context, ans_solver *solver, ans_solution *solution, ans_estimate *result) {
  estimate *estimate;
  const char *settings = solution->settings;
  *result = (ans_estimate){0};
  FAIL_IF(solution->corrected, context, ANS_ARGUMENT, "the fields are corrected already");
  TRY(solver_estimate(context, solver, &estimate));
  ans_status status = solution_mark_corrected(context, solution);
  if (status == ANS_OK) status = correct(context, solver_instance(solver)->problem, estimate, solution);
  if (status == ANS_OK) {
    *result = solution->estimate = public_form(estimate_result(estimate));
    solution->estimated = true;
  } else {
    solution->settings = settings;
    solution->corrected = false;
  }
  estimate_free(estimate);
  return status;
}

ans_status ans_solution_set_estimate(ans_context *context, ans_solution *solution, const ans_estimate *estimate) {
  FAIL_IF(estimate->field_count != (size_t)solution->field_count, context, ANS_ARGUMENT,
          "the estimate is of %zu fields, and there are %d", estimate->field_count, solution->field_count);
  solution->estimate = *estimate;
  solution->estimated = true;
  return ANS_OK;
}

bool ans_solution_corrected(const ans_solution *solution) { return solution->corrected; }
