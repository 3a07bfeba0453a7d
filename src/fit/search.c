/* SPDX-License-Identifier: Apache-2.0 */
#include "fit/search.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "fit/small_matrix.h"

enum { MOST = 40, TRIES = 7 };

static const double PRIOR = 0.01;   /* information of the pull to the middle: ten ranges wide */
static const double FAR = 0.35;     /* of a range: the longest step in one unknown */
static const double SMALL = 0.03;   /* standard errors: no further step is worth it */
static const double NOTHING = 0.02; /* of chi2, gained by a step, after which */
static const double HARDLY = 0.5;   /* standard errors are what inexact predictions leave */
static const double LITTLE = 0.05;  /* of chi2: a promise that inexact predictions cannot keep */

/* ---- Memory -------------------------------------------------------------------------------------------- */

ans_status search_begin(ans_context *context, const sought *sought, noise *noise, search *s) {
  size_t values = noise->data->value_count;
  *s = (search){.sought = sought, .noise = noise, .effective = sought->count};
  memcpy(s->z, sought->start, sizeof s->z);
  s->predicted = memory_take(size_product(values, sizeof(double)));
  s->trial = memory_take(size_product(values, sizeof(double)));
  s->slopes = memory_take(size_product(values * (size_t)(sought->count + 1), sizeof(double)));
  if (s->predicted && s->trial && s->slopes) return ANS_OK;
  search_end(s);
  return context_no_memory(context);
}

void search_end(search *s) {
  memory_give(s->predicted);
  memory_give(s->trial);
  memory_give(s->slopes);
  s->predicted = s->trial = s->slopes = NULL;
}

/* ---- The normal equations ------------------------------------------------------------------------------ */

static void form(search *s, double *gradient) {
  int n = s->sought->count;
  size_t values = s->noise->data->value_count;
  memset(s->information, 0, sizeof s->information);
  for (int i = 0; i < n; i++) gradient[i] = 0;
  for (size_t v = 0; v < values; v++) {
    double weight = 1 / noise_of(s->noise, v), r = (s->noise->data->values[v].value - s->predicted[v]) * weight;
    for (int i = 0; i < n; i++) {
      double slope = s->slopes[(size_t)i * values + v] * weight;
      gradient[i] += slope * r;
      for (int k = 0; k <= i; k++) s->information[i * n + k] += slope * s->slopes[(size_t)k * values + v] * weight;
    }
  }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) s->information[k * n + i] = s->information[i * n + k];
    s->information[i * n + i] += s->sought->prior[i];
  }
}

static void add_pull(const search *s, double *gradient) {
  for (int i = 0; i < s->sought->count; i++) gradient[i] += s->sought->prior[i] * (0.5 - s->z[i]);
}

static double penalty_at(const sought *sought, const double *z) {
  double sum = 0;
  for (int i = 0; i < sought->count; i++) sum += sought->prior[i] * (z[i] - 0.5) * (z[i] - 0.5);
  return sum;
}

/* A step would leave the box at once. */
static bool is_pinned(const search *s, int i, double gradient) {
  const sought *sought = s->sought;
  return (s->held && s->held[i]) || (s->z[i] <= sought->lowest[i] && gradient < 0) ||
         (s->z[i] >= sought->highest[i] && gradient > 0);
}

/* step <- (A + damping diag A + prior) \ gradient, zero where pinned. */
static void solve(const search *s, const double *gradient, double damping, double *step) {
  int n = s->sought->count;
  double a[FIT_MAX_UNKNOWNS * FIT_MAX_UNKNOWNS];
  for (int i = 0; i < n; i++) {
    bool pinned = is_pinned(s, i, gradient[i]);
    step[i] = pinned ? 0 : gradient[i] + PRIOR * (0.5 - s->z[i]);
    for (int k = 0; k < n; k++) {
      bool other = is_pinned(s, k, gradient[k]);
      a[i * n + k] = pinned || other ? i == k : s->information[i * n + k];
    }
    if (!pinned) a[i * n + i] += damping * s->information[i * n + i] + PRIOR;
  }
  if (!small_solve(n, a, step)) memset(step, 0, (size_t)n * sizeof *step);
}

/* How much lower the sum should be after the step. */
static double promise(const search *s, const double *gradient, const double *step) {
  int n = s->sought->count;
  double gain = 0;
  for (int i = 0; i < n; i++) {
    gain += 2 * gradient[i] * step[i];
    for (int k = 0; k < n; k++) gain -= step[i] * s->information[i * n + k] * step[k];
  }
  return gain;
}

/* The largest part of a standard error (at most a range) that the undamped step goes; counts what is effective. */
static double in_errors(search *s, const double *gradient) {
  int n = s->sought->count;
  double a[FIT_MAX_UNKNOWNS * FIT_MAX_UNKNOWNS], inverse[FIT_MAX_UNKNOWNS * FIT_MAX_UNKNOWNS], step[FIT_MAX_UNKNOWNS];
  double most = 0;
  memcpy(a, s->information, (size_t)(n * n) * sizeof *a);
  for (int i = 0; i < n; i++) a[i * n + i] += PRIOR;
  if (!small_inverse(n, a, inverse)) return (double)INFINITY;
  solve(s, gradient, 0, step);
  s->effective = n;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(step[i]) / sqrt(inverse[i * n + i]));
    s->effective -= s->sought->prior[i] * inverse[i * n + i];
  }
  return most;
}

void search_step(const search *s, double *step) {
  double gradient[FIT_MAX_UNKNOWNS];
  search copy = *s;
  form(&copy, gradient);
  solve(&copy, gradient, 0, step);
}

