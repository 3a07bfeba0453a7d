/* SPDX-License-Identifier: Apache-2.0
 *
 * fit.c - the order of a fit: starts, the search with a network, the same without the network's error, and what
 * follows.
 */
#include "fit/fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/number.h"
#include "fit/attempt.h"
#include "fit/student.h"

enum { MOST_STARTS = 3 };

static const double UNLIKELY = 4;       /* standard deviations that noise does not reach */
static const double ALIKE = 0.3;        /* correlation of neighbouring residuals */
static const double UNEXPLAINED = 0.01; /* of a field's spread: smaller misfits are no other equation's */

/* ---- Notes --------------------------------------------------------------------------------------------- */

void fit_note_add(ans_fit *fit, bool flagged, const char *format, ...) {
  char text[512];
  va_list arguments;
  if (fit->note_count == FIT_MAX_NOTES) return;
  va_start(arguments, format);
  number_print(text, sizeof text, format, arguments);
  va_end(arguments);
  const char *kept = arena_string(fit->arena, text, strlen(text));
  if (!kept) return;
  fit->notes[fit->note_count++] = (fit_note){kept, flagged};
  fit->summary.flagged = fit->summary.flagged || flagged;
}

void fit_note_lines(ans_fit *fit, bool flagged, buffer *lines) {
  for (char *line = lines->text, *end; line && *line; line = end + 1) {
    end = strchr(line, '\n');
    if (!end) break;
    *end = '\0';
    fit_note_add(fit, flagged, "%s", line);
  }
  buffer_drop(lines);
}

/* ---- What is asked -------------------------------------------------------------------------------------- */

/* "u=0.005,v=0.01" */
static ans_status read_noise(ans_context *context, const ans_problem *problem, const char *list, double *given) {
  for (int f = 0; f < SYSTEM_MAX_FIELDS; f++) given[f] = (double)NAN;
  for (const char *word = list; word && *word;) {
    size_t length = strcspn(word, ","), name = strcspn(word, "=,");
    char copy[64] = "", *end = copy;
    int field = 0;
    while (field < problem->field_count &&
           !(strlen(problem->fields[field].name) == name && memcmp(problem->fields[field].name, word, name) == 0))
      field++;
    FAIL_IF(field == problem->field_count, context, ANS_ARGUMENT, "noise: '%.*s' is no field of %s",
            name > 64 ? 64 : (int)name, word, problem->name);
    if (name < length && length - name - 1 < sizeof copy) memcpy(copy, word + name + 1, length - name - 1);
    given[field] = number_read(copy, &end);
    FAIL_IF(end == copy || *end || !(given[field] > 0 && isfinite(given[field])), context, ANS_ARGUMENT,
            "noise: the standard deviation of %s is a positive number, like %s=0.01", problem->fields[field].name,
            problem->fields[field].name);
    word += length + (word[length] == ',');
  }
  return ANS_OK;
}

static ans_status check_counts(ans_context *context, const ans_fit *fit) {
  size_t values = fit->data->value_count;
  FAIL_IF(values == 0, context, ANS_ARGUMENT, "there is no measured value");
  FAIL_IF(values < (size_t)fit->sought.count, context, ANS_ARGUMENT,
          "%zu measured value%s cannot fix %d unknown numbers", values, values == 1 ? "" : "s", fit->sought.count);
  FAIL_IF(noise_is_estimated(&fit->noise) && values == (size_t)fit->sought.count, context, ANS_ARGUMENT,
          "as many measured values as unknown numbers leave nothing to estimate the noise from: give the noise");
  return ANS_OK;
}

/* sought NULL: as the options say. */
static ans_status prepare(ans_context *context, ans_fit *fit, const ans_problem *problem, const measurements *data,
                          const ans_fit_options *options, const sought *sought) {
  sought_request request = {options->unknown, options->fixed, options->case_name, options->structure};
  double given[SYSTEM_MAX_FIELDS];
  TRY(arena_new(context, &fit->arena));
  fit->problem = system_share(problem);
  FAIL_IF(data->coordinate_count != problem->coordinate_count || data->field_count != problem->field_count, context,
          ANS_ARGUMENT, "the measurements are of another problem");
  if (sought)
    fit->sought = *sought;
  else
    TRY(sought_read(context, fit->problem, &request, &fit->sought));
  TRY(read_noise(context, problem, options->noise, given));
  TRY(measurements_copy(context, data, &fit->data));
  fit->noise = noise_begin(fit->data, given);
  fit->begun = clock_seconds();
  fit->deadline = options->seconds > 0 ? fit->begun + options->seconds : 0;
  fit->interrupt = options->interrupt;
  fit->seed = options->seed;
  fit->threads = options->threads > 0 ? options->threads : 1;
  return check_counts(context, fit);
}

/* ---- Does it fit? --------------------------------------------------------------------------------------- */

