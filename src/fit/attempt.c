/* SPDX-License-Identifier: Apache-2.0 */
#include "fit/attempt.h"

#include <math.h>
#include <string.h>

#include "fit/forward_guess.h"

enum { GUESSES = 48, GUESSED_ITERATIONS = 12 };

static const double MARGIN = 0.08; /* of a range: starts are this far inside it */

static ans_solver_options solver_options_of(const ans_fit *fit) {
  return (ans_solver_options){.seed = fit->seed, .threads = fit->threads, .method = ANS_GAUSS_NEWTON};
}

/* ---- Starts --------------------------------------------------------------------------------------------- */

/* Multiples of powers of the root of x^(n+1) = x + 1, modulo one: evenly spread in n dimensions. */
void attempt_spread(int unknowns, int index, double *z) {
  double root = 2;
  for (int i = 0; i < 60; i++) root = pow(1 + root, 1.0 / (unknowns + 1));
  for (int i = 0; i < unknowns; i++) {
    double place = 0.5 + index * pow(root, -(i + 1));
    z[i] = MARGIN + (1 - 2 * MARGIN) * (place - floor(place));
  }
}

static ans_status best_guess(ans_context *context, guess_forward *guess, search *s, double *z) {
  forward forward = guess_forward_of(guess);
  double least = (double)INFINITY, place[FIT_MAX_UNKNOWNS];
  noise first = *s->noise;
  for (int i = 0; i < GUESSES; i++) {
    memcpy(place, z, sizeof place);
    if (i > 0) attempt_spread(s->sought->count, i, place);
    TRY(forward.predict(context, forward.object, place, s->trial));
    double chi2 = noise_chi2(&first, s->trial);
    if (!(chi2 < least)) continue;
    least = chi2;
    memcpy(s->z, place, sizeof place);
  }
  s->most = GUESSED_ITERATIONS;
  TRY(search_run(context, s, &forward));
  for (int i = 0; i < s->sought->count; i++) z[i] = fmin(fmax(s->z[i], MARGIN / 2), 1 - MARGIN / 2);
  return ANS_OK;
}

ans_status attempt_guess(ans_context *context, const ans_fit *fit, const ans_model *model, double *z) {
  guess_forward guess = {.sought = &fit->sought, .data = fit->data, .model = model};
  ans_solver_options options = solver_options_of(fit);
  double values[SYSTEM_MAX_SYMBOLS];
  noise noise = fit->noise;
  search s = {0};
  ans_instance *instance;
  sought_values(&fit->sought, z, values);
  TRY(system_instance(context, fit->problem, fit->sought.structure, values, true, &instance));
  ans_status status = solver_begin(context, model, instance, &options, &guess.solver);
  system_instance_free(instance);
  guess.fields = memory_take(size_product(fit->data->point_count * (size_t)fit->data->field_count, sizeof(double)));
  if (status == ANS_OK && !guess.fields) status = context_no_memory(context);
  if (status == ANS_OK) status = search_begin(context, &fit->sought, &noise, &s);
  s.interrupt = fit->interrupt;
  s.deadline = fit->deadline;
  if (status == ANS_OK) status = best_guess(context, &guess, &s, z);
  search_end(&s);
  solver_free(guess.solver);
  memory_give(guess.fields);
  return status == ANS_DIVERGED ? ANS_OK : status; /* the start stays where it was */
}

/* ---- One search ------------------------------------------------------------------------------------------ */

double attempt_score(const attempt *a) {
  double sum = a->search.chi2 + a->search.penalty;
  const measurements *data = a->noise.data;
  for (size_t i = 0; i < data->value_count; i++) sum += 2 * log(noise_of(&a->noise, i));
  return sum;
}

void attempt_drop(attempt *a) {
  search_end(&a->search);
  network_forward_free(a->network);
  *a = (attempt){0};
}

static ans_status run(ans_context *context, const ans_fit *fit, const ans_model *model, const fit_hint *hint,
                      const double *z, attempt *a) {
  ans_solver_options options = solver_options_of(fit);
  TRY(search_begin(context, &fit->sought, &a->noise, &a->search));
  memcpy(a->search.z, z, (size_t)fit->sought.count * sizeof *z);
  a->search.interrupt = fit->interrupt;
  a->search.deadline = fit->deadline;
  TRY(network_forward_new(context, &fit->sought, fit->data, model, &options, z, &a->network));
  if (hint && hint->network) TRY(network_forward_follow(context, a->network, hint->network, hint->network_z));
  forward forward = network_forward_adapted(a->network);
  TRY(search_run(context, &a->search, &forward));
  if (a->search.stopped || network_forward_is_corrected(a->network)) return ANS_OK;
  TRY(network_forward_thorough(context, a->network, model));
  return search_run(context, &a->search, &forward);
}

ans_status attempt_run(ans_context *context, const ans_fit *fit, const ans_model *model, const fit_hint *hint,
                       const double *z, attempt *a) {
  double none[SYSTEM_MAX_FIELDS];
  *a = (attempt){0};
  for (int f = 0; f < SYSTEM_MAX_FIELDS; f++) none[f] = fit->noise.estimated[f] ? (double)NAN : fit->noise.field[f];
  a->noise = noise_begin(fit->data, none);
  ans_status status = run(context, fit, model, hint, z, a);
  if (status != ANS_OK) attempt_drop(a);
  return status;
}
