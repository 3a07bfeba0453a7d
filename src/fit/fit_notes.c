/* SPDX-License-Identifier: Apache-2.0
 *
 * fit_notes.c - does it fit? What a user must know about a result, in sentences; some flag it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "fit/fit.h"
#include "fit/student.h"

static const double UNLIKELY = 4;       /* standard deviations that noise does not reach */
static const double ALIKE = 0.3;        /* correlation of neighbouring residuals */
static const double UNEXPLAINED = 0.01; /* of a field's spread: smaller misfits are no other equation's */

void fit_note_add(ans_fit *fit, bool flagged, const char *format, ...) {
  va_list arguments;
  fit->summary.flagged = fit->summary.flagged || flagged;
  if (fit->note_count == FIT_MAX_NOTES) return;
  fit_note *note = &fit->notes[fit->note_count++];
  note->flagged = flagged;
  va_start(arguments, format);
  number_print(note->text, sizeof note->text, format, arguments);
  va_end(arguments);
}

/* One note for each line; the buffer is dropped. */
static ans_status add_lines(ans_context *context, ans_fit *fit, bool flagged, buffer *lines) {
  char *text;
  TRY(buffer_finish(context, lines, &text));
  for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
    *end = '\0';
    fit_note_add(fit, flagged, "%s", line);
  }
  memory_give(text);
  return ANS_OK;
}

/* ---- Does it fit? --------------------------------------------------------------------------------------- */

bool fit_is_unlikely(const noise *noise, const search *search) {
  double freedom = search_freedom(search);
  return !noise_is_estimated(noise) && freedom > 0 && chi2_excess(search->chi2, freedom) > UNLIKELY;
}

ans_status fit_looks_wrong(ans_context *context, const ans_fit *fit, const noise *noise, const double *predicted,
                           int field, double *correlation, bool *wrong) {
  double significance, squares = 0;
  size_t count = measurements_of(fit->data, field);
  for (size_t i = 0; i < fit->data->value_count; i++)
    if (fit->data->values[i].field == (uint32_t)field)
      squares += (fit->data->values[i].value - predicted[i]) * (fit->data->values[i].value - predicted[i]);
  TRY(noise_alike(context, noise, fit->problem, predicted, field, correlation, &significance));
  *wrong = count > 0 && significance > UNLIKELY && *correlation > ALIKE &&
           sqrt(squares / (double)count) > UNEXPLAINED * noise->spread[field];
  return ANS_OK;
}

/* ---- Sentences ------------------------------------------------------------------------------------------ */

ans_status fit_note_misfit(ans_context *context, ans_fit *fit) {
  double correlation;
  fit->misfits = fit_is_unlikely(&fit->noise, &fit->search);
  if (fit->misfits)
    fit_note_add(fit, true,
                 "chi2 per degree of freedom is %.3g: this equation, or this noise level, does not describe the data",
                 fit->summary.chi2 / search_freedom(&fit->search));
  for (int f = 0; f < fit->problem->field_count; f++) {
    const char *name = fit->problem->fields[f].name;
    bool wrong;
    TRY(fit_looks_wrong(context, fit, &fit->noise, fit->search.predicted, f, &correlation, &wrong));
    fit->misfits = fit->misfits || wrong;
    if (wrong)
      fit_note_add(
          fit, true,
          "the residuals of %s are not noise: neighbouring ones are correlated (%.2f), as if the equation were wrong",
          name, correlation);
    if (measurements_of(fit->data, f) > 1 && fit->noise.spread[f] == 0)
      fit_note_add(fit, true, "all measured values of %s are equal", name);
  }
  return ANS_OK;
}

ans_status fit_note_numbers(ans_context *context, ans_fit *fit) {
  buffer unidentified = {0}, correlated = {0};
  if (fit->search.stopped)
    fit_note_add(fit, true, "the fit was stopped before its end");
  else if (!fit->search.converged)
    fit_note_add(fit, true, "the search did not converge: its next step would be %.2g standard errors",
                 fit->search.left);
  uncertainty_words(&fit->uncertainty, &fit->sought, &unidentified, &correlated);
  ans_status status = add_lines(context, fit, true, &unidentified);
  ans_status second = add_lines(context, fit, false, &correlated);
  for (int i = 0; i < fit->sought.named; i++) {
    const system_symbol *s = &fit->problem->symbols[fit->sought.symbols[i]];
    if (fit->uncertainty.numbers[i].at_end)
      fit_note_add(fit, true, "%s is at the end of its range [%g, %g]: the best value may lie outside", s->name, s->low,
                   s->high);
  }
  return status == ANS_OK ? second : status;
}
