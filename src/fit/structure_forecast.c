/* SPDX-License-Identifier: Apache-2.0 */
#include "fit/structure_forecast.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "fit/small_matrix.h"

/* ---- The widest structure ------------------------------------------------------------------------------- */

/* The structure in which no coefficient is absent that another one has; -1: none. */
static int find_widest(const ans_problem *problem) {
  for (int w = 0; w < problem->structure_count; w++) {
    bool widest = true;
    for (int s = 0; s < problem->structure_count && widest; s++)
      for (int i = 0; i < problem->symbol_count && widest; i++)
        widest = !problem->structures[w].absent[i] || problem->structures[s].absent[i];
    if (widest) return w;
  }
  return -1;
}

static bool is_absent_somewhere(const ans_problem *problem, int symbol) {
  for (int s = 0; s < problem->structure_count; s++)
    if (problem->structures[s].absent[symbol]) return true;
  return false;
}

bool forecast_widest(const sought *all, sought *widest) {
  int structure = find_widest(all->problem);
  if (structure < 0 || all->problem->structure_count < 2 || !sought_in_structure(all, structure, widest)) return false;
  for (int i = 0; i < widest->count; i++) {
    if (!is_absent_somewhere(all->problem, widest->symbols[i])) continue;
    double start = sought_value(widest, i, widest->start[i]);
    widest->even[i] = true;
    widest->start[i] = sought_place(widest, i, start);
    double nothing = sought_place(widest, i, 0);
    widest->lowest[i] = fmin(0, nothing);
    widest->highest[i] = fmax(1, nothing);
  }
  return widest->count > 0;
}

/* ---- One of the others ---------------------------------------------------------------------------------- */

/* Where an unknown of the widest has to be in the structure; NaN: where it likes. */
static double place_in(const sought *widest, const bool *absent, int index, double z) {
  if (absent[widest->symbols[index]]) return sought_place(widest, index, 0);
  return z < 0 ? 0 : z > 1 ? 1 : (double)NAN;
}

/* z moves to the places that are not NaN, the others along; returns the rise of the sum, NaN if it is not known. */
static double hold_at(const uncertainty *u, const double *places, double *z) {
  int n = u->count, held = 0, which[FIT_MAX_UNKNOWNS];
  double a[FIT_MAX_UNKNOWNS * FIT_MAX_UNKNOWNS], way[FIT_MAX_UNKNOWNS], pull[FIT_MAX_UNKNOWNS], rise = 0;
  for (int i = 0; i < n; i++)
    if (!isnan(places[i])) which[held++] = i;
  for (int i = 0; i < held; i++) {
    pull[i] = way[i] = places[which[i]] - z[which[i]];
    for (int k = 0; k < held; k++) a[i * held + k] = u->z_covariance[which[i] * n + which[k]];
  }
  if (!small_solve(held, a, pull)) return (double)NAN;
  for (int i = 0; i < held; i++) rise += way[i] * pull[i];
  for (int k = 0; k < n; k++)
    for (int i = 0; i < held; i++) z[k] += u->z_covariance[k * n + which[i]] * pull[i];
  for (int i = 0; i < held; i++) z[which[i]] = places[which[i]];
  return rise;
}

/* z <- the structure's own part of wide_z, which it cuts at the ranges. */
static void take_places(const sought *widest, int structure, structure_forecast *f) {
  sought own;
  int k = 0;
  sought_in_structure(widest, structure, &own);
  memset(own.even, 0, sizeof own.even);
  for (int i = 0; i < widest->count; i++) {
    if (widest->problem->structures[structure].absent[widest->symbols[i]]) continue;
    f->wide_z[i] = fmin(fmax(f->wide_z[i], 0), 1);
    f->z[k] = sought_place(&own, k, sought_value(widest, i, f->wide_z[i]));
    k++;
  }
}

void forecast_structure(const ans_fit *widest, int structure, structure_forecast *f) {
  const sought *sought = &widest->sought;
  const bool *absent = widest->problem->structures[structure].absent;
  double places[FIT_MAX_UNKNOWNS], values = (double)widest->data->value_count;
  int dropped = 0;
  *f = (structure_forecast){0};
  for (int i = 0; i < widest->problem->symbol_count; i++)
    if (absent[i] && !isnan(sought->fixed[i])) return;
  memcpy(f->wide_z, widest->search.z, sizeof f->wide_z);
  for (int i = 0; i < sought->count; i++) {
    places[i] = place_in(sought, absent, i, f->wide_z[i]);
    dropped += absent[sought->symbols[i]];
  }
  assert(widest->uncertainty.count == sought->count);
  double rise = hold_at(&widest->uncertainty, places, f->wide_z);
  if (!isfinite(rise)) return;
  if (noise_is_estimated(&widest->noise)) rise = values * log1p(rise / values);
  f->known = true;
  f->bic = widest->summary.bic + rise - dropped * log(values);
  take_places(sought, structure, f);
}
