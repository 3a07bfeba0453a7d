/* SPDX-License-Identifier: Apache-2.0
 *
 * defect.c - rows of the error's equation and their derivative.
 */
#include "estimate/defect.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- Sources ----------------------------------------------------------------------------------------- */

static void fill_source(defect *d, defect_term *term, double t) {
  assert(term->source && term->source_values);
  const ans_problem *problem = d->instance->problem;
  double place[SYSTEM_MAX_COORDINATES] = {0};
  if (problem->time >= 0) place[problem->time] = t;
  for (int j = 0; j < d->mesh->nodes; j++) {
    if (d->space >= 0) place[d->space] = d->mesh->places[j];
    term->source_values[j] = expression_value(term->source, d->instance->values, place, 0);
  }
}

/* Does nothing when the time has not changed, or no source depends on it. */
static void set_time(defect *d, double t) {
  const ans_problem *problem = d->instance->problem;
  bool first = isnan(d->time);
  int n = d->mesh->nodes;
  if (d->time == t) return;
  d->time = t;
  for (int i = 0; i < d->term_count + d->leading_count; i++) {
    defect_term *term = i < d->term_count ? &d->terms[i] : &d->leading[i - d->term_count];
    if (!term->source) continue;
    if (first || expression_uses_index(term->source, EXPRESSION_COORDINATE, problem->time)) fill_source(d, term, t);
  }
  memset(d->lead, 0, (size_t)d->field_count * (size_t)n * sizeof *d->lead);
  for (int i = 0; i < d->leading_count; i++) {
    const defect_term *term = &d->leading[i];
    for (int j = 0; j < n; j++)
      d->lead[term->field * n + j] += term->coefficient * (term->source ? term->source_values[j] : 1);
  }
}

/* ---- Rows -------------------------------------------------------------------------------------------- */

/* Exponents are small. */
static double power(double value, int exponent) {
  assert(exponent >= 0);
  double result = 1;
  for (; exponent > 0; exponent--) result *= value;
  return result;
}

static void add_term(const defect_term *term, int n, const double *slots, double *sum) {
  for (int j = 0; j < n; j++) {
    double value = term->coefficient * (term->source ? term->source_values[j] : 1);
    for (int k = 0; k < term->factor_count; k++)
      value *= power(slots[term->factors[k].slot * n + j], term->factors[k].power);
    sum[j] += value;
  }
}

void defect_right_side(defect *d, double t, const defect_base *base, const double *whole, bool split, double *result) {
  int n = d->mesh->nodes;
  set_time(d, t);
  memset(result, 0, (size_t)d->field_count * (size_t)n * sizeof *result);
  for (int i = 0; i < d->term_count; i++) {
    const defect_term *term = &d->terms[i];
    add_term(term, n, split && term->linear ? base->slots : whole, result + (size_t)term->field * (size_t)n);
  }
  for (int f = 0; f < d->field_count; f++)
    for (int j = 0; d->order[f] > 0 && j < n; j++) {
      double *row = &result[f * n + j];
      *row = -*row / d->lead[f * n + j] - base->forcing[f * n + j];
    }
}

/* slots <- b + D y. */
static void fill_slots(const defect *d, const defect_base *base, const double *values, double *slots) {
  int n = d->mesh->nodes;
  for (int s = 0; s < d->slot_count; s++) {
    const double *from = values + (size_t)d->slots[s].component * (size_t)n;
    const double *known = base->slots + (size_t)s * (size_t)n;
    double *to = slots + (size_t)s * (size_t)n;
    if (d->slots[s].order > 0)
      mesh_derivative(d->mesh, d->slots[s].order, from, to);
    else
      memcpy(to, from, (size_t)n * sizeof *to);
    for (int i = 0; i < n; i++) to[i] = known[i] + to[i];
  }
}

/* The q-th time derivative of a condition's value; q is at most 1. */
static double condition_value(const defect *d, const defect_condition *condition, double t, int q) {
  assert(d->space >= 0 && (q == 0 || q == 1));
  const ans_problem *problem = d->instance->problem;
  double place[SYSTEM_MAX_COORDINATES] = {0}, step = q > 0 ? 1e-5 * (d->end - d->begin) : 0, value[2];
  place[d->space] = condition->condition->at;
  for (int side = 0; side < 2; side++) {
    if (problem->time >= 0) place[problem->time] = t + (side == 0 ? -step : step);
    value[side] = expression_value(condition->condition->value, d->instance->values, place, 0);
  }
  return q > 0 ? (value[1] - value[0]) / (2 * step) : value[0];
}

static void condition_rows(const defect *d, double t, const double *whole, double *rows) {
  int n = d->mesh->nodes;
  for (int i = 0; i < d->condition_count; i++) {
    const defect_condition *condition = &d->conditions[i];
    int field = condition->condition->field;
    for (int q = 0; q < (d->order[field] > 0 ? d->order[field] : 1); q++)
      rows[(d->first[field] + q) * n + condition->row] =
          whole[condition->slots[q] * n + condition->end] - condition_value(d, condition, t, q);
  }
}

