/* SPDX-License-Identifier: Apache-2.0
 *
 * fit.c - the order of a fit: starts, the search with a network, the same without the network's error, and what
 * follows.
 */
#include "fit/fit.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/number.h"
#include "fit/attempt.h"

enum { MOST_STARTS = 3 };

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
    FAIL_IF(field == problem->field_count, context, ANS_ARGUMENT, "noise: '%.*s' is not a field of %s",
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
  /* Of an initial value the data must say something, too. */
  int unknowns = fit->sought.named + (fit->sought.count > fit->sought.named);
  FAIL_IF(values < (size_t)unknowns, context, ANS_ARGUMENT, "%zu measured value%s cannot determine %d unknown numbers",
          values, values == 1 ? "" : "s", unknowns);
  FAIL_IF(noise_is_estimated(&fit->noise) && values == (size_t)unknowns, context, ANS_ARGUMENT,
          "as many measured values as unknown numbers leave nothing to estimate the noise from: give the noise");
  return ANS_OK;
}

/* sought NULL: as the options say. */
static ans_status prepare(ans_context *context, ans_fit *fit, const ans_problem *problem, const measurements *data,
                          const ans_fit_options *options, const sought *sought) {
  sought_request request = {.unknown = options->unknown,
                            .fixed = options->fixed,
                            .case_name = options->case_name,
                            .structure = options->structure};
  double given[SYSTEM_MAX_FIELDS];
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

static ans_status judge(ans_context *context, const ans_fit *fit, const attempt *a, bool *good) {
  double correlation;
  *good = a->search.converged && !fit_is_unlikely(&a->noise, &a->search);
  for (int f = 0; f < fit->problem->field_count && *good; f++) {
    bool wrong;
    TRY(fit_looks_wrong(context, fit, &a->noise, a->search.predicted, f, &correlation, &wrong));
    *good = !wrong;
  }
  return ANS_OK;
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
  fit->forward = network_forward_adapted(fit->network);
  *a = (attempt){0};
}

/* A place to begin at: the hint, then the start that was asked for, then places spread through the ranges. */
static void take_start(const ans_fit *fit, const fit_hint *hint, int index, double *z) {
  memcpy(z, hint && index == 0 ? hint->z : fit->sought.start, (size_t)fit->sought.count * sizeof *z);
  if (hint) index--;
  if (index > 0) attempt_spread(fit->sought.named, index, z);
}

static bool is_hopeless(const ans_fit *fit, const fit_hint *hint, double score) {
  return hint && score + fit->search.effective * log((double)fit->data->value_count) > hint->hopeless;
}

/* From one place after the other, until a result is good. */
static ans_status seek(ans_context *context, ans_fit *fit, const ans_model *model, const fit_hint *hint) {
  double z[FIT_MAX_UNKNOWNS], least = (double)INFINITY;
  ans_status outcome = ANS_OK; /* of the last start that failed */
  for (int i = 0; i < MOST_STARTS + (hint ? 1 : 0); i++) {
    attempt a;
    take_start(fit, hint, i, z);
    fit->tried++;
    ans_status status = attempt_run(context, fit, i == 0 ? model : NULL, i == 0 ? hint : NULL, z, &a);
    if (status == ANS_DIVERGED || status == ANS_TOLERANCE) {
      outcome = status;
      continue;
    }
    TRY(status);
    bool good, over = a.search.stopped;
    double score = attempt_score(&a);
    status = judge(context, fit, &a, &good);
    if (score < least) {
      least = score;
      take_attempt(fit, &a);
    }
    attempt_drop(&a);
    TRY(status);
    if (good || over || is_hopeless(fit, hint, least) || (fit->deadline > 0 && clock_seconds() > fit->deadline)) break;
  }
  FAIL_IF(!isfinite(least) && outcome == ANS_OK, context, ANS_ARGUMENT,
          "measured values or standard deviations are so large or small that the sum of squares is not a number");
  return isfinite(least) ? ANS_OK : outcome;
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
  fit->network_error = judgement.size;
  *known = true;
  for (size_t i = 0; i < values; i++) {
    *known = *known && isfinite(errors[i]);
    predicted[i] = fit->data->values[i].value - errors[i];
  }
  moved.predicted = predicted;
  if (*known) search_step(&moved, fit->shift);
  memory_give(predicted);
  if (!*known)
    fit_note_add(fit, false, "the network's own error is unknown and not included in the errors: %s", judgement.reason);
  return ANS_OK;
}

static void summarise(ans_fit *fit) {
  ans_fit_summary *s = &fit->summary;
  double logs = 0;
  *s = (ans_fit_summary){.structure = fit->problem->structures[fit->sought.structure].name,
                         .points = fit->data->point_count,
                         .values = fit->data->value_count,
                         .chi2 = fit->search.chi2,
                         .freedom = search_freedom(&fit->search),
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
  s->bic = s->chi2 + logs + fit->search.effective * log((double)s->values);
}

ans_status fit_conclude(ans_context *context, ans_fit *fit) {
  bool known;
  fit->note_count = 0;
  fit->misfits = false;
  summarise(fit);
  memset(fit->shift, 0, sizeof fit->shift);
  if (!fit->classical) TRY(find_shift(context, fit, &known));
  fit->summary.corrected = fit->corrected;
  fit->summary.network_error = fit->network_error;
  fit->summary.classical = fit->classical;
  double freedom = noise_is_estimated(&fit->noise) ? fmax(search_freedom(&fit->search), 1) : (double)INFINITY;
  fit->uncertainty = uncertainty_of(&fit->search, freedom, fit->shift);
  fit->summary.reach = fit->uncertainty.reach;
  TRY(fit_note_numbers(context, fit));
  TRY(fit_note_misfit(context, fit));
  fit->summary.seconds = clock_seconds() - fit->begun;
  return ANS_OK;
}

ans_status fit_again(ans_context *context, ans_fit *fit, const double *z, bool *better) {
  attempt a;
  *better = false;
  fit->tried++;
  TRY(attempt_run(context, fit, NULL, NULL, z, &a));
  attempt now = {.noise = fit->noise, .search = fit->search};
  *better = attempt_score(&a) < attempt_score(&now);
  if (*better) take_attempt(fit, &a);
  attempt_drop(&a);
  return *better ? fit_conclude(context, fit) : ANS_OK;
}

ans_status fit_adopt(ans_context *context, ans_fit *fit, search *s, const noise *noise, forward forward) {
  struct forward network = network_forward_adapted(fit->network);
  int iterations = fit->search.iterations; /* stay those of the network */
  search_end(&fit->search);
  memory_give(fit->classical);
  fit->search = *s;
  fit->search.iterations = iterations;
  *s = (search){0};
  fit->noise = *noise;
  fit->search.noise = &fit->noise;
  fit->forward = forward;
  fit->classical = forward.object;
  ans_status status = network.predict(context, network.object, fit->search.z, fit->search.trial);
  if (status == ANS_OK) network.accept(network.object);
  if (status != ANS_OK && status != ANS_DIVERGED && status != ANS_TOLERANCE) return status;
  bool followed = status == ANS_OK;
  TRY(fit_conclude(context, fit));
  if (!followed)
    fit_note_add(fit, true, "the network could not be adapted to these numbers: the fields belong to other ones");
  return ANS_OK;
}

ans_status fit_new_of(ans_context *context, const ans_problem *problem, const measurements *data,
                      const ans_fit_options *options, const sought *sought, const fit_hint *hint, ans_fit **result) {
  *result = NULL;
  ans_fit *fit = memory_take(sizeof *fit);
  if (!fit) return context_no_memory(context);
  ans_status status = prepare(context, fit, problem, data, options, sought);
  if (status == ANS_OK && options->model && !hint)
    status = attempt_guess(context, fit, options->model, fit->sought.start);
  if (status == ANS_OK) status = seek(context, fit, options->model, hint);
  if (status == ANS_OK) status = fit_conclude(context, fit);
  if (status == ANS_OK)
    *result = fit;
  else
    fit_free(fit);
  return status;
}

ans_status fit_new(ans_context *context, const ans_problem *problem, const measurements *data,
                   const ans_fit_options *options, ans_fit **result) {
  if (system_unknown_initial(problem) >= 0) return fit_with_initials(context, problem, data, options, NULL, result);
  return fit_new_of(context, problem, data, options, NULL, NULL, result);
}

void fit_free(ans_fit *fit) {
  if (!fit) return;
  search_end(&fit->search);
  network_forward_free(fit->network);
  memory_give(fit->classical);
  measurements_free(fit->data);
  system_free(fit->problem);
  memory_give(fit);
}
