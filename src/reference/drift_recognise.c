/* SPDX-License-Identifier: Apache-2.0
 *
 * drift_recognise.c - reads the drift-diffusion form off the term list.
 */
#include <math.h>

#include "reference/drift_diffusion.h"

/* Orders (time, space) of a field in a term; -1, -1 when it does not occur exactly once. */
static void orders_of(const drift_model *model, const system_term *term, int field, int *time, int *space) {
  *time = *space = -1;
  for (int k = 0; k < term->factor_count; k++) {
    const system_factor *factor = &term->factors[k];
    if (factor->field != field || factor->power != 1 || *time >= 0) continue;
    *time = factor->order[model->instance->problem->time];
    *space = factor->order[model->coordinate];
  }
}

static bool is_linear(const drift_model *model, const system_term *term, int field, int time_order, int space_order) {
  int time, space;
  orders_of(model, term, field, &time, &space);
  return term->arity == 1 && !term->source && time == time_order && space == space_order;
}

/* d^a density * d^b potential, in space. */
static bool is_product(const drift_model *model, const system_term *term, int density_order, int potential_order) {
  int density_time, density, potential_time, potential;
  orders_of(model, term, model->density, &density_time, &density);
  orders_of(model, term, model->potential, &potential_time, &potential);
  return term->arity == 2 && !term->source && density_time == 0 && potential_time == 0 && density == density_order &&
         potential == potential_order;
}

static bool add_source(drift_source *sources, int *count, const instance_term *term, double scale) {
  if (*count == DRIFT_MAX_SOURCES) return false;
  sources[(*count)++] = (drift_source){scale * term->coefficient, term->term->source};
  return true;
}

/* Reads the equation of the density; false when a term does not fit. */
static bool read_transport(drift_model *model) {
  const ans_instance *instance = model->instance;
  double time = 0, diffusion = 0, first = 0, second = 0;
  for (int i = 0; i < instance->term_count; i++) {
    const system_term *term = instance->terms[i].term;
    double c = instance->terms[i].coefficient;
    if (term->equation != model->density) continue;
    if (is_linear(model, term, model->density, 1, 0))
      time += c;
    else if (is_linear(model, term, model->density, 0, 2))
      diffusion -= c;
    else if (is_product(model, term, 1, 1))
      first += c;
    else if (is_product(model, term, 0, 2))
      second += c;
    else if (term->arity != 0 || !add_source(model->production, &model->production_count, &instance->terms[i], -1))
      return false;
  }
  if (time == 0 || !(diffusion / time > 0) || fabs(first - second) > 1e-12 * fabs(first)) return false;
  model->diffusion = diffusion / time;
  model->mobility = first / time;
  for (int i = 0; i < model->production_count; i++) model->production[i].coefficient /= time;
  return true;
}

static bool read_poisson(drift_model *model) {
  const ans_instance *instance = model->instance;
  double curvature = 0, response = 0;
  for (int i = 0; i < instance->term_count; i++) {
    const system_term *term = instance->terms[i].term;
    if (term->equation != model->potential) continue;
    if (is_linear(model, term, model->potential, 0, 2))
      curvature += instance->terms[i].coefficient;
    else if (is_linear(model, term, model->density, 0, 0))
      response -= instance->terms[i].coefficient;
    else if (term->arity != 0 || !add_source(model->background, &model->background_count, &instance->terms[i], -1))
      return false;
  }
  if (curvature == 0 || response == 0) return false;
  model->response = response / curvature;
  for (int i = 0; i < model->background_count; i++) model->background[i].coefficient /= curvature;
  return true;
}

/* Values of both fields at both ends. */
static bool read_walls(drift_model *model) {
  const ans_problem *problem = model->instance->problem;
  const system_coordinate *along = &problem->coordinates[model->coordinate];
  for (int i = 0; i < problem->condition_count; i++) {
    const system_condition *condition = &problem->conditions[i];
    if (condition->kind != CONDITION_BOUNDARY || condition->coordinate != model->coordinate) return false;
    for (int c = 0; c < problem->coordinate_count; c++)
      if (condition->order[c] > 0) return false;
    if (condition->at != along->low && condition->at != along->high) return false;
    model->walls[condition->field == model->potential][condition->at == along->high] = condition->value;
  }
  return model->walls[0][0] && model->walls[0][1] && model->walls[1][0] && model->walls[1][1];
}

static bool read_as(drift_model *model, const ans_instance *instance, int density) {
  const ans_problem *problem = instance->problem;
  *model = (drift_model){
      .instance = instance, .density = density, .potential = 1 - density, .coordinate = 1 - problem->time};
  return read_transport(model) && read_poisson(model) && read_walls(model);
}

ans_status drift_recognise(ans_context *context, const ans_instance *instance, drift_model *result) {
  const ans_problem *problem = instance->problem;
  FAIL_IF(problem->field_count != 2 || problem->coordinate_count != 2 || problem->time < 0 ||
              !problem->coordinates[problem->time].periodic || problem->coordinates[1 - problem->time].periodic,
          context, ANS_UNSUPPORTED,
          "drift_diffusion wants two fields over a bounded space coordinate and a periodic time coordinate");
  if (read_as(result, instance, 0) || read_as(result, instance, 1)) return ANS_OK;
  FAIL(context, ANS_UNSUPPORTED,
       "drift_diffusion wants n_t - d*n_xx + m*d(n*d(p,x),x) - source = 0 and p_xx + q*n + source = 0 with values of n "
       "and p "
       "at both ends; these equations have another form");
}

drift_settings drift_defaults(const ans_problem *problem, int points, int times) {
  const protocol_reference *asked = &problem->protocol.reference;
  return (drift_settings){.cells = points > 0          ? points
                                   : asked->points > 0 ? asked->points
                                                       : 200,
                          .times = times > 0          ? times
                                   : asked->times > 0 ? asked->times
                                                      : 200,
                          .steps = asked->steps_per_period > 0 ? asked->steps_per_period : 2000,
                          .periods = asked->periods > 0 ? asked->periods : 40,
                          .sweeps = asked->sweeps > 0 ? asked->sweeps : 3};
}
