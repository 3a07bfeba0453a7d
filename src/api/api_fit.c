/* SPDX-License-Identifier: Apache-2.0
 *
 * api_fit.c - the functions of ansatz_fit.h.
 */
#include <math.h>
#include <stdio.h>

#include "api/api.h"
#include "fit/fit.h"

ans_status ans_measurements_read(ans_context *context, const ans_problem *problem, const char *path,
                                 ans_measurements **result) {
  return measurements_read(context, problem, path, result);
}

/* Which entry of a row a column is: coordinates, then fields, then sigmas. */
static ans_status column_place(ans_context *context, const ans_problem *problem, const char *name, int *place) {
  for (int d = 0; d < problem->coordinate_count; d++)
    if (strcmp(problem->coordinates[d].name, name) == 0) {
      *place = d;
      return ANS_OK;
    }
  for (int f = 0; f < problem->field_count; f++) {
    bool value = strcmp(problem->fields[f].name, name) == 0;
    bool sigma = strncmp(name, "sigma_", 6) == 0 && strcmp(problem->fields[f].name, name + 6) == 0;
    if (!value && !sigma) continue;
    *place = SYSTEM_MAX_COORDINATES + (sigma ? SYSTEM_MAX_FIELDS : 0) + f;
    return ANS_OK;
  }
  FAIL(context, ANS_ARGUMENT, "column '%.64s' is neither a coordinate nor a field of %s, nor sigma_ and a field", name,
       problem->name);
}

static ans_status fill(ans_context *context, const ans_problem *problem, const char *const *names, size_t columns,
                       const double *values, size_t rows, measurements *m) {
  enum { PLACES = SYSTEM_MAX_COORDINATES + 2 * SYSTEM_MAX_FIELDS };
  int places[PLACES];
  bool seen[PLACES] = {false};
  FAIL_IF(columns > PLACES, context, ANS_ARGUMENT, "there are %zu columns", columns);
  for (size_t c = 0; c < columns; c++) {
    TRY(column_place(context, problem, names[c], &places[c]));
    FAIL_IF(seen[places[c]], context, ANS_ARGUMENT, "column '%.64s' appears twice", names[c]);
    seen[places[c]] = true;
  }
  for (int d = 0; d < problem->coordinate_count; d++)
    FAIL_IF(!seen[d], context, ANS_ARGUMENT, "there is no column '%s': every point needs all coordinates",
            problem->coordinates[d].name);
  for (size_t r = 0; r < rows; r++) {
    double row[PLACES];
    for (int i = 0; i < PLACES; i++) row[i] = (double)NAN;
    for (size_t c = 0; c < columns; c++) row[places[c]] = values[r * columns + c];
    ans_status status = measurements_add(context, m, problem, row, row + SYSTEM_MAX_COORDINATES,
                                         row + SYSTEM_MAX_COORDINATES + SYSTEM_MAX_FIELDS);
    if (status == ANS_OK) continue;
    char sentence[512];
    snprintf(sentence, sizeof sentence, "%s", ans_context_diagnostic(context)->message);
    FAIL_IF(status == ANS_ARGUMENT, context, status, "row %zu: %s", r + 1, sentence);
    return status;
  }
  FAIL_IF(m->value_count == 0, context, ANS_ARGUMENT, "there is no measured value");
  return ANS_OK;
}

ans_status ans_measurements_new(ans_context *context, const ans_problem *problem, const char *const *names,
                                size_t columns, const double *values, size_t rows, ans_measurements **result) {
  measurements *m;
  *result = NULL;
  TRY(measurements_new(context, problem, &m));
  ans_status status = fill(context, problem, names, columns, values, rows, m);
  if (status == ANS_OK)
    *result = m;
  else
    measurements_free(m);
  return status;
}

void ans_measurements_free(ans_measurements *m) { measurements_free(m); }
size_t ans_measurements_count(const ans_measurements *m) { return m->value_count; }

ans_status ans_fit_new(ans_context *context, const ans_problem *problem, const ans_measurements *m,
                       const ans_fit_options *options, ans_fit **result) {
  ans_fit_options own = {0};
  *result = NULL;
  api_options(&own, sizeof own, options, sizeof own);
  own.threads = api_threads(own.threads);
  ans_status status = fit_new(context, problem, m, &own, result);
  if (status == ANS_OK) ans_fit_set_interrupt(*result, NULL); /* the caller's flag may be gone from here on */
  return status;
}

