/* SPDX-License-Identifier: Apache-2.0
 *
 * profile.c - how fast the fit gets worse along one unknown, all others fitted anew at every place.
 *
 * Where chi2 has risen by the square of the interval's reach, the profile interval ends: unlike the one from slopes it
 * need not be symmetric.
 */
#include <math.h>
#include <string.h>

#include "fit/fit.h"

static const double places[] = {-3, -2, -1, 0, 1, 2, 3}; /* standard errors */
enum { PLACES = sizeof places / sizeof *places, MIDDLE = PLACES / 2, ITERATIONS = 6 };

_Static_assert((int)PLACES == (int)ANS_FIT_PROFILE, "the public struct has as many");

/* From the best fit outwards, each place starting where the one before ended. */
static ans_status walk(ans_context *context, const ans_fit *fit, search *s, const forward *forward, int index, int side,
                       ans_fit_profile *profile) {
  memcpy(s->z, fit->search.z, sizeof s->z);
  for (int i = MIDDLE + side; i >= 0 && i < PLACES; i += side) {
    double z = fit->search.z[index] + places[i] * fit->uncertainty.numbers[index].z_error;
    if (z < 0 || z > 1 || (s->interrupt && *s->interrupt)) return ANS_OK;
    s->z[index] = z;
    ans_status status = search_run(context, s, forward);
    if (status == ANS_DIVERGED || status == ANS_TOLERANCE || s->stopped) return ANS_OK;
    TRY(status);
    profile->values[i] = sought_value(&fit->sought, index, z);
    profile->chi2[i] = s->chi2 + s->penalty;
  }
  return ANS_OK;
}

/* Where chi2 crosses the level on one side, between two places; NaN: beyond the last. */
static double crossing(const ans_fit *fit, const ans_fit_profile *p, int index, int side, double level) {
  for (int i = MIDDLE; i + side >= 0 && i + side < PLACES && isfinite(p->chi2[i + side]); i += side) {
    double near = p->chi2[i], far = p->chi2[i + side];
    if (far < level) continue;
    /* chi2 grows like a square: linear in its root. */
    double low = sqrt(fmax(near - p->least, 0)), high = sqrt(far - p->least), at = sqrt(level - p->least);
    double part = high > low ? (at - low) / (high - low) : 0;
    double from = sought_place(&fit->sought, index, p->values[i]);
    double to = sought_place(&fit->sought, index, p->values[i + side]);
    return sought_value(&fit->sought, index, from + part * (to - from));
  }
  return (double)NAN;
}

ans_status fit_profile(ans_context *context, ans_fit *fit, int index, ans_fit_profile *profile) {
  bool held[FIT_MAX_UNKNOWNS] = {false};
  noise noise = fit->noise;
  search s;
  memset(noise.estimated, 0, sizeof noise.estimated); /* as the best fit left it */
  held[index] = true;
  for (int i = 0; i < PLACES; i++) profile->values[i] = profile->chi2[i] = (double)NAN;
  profile->values[MIDDLE] = fit->uncertainty.numbers[index].estimate;
  profile->chi2[MIDDLE] = profile->least = fit->search.chi2 + fit->search.penalty;
  TRY(search_begin(context, &fit->sought, &noise, &s));
  s.held = held;
  s.effective = fit->search.effective;
  s.most = ITERATIONS;
  s.interrupt = fit->interrupt;
  forward forward = fit->forward;
  ans_status status = walk(context, fit, &s, &forward, index, -1, profile);
  if (status == ANS_OK) status = walk(context, fit, &s, &forward, index, 1, profile);
  /* Back to the best fit. */
  ans_status back = forward.predict(context, forward.object, fit->search.z, s.predicted);
  if (back == ANS_OK && forward.accept) forward.accept(forward.object);
  search_end(&s);
  double level = profile->least + fit->uncertainty.reach * fit->uncertainty.reach;
  profile->low = crossing(fit, profile, index, -1, level);
  profile->high = crossing(fit, profile, index, 1, level);
  return status == ANS_OK ? back : status;
}
