/* SPDX-License-Identifier: Apache-2.0 */
#include "field/chart.h"

#include <math.h>
#include <string.h>

#include "field/settle.h"

static const chart_motion AT_REST = {.time = -1};

field_chart chart_plain(void) {
  field_chart chart = {.moves = false};
  for (int f = 0; f < SYSTEM_MAX_FIELDS; f++) {
    chart.motion[f] = AT_REST;
    chart.size[f] = chart.field_unit[f] = 1;
  }
  for (int d = 0; d < SYSTEM_MAX_COORDINATES; d++) chart.unit[d] = 1;
  return chart;
}

/* ---- Units -------------------------------------------------------------------------------------------------- */

chart_interval chart_interval_of(const ans_problem *problem, const field_chart *chart, int coordinate) {
  const system_coordinate *axis = &problem->coordinates[coordinate];
  return chart->scaled ? (chart_interval){-1, 1} : (chart_interval){axis->low, axis->high};
}

/* From the nearer end, so that both ends are exact. */
double chart_enter(const ans_problem *problem, const field_chart *chart, int coordinate, double place) {
  const system_coordinate *axis = &problem->coordinates[coordinate];
  if (!chart->scaled) return place;
  double low = (place - axis->low) / chart->unit[coordinate], high = (axis->high - place) / chart->unit[coordinate];
  return low < high ? low - 1 : 1 - high;
}

double chart_leave(const ans_problem *problem, const field_chart *chart, int coordinate, double place) {
  const system_coordinate *axis = &problem->coordinates[coordinate];
  if (!chart->scaled) return place;
  return place < 0 ? axis->low + (1 + place) * chart->unit[coordinate]
                   : axis->high - (1 - place) * chart->unit[coordinate];
}

void chart_places(const ans_problem *problem, const field_chart *chart, int points, const double *coordinates,
                  double *places) {
  for (int d = 0; d < problem->coordinate_count; d++)
    for (int p = 0; p < points; p++)
      places[d * points + p] = chart_leave(problem, chart, d, coordinates[d * points + p]);
}

double chart_derivative_unit(const ans_problem *problem, const field_chart *chart, int field, const uint8_t *order) {
  double unit = chart->field_unit[field];
  for (int d = 0; d < problem->coordinate_count; d++)
    for (int k = 0; k < order[d]; k++) unit /= chart->unit[d];
  return unit;
}

double chart_source_size(const ans_instance *instance, const field_chart *chart, const instance_term *term) {
  double size = chart->scaled ? scales_source(instance, term) : 1;
  return size > 0 ? size : 1;
}

double chart_coefficient(const ans_instance *instance, const field_chart *chart, const instance_term *term) {
  if (!chart->scaled) return term->coefficient;
  double coefficient = term->coefficient / chart->scales.row[term->term->equation];
  coefficient *= chart_source_size(instance, chart, term);
  for (int i = 0; i < term->term->factor_count; i++) {
    const system_factor *factor = &term->term->factors[i];
    for (int k = 0; k < factor->power; k++)
      coefficient *= chart_derivative_unit(instance->problem, chart, factor->field, factor->order);
  }
  return settle_number(coefficient);
}

double chart_condition_size(const field_chart *chart, const ans_problem *problem, int field, const uint8_t *order) {
  bool value = true;
  for (int d = 0; d < problem->coordinate_count; d++) value = value && !order[d];
  if (!chart->scaled) return 1;
  return value ? chart->scales.size[field] : scales_derivative(problem, &chart->scales, field, order);
}

/* ---- Motion ------------------------------------------------------------------------------------------------- */

/* True when the term is a constant times one first derivative of `field`: its coordinate is *along. */
static bool is_transport(const instance_term *term, int field, int *along) {
  const system_term *shape = term->term;
  if (shape->arity != 1 || shape->source || shape->factors[0].field != field) return false;
  if (factor_order(&shape->factors[0]) != 1) return false;
  for (int d = 0; d < SYSTEM_MAX_COORDINATES; d++)
    if (shape->factors[0].order[d]) *along = d;
  return true;
}

/* A time derivative of the field that is not a constant times u_t: then the field is not simply carried along. */
static bool disturbs(const instance_term *term, int field, int time) {
  int along = -1;
  if (is_transport(term, field, &along)) return false;
  for (int i = 0; i < term->term->factor_count; i++)
    if (term->term->factors[i].order[time]) return true;
  return false;
}

static bool source_sees(const instance_term *term, int coordinate) {
  const expression *source = term->term->source;
  return source && expression_uses_index(source, EXPRESSION_COORDINATE, coordinate);
}

/* What a product such as u u_x adds to the speed: that of its other fields' means. *along as in is_transport, *rate the
 * term's coefficient. */
static bool is_mean_transport(const instance_term *term, int field, const double *means, int *along, double *rate) {
  const system_term *shape = term->term;
  int slopes = 0;
  if (shape->arity < 2 || shape->source) return false;
  for (int i = 0; i < shape->factor_count; i++) {
    const system_factor *factor = &shape->factors[i];
    int order = factor_order(factor);
    if (order > 1 || (order == 1 && (factor->field != field || factor->power != 1))) return false;
    for (int d = 0; order == 1 && d < SYSTEM_MAX_COORDINATES; d++)
      if (factor->order[d]) *along = d;
    slopes += order;
    if (order == 0) *rate *= pow(means[factor->field], factor->power);
  }
  return slopes == 1;
}

/* A mean that carries a field over less than this part of the period is no reason to move. */
static const double WORTH_MOVING = 0.05;

