/* SPDX-License-Identifier: Apache-2.0
 *
 * fit_check.c - the same data and the classical reference: does a fit without any network find the same numbers?
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "fit/attempt.h"
#include "fit/forward_reference.h"
#include "fit/student.h"

static const double AGREE = 0.1;   /* standard errors */
static const double BETTER = 4;    /* of minus twice the log likelihood: the network's optimum is another one */
static const double SHORT = 0.8;   /* of the classical error: an error below that is too small */
static const double FAR_AWAY = 3;  /* standard errors: another optimum */
static const double LARGER = 1.25; /* times the classical error: the network's own error is a part of it */
static const double APART = 2;     /* errors of the network: more than its own error explains */

typedef struct classical {
  reference_forward reference;
  noise noise;
  search search;
  double at_network; /* chi2 of the reference with the network's numbers */
} classical;

static ans_status run(ans_context *context, const ans_fit *fit, const double *z, bool refined, classical *c) {
  if (!c->search.predicted) TRY(search_begin(context, &fit->sought, &c->noise, &c->search));
  memcpy(c->search.z, z, (size_t)fit->sought.count * sizeof *z);
  c->search.effective = fit->search.effective;
  c->search.refine = true;
  c->search.interrupt = fit->interrupt;
  c->search.deadline = fit->deadline;
  if (!refined) {
    TRY(reference_forward_refine(context, &c->reference, &fit->noise, z, c->search.predicted, c->search.trial));
    c->at_network = noise_chi2(&fit->noise, c->search.predicted);
    c->search.ready = true;
  }
  forward forward = reference_forward_of(&c->reference);
  return search_run(context, &c->search, &forward);
}

static double score_of(const classical *c) {
  attempt now = {.noise = c->noise, .search = c->search};
  return attempt_score(&now);
}

/* The largest difference in standard errors: the classical ones or, with the network's own error in them, the fit's. */
static double distance_of(const ans_fit *fit, const uncertainty *own, const search *search) {
  double most = 0;
  for (int i = 0; i < fit->sought.named; i++) {
    double error = fmax(own->numbers[i].z_error, fit->uncertainty.numbers[i].z_error);
    most = fmax(most, fabs(search->z[i] - fit->search.z[i]) / error);
  }
  return most;
}

static void report(ans_fit *fit, const classical *c) {
  double freedom = noise_is_estimated(&c->noise) ? fmax(search_freedom(&c->search), 1) : (double)INFINITY;
  uncertainty own = uncertainty_of(&c->search, freedom, NULL);
  ans_fit_reference *r = &fit->reference;
  r->available = true;
  r->converged = c->search.converged;
  r->chi2 = c->search.chi2;
  r->chi2_network = c->at_network;
  r->iterations = c->search.iterations;
  r->larger = 1;
  for (int i = 0; i < fit->sought.named; i++) {
    r->estimates[i] = own.numbers[i].estimate;
    r->errors[i] = own.numbers[i].error;
    r->network[i] = fit->uncertainty.numbers[i].estimate;
    r->network_errors[i] = fit->uncertainty.numbers[i].error;
    if (own.numbers[i].identified)
      r->larger = fmax(r->larger, fit->uncertainty.numbers[i].z_error / own.numbers[i].z_error);
  }
  r->distance = distance_of(fit, &own, &c->search);
  r->agrees = r->distance <= AGREE;
  for (int i = 0; i < fit->sought.named; i++) {
    const fit_number *theirs = &own.numbers[i], *ours = &fit->uncertainty.numbers[i];
    if (theirs->identified && !(ours->z_error > SHORT * theirs->z_error)) r->agrees = false;
  }
}

/* The classical fit found a better place elsewhere: the network looks there, too. */
static ans_status follow(ans_context *context, ans_fit *fit, classical *c) {
  bool better = false;
  attempt now = {.noise = fit->noise, .search = fit->search};
  if (!(fit->reference.distance > FAR_AWAY) || !(score_of(c) < attempt_score(&now) - BETTER)) return ANS_OK;
  TRY(fit_again(context, fit, c->search.z, &better));
  if (better) report(fit, c);
  return ANS_OK;
}

/* The network does not vouch for its numbers: its own error is large in theirs, or not known well enough. */
static bool is_unsure(const ans_fit *fit) {
  return fit->reference.larger > LARGER || (!fit->corrected && !fit->reference.agrees);
}

/* *most <- how many standard errors the error of the grid moves the numbers: a third of what a grid half as fine does,
 * because the references are of second order at least. values: room for as many. */
static ans_status find_grid_shift(ans_context *context, classical *c, double *values, double *most) {
  reference_forward half = c->reference;
  forward whole = reference_forward_of(&c->reference), coarse = reference_forward_of(&half);
  search moved = c->search;
  double shift[FIT_MAX_UNKNOWNS];
  half.points = (half.points + 1) / 2;
  half.times = (half.times + 1) / 2;
  TRY(whole.predict(context, whole.object, c->search.z, c->search.trial));
  TRY(coarse.predict(context, coarse.object, c->search.z, values));
  for (size_t i = 0; i < c->noise.data->value_count; i++)
    values[i] = c->noise.data->values[i].value - (c->search.trial[i] - values[i]);
  moved.predicted = values;
  search_step(&moved, shift);
  uncertainty own = uncertainty_of(&c->search, (double)INFINITY, NULL);
  *most = 0;
  for (int i = 0; i < c->search.sought->named; i++) *most = fmax(*most, fabs(shift[i]) / (3 * own.numbers[i].z_error));
  return ANS_OK;
}