/* ---- Steps --------------------------------------------------------------------------------------------- */

static bool is_over(search *s) {
  s->stopped = (s->interrupt && *s->interrupt) || (s->deadline > 0 && clock_seconds() > s->deadline);
  return s->stopped;
}

/* A step that is too long is shortened as a whole; then it is cut at the box. */
static void place(const search *s, double *step, double *z) {
  double longest = 0;
  for (int i = 0; i < s->sought->count; i++) longest = fmax(longest, fabs(step[i]));
  double factor = longest > FAR ? FAR / longest : 1;
  for (int i = 0; i < s->sought->count; i++) {
    z[i] = fmin(fmax(s->z[i] + factor * step[i], s->sought->lowest[i]), s->sought->highest[i]);
    step[i] = z[i] - s->z[i];
  }
}

static bool is_bad_place(ans_status status) { return status == ANS_DIVERGED || status == ANS_TOLERANCE; }

/* One accepted step, or *moved false. *promised: by the last one that was tried. */
static ans_status advance(ans_context *context, search *s, const forward *forward, const double *gradient,
                          double *damping, bool *moved, double *promised) {
  *moved = false;
  for (int i = 0; i < TRIES && !is_over(s); i++, *damping = fmax(*damping, 1e-3) * 8) {
    double step[FIT_MAX_UNKNOWNS], z[FIT_MAX_UNKNOWNS];
    solve(s, gradient, *damping, step);
    place(s, step, z);
    *promised = promise(s, gradient, step);
    ans_status status = forward->predict(context, forward->object, z, s->trial);
    if (status != ANS_OK && !is_bad_place(status)) return status;
    double chi2 = status == ANS_OK ? noise_chi2(s->noise, s->trial) : (double)INFINITY;
    double penalty = penalty_at(s->sought, z);
    if (chi2 + penalty < s->chi2 + s->penalty) {
      double *kept = s->predicted;
      s->predicted = s->trial;
      s->trial = kept;
      memcpy(s->z, z, (size_t)s->sought->count * sizeof *z);
      s->chi2 = chi2;
      s->penalty = penalty;
      if (forward->accept) forward->accept(forward->object);
      *damping /= 10;
      *moved = true;
      return ANS_OK;
    }
    if (*promised < LITTLE) return ANS_OK;
  }
  return ANS_OK;
}

/* What the slopes promise, as far as the box goes; predictions and chi2 stay those of the place before. */
static void take_last_step(search *s, const double *gradient) {
  double step[FIT_MAX_UNKNOWNS];
  solve(s, gradient, 0, step);
  place(s, step, s->z);
}

/* The noise as the present predictions leave it, and the sum with it. */
static void weigh(search *s) {
  noise_update(s->noise, s->predicted, s->effective);
  s->chi2 = noise_chi2(s->noise, s->predicted);
  s->penalty = penalty_at(s->sought, s->z);
}

/* By one difference per unknown, towards the middle of its range. */
static ans_status take_differences(ans_context *context, search *s, const forward *forward) {
  double moved[FIT_MAX_UNKNOWNS];
  int unknowns = s->sought->count;
  size_t value_count = s->noise->data->value_count;
  assert(forward->distance > 0);
  for (int i = 0; i < unknowns; i++) {
    double *slope = s->slopes + (size_t)i * value_count;
    memcpy(moved, s->z, (size_t)unknowns * sizeof *moved);
    moved[i] += moved[i] > 0.5 ? -forward->distance : forward->distance;
    TRY(forward->predict(context, forward->object, moved, slope));
    for (size_t v = 0; v < value_count; v++) slope[v] = (slope[v] - s->predicted[v]) / (moved[i] - s->z[i]);
  }
  return ANS_OK;
}

static ans_status differentiate(ans_context *context, search *s, const forward *forward) {
  if (!forward->differentiate) return take_differences(context, s, forward);
  return forward->differentiate(context, forward->object, s->z, s->predicted, s->slopes);
}

ans_status search_run(ans_context *context, search *s, const forward *forward) {
  double gradient[FIT_MAX_UNKNOWNS], damping = 1e-2, promised = 0, gained = (double)INFINITY;
  bool moved = true;
  int most = s->most > 0 ? s->most : MOST;
  if (!s->ready) TRY(forward->predict(context, forward->object, s->z, s->predicted));
  s->ready = false;
  if (forward->accept) forward->accept(forward->object);
  weigh(s);
  s->converged = false;
  for (s->iterations = 0;; s->iterations++) {
    TRY(differentiate(context, s, forward));
    form(s, gradient);
    add_pull(s, gradient);
    s->left = in_errors(s, gradient);
    s->converged = s->left < SMALL || (gained < NOTHING && s->left < HARDLY);
    if (s->converged && s->refine) take_last_step(s, gradient);
    if (s->converged || s->iterations >= most || is_over(s)) return ANS_OK;
    double before = s->chi2 + s->penalty;
    TRY(advance(context, s, forward, gradient, &damping, &moved, &promised));
    if (!moved) {
      s->converged = promised < LITTLE;
      return ANS_OK;
    }
    gained = before - s->chi2 - s->penalty;
    weigh(s);
  }
}

/* ---- For forwards --------------------------------------------------------------------------------------- */

void forward_pick(const measurements *data, const double *all_values, double *values) {
  for (size_t i = 0; i < data->value_count; i++)
    values[i] = all_values[(size_t)data->values[i].point * (size_t)data->field_count + data->values[i].field];
}