/* How a field's residuals are unlike noise; false: they are not. */
static bool looks_wrong(const ans_fit *fit, const noise *noise, const double *predicted, int field,
                        double *correlation) {
  double significance, squares = 0;
  size_t count = measurements_of(fit->data, field);
  for (size_t i = 0; i < fit->data->value_count; i++)
    if (fit->data->values[i].field == (uint32_t)field)
      squares += (fit->data->values[i].value - predicted[i]) * (fit->data->values[i].value - predicted[i]);
  noise_alike(noise, fit->problem, predicted, field, correlation, &significance);
  return count > 0 && significance > UNLIKELY && *correlation > ALIKE &&
         sqrt(squares / (double)count) > UNEXPLAINED * noise->spread[field];
}

static double freedom_of(const ans_fit *fit) { return (double)fit->data->value_count - fit->sought.count; }

static bool is_good(const ans_fit *fit, const attempt *a) {
  double correlation;
  if (!a->search.converged) return false;
  if (!noise_is_estimated(&a->noise) && freedom_of(fit) > 0 && chi2_excess(a->search.chi2, freedom_of(fit)) > UNLIKELY)
    return false;
  for (int f = 0; f < fit->problem->field_count; f++)
    if (looks_wrong(fit, &a->noise, a->search.predicted, f, &correlation)) return false;
  return true;
}

/* ---- Starts --------------------------------------------------------------------------------------------- */

static void take_attempt(ans_fit *fit, attempt *a) {
  search_end(&fit->search);
  network_forward_free(fit->network);
  fit->noise = a->noise;
  fit->search = a->search;
  fit->search.noise = &fit->noise;
  fit->search.sought = &fit->sought;
  fit->network = a->network;
  *a = (attempt){0};
}

/* The first start, then places spread through the ranges, until one is good. */
static ans_status seek(ans_context *context, ans_fit *fit, const ans_model *model) {
  double z[FIT_MAX_UNKNOWNS], least = (double)INFINITY;
  ans_status failure = ANS_OK;
  for (int i = 0; i < MOST_STARTS; i++) {
    attempt a;
    memcpy(z, fit->sought.start, sizeof z);
    if (i > 0) attempt_spread(fit->sought.count, i, z);
    fit->tried++;
    ans_status status = attempt_run(context, fit, i == 0 ? model : NULL, z, &a);
    if (status == ANS_DIVERGED || status == ANS_TOLERANCE) {
      failure = status;
      continue;
    }
    TRY(status);
    bool good = is_good(fit, &a), over = a.search.stopped;
    double score = attempt_score(&a);
    if (score < least) {
      least = score;
      take_attempt(fit, &a);
    }
    attempt_drop(&a);
    if (good || over || (fit->deadline > 0 && clock_seconds() > fit->deadline)) break;
  }
  return isfinite(least) ? ANS_OK : failure;
}

/* ---- The result ----------------------------------------------------------------------------------------- */

/* shift <- (S^T S)^-1 S^T errors / sigma: what errors in the predicted values do to z. */
static ans_status find_shift(ans_context *context, ans_fit *fit, bool *known) {
  network_judgement judgement;
  size_t values = fit->data->value_count;
  search moved = fit->search;
  double *errors = fit->search.trial, *predicted = memory_take(size_product(values, sizeof *predicted));
  if (!predicted) return context_no_memory(context);
  ans_status status = network_forward_judge(context, fit->network, &judgement, errors);
  if (status != ANS_OK) {
    memory_give(predicted);
    return status;
  }
  fit->corrected = judgement.corrected && judgement.trusted;
  fit->summary.network_error = judgement.size;
  *known = true;
  for (size_t i = 0; i < values; i++) {
    *known = *known && isfinite(errors[i]);
    predicted[i] = fit->data->values[i].value - errors[i];
  }
  moved.predicted = predicted;
  memset(fit->shift, 0, sizeof fit->shift);
  if (*known) search_step(&moved, fit->shift);
  memory_give(predicted);
  if (!*known)
    fit_note_add(fit, false, "the network's own error is not known and not in the errors: %s", judgement.reason);
  return ANS_OK;
}

static void note_misfit(ans_fit *fit) {
  double excess = chi2_excess(fit->summary.chi2, freedom_of(fit)), correlation;
  if (!noise_is_estimated(&fit->noise) && freedom_of(fit) > 0 && excess > UNLIKELY)
    fit_note_add(fit, true,
                 "chi2 per degree of freedom is %.3g: this equation, or this noise, does not describe the data",
                 fit->summary.chi2 / freedom_of(fit));
  for (int f = 0; f < fit->problem->field_count; f++) {
    const char *name = fit->problem->fields[f].name;
    if (looks_wrong(fit, &fit->noise, fit->search.predicted, f, &correlation))
      fit_note_add(fit, true,
                   "what the fit leaves of %s is not noise: neighbouring residuals are alike (correlation %.2f), as of "
                   "another equation",
                   name, correlation);
    if (measurements_of(fit->data, f) > 1 && fit->noise.spread[f] == 0)
      fit_note_add(fit, true, "all measured values of %s are equal", name);
  }
}