ans_status ans_fit_structures(ans_context *context, const ans_problem *problem, const ans_measurements *m,
                              const ans_fit_options *options, ans_fit_candidate *table, ans_fit **best) {
  ans_fit_options own = {0};
  *best = NULL;
  api_options(&own, sizeof own, options, sizeof own);
  own.threads = api_threads(own.threads);
  ans_status status = fit_structures(context, problem, m, &own, table, best);
  if (status == ANS_OK) ans_fit_set_interrupt(*best, NULL);
  return status;
}

ans_status ans_fit_print(ans_context *context, const ans_fit *fit, char **text) {
  *text = NULL;
  return fit_report(context, fit, text);
}

ans_status ans_fit_profile_of(ans_context *context, ans_fit *fit, size_t unknown, ans_fit_profile *profile) {
  *profile = (ans_fit_profile){0};
  FAIL_IF(unknown >= (size_t)fit->sought.named, context, ANS_ARGUMENT, "the fit has %d unknowns", fit->sought.named);
  return fit_profile(context, fit, (int)unknown, profile);
}

ans_fit_initial ans_fit_initial_of(const ans_fit *fit, size_t index) {
  if (index >= (size_t)fit->initials.count) return (ans_fit_initial){0};
  return (ans_fit_initial){.field = fit->problem->fields[fit->initials.fields[index]].name,
                           .terms = (size_t)fit->initials.terms[index]};
}

ans_status ans_fit_initial_at(ans_context *context, const ans_fit *fit, size_t index, const double *places,
                              size_t count, double *values, double *errors) {
  static const double nowhere = 0;
  FAIL_IF(index >= (size_t)fit->initials.count, context, ANS_ARGUMENT, "the fit has %d unknown initial values",
          fit->initials.count);
  FAIL_IF(!places && count > 1, context, ANS_ARGUMENT, "one place is enough where there is no space coordinate");
  for (size_t i = 0; places && i < count; i++)
    FAIL_IF(!isfinite(places[i]), context, ANS_ARGUMENT, "place %zu is not finite", i + 1);
  return fit_initial(context, fit, (int)index, places ? places : &nowhere, count, values, errors);
}

ans_status ans_fit_next(ans_context *context, ans_fit *fit, ans_fit_place *places, size_t count) {
  return fit_next(context, fit, places, count);
}

void ans_fit_free(ans_fit *fit) { fit_free(fit); }
void ans_fit_set_interrupt(ans_fit *fit, const volatile int *interrupt) { fit->interrupt = interrupt; }
size_t ans_fit_count(const ans_fit *fit) { return (size_t)fit->sought.named; }

ans_fit_unknown ans_fit_number(const ans_fit *fit, size_t index) {
  if (index >= (size_t)fit->sought.named) return (ans_fit_unknown){0};
  const fit_number *n = &fit->uncertainty.numbers[index];
  return (ans_fit_unknown){.name = sought_name(&fit->sought, (int)index),
                           .estimate = n->estimate,
                           .error = n->error,
                           .low = n->low,
                           .high = n->high,
                           .start = n->start,
                           .identified = n->identified,
                           .at_end = n->at_end};
}

const double *ans_fit_covariance(const ans_fit *fit) { return fit->uncertainty.covariance; }
ans_fit_summary ans_fit_summarise(const ans_fit *fit) { return fit->summary; }
const ans_problem *ans_fit_problem(const ans_fit *fit) { return fit->problem; }
ans_solver *ans_fit_solver(ans_fit *fit) { return network_forward_solver(fit->network); }

const char *ans_fit_note(const ans_fit *fit, size_t index, bool *flagged) {
  if (index >= (size_t)fit->note_count) return NULL;
  if (flagged) *flagged = fit->notes[index].flagged;
  return fit->notes[index].text;
}

bool ans_fit_value_at(const ans_fit *fit, size_t index, ans_fit_value *value) {
  if (index >= fit->data->value_count) return false;
  const measured_value *v = &fit->data->values[index];
  *value = (ans_fit_value){.point = fit->data->points + (size_t)v->point * (size_t)fit->data->coordinate_count,
                           .field = v->field,
                           .measured = v->value,
                           .sigma = noise_of(&fit->noise, index),
                           .fitted = fit->search.predicted[index]};
  return true;
}
