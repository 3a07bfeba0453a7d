/* SPDX-License-Identifier: Apache-2.0 */
#include "reference/field_scale.h"

#include <math.h>

#include "reference/largest.h"

static const double ORDINARY_LEAST = 1e-3, ORDINARY_MOST = 1e3;

static bool ordinary(double size) { return size >= ORDINARY_LEAST && size <= ORDINARY_MOST; }

static double counted(double size) { return !(size > 0) || ordinary(size) ? 1 : size; }

/* What the rates announce over the whole time, into work; false where they are not finite. A pulse from rest has no
 * first rate, so that one is not enough where something depends on time. */
static bool sum_rates(lines *lines, const schedule *schedule, const double *start, double *work) {
  if (!schedule->moving) {
    if (!lines_right_side(lines, lines->begin, start, work)) return false;
    for (int i = 0; i < lines->size; i++) work[i] *= schedule->end - schedule->begin;
    return true;
  }
  double *rates = work + lines->size;
  for (int i = 0; i < lines->size; i++) work[i] = 0;
  for (int k = 0; k < schedule->cell_count; k++) {
    double width = schedule->cells[k + 1] - schedule->cells[k], middle = schedule->cells[k] + width / 2;
    schedule_window(schedule, middle, &lines->window[0], &lines->window[1]);
    if (!lines_right_side(lines, middle, start, rates)) return false;
    for (int i = 0; i < lines->size; i++) work[i] += width * fabs(rates[i]);
  }
  return true;
}

/* The largest change over the whole time that the rates announce, per field. */
static void plain_changes(const lines *lines, const double *rates, double *changes) {
  for (int f = 0; f < lines->field_count; f++) changes[f] = largest(rates + lines->offset[f], lines->count[f]);
}

/* The same after one step of backward Euler; a field in `settled` keeps what it has. */
static void damped_changes(lines *lines, preconditioner *preconditioner, double span, const double *start,
                           const bool *settled, double *work, double *changes) {
  double *rates = work, *damped = work + lines->size;
  lines_linearise(lines, lines->begin, start);
  if (!preconditioner->factorise(preconditioner, span)) return;
  preconditioner->apply(preconditioner, rates, damped);
  for (int f = 0; f < lines->field_count; f++)
    if (!settled[f]) changes[f] = fmin(changes[f], largest(damped + lines->offset[f], lines->count[f]));
}

field_scales field_scales_find(lines *lines, preconditioner *preconditioner, const schedule *schedule,
                               const double *start, double *nodes, double *work) {
  field_scales scales;
  double sizes[SYSTEM_MAX_FIELDS] = {0}, changes[SYSTEM_MAX_FIELDS] = {0};
  bool settled[SYSTEM_MAX_FIELDS] = {false}, all_settled = true;
  lines_complete(lines, lines->begin, start, nodes);
  if (sum_rates(lines, schedule, start, work)) plain_changes(lines, work, changes);
  for (int f = 0; f < lines->field_count; f++) {
    sizes[f] = largest(nodes + (size_t)f * lines->node_count, lines->node_count);
    /* A factorised matrix is much work: only where it can matter. */
    settled[f] = changes[f] <= sizes[f] || (ordinary(changes[f]) && (ordinary(sizes[f]) || !(sizes[f] > 0)));
    all_settled = all_settled && settled[f];
  }
  if (!all_settled)
    damped_changes(lines, preconditioner, schedule->end - schedule->begin, start, settled, work, changes);
  for (int f = 0; f < lines->field_count; f++) {
    scales.initial[f] = counted(sizes[f]);
    scales.values[f] = counted(fmax(sizes[f], changes[f]));
  }
  return scales;
}

bool field_scale_missed(const field_scales *scales, int field, double most) {
  double scale = scales->values[field];
  return scale > ORDINARY_MOST && scale > scales->initial[field] && most < scale / 10;
}
