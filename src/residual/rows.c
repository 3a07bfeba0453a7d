/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.c - the rows of every segment as short programs over (point, field, channel).
 */
#include "residual/plan.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "field/settle.h"

static row_term *add_term(residual *residual, residual_row *row, double coefficient, const jet_plan *source,
                          double source_size) {
  assert(residual->row_count > 0 && row == &residual->rows[residual->row_count - 1]);
  row_term *term = &residual->terms[residual->term_count++];
  *term = (row_term){
      .coefficient = coefficient, .source = source, .source_size = source_size, .first_factor = residual->factor_count};
  row->term_count++;
  return term;
}

static void add_factor(residual *residual, row_term *term, row_factor factor) {
  residual->factors[residual->factor_count++] = factor;
  assert(residual->term_count > 0 && term == &residual->terms[residual->term_count - 1]);
  term->factor_count++;
}

static residual_row *add_row(residual *residual, residual_segment *segment, double weight) {
  residual_row *row = &residual->rows[residual->row_count++];
  *row = (residual_row){.weight = weight, .first_term = residual->term_count};
  segment->row_count++;
  return row;
}

/* Where a derivative travels, and what its channel is multiplied by to give it. */
static int channel_of(const algebra *algebra, const channel_choice *choice, int field, const uint8_t *order,
                      double *factorial) {
  int channel = algebra_channel(algebra, order);
  if (channel < 0 && choice && choice->operated && memcmp(choice->single[field], order, SYSTEM_MAX_COORDINATES) == 0)
    channel = algebra->operator_channel;
  assert(channel >= 0);
  *factorial = algebra_factorial(algebra, channel);
  return channel;
}

static void add_equation_term(residual *residual, residual_row *row, const channel_choice *choice,
                              const instance_term *from) {
  const residual_set *set = &residual->sets[0];
  const system_term *shape = from->term;
  row_term *term = add_term(residual, row, from->coefficient, residual->sources[shape - residual->problem->terms],
                            chart_source_size(residual->instance, &residual->chart, from));
  for (int i = 0; i < shape->factor_count; i++) {
    const system_factor *factor = &shape->factors[i];
    double factorial;
    const algebra *algebra = &set->algebras[output_stream(&residual->output, factor->field)];
    int channel = channel_of(algebra, choice, factor->field, factor->order, &factorial);
    for (int k = 0; k < factor->power; k++) term->coefficient *= factorial;
    add_factor(residual, term, (row_factor){.field = factor->field, .channel = channel, .power = factor->power});
  }
}

static void plan_equations(residual *residual, residual_segment *segment, const channel_choice *choice) {
  const ans_problem *problem = residual->problem;
  for (int e = 0; e < problem->equation_count; e++) {
    residual_row *row = add_row(residual, segment, problem->equations[e].weight);
    for (int f = 0; choice->operated && f < problem->field_count; f++)
      if (choice->gathered_count[f] > 0 && choice->equation[f] == e)
        add_factor(residual, add_term(residual, row, 1, NULL, 1),
                   (row_factor){.field = f, .channel = residual->sets[0].algebras[f].operator_channel, .power = 1});
    for (int t = 0; t < residual->instance->term_count; t++) {
      const instance_term *term = &residual->instance->terms[t];
      if (term->term->equation == e && !choice_gathers(choice, term)) add_equation_term(residual, row, choice, term);
    }
  }
}

static void plan_condition(residual *residual, residual_segment *segment, const residual_set *set, int index) {
  const system_condition *condition = &residual->problem->conditions[index];
  double size = chart_condition_size(&residual->chart, residual->problem, condition->field, condition->order),
         factorial;
  double unit = chart_derivative_unit(residual->problem, &residual->chart, condition->field, condition->order) / size;
  residual_row *row = add_row(residual, segment, condition->weight);
  int channel = channel_of(&set->algebras[0], NULL, condition->field, condition->order, &factorial);
  add_factor(residual, add_term(residual, row, factorial * settle_number(unit), NULL, 1),
             (row_factor){.field = condition->field, .channel = channel, .power = 1});
  if (residual->conditions[index]) add_term(residual, row, -1, residual->conditions[index], size);
}

/* In units of the interval, so that the same weight suits a value and its derivatives. */
static void plan_seam(residual *residual, residual_segment *segment, const residual_set *set, int field, int order) {
  assert(segment->pair && segment->coordinate >= 0);
  chart_interval axis = chart_interval_of(residual->problem, &residual->chart, segment->coordinate);
  residual_row *row = add_row(residual, segment, residual->problem->coordinates[segment->coordinate].period_weight);
  uint8_t orders[SYSTEM_MAX_COORDINATES] = {0};
  double factorial;
  orders[segment->coordinate] = (uint8_t)order;
  int channel = channel_of(&set->algebras[0], NULL, field, orders, &factorial);
  double scale = factorial * pow((axis.high - axis.low) / (2 * acos(-1.0)), order);
  for (int point = 0; point < 2; point++)
    add_factor(residual, add_term(residual, row, point ? -scale : scale, NULL, 1),
               (row_factor){.point = point, .field = field, .channel = channel, .power = 1});
}

static void plan_period(residual *residual, residual_segment *segment, const residual_set *set) {
  for (int f = 0; f < residual->problem->field_count; f++)
    for (int order = 0; order < residual_seam_order(residual, segment->coordinate, f); order++)
      plan_seam(residual, segment, set, f, order);
}

