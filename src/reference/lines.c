/* SPDX-License-Identifier: Apache-2.0
 *
 * lines.c - the right side of the method of lines and its derivative.
 */
#include "reference/lines.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- Unknowns and nodes ------------------------------------------------------------------------------ */

static double within(const lines *lines, double t) { return fmin(fmax(t, lines->window[0]), lines->window[1]); }

static void boundary_data(const lines *lines, const boundary *boundary, double t, double *data) {
  assert(lines->coordinate >= 0 && boundary->count <= BOUNDARY_MAX);
  double place[SYSTEM_MAX_COORDINATES] = {0};
  const ans_problem *problem = lines->instance->problem;
  for (int i = 0; i < boundary->count; i++) {
    place[lines->coordinate] = boundary->conditions[i]->at;
    place[problem->time] = within(lines, t);
    data[i] = expression_value(boundary->conditions[i]->value, lines->instance->values, place, 0);
  }
}

/* Node values at time t; a direction has zero boundary values. */
static void scatter(const lines *lines, double t, bool direction, const double *unknowns, double *nodes) {
  double data[BOUNDARY_MAX];
  for (int f = 0; f < lines->field_count; f++) {
    double *values = nodes + (size_t)f * lines->node_count;
    memcpy(values + lines->first[f], unknowns + lines->offset[f], (size_t)lines->count[f] * sizeof *values);
    if (lines->frame) frame_turn(lines->frame, f, t - lines->begin, true, values);
    if (lines->boundaries[f].count == 0) continue;
    if (!direction) boundary_data(lines, &lines->boundaries[f], t, data);
    boundary_fill(&lines->boundaries[f], lines->node_count, direction ? NULL : data, values);
  }
}

static void gather(const lines *lines, double t, double *nodes, double *unknowns) {
  for (int f = 0; f < lines->field_count; f++) {
    double *values = nodes + (size_t)f * lines->node_count;
    if (lines->frame) frame_turn(lines->frame, f, t - lines->begin, false, values);
    memcpy(unknowns + lines->offset[f], values + lines->first[f], (size_t)lines->count[f] * sizeof *nodes);
  }
}

void lines_complete(const lines *lines, double t, const double *unknowns, double *nodes) {
  scatter(lines, t, false, unknowns, nodes);
}

static const system_condition *initial_of(const ans_problem *problem, int field) {
  for (int i = 0; i < problem->condition_count; i++) {
    const system_condition *condition = &problem->conditions[i];
    if (condition->kind == CONDITION_INITIAL && condition->field == field && condition->order[problem->time] == 0)
      return condition;
  }
  return NULL;
}

ans_status lines_start(ans_context *context, const lines *lines, double *unknowns) {
  const ans_problem *problem = lines->instance->problem;
  double place[SYSTEM_MAX_COORDINATES] = {0};
  place[problem->time] = problem->coordinates[problem->time].low;
  for (int f = 0; f < lines->field_count; f++) {
    const system_condition *initial = initial_of(problem, f);
    FAIL_IF(!initial, context, ANS_UNSUPPORTED, "%s has no initial value, so there is nothing to integrate from",
            problem->fields[f].name);
    for (int j = 0; j < lines->node_count; j++) {
      if (lines->coordinate >= 0) place[lines->coordinate] = lines->space->places[j];
      double value = expression_value(initial->value, lines->instance->values, place, 0);
      FAIL_IF(!isfinite(value), context, ANS_DIVERGED, "the initial value of %s is not finite at node %d",
              problem->fields[f].name, j);
      lines->nodes[(size_t)f * lines->node_count + j] = value;
    }
  }
  gather(lines, lines->begin, lines->nodes, unknowns);
  return ANS_OK;
}

/* ---- The right side ---------------------------------------------------------------------------------- */

/* Every slot from the node values: one call per field, so that a transform is shared by its derivatives. */
static void fill_slots(lines *lines) {
  for (int s = 0; s < lines->slot_count;) {
    int field = lines->slots[s].field, count = 0, orders[SPACE_MAX_ORDER + 1];
    double *results[SPACE_MAX_ORDER + 1];
    for (; s < lines->slot_count && lines->slots[s].field == field; s++, count++) {
      orders[count] = lines->slots[s].order;
      assert(count <= SPACE_MAX_ORDER);
      results[count] = lines->slots[s].values;
    }
    lines->space->differentiate(lines->space, lines->nodes + (size_t)field * lines->node_count, count, orders, results);
  }
}