/* The classical search once more where it ended, if the grid must be finer there; *fine: a finer one moves nothing. */
static ans_status settle(ans_context *context, classical *c, bool *fine) {
  forward forward = reference_forward_of(&c->reference);
  int points = c->reference.points, times = c->reference.times;
  double moves = (double)INFINITY, *room = memory_take(size_product(c->noise.data->value_count, sizeof *room));
  if (!room) return context_no_memory(context);
  ans_status status =
      reference_forward_refine(context, &c->reference, &c->noise, c->search.z, c->search.predicted, c->search.trial);
  if (status == ANS_OK && (points != c->reference.points || times != c->reference.times))
    status = search_run(context, &c->search, &forward);
  if (status == ANS_OK) status = find_grid_shift(context, c, room, &moves);
  if (status == ANS_OK && moves > AGREE) { /* one more, then it must do */
    c->reference.points *= 2;
    c->reference.times *= 2;
    status = search_run(context, &c->search, &forward);
    if (status == ANS_OK) status = find_grid_shift(context, c, room, &moves);
  }
  memory_give(room);
  *fine = status == ANS_OK && c->search.converged && moves <= AGREE;
  return status == ANS_DIVERGED || status == ANS_TOLERANCE ? ANS_OK : status;
}

/* Then the result is the classical fit's, if that is no worse. */
static ans_status adopt(ans_context *context, ans_fit *fit, classical *c) {
  attempt now = {.noise = fit->noise, .search = fit->search};
  bool fine;
  if (!is_unsure(fit) || !c->search.converged || c->search.stopped) return ANS_OK;
  if (score_of(c) > attempt_score(&now) + BETTER) return ANS_OK;
  TRY(settle(context, c, &fine));
  report(fit, c);
  if (!fine) return ANS_OK;
  reference_forward *kept = memory_take(sizeof *kept);
  if (!kept) return context_no_memory(context);
  *kept = c->reference;
  return fit_adopt(context, fit, &c->search, &c->noise, reference_forward_of(kept));
}

static void note_adopted(ans_fit *fit) {
  const ans_fit_reference *r = &fit->reference;
  fit_note_add(
      fit, false,
      "these are the numbers of the classical fit, because the network does not resolve the fields well enough: "
      "its numbers are %.2g standard errors away, its standard errors %.2g times as large",
      r->distance, r->larger);
  if (r->distance > APART && fit->corrected)
    fit_note_add(fit, true, "the network's numbers are farther away than its own error explains: believe neither yet");
}

static void note(ans_fit *fit) {
  const ans_fit_reference *r = &fit->reference;
  if (fit->classical) {
    note_adopted(fit);
    return;
  }
  if (!r->available)
    fit_note_add(fit, false, "not checked by a classical fit: %s", r->reason);
  else if (!r->converged)
    fit_note_add(fit, true, "the classical fit did not converge");
  else if (!r->agrees && r->distance <= AGREE)
    fit_note_add(fit, true,
                 "the network's standard errors are smaller than those of the classical fit: believe the latter");
  else if (!r->agrees)
    fit_note_add(fit, true,
                 "network and classical fit differ by %.2g standard errors: believe neither until you know why",
                 r->distance);
}

static ans_status check(ans_context *context, ans_fit *fit, classical *c) {
  ans_status status = run(context, fit, fit->search.z, false, c);
  if (status == ANS_UNSUPPORTED || status == ANS_DIVERGED || status == ANS_TOLERANCE) {
    snprintf(fit->reference.reason, sizeof fit->reference.reason, "%s", ans_context_diagnostic(context)->message);
    return ANS_OK;
  }
  TRY(status);
  report(fit, c);
  TRY(follow(context, fit, c));
  return adopt(context, fit, c);
}

ans_status fit_check(ans_context *context, ans_fit *fit) {
  classical c = {.reference = {.sought = &fit->sought, .data = fit->data}};
  double given[SYSTEM_MAX_FIELDS], begun = clock_seconds();
  if (fit->classical) return ANS_OK; /* it was checked, and the numbers are the reference's */
  for (int f = 0; f < SYSTEM_MAX_FIELDS; f++) given[f] = fit->noise.estimated[f] ? (double)NAN : fit->noise.field[f];
  c.noise = noise_begin(fit->data, given);
  fit->reference = (ans_fit_reference){0};
  ans_status status = check(context, fit, &c);
  search_end(&c.search);
  fit->reference.seconds = clock_seconds() - begun;
  fit->summary.seconds = clock_seconds() - fit->begun;
  if (status == ANS_OK) note(fit);
  return status;
}