static bool condition_belongs(const system_condition *condition, const residual_segment *segment) {
  return !condition->hard && condition->coordinate == segment->coordinate && condition->at == segment->at &&
         (condition->kind == CONDITION_INITIAL) == segment->initial;
}

static bool is_value(const uint8_t *order) {
  for (int i = 0; i < SYSTEM_MAX_COORDINATES; i++)
    if (order[i]) return false;
  return true;
}

ans_status residual_plan_rows(ans_context *context, residual *residual) {
  channel_choice choice;
  TRY(residual_choose_channels(context, residual, &choice));
  residual->row_count = residual->term_count = residual->factor_count = 0;
  for (int s = 0; s < residual->set_count; s++)
    for (int i = 0; i < residual->sets[s].segment_count; i++) {
      residual_segment *segment = &residual->segments[residual->sets[s].first_segment + i];
      segment->first_row = residual->row_count;
      segment->row_count = 0;
      if (segment->coordinate < 0)
        plan_equations(residual, segment, &choice);
      else if (segment->pair)
        plan_period(residual, segment, &residual->sets[s]);
      else
        for (int c = 0; c < residual->problem->condition_count; c++)
          if (condition_belongs(&residual->problem->conditions[c], segment) &&
              is_value(residual->problem->conditions[c].order) == (s == residual->value_set))
            plan_condition(residual, segment, &residual->sets[s], c);
    }
  return ANS_OK;
}

/* factor^(power) of one point, and its derivative. */
static double raised(double value, int power) {
  double result = 1;
  for (int i = 0; i < power; i++) result *= value;
  return result;
}

static const double *source_values(const residual *residual, const row_term *term, int points,
                                   residual_worker *worker) {
  if (!term->source) return NULL;
  const double *source = jet_forward(term->source, residual->instance->values, &residual->values_only, NULL, 0, points,
                                     worker->places, NULL, worker->sources);
  if (!residual->chart.scaled) return source;
  for (int p = 0; p < points; p++) worker->known[p] = source[p] / term->source_size;
  if (residual->output.settles) settle_values(points, worker->known);
  return worker->known;
}

void residual_row_values(const residual *residual, const residual_row *row, bool pair, int first, int units, int points,
                         const double *const *fields, residual_worker *worker, double *values) {
  int step = pair ? 2 : 1;
  memset(values, 0, (size_t)units * sizeof *values);
  for (int t = row->first_term; t < row->first_term + row->term_count; t++) {
    const row_term *term = &residual->terms[t];
    const double *source = source_values(residual, term, points, worker);
    double part[JET_MAX_POINTS];
    for (int u = 0; u < units; u++) part[u] = source ? term->coefficient * source[first + u * step] : term->coefficient;
    for (int i = term->first_factor; i < term->first_factor + term->factor_count; i++) {
      row_factor factor = residual->factors[i];
      const double *from = fields[factor.field] + factor.channel * points + first + factor.point;
      for (int k = 0; k < factor.power; k++)
        for (int u = 0; u < units; u++) part[u] *= from[u * step];
    }
    for (int u = 0; u < units; u++) values[u] += part[u];
  }
}

/* What the loss of a unit is multiplied by; 1 without a time weight, so that no bit changes. */
static double time_square(const residual *residual, const residual_segment *segment, int points, int at,
                          const residual_worker *worker) {
  int time = residual->problem->time;
  if (residual->time_weight == 0 || segment->coordinate >= 0 || time < 0) return 1;
  chart_interval axis = chart_interval_of(residual->problem, &residual->chart, time);
  double passed = (worker->coordinates[time * points + at] - axis.low) / (axis.high - axis.low);
  return exp(-2 * residual->time_weight * passed);
}

void residual_row_weights(const residual *residual, const residual_segment *segment, const residual_row *row, int first,
                          int units, int points, const residual_worker *worker, double *weights) {
  double weight = row->weight / segment->units;
  int step = segment->pair ? 2 : 1;
  for (int u = 0; u < units; u++)
    weights[u] = weight * time_square(residual, segment, points, first + u * step, worker);
}

/* Product of all factors of a term but the one at `without`, times that one's own derivative. */
static double partial(const residual *residual, const row_term *term, int without, int at, int points,
                      const double *const *fields) {
  double product = 1;
  for (int i = term->first_factor; i < term->first_factor + term->factor_count; i++) {
    row_factor factor = residual->factors[i];
    double value = fields[factor.field][factor.channel * points + at + factor.point];
    product *= i == without ? factor.power * raised(value, factor.power - 1) : raised(value, factor.power);
  }
  return product;
}

void residual_row_backward(const residual *residual, const residual_set *set, const residual_row *row, bool pair,
                           int first, int units, int points, const double *const *fields, const double *seed,
                           residual_worker *worker) {
  int step = pair ? 2 : 1;
  size_t field_size = (size_t)set->channels * (size_t)points;
  for (int t = row->first_term; t < row->first_term + row->term_count; t++) {
    const row_term *term = &residual->terms[t];
    const double *source = source_values(residual, term, points, worker);
    for (int i = term->first_factor; i < term->first_factor + term->factor_count; i++) {
      row_factor factor = residual->factors[i];
      double *to =
          worker->gradients + (size_t)factor.field * field_size + factor.channel * points + first + factor.point;
      for (int u = 0; u < units; u++) {
        double slope = partial(residual, term, i, first + u * step, points, fields);
        to[u * step] += seed[u] * term->coefficient * (source ? source[first + u * step] : 1) * slope;
      }
    }
  }
}