static void fill_moving_sources(lines *lines, double t) {
  double place[SYSTEM_MAX_COORDINATES] = {0};
  place[lines->instance->problem->time] = within(lines, t);
  for (int i = 0; i < lines->term_count; i++) {
    lines_term *term = &lines->terms[i];
    if (!term->source || term->steady) continue;
    for (int j = 0; j < lines->node_count; j++) {
      if (lines->coordinate >= 0) place[lines->coordinate] = lines->space->places[j];
      term->source_values[j] = expression_value(term->source, lines->instance->values, place, 0);
    }
  }
}

static void multiply_power(double *product, const double *values, int power, int count) {
  for (int p = 0; p < power; p++)
    for (int j = 0; j < count; j++) product[j] *= values[j];
}

static void start_product(const lines_term *term, double *product, int count) {
  for (int j = 0; j < count; j++) product[j] = term->source ? term->scale * term->source_values[j] : term->scale;
}

static void prepare(lines *lines, double t, const double *unknowns) {
  scatter(lines, t, false, unknowns, lines->nodes);
  fill_slots(lines);
  fill_moving_sources(lines, t);
}

bool lines_right_side(lines *lines, double t, const double *unknowns, double *result) {
  int n = lines->node_count;
  prepare(lines, t, unknowns);
  memset(lines->result, 0, (size_t)lines->field_count * (size_t)n * sizeof *lines->result);
  for (int i = 0; i < lines->term_count; i++) {
    const lines_term *term = &lines->terms[i];
    start_product(term, lines->scratch, n);
    for (int k = 0; k < term->factor_count; k++)
      multiply_power(lines->scratch, lines->slots[term->factors[k].slot].values, term->factors[k].power, n);
    double *sum = lines->result + (size_t)term->equation * n;
    for (int j = 0; j < n; j++) sum[j] += lines->scratch[j];
  }
  gather(lines, t, lines->result, result);
  for (int i = 0; i < lines->size; i++)
    if (!isfinite(result[i])) return false;
  return true;
}

/* ---- Its derivative ---------------------------------------------------------------------------------- */

static lines_coupling *find_coupling(lines *lines, int equation, int slot) {
  for (int i = 0; i < lines->coupling_count; i++)
    if (lines->couplings[i].equation == equation && lines->couplings[i].slot == slot) return &lines->couplings[i];
  return NULL;
}

/* d(product)/d(factor k), added to its coupling. */
static void add_derivative(lines *lines, const lines_term *term, int k) {
  int n = lines->node_count;
  start_product(term, lines->scratch, n);
  for (int other = 0; other < term->factor_count; other++)
    multiply_power(lines->scratch, lines->slots[term->factors[other].slot].values,
                   term->factors[other].power - (other == k), n);
  double *weight = find_coupling(lines, term->equation, term->factors[k].slot)->weight;
  for (int j = 0; j < n; j++) weight[j] += term->factors[k].power * lines->scratch[j];
}

void lines_linearise(lines *lines, double t, const double *unknowns) {
  prepare(lines, t, unknowns);
  lines->linear_time = t;
  for (int i = 0; i < lines->coupling_count; i++)
    memset(lines->couplings[i].weight, 0, (size_t)lines->node_count * sizeof(double));
  for (int i = 0; i < lines->term_count; i++)
    for (int k = 0; k < lines->terms[i].factor_count; k++) add_derivative(lines, &lines->terms[i], k);
}

void lines_product(lines *lines, const double *direction, double *result) {
  int n = lines->node_count;
  scatter(lines, lines->linear_time, true, direction, lines->nodes);
  fill_slots(lines);
  memset(lines->result, 0, (size_t)lines->field_count * (size_t)n * sizeof *lines->result);
  for (int i = 0; i < lines->coupling_count; i++) {
    const lines_coupling *coupling = &lines->couplings[i];
    const double *slot = lines->slots[coupling->slot].values;
    double *sum = lines->result + (size_t)coupling->equation * n;
    for (int j = 0; j < n; j++) sum[j] += coupling->weight[j] * slot[j];
  }
  gather(lines, lines->linear_time, lines->result, result);
}
