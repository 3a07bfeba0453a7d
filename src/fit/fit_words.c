/* SPDX-License-Identifier: Apache-2.0
 *
 * fit_words.c - a fit in words and numbers, as the program and the Python package print it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fit/fit.h"

/* A number with as many digits as two of its error's need. */
static void number_text(double number, double error, char *text, size_t room) {
  int digits = 6;
  if (error > 0 && isfinite(error) && number != 0) {
    digits = (int)ceil(log10(fabs(number) / error)) + 2;
    digits = digits < 3 ? 3 : digits > 12 ? 12 : digits;
  }
  snprintf(text, room, "%.*g", digits, number);
}

static int name_width(const ans_fit *fit) {
  int width = (int)strlen("unknown");
  for (int i = 0; i < fit->sought.named; i++) {
    int length = (int)strlen(sought_name(&fit->sought, i));
    if (length > width) width = length;
  }
  return width;
}

static void report_unknowns(const ans_fit *fit, buffer *text) {
  int width = name_width(fit);
  buffer_add(text, "%-*s  %12s %10s %9s   %-26s %10s\n", width, "unknown", "estimate", "error", "", "95 % interval",
             "start");
  for (int i = 0; i < fit->sought.named; i++) {
    const fit_number *u = &fit->uncertainty.numbers[i];
    char estimate[32], low[32], high[32], interval[80], relative[32] = "";
    number_text(u->estimate, u->error, estimate, sizeof estimate);
    number_text(u->low, u->error, low, sizeof low);
    number_text(u->high, u->error, high, sizeof high);
    snprintf(interval, sizeof interval, "%s .. %s", low, high);
    if (u->estimate != 0) snprintf(relative, sizeof relative, "%.2g %%", 100 * fabs(u->error / u->estimate));
    buffer_add(text, "%-*s  %12s %10.2g %9s   %-26s %10.4g%s\n", width, sought_name(&fit->sought, i), estimate,
               u->error, relative, interval, u->start, u->identified ? "" : "   not identified");
  }
}

static void report_quality(const ans_fit *fit, buffer *text) {
  const ans_fit_summary *s = &fit->summary;
  buffer_add(text, "\ndata       %zu values at %zu points, structure %s\n", s->values, s->points, s->structure);
  buffer_add(text, "fit        chi2 per degree of freedom %.4g (%.0f degrees)",
             s->freedom > 0 ? s->chi2 / s->freedom : s->chi2, s->freedom);
  for (int f = 0; f < fit->problem->field_count; f++)
    if (s->noise_estimated[f])
      buffer_add(text, ", noise of %s estimated as %.3g", fit->problem->fields[f].name, s->noise[f]);
  buffer_add(text, "\nnetwork    %d iterations, %ld Gauss-Newton steps, %d start%s, ", s->iterations, s->steps,
             s->starts, s->starts == 1 ? "" : "s");
  if (isfinite(s->network_error))
    buffer_add(text, "its error of %.2g %s\n", s->network_error, s->corrected ? "subtracted" : "not subtracted");
  else
    buffer_add(text, "its error unknown\n");
}

static void report_check(const ans_fit *fit, buffer *text) {
  const ans_fit_reference *r = &fit->reference;
  if (!r->available) return;
  const double *estimates = fit->classical ? r->network : r->estimates;
  const double *errors = fit->classical ? r->network_errors : r->errors;
  if (fit->classical) buffer_add(text, "answer     that of the classical fit; the network's:\n");
  buffer_add(text, fit->classical ? "          " : "classical ");
  for (int i = 0; i < fit->sought.named; i++) {
    char number[32];
    number_text(estimates[i], errors[i], number, sizeof number);
    buffer_add(text, "%s %s %s", i ? "," : "", sought_name(&fit->sought, i), number);
  }
  buffer_add(text, "\n           %.2g standard errors away at most; chi2 %.6g, with the network's numbers %.6g\n",
             r->distance, r->chi2, r->chi2_network);
}

/* One line for each profile: its error band in two numbers. */
static ans_status report_initials(ans_context *context, const ans_fit *fit, buffer *text) {
  enum { PLACES = 65 };
  int space = fit->problem->time == 0 ? 1 : 0;
  double places[PLACES], values[PLACES], errors[PLACES];
  for (int k = 0; k < fit->initials.count; k++) {
    const char *name = fit->problem->fields[fit->initials.fields[k]].name;
    int count = fit->problem->coordinate_count > 1 ? PLACES : 1;
    double sum = 0, most = 0;
    const system_coordinate *c = count > 1 ? &fit->problem->coordinates[space] : NULL;
    for (int i = 0; i < count; i++) places[i] = c ? c->low + (c->high - c->low) * i / (PLACES - 1) : 0;
    TRY(fit_initial(context, fit, k, places, (size_t)count, values, errors));
    for (int i = 0; i < count; i++) {
      sum += errors[i] / count;
      most = fmax(most, errors[i]);
    }
    buffer_add(text, "initial    ");
    if (!c)
      buffer_add(text, "%s %.6g, standard error %.2g\n", name, values[0], errors[0]);
    else
      buffer_add(text, "%s as a series of %d terms, standard error %.2g on average, %.2g at most\n", name,
                 fit->initials.terms[k], sum, most);
  }
  return ANS_OK;
}

ans_status fit_report(ans_context *context, const ans_fit *fit, char **result) {
  buffer text = {0};
  if (fit->sought.named > 0) report_unknowns(fit, &text);
  report_quality(fit, &text);
  ans_status status = report_initials(context, fit, &text);
  if (status != ANS_OK) {
    buffer_drop(&text);
    return status;
  }
  report_check(fit, &text);
  for (int i = 0; i < fit->note_count; i++)
    buffer_add(&text, "%s %s\n", fit->notes[i].flagged ? "FLAGGED   " : "note      ", fit->notes[i].text);
  buffer_add(&text, "time       %.2f s\n", fit->summary.seconds);
  return buffer_finish(context, &text, result);
}
