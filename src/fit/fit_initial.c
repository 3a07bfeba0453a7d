/* SPDX-License-Identifier: Apache-2.0
 *
 * fit_initial.c - fits whose initial values are unknown: first with a short series, then, where the data show more
 * detail than that has, with a longer one; and the profiles that were found.
 */
#include <math.h>
#include <string.h>

#include "fit/fit.h"
#include "fit/initial_profile.h"

static const int lengths[] = {9, 17}; /* of a series: four and eight periods of waves */
static const double DETAIL = 3;       /* standard errors: the last terms are not noise */

/* ---- Fits ----------------------------------------------------------------------------------------------- */

/* A profile may have more detail than the series: its last two terms count, or the fit does not describe the data. */
static bool wants_more(const ans_fit *fit) {
  int end = fit->sought.named;
  if (!fit->search.converged || fit->misfits) return !fit->search.stopped;
  for (int k = 0; k < fit->initials.count; k++) {
    end += fit->initials.terms[k];
    for (int i = end - 2; i < end; i++) {
      const fit_number *number = &fit->uncertainty.numbers[i];
      if (fit->initials.terms[k] > 1 && fabs(number->z - 0.5) > DETAIL * number->z_error) return true;
    }
  }
  return false;
}

/* With several structures to come, the starts are those of the first one that can be fitted. */
static ans_status begin_series(ans_context *context, const measurements *data, const unknown_initials *initials,
                               bool compared, sought *sought) {
  if (!compared) return initial_start(context, data, initials, sought);
  for (int s = 0; s < sought->problem->structure_count; s++) {
    struct sought own;
    if (!sought_in_structure(sought, s, &own)) continue;
    TRY(initial_start(context, data, initials, &own));
    memcpy(sought->start + sought->named, own.start + own.named, (size_t)initials->total * sizeof *own.start);
    break;
  }
  return ANS_OK;
}

static ans_status run(ans_context *context, const ans_problem *problem, const measurements *data,
                      const ans_fit_options *options, int terms, ans_fit_candidate *table, ans_fit **result) {
  unknown_initials initials;
  ans_problem *expanded;
  sought sought;
  TRY(unknown_initials_expand(context, problem, data, terms, &initials, &expanded));
  sought_request request = {.unknown = options->unknown,
                            .fixed = options->fixed,
                            .case_name = options->case_name,
                            .structure = table ? NULL : options->structure,
                            .terms = initials.total,
                            .prior = INITIAL_PRIOR};
  ans_status status = (table ? sought_read_any : sought_read)(context, expanded, &request, &sought);
  if (status == ANS_OK) status = begin_series(context, data, &initials, table, &sought);
  if (status == ANS_OK)
    status = table ? fit_structures_of(context, expanded, data, options, &sought, table, result)
                   : fit_new_of(context, expanded, data, options, &sought, NULL, result);
  for (int i = 0; status == ANS_OK && table && i < problem->structure_count; i++)
    table[i].structure = problem->structures[i].name; /* of the problem that lives on */
  if (status == ANS_OK) (*result)->initials = initials;
  system_free(expanded);
  return status;
}

ans_status fit_with_initials(ans_context *context, const ans_problem *problem, const measurements *data,
                             const ans_fit_options *options, ans_fit_candidate *table, ans_fit **result) {
  *result = NULL;
  FAIL_IF(options->model, context, ANS_UNSUPPORTED,
          "a model knows one initial value, and that of '%s' is unknown: leave the model out",
          problem->fields[system_unknown_initial(problem)].name);
  ans_fit_candidate kept[SYSTEM_MAX_STRUCTURES];
  size_t rows = table ? (size_t)problem->structure_count * sizeof *table : 0;
  TRY(run(context, problem, data, options, lengths[0], table, result));
  for (size_t i = 1; i < sizeof lengths / sizeof *lengths && wants_more(*result); i++) {
    ans_fit *longer = NULL;
    if (table) memcpy(kept, table, rows);
    ans_status status = run(context, problem, data, options, lengths[i], table, &longer);
    if (status == ANS_DIVERGED || status == ANS_TOLERANCE) {
      if (table) memcpy(table, kept, rows);
      return ANS_OK;
    }
    fit_free(*result);
    *result = longer;
    TRY(status);
  }
  return ANS_OK;
}

/* ---- Profiles ------------------------------------------------------------------------------------------- */

static void take_errors(const ans_fit *fit, const double *slopes, size_t count, double *errors) {
  int n = fit->sought.count;
  for (size_t k = 0; k < count; k++) {
    double variance = 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        variance +=
            slopes[(size_t)i * count + k] * fit->uncertainty.z_covariance[i * n + j] * slopes[(size_t)j * count + k];
    errors[k] = sqrt(fmax(variance, 0));
  }
}

ans_status fit_initial(ans_context *context, const ans_fit *fit, int index, const double *places, size_t count,
                       double *values, double *errors) {
  int field = fit->initials.fields[index], n = fit->sought.count;
  const double *z = fit->search.z;
  double *slopes = memory_take(size_product(count * (size_t)(n + 1), sizeof *slopes));
  if (!slopes) return context_no_memory(context);
  ans_status status = initial_profile(context, &fit->sought, z, field, places, count, values);
  for (int i = 0; i < n && status == ANS_OK; i++)
    status = initial_slope(context, &fit->sought, z, field, i, places, count, slopes + (size_t)i * count,
                           slopes + (size_t)n * count);
  if (status == ANS_OK) take_errors(fit, slopes, count, errors);
  memory_give(slopes);
  return status;
}