void defect_rows(defect *d, double t, const defect_base *base, const double *values, double *rows) {
  int n = d->mesh->nodes;
  fill_slots(d, base, values, d->whole);
  defect_right_side(d, t, base, d->whole, false, d->sums);
  for (int c = 0; c < d->component_count; c++) {
    int field = d->components[c].field, last = d->first[field] + (d->order[field] > 0 ? d->order[field] - 1 : 0);
    const double *from = c < last ? values + (size_t)(c + 1) * (size_t)n : d->sums + (size_t)field * (size_t)n;
    memcpy(rows + (size_t)c * (size_t)n, from, (size_t)n * sizeof *rows);
  }
  condition_rows(d, t, d->whole, rows);
}

/* ---- Jacobian ---------------------------------------------------------------------------------------- */

/* d row / d slot of one field's equation, [slots][nodes]. */
static void slot_weights(defect *d, int field) {
  assert(field >= 0 && field < d->field_count);
  int n = d->mesh->nodes;
  memset(d->weights, 0, (size_t)d->slot_count * (size_t)n * sizeof *d->weights);
  for (int i = 0; i < d->term_count; i++) {
    const defect_term *term = &d->terms[i];
    if (term->field != field) continue;
    for (int k = 0; k < term->factor_count; k++)
      for (int j = 0; j < n; j++) {
        double value = term->coefficient * (term->source ? term->source_values[j] : 1) * term->factors[k].power;
        for (int l = 0; l < term->factor_count; l++)
          value *= power(d->whole[term->factors[l].slot * n + j], term->factors[l].power - (l == k));
        if (d->order[field] > 0) value /= -d->lead[field * n + j];
        d->weights[term->factors[k].slot * n + j] += value;
      }
  }
}

/* The row of unknown number `row`, which is at `node`: weights of the slots there. */
static void add_row(const defect *d, const double *weights, int row, int node, matrix *matrix) {
  assert(node >= 0 && node < d->mesh->nodes);
  const mesh *mesh = d->mesh;
  int n = mesh->nodes;
  for (int s = 0; s < d->slot_count; s++) {
    double weight = weights[s * n + node];
    int first = d->slots[s].component * n;
    const double *from = mesh->matrices[d->slots[s].order] + (size_t)node * (size_t)mesh->reach;
    if (weight == 0) continue;
    if (d->slots[s].order == 0)
      *matrix_entry(matrix, row, first + node) += weight;
    else
      for (int l = 0; l < mesh->reach; l++)
        *matrix_entry(matrix, row, first + mesh_column(mesh, node, l)) += weight * from[l];
  }
}

static void condition_jacobian(const defect *d, matrix *matrix) {
  const mesh *mesh = d->mesh;
  for (int i = 0; i < d->condition_count; i++) {
    const defect_condition *condition = &d->conditions[i];
    int field = condition->condition->field;
    for (int q = 0; q < (d->order[field] > 0 ? d->order[field] : 1); q++) {
      int first = (d->first[field] + q) * mesh->nodes, order = d->slots[condition->slots[q]].order;
      const double *from = mesh->matrices[order] + (size_t)condition->end * (size_t)mesh->reach;
      matrix_clear_row(matrix, first + condition->row);
      for (int l = 0; l < mesh->reach; l++)
        *matrix_entry(matrix, first + condition->row, first + mesh_column(mesh, condition->end, l)) = from[l];
    }
  }
}

void defect_jacobian(defect *d, double t, const defect_base *base, const double *values, matrix *matrix) {
  int n = d->mesh->nodes;
  fill_slots(d, base, values, d->whole);
  set_time(d, t);
  matrix_clear(matrix);
  for (int f = 0; f < d->field_count; f++) {
    int last = d->first[f] + (d->order[f] > 0 ? d->order[f] - 1 : 0);
    for (int c = d->first[f]; c < last; c++)
      for (int j = 0; j < n; j++) *matrix_entry(matrix, c * n + j, (c + 1) * n + j) = 1;
    slot_weights(d, f);
    for (int j = 0; j < n; j++) add_row(d, d->weights, last * n + j, j, matrix);
  }
  condition_jacobian(d, matrix);
}

/* ---- Start ------------------------------------------------------------------------------------------- */

static const system_condition *initial_of(const defect *d, const defect_component *component) {
  const ans_problem *problem = d->instance->problem;
  for (int i = 0; i < problem->condition_count; i++) {
    const system_condition *condition = &problem->conditions[i];
    if (condition->kind == CONDITION_INITIAL && condition->field == component->field &&
        condition->order[problem->time] == component->time_order)
      return condition;
  }
  return NULL;
}

void defect_start(const defect *d, const defect_base *base, double *values) {
  const ans_problem *problem = d->instance->problem;
  int n = d->mesh->nodes;
  double place[SYSTEM_MAX_COORDINATES] = {0};
  if (problem->time >= 0) place[problem->time] = d->begin;
  for (int c = 0; c < d->component_count; c++) {
    const system_condition *condition = d->order[d->components[c].field] > 0 ? initial_of(d, &d->components[c]) : NULL;
    const double *known = base->slots + (size_t)defect_slot_of(d, c, 0) * (size_t)n;
    for (int j = 0; j < n; j++) {
      if (d->space >= 0) place[d->space] = d->mesh->places[j];
      values[c * n + j] = condition ? expression_value(condition->value, d->instance->values, place, 0) - known[j] : 0;
    }
  }
}
