/* SPDX-License-Identifier: Apache-2.0 */
#include "field/chart.h"

#include <math.h>
#include <string.h>

static const chart_motion AT_REST = {.time = -1};

field_chart chart_plain(void) {
  field_chart chart = {.moves = false};
  for (int f = 0; f < SYSTEM_MAX_FIELDS; f++) {
    chart.motion[f] = AT_REST;
    chart.size[f] = 1;
  }
  for (int d = 0; d < SYSTEM_MAX_COORDINATES; d++) chart.stretch[d] = 1;
  return chart;
}

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

/* What a product such as u u_x adds to the speed: that of its other fields' means. *along as in is_transport. */
static bool is_mean_transport(const instance_term *term, int field, const double *means, int *along, double *rate) {
  const system_term *shape = term->term;
  int slopes = 0;
  if (shape->arity < 2 || shape->source) return false;
  *rate = term->coefficient;
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

static void add_mean_transport(const ans_instance *instance, int field, const double *means, double *rate) {
  const ans_problem *problem = instance->problem;
  const system_coordinate *time = &problem->coordinates[problem->time];
  double mean_rate[SYSTEM_MAX_COORDINATES] = {0};
  for (int t = 0; t < instance->term_count; t++) {
    const instance_term *term = &instance->terms[t];
    int along = -1;
    double own;
    if (term->term->equation == field && is_mean_transport(term, field, means, &along, &own)) mean_rate[along] += own;
  }
  for (int d = 0; d < problem->coordinate_count; d++) {
    double length = problem->coordinates[d].high - problem->coordinates[d].low;
    double way = fabs(mean_rate[d] / rate[problem->time]) * (time->high - time->low);
    if (d != problem->time && way > WORTH_MOVING * length) rate[d] += mean_rate[d];
  }
}

/* means: of the fields; NULL: only constant coefficients make a speed. */
static chart_motion motion_of(const ans_instance *instance, int field, const double *means) {
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
    if (is_transport(term, field, &along)) rate[along] += term->coefficient;
    for (int d = 0; d < problem->coordinate_count; d++) pinned[d] = pinned[d] || source_sees(term, d);
  }
  if (means) add_mean_transport(instance, field, means, rate);
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
  const double *means = chart->scaled ? chart->scales.mean : NULL;
  chart_motion motion[SYSTEM_MAX_FIELDS];
  bool moves = false;
  for (int f = 0; f < instance->problem->field_count; f++) {
    motion[f] = motion_of(instance, f, means);
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
    const system_coordinate *coordinate = &problem->coordinates[d];
    chart->middle[d] = coordinate->low + (coordinate->high - coordinate->low) / 2;
    chart->stretch[d] = 2 / (coordinate->high - coordinate->low);
  }
  for (int f = 0; f < problem->field_count; f++) {
    double gain = chart->scales.gain[f];
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

double chart_row_size(const field_chart *chart, int equation) {
  return chart->scaled ? chart->scales.row[equation] : 1;
}

double chart_condition_size(const field_chart *chart, const ans_problem *problem, int field, const uint8_t *order) {
  bool value = true;
  for (int d = 0; d < problem->coordinate_count; d++) value = value && !order[d];
  if (!chart->scaled) return 1;
  return value ? chart->scales.size[field] : scales_derivative(problem, &chart->scales, field, order);
}

/* x less the way that was gone, brought back into the period. */
static double carried(const system_coordinate *coordinate, double x, double way) {
  double length = coordinate->high - coordinate->low, turns = (x - way - coordinate->low) / length;
  double place = coordinate->low + length * (turns - floor(turns));
  return place < coordinate->high ? place : coordinate->low;
}

void chart_coordinates(const ans_problem *problem, const field_chart *chart, int field, int points,
                       const double *coordinates, const bool *moved_already, double *moved) {
  const chart_motion *motion = &chart->motion[field];
  memcpy(moved, coordinates, (size_t)(problem->coordinate_count * points) * sizeof *moved);
  if (motion->time < 0) return;
  const double *times = coordinates + motion->time * points;
  double start = problem->coordinates[motion->time].low;
  for (int d = 0; d < problem->coordinate_count; d++)
    for (int p = 0; motion->speed[d] != 0 && p < points; p++)
      if (!moved_already || !moved_already[p])
        moved[d * points + p] =
            carried(&problem->coordinates[d], coordinates[d * points + p], motion->speed[d] * (times[p] - start));
}
