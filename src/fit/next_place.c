/* SPDX-License-Identifier: Apache-2.0
 *
 * next_place.c - where to measure next: the places, among candidates on a lattice, that shrink the errors most.
 *
 * One more value with slopes s and noise sigma adds s s^T / sigma^2 to the information A, and multiplies its
 * determinant by 1 + s^T A^-1 s / sigma^2. Places are taken one after the other, each the best after those before it.
 */
#include <math.h>
#include <string.h>

#include "fit/fit.h"
#include "fit/small_matrix.h"

static const double PRIOR = 0.01; /* as in the search */

/* Nodes along each axis, by the number of coordinates. */
static const int nodes_of[SYSTEM_MAX_COORDINATES + 1] = {[1] = 201, [2] = 31, [3] = 13, [4] = 8};

typedef struct candidates {
  size_t count;
  double *points; /* [count][coordinates] */
  double *slopes; /* [unknowns][count][fields] */
  bool *taken;    /* [count][fields] */
} candidates;

static size_t lattice_size(const ans_problem *problem) {
  size_t count = 1;
  for (int d = 0; d < problem->coordinate_count; d++) count *= (size_t)nodes_of[problem->coordinate_count];
  return count;
}

static void fill_points(const ans_problem *problem, candidates *c) {
  size_t dimensions = (size_t)problem->coordinate_count, side = (size_t)nodes_of[dimensions];
  for (size_t i = 0; i < c->count; i++)
    for (size_t d = 0, rest = i; d < dimensions; d++, rest /= side) {
      const system_coordinate *axis = &problem->coordinates[d];
      double intervals = (double)(axis->periodic ? side : side - 1);
      c->points[i * dimensions + d] = axis->low + (axis->high - axis->low) * (double)(rest % side) / intervals;
    }
}

/* A field's noise where it will be measured: that of its values so far. 0: it was never measured. */
static double usual_noise(const ans_fit *fit, int field) {
  double sum = 0;
  size_t count = 0;
  for (size_t i = 0; i < fit->data->value_count; i++)
    if (fit->data->values[i].field == (uint32_t)field) sum += noise_of(&fit->noise, i), count++;
  return count ? sum / (double)count : 0;
}

/* s [unknowns] / sigma of candidate i, field f. */
static void scaled_slopes(const ans_fit *fit, const candidates *c, size_t i, int field, double sigma, double *s) {
  size_t fields = (size_t)fit->problem->field_count;
  for (int k = 0; k < fit->sought.count; k++)
    s[k] = c->slopes[((size_t)k * c->count + i) * fields + (size_t)field] / sigma;
}

static double gain_of(int n, const double *covariance, const double *s) {
  double gain = 0;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) gain += s[i] * covariance[i * n + k] * s[k];
  return gain;
}

static bool best_candidate(const ans_fit *fit, const candidates *c, const double *covariance, size_t *best,
                           int *field) {
  double most = 0, s[FIT_MAX_UNKNOWNS];
  for (int f = 0; f < fit->problem->field_count; f++) {
    double sigma = usual_noise(fit, f);
    for (size_t i = 0; sigma > 0 && i < c->count; i++) {
      if (c->taken[i * (size_t)fit->problem->field_count + (size_t)f]) continue;
      scaled_slopes(fit, c, i, f, sigma, s);
      double gain = gain_of(fit->sought.count, covariance, s);
      if (!(gain > most)) continue;
      most = gain;
      *best = i;
      *field = f;
    }
  }
  return most > 0;
}

static ans_status choose(ans_context *context, const ans_fit *fit, candidates *c, ans_fit_place *places,
                         size_t wanted) {
  int n = fit->sought.count, field = 0;
  size_t dimensions = (size_t)fit->problem->coordinate_count, best = 0;
  double a[FIT_MAX_UNKNOWNS * FIT_MAX_UNKNOWNS], covariance[FIT_MAX_UNKNOWNS * FIT_MAX_UNKNOWNS], s[FIT_MAX_UNKNOWNS];
  memcpy(a, fit->search.information, (size_t)(n * n) * sizeof *a);
  for (int i = 0; i < n; i++) a[i * n + i] += PRIOR;
  for (size_t w = 0; w < wanted; w++) {
    FAIL_IF(!small_inverse(n, a, covariance) || !best_candidate(fit, c, covariance, &best, &field), context,
            ANS_ARGUMENT, "no further place would make the errors smaller");
    ans_fit_place *place = &places[w];
    *place = (ans_fit_place){.field = (size_t)field};
    memcpy(place->point, c->points + best * dimensions, dimensions * sizeof(double));
    c->taken[best * (size_t)fit->problem->field_count + (size_t)field] = true;
    scaled_slopes(fit, c, best, field, usual_noise(fit, field), s);
    for (int i = 0; i < n; i++)
      for (int k = 0; k < n; k++) a[i * n + k] += s[i] * s[k];
    small_inverse(n, a, covariance);
    for (int i = 0; i < fit->sought.named; i++)
      place->errors[i] = sqrt(covariance[i * n + i]) * sought_slope(&fit->sought, i, fit->search.z[i]);
  }
  return ANS_OK;
}

ans_status fit_next(ans_context *context, ans_fit *fit, ans_fit_place *places, size_t wanted) {
  size_t fields = (size_t)fit->problem->field_count, dimensions = (size_t)fit->problem->coordinate_count;
  candidates c = {.count = lattice_size(fit->problem)};
  FAIL_IF(wanted > c.count, context, ANS_ARGUMENT, "at most %zu places can be asked for", c.count);
  c.points = memory_take(size_product(c.count * dimensions, sizeof(double)));
  c.slopes = memory_take(size_product(c.count * fields * (size_t)fit->sought.count, sizeof(double)));
  c.taken = memory_take(size_product(c.count * fields, sizeof(bool)));
  ans_status status = c.points && c.slopes && c.taken ? ANS_OK : context_no_memory(context);
  if (status == ANS_OK) fill_points(fit->problem, &c);
  if (status == ANS_OK) status = network_forward_slopes(context, fit->network, c.points, c.count, c.slopes);
  if (status == ANS_OK) status = choose(context, fit, &c, places, wanted);
  memory_give(c.points);
  memory_give(c.slopes);
  memory_give(c.taken);
  return status;
}
