/* SPDX-License-Identifier: Apache-2.0
 *
 * reference.c - chooses the method from the problem, solves, and repeats at half the resolution as a self-check.
 */
#include "reference/reference.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "reference/content_hash.h"
#include "reference/drift_diffusion.h"
#include "reference/refine.h"

static ans_status check_drift(ans_context *context, const drift_model *model, drift_settings settings,
                              const ans_solution *fine, double *difference) {
  ans_solution *coarse = NULL;
  drift_outcome outcome;
  settings.cells /= 2;
  if (settings.steps / 2 % settings.times == 0) settings.steps /= 2;
  ans_status status = drift_solve(context, model, settings, &coarse, &outcome);
  *difference = status == ANS_OK ? drift_difference(fine, coarse) : (double)INFINITY;
  solution_free(coarse);
  return status == ANS_OK || refine_only_check_failed(status) ? ANS_OK : status;
}

static ans_status solve_drift(ans_context *context, const ans_instance *instance, int points, int times,
                              bool self_check, ans_solution **result, reference_report *report) {
  drift_model model;
  drift_outcome outcome;
  drift_settings settings = drift_defaults(instance->problem, points, times);
  double begin = clock_seconds();
  report->method = "drift-diffusion";
  report->nodes = settings.cells + 1;
  TRY(drift_recognise(context, instance, &model));
  TRY(drift_solve(context, &model, settings, result, &outcome));
  report->seconds = clock_seconds() - begin;
  report->steps = outcome.steps;
  report->periodicity = outcome.periodicity;
  report->balance = outcome.balance;
  if (!self_check || settings.cells % 2 != 0) return ANS_OK;
  return check_drift(context, &model, settings, *result, &report->self_difference);
}

static ans_status keep_settings(ans_context *context, buffer *line, ans_solution *solution) {
  const char *kept = line->failed ? NULL : arena_string(solution->arena, line->text, line->length);
  if (!kept) return context_no_memory(context);
  solution->settings = kept;
  return ANS_OK;
}

/* The settings line: how it was computed, for which instance, what came of it, and a hash of all that. */
static ans_status complete_settings(ans_context *context, const ans_instance *instance, const reference_report *report,
                                    ans_solution *solution) {
  buffer line = {0};
  buffer_add(
      &line,
      "%s, instance %016llx; steps %ld, nodes used %d, self difference %.3g, time difference %.3g, periodicity %.3g, "
      "balance %.3g",
      solution->settings, (unsigned long long)system_instance_hash(instance), report->steps, report->nodes,
      report->self_difference, report->time_difference, report->periodicity, report->balance);
  ans_status status = keep_settings(context, &line, solution);
  if (status == ANS_OK) {
    buffer_add(&line, CONTENT_MARK "%016llx", (unsigned long long)content_hash(solution, line.length));
    status = keep_settings(context, &line, solution);
  }
  buffer_drop(&line);
  return status;
}

static ans_status check_finite(ans_context *context, const ans_solution *solution) {
  for (int f = 0; f < solution->field_count; f++)
    for (size_t i = 0; i < solution->point_count; i++)
      FAIL_IF(!isfinite(solution->values[f][i]), context, ANS_DIVERGED,
              "%s is not finite at point %zu of the reference", solution->field_names[f], i);
  return ANS_OK;
}

ans_status reference_solve(ans_context *context, const ans_instance *instance, int points, int times, bool self_check,
                           ans_solution **result, reference_report *report) {
  *result = NULL;
  *report = (reference_report){.self_difference = NAN, .time_difference = NAN, .periodicity = NAN, .balance = NAN};
  FAIL_IF(points < 0 || times < 0, context, ANS_ARGUMENT, "a reference cannot have %d points and %d times", points,
          times);
  TRY(system_require_initial(context, instance->problem));
  bool drift = instance->problem->protocol.reference.method == REFERENCE_DRIFT_DIFFUSION;
  ans_solution *solution = NULL;
  ans_status status =
      (drift ? solve_drift : refine_solve)(context, instance, points, times, self_check, &solution, report);
  if (status == ANS_OK) status = check_finite(context, solution);
  if (status == ANS_OK) status = complete_settings(context, instance, report, solution);
  if (status != ANS_OK) {
    solution_free(solution);
    return status;
  }
  *result = solution;
  return ANS_OK;
}
