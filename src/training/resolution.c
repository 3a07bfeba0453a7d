/* SPDX-License-Identifier: Apache-2.0 */
#include "training/resolution.h"

#include <math.h>

#include "field/scales.h"
#include "training/sharpness.h"

enum { PLAIN_WIDTH = 64, MORE_WIDTH = 32, NARROW_WIDTH = 16, NARROW_LAYERS = 3 };
enum { NODES = 128, PLAIN_WAVES = 4, MOST_WAVES = 20 };

/* A wave that is more than this above a whole number counts as the next one. */
static const double OVER = 0.01;

/* Where a field passes through zero between two windows, the waves of what little there is are noise: below this part
 * of its size they say nothing. */
static const double QUIET = 0.01;

/* Fronts thinner than this part of the space coordinate want a wider network from the first attempt on. */
static const double THIN = 0.004;

/* Constant coefficients and one factor in every term: waves stay what they are. */
static bool makes_waves(const ans_instance *instance, int space) {
  for (int t = 0; t < instance->term_count; t++) {
    const system_term *term = instance->terms[t].term;
    if (term->arity > 1) return true;
    if (term->source && expression_uses_index(term->source, EXPRESSION_COORDINATE, space)) return true;
  }
  return false;
}

static double initial_value(const ans_instance *instance, const window *window, int condition, int space, double x) {
  const system_condition *c = &instance->problem->conditions[condition];
  double point[SYSTEM_MAX_COORDINATES] = {0};
  if (window->profiles && window->profiles[condition]) return profile_value(window->profiles[condition], x, 0);
  point[space] = x;
  point[instance->problem->time] = c->at;
  return expression_value(c->value, instance->values, point, 0);
}

/* The root mean square wave of one initial value, which usually is of this size; 0: it is constant, or has no value
 * somewhere. */
static double typical_wave(const ans_instance *instance, const window *window, int condition, int space, double size) {
  const system_coordinate *along = &instance->problem->coordinates[space];
  double values[NODES], coefficients[NODES], most = 0, power = 0, moment = 0;
  for (int j = 0; j < NODES; j++) {
    values[j] =
        initial_value(instance, window, condition, space, profile_node(true, along->low, along->high, NODES, j));
    if (!isfinite(values[j])) return 0;
  }
  int count = profile_fit(true, NODES, values, coefficients);
  for (int i = 1; i < count; i++) most = fmax(most, fabs(coefficients[i]));
  if (!(most > 1e-12 * fabs(coefficients[0])) || !isfinite(most) || most < QUIET * size) return 0;
  for (int i = 1; i < count; i++) {
    int wave = (i + 1) / 2;
    double share = coefficients[i] / most;
    power += share * share;
    moment += wave * wave * share * share;
  }
  return sqrt(moment / power);
}

/* The one space coordinate, where it has Fourier features that the text does not state; -1: none. */
static int waving_coordinate(const ans_problem *problem) {
  int space = -1;
  if (problem->time < 0 || problem->coordinate_count != 2) return -1;
  for (int d = 0; d < problem->coordinate_count; d++)
    if (d != problem->time) space = d;
  const system_coordinate *along = &problem->coordinates[space];
  return along->fourier_high > 0 && !along->fourier_stated ? space : -1;
}

/* 0: as many as the defaults have. */
static int choose_waves(const ans_instance *instance, const window *window, int finer) {
  const ans_problem *problem = instance->problem;
  int space = waving_coordinate(problem);
  double typical = 0;
  if (space < 0) return 0;
  field_scales scales = scales_of(instance);
  for (int c = 0; c < problem->condition_count; c++) {
    const system_condition *condition = &problem->conditions[c];
    /* Only what follows another window can be noise: a text means what it says. */
    bool follows = window->profiles && window->profiles[c];
    double size = follows ? scales_derivative(problem, &scales, condition->field, condition->order) : 0;
    if (condition->kind == CONDITION_INITIAL) typical = fmax(typical, typical_wave(instance, window, c, space, size));
  }
  int waves = typical > 0 ? (int)ceil(typical - OVER) : PLAIN_WAVES;
  if (waves < PLAIN_WAVES && makes_waves(instance, space)) waves = PLAIN_WAVES;
  waves += finer * (waves / 2);
  if (waves > MOST_WAVES) waves = MOST_WAVES;
  return waves != problem->coordinates[space].fourier_high ? waves : 0;
}

/* Where waves stay what they are, and derivatives of so high an order make every other wave loud, depth only makes
 * waves that have to be kept quiet. */
static bool wants_no_depth(const ans_instance *instance) {
  enum { LOUD = 3 };
  int space = waving_coordinate(instance->problem), most = 0;
  if (space < 0 || makes_waves(instance, space)) return false;
  for (int t = 0; t < instance->term_count; t++)
    for (int i = 0; i < instance->terms[t].term->factor_count; i++) {
      int order = instance->terms[t].term->factors[i].order[space];
      if (order > most) most = order;
    }
  return most >= LOUD;
}

window_network resolution_of(const ans_instance *instance, const window *window, network_wish wish) {
  int finer = wish.finer;
  window_network network = {.fourier = choose_waves(instance, window, finer)};
  if (instance->problem->protocol.network.stated) return network;
  if (wish.narrow) {
    network.width = NARROW_WIDTH + 4 * finer;
    network.layers = NARROW_LAYERS + finer;
    return network;
  }
  if (sharpness_of(instance) < THIN) finer++;
  if (finer > 0) network.width = PLAIN_WIDTH + MORE_WIDTH * finer;
  if (wants_no_depth(instance)) network.layers = 1;
  return network;
}