/* In a scaled chart, where all lengths are the same. */
static void add_mean_transport(const ans_instance *instance, const field_chart *chart, int field, double *rate) {
  const ans_problem *problem = instance->problem;
  double mean_rate[SYSTEM_MAX_COORDINATES] = {0}, means[SYSTEM_MAX_FIELDS];
  for (int f = 0; f < problem->field_count; f++) {
    means[f] = chart->scales.mean[f] / chart->field_unit[f];
    settle_values(1, &means[f]); /* a frame is a choice: a mean that is nearly zero need not be known well */
  }
  for (int t = 0; t < instance->term_count; t++) {
    const instance_term *term = &instance->terms[t];
    int along = -1;
    double own = chart_coefficient(instance, chart, term);
    if (term->term->equation == field && is_mean_transport(term, field, means, &along, &own)) mean_rate[along] += own;
  }
  for (int d = 0; d < problem->coordinate_count; d++)
    if (d != problem->time && fabs(mean_rate[d] / rate[problem->time]) > WORTH_MOVING) rate[d] += mean_rate[d];
}

static chart_motion motion_of(const ans_instance *instance, const field_chart *chart, int field) {
  const ans_problem *problem = instance->problem;
  double rate[SYSTEM_MAX_COORDINATES] = {0};
  bool pinned[SYSTEM_MAX_COORDINATES] = {false};
  int time = problem->time;
  if (time < 0 || problem->coordinates[time].periodic) return AT_REST;
  for (int t = 0; t < instance->term_count; t++) {
    const instance_term *term = &instance->terms[t];
    int along = -1;
    if (term->term->equation != field) continue;
    if (disturbs(term, field, time)) return AT_REST;
    if (is_transport(term, field, &along)) rate[along] += chart_coefficient(instance, chart, term);
    for (int d = 0; d < problem->coordinate_count; d++) pinned[d] = pinned[d] || source_sees(term, d);
  }
  if (chart->scaled) add_mean_transport(instance, chart, field, rate);
  chart_motion motion = {.time = time};
  bool moves = false;
  for (int d = 0; rate[time] != 0 && d < problem->coordinate_count; d++) {
    if (d == time || !problem->coordinates[d].periodic || pinned[d]) continue;
    double speed = rate[d] / rate[time];
    if (!isfinite(speed) || speed == 0) continue;
    motion.speed[d] = speed;
    moves = true;
  }
  return moves ? motion : AT_REST;
}

static bool same_motion(const chart_motion *a, const chart_motion *b) {
  return a->time == b->time && memcmp(a->speed, b->speed, sizeof a->speed) == 0;
}

/* Leaves the chart at rest when one motion has to serve all fields and does not. */
static void set_moving(const ans_instance *instance, bool common, field_chart *chart) {
  chart_motion motion[SYSTEM_MAX_FIELDS];
  bool moves = false;
  for (int f = 0; f < instance->problem->field_count; f++) {
    motion[f] = motion_of(instance, chart, f);
    moves = moves || motion[f].time >= 0;
    if (common && !same_motion(&motion[f], &motion[0])) return;
  }
  memcpy(chart->motion, motion, (size_t)instance->problem->field_count * sizeof *motion);
  chart->moves = moves;
}

static void set_scaled(const ans_instance *instance, field_chart *chart) {
  const ans_problem *problem = instance->problem;
  chart->scaled = true;
  chart->scales = scales_of(instance);
  for (int d = 0; d < problem->coordinate_count; d++) {
    const system_coordinate *axis = &problem->coordinates[d];
    chart->unit[d] = (axis->high - axis->low) / 2;
  }
  for (int f = 0; f < problem->field_count; f++) {
    double gain = chart->scales.gain[f];
    chart->field_unit[f] = chart->scales.size[f];
    if (gain > 0) chart->size[f] = chart->scales.size[f] / gain;
    if (!problem->fields[f].transform) chart->offset[f] = chart->scales.mean[f];
  }
}

field_chart chart_of(const ans_instance *instance, chart_options options) {
  field_chart chart = chart_plain();
  if (options.scaled) set_scaled(instance, &chart);
  if (options.moving) set_moving(instance, options.common, &chart);
  return chart;
}

bool chart_takes(const field_chart *chart, const instance_term *term) {
  int field = term->term->equation, along = -1;
  const chart_motion *motion = &chart->motion[field];
  return motion->time >= 0 && is_transport(term, field, &along) && motion->speed[along] != 0;
}

/* x less the way that was gone, brought back into the period. */
static double carried(chart_interval axis, double x, double way) {
  double length = axis.high - axis.low, turns = (x - way - axis.low) / length;
  double place = axis.low + length * (turns - floor(turns));
  return place < axis.high ? place : axis.low;
}

void chart_coordinates(const ans_problem *problem, const field_chart *chart, int field, int points,
                       const double *coordinates, const bool *moved_already, double *moved) {
  const chart_motion *motion = &chart->motion[field];
  memcpy(moved, coordinates, (size_t)(problem->coordinate_count * points) * sizeof *moved);
  if (motion->time < 0) return;
  const double *times = coordinates + motion->time * points;
  double start = chart_interval_of(problem, chart, motion->time).low;
  for (int d = 0; d < problem->coordinate_count; d++)
    for (int p = 0; motion->speed[d] != 0 && p < points; p++)
      if (!moved_already || !moved_already[p])
        moved[d * points + p] = carried(chart_interval_of(problem, chart, d), coordinates[d * points + p],
                                        motion->speed[d] * (times[p] - start));
}