static void note_numbers(ans_fit *fit) {
  buffer unidentified = {0}, correlated = {0};
  if (fit->search.stopped)
    fit_note_add(fit, true, "the fit was stopped before its end");
  else if (!fit->search.converged)
    fit_note_add(fit, true, "the search did not converge: its next step would be %.2g standard errors",
                 fit->search.left);
  uncertainty_words(&fit->uncertainty, &fit->sought, &unidentified, &correlated);
  fit_note_lines(fit, true, &unidentified);
  fit_note_lines(fit, false, &correlated);
  for (int i = 0; i < fit->sought.count; i++) {
    const system_symbol *s = &fit->problem->symbols[fit->sought.symbols[i]];
    if (fit->uncertainty.numbers[i].at_end)
      fit_note_add(fit, true, "%s is at the end of its range [%g, %g]: the best value may lie outside", s->name, s->low,
                   s->high);
  }
}

static void summarise(ans_fit *fit) {
  ans_fit_summary *s = &fit->summary;
  double logs = 0;
  *s = (ans_fit_summary){.structure = fit->problem->structures[fit->sought.structure].name,
                         .points = fit->data->point_count,
                         .values = fit->data->value_count,
                         .chi2 = fit->search.chi2,
                         .freedom = freedom_of(fit),
                         .converged = fit->search.converged,
                         .stopped = fit->search.stopped,
                         .starts = fit->tried,
                         .iterations = fit->search.iterations,
                         .steps = network_forward_steps(fit->network)};
  for (size_t i = 0; i < fit->data->value_count; i++) {
    const measured_value *v = &fit->data->values[i];
    double left = v->value - fit->search.predicted[i];
    logs += 2 * log(noise_of(&fit->noise, i));
    s->misfit[v->field] += left * left;
    s->measured[v->field]++;
    if (!(v->sigma > 0)) s->noise[v->field] = fit->noise.field[v->field];
  }
  for (int f = 0; f < fit->problem->field_count; f++) {
    s->misfit[f] = s->measured[f] ? sqrt(s->misfit[f] / (double)s->measured[f]) : 0;
    s->noise_estimated[f] = fit->noise.estimated[f];
  }
  s->bic = s->chi2 + logs + fit->sought.count * log((double)s->values);
}

ans_status fit_conclude(ans_context *context, ans_fit *fit) {
  bool known;
  fit->note_count = 0;
  summarise(fit);
  TRY(find_shift(context, fit, &known));
  fit->summary.corrected = fit->corrected;
  double freedom = noise_is_estimated(&fit->noise) ? fmax(freedom_of(fit), 1) : (double)INFINITY;
  fit->uncertainty = uncertainty_of(&fit->search, freedom, fit->shift);
  note_numbers(fit);
  note_misfit(fit);
  fit->summary.seconds = clock_seconds() - fit->begun;
  return ANS_OK;
}

ans_status fit_again(ans_context *context, ans_fit *fit, const double *z, bool *better) {
  attempt a;
  *better = false;
  fit->tried++;
  TRY(attempt_run(context, fit, NULL, z, &a));
  attempt now = {.noise = fit->noise, .search = fit->search};
  *better = attempt_score(&a) < attempt_score(&now);
  if (*better) take_attempt(fit, &a);
  attempt_drop(&a);
  return *better ? fit_conclude(context, fit) : ANS_OK;
}

ans_status fit_new_of(ans_context *context, const ans_problem *problem, const measurements *data,
                      const ans_fit_options *options, const sought *sought, ans_fit **result) {
  *result = NULL;
  ans_fit *fit = memory_take(sizeof *fit);
  if (!fit) return context_no_memory(context);
  ans_status status = prepare(context, fit, problem, data, options, sought);
  if (status == ANS_OK && options->model) status = attempt_guess(context, fit, options->model, fit->sought.start);
  if (status == ANS_OK) status = seek(context, fit, options->model);
  if (status == ANS_OK) status = fit_conclude(context, fit);
  if (status == ANS_OK)
    *result = fit;
  else
    fit_free(fit);
  return status;
}

ans_status fit_new(ans_context *context, const ans_problem *problem, const measurements *data,
                   const ans_fit_options *options, ans_fit **result) {
  return fit_new_of(context, problem, data, options, NULL, result);
}

void fit_free(ans_fit *fit) {
  if (!fit) return;
  search_end(&fit->search);
  network_forward_free(fit->network);
  measurements_free(fit->data);
  system_free(fit->problem);
  arena_free(fit->arena);
  memory_give(fit);
}
