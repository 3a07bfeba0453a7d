/* SPDX-License-Identifier: Apache-2.0 */
#include "fit/noise.h"

#include <math.h>
#include <stdlib.h>

/* Below this part of a field's size nothing is called noise: the networks and references are not better. */
static const double LEAST = 1e-7;

static void measure_fields(const measurements *data, double *mean, double *spread, size_t *count) {
  for (size_t i = 0; i < data->value_count; i++) {
    mean[data->values[i].field] += data->values[i].value;
    count[data->values[i].field]++;
  }
  for (int f = 0; f < data->field_count; f++) mean[f] /= (double)(count[f] ? count[f] : 1);
  for (size_t i = 0; i < data->value_count; i++) {
    uint32_t f = data->values[i].field;
    double away = data->values[i].value - mean[f];
    spread[f] += away * away;
  }
  for (int f = 0; f < data->field_count; f++) spread[f] = sqrt(spread[f] / (double)(count[f] ? count[f] : 1));
}

noise noise_begin(const measurements *data, const double *given) {
  noise n = {.data = data};
  size_t count[SYSTEM_MAX_FIELDS] = {0};
  measure_fields(data, n.mean, n.spread, count);
  for (size_t i = 0; i < data->value_count; i++) {
    uint32_t f = data->values[i].field;
    if (!(data->values[i].sigma > 0) && !(given && given[f] > 0)) n.estimated[f] = true;
  }
  for (int f = 0; f < data->field_count; f++) {
    double size = n.spread[f] > 0 ? n.spread[f] : fabs(n.mean[f]) > 0 ? fabs(n.mean[f]) : 1;
    n.field[f] = given && given[f] > 0 ? given[f] : size;
  }
  return n;
}

void noise_update(noise *n, const double *predicted, double unknowns) {
  double sum[SYSTEM_MAX_FIELDS] = {0}, size[SYSTEM_MAX_FIELDS] = {0}, all = (double)n->data->value_count;
  size_t count[SYSTEM_MAX_FIELDS] = {0};
  double share = all > unknowns ? 1 - unknowns / all : 1 / all;
  for (size_t i = 0; i < n->data->value_count; i++) {
    const measured_value *v = &n->data->values[i];
    if (v->sigma > 0) continue;
    sum[v->field] += (v->value - predicted[i]) * (v->value - predicted[i]);
    size[v->field] = fmax(size[v->field], fabs(v->value));
    count[v->field]++;
  }
  for (int f = 0; f < n->data->field_count; f++) {
    if (!n->estimated[f] || count[f] == 0) continue;
    double least = LEAST * (size[f] > 0 ? size[f] : 1);
    n->field[f] = fmax(sqrt(sum[f] / ((double)count[f] * share)), least);
  }
}

bool noise_is_estimated(const noise *n) {
  for (int f = 0; f < n->data->field_count; f++)
    if (n->estimated[f]) return true;
  return false;
}

double noise_chi2(const noise *n, const double *predicted) {
  double sum = 0;
  for (size_t i = 0; i < n->data->value_count; i++) {
    double r = (n->data->values[i].value - predicted[i]) / noise_of(n, i);
    sum += r * r;
  }
  return sum;
}

/* ---- Do residuals look like noise? --------------------------------------------------------------------- */

typedef struct placed {
  double at[SYSTEM_MAX_COORDINATES]; /* 0 to 1 */
  double residual;
} placed;

/* Cells of a coarse lattice along all coordinates but the last, then the last one: neighbours in this order are
 * neighbours in the domain. */
static int compare_places(const void *left, const void *right) {
  const placed *a = left, *b = right;
  for (int d = 0; d < SYSTEM_MAX_COORDINATES; d++)
    if (a->at[d] != b->at[d]) return a->at[d] < b->at[d] ? -1 : 1;
  return 0;
}

static size_t place_residuals(const noise *n, const ans_problem *problem, const double *predicted, int field,
                              placed *places, double *along) {
  size_t count = 0;
  double cells = floor(pow((double)measurements_of(n->data, field), 1.0 / problem->coordinate_count));
  for (size_t i = 0; i < n->data->value_count; i++) {
    const measured_value *v = &n->data->values[i];
    if (v->field != (uint32_t)field) continue;
    const double *point = n->data->points + (size_t)v->point * (size_t)problem->coordinate_count;
    placed *p = &places[count++];
    p->residual = (v->value - predicted[i]) / noise_of(n, i);
    for (int d = 0; d < problem->coordinate_count; d++) {
      const system_coordinate *c = &problem->coordinates[d];
      double part = (point[d] - c->low) / (c->high - c->low);
      bool last = d == problem->coordinate_count - 1;
      p->at[d] = last ? part : floor(part * cells * 0.999999);
    }
  }
  *along = cells > 1 ? cells : 1;
  return count;
}

ans_status noise_alike(ans_context *context, const noise *n, const ans_problem *problem, const double *predicted,
                       int field, double *correlation, double *significance) {
  enum { FEWEST = 12 };
  size_t room = measurements_of(n->data, field);
  double cells, products = 0, squares = 0, pairs = 0;
  *correlation = *significance = 0;
  if (room < FEWEST) return ANS_OK;
  placed *places = memory_take(size_product(room, sizeof *places));
  if (!places) return context_no_memory(context);
  size_t count = place_residuals(n, problem, predicted, field, places, &cells);
  qsort(places, count, sizeof *places, compare_places);
  for (size_t i = 0; i < count; i++) squares += places[i].residual * places[i].residual;
  for (size_t i = 0; i + 1 < count; i++) {
    bool same = true;
    for (int d = 0; d + 1 < problem->coordinate_count; d++) same = same && places[i].at[d] == places[i + 1].at[d];
    if (!same) continue;
    products += places[i].residual * places[i + 1].residual;
    pairs++;
  }
  if (pairs >= FEWEST / 2 && squares > 0) {
    *correlation = products / pairs / (squares / (double)count);
    *significance = *correlation * sqrt(pairs);
  }
  memory_give(places);
  return ANS_OK;
}
