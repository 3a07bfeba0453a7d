/* SPDX-License-Identifier: Apache-2.0 */
#include "fit/network_error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "estimate/estimate.h"

void network_error_drop(network_error *e) {
  memory_give(e->block);
  e->block = NULL;
  e->available = false;
}

static int nodes_along(const system_coordinate *c, int size, double *nodes) {
  int intervals = c->periodic ? size : size - 1;
  for (int i = 0; i < size; i++) nodes[i] = c->low + (c->high - c->low) * i / intervals;
  return size;
}

/* The two axes; an estimate exists in one space dimension at most. */
static void make_lattice(const ans_problem *problem, network_error *e) {
  int time = problem->time, space = problem->coordinate_count == 1 && time >= 0 ? -1 : time == 0 ? 1 : 0;
  e->lattice.axis_count = 0;
  if (time >= 0)
    e->lattice.axes[e->lattice.axis_count++] = (lattice_axis){
        .nodes = e->times, .size = nodes_along(&problem->coordinates[time], ERROR_TIMES, e->times), .coordinate = time};
  if (space < 0) return;
  const system_coordinate *c = &problem->coordinates[space];
  e->lattice.axes[e->lattice.axis_count++] = (lattice_axis){.nodes = e->places,
                                                            .size = nodes_along(c, ERROR_PLACES, e->places),
                                                            .period = c->periodic ? c->high - c->low : 0,
                                                            .coordinate = space};
}

/* points [nodes][coordinates] of the lattice. */
static void fill_points(const lattice *lattice, size_t nodes, int dimensions, double *points) {
  for (size_t k = 0; k < nodes; k++) {
    size_t rest = k;
    for (int a = lattice->axis_count; a-- > 0; rest /= (size_t)lattice->axes[a].size)
      points[k * (size_t)dimensions + (size_t)lattice->axes[a].coordinate] =
          lattice->axes[a].nodes[rest % (size_t)lattice->axes[a].size];
  }
}

/* values <- network - corrected at the nodes. points, all: room for [nodes][coordinates] and [nodes][fields]. */
static ans_status take_errors(ans_context *context, ans_solver *solver, estimate *estimate, network_error *e,
                              size_t nodes, double *points, double *all) {
  const ans_problem *problem = solver_instance(solver)->problem;
  size_t fields = (size_t)problem->field_count;
  bool time = problem->time >= 0, space = problem->coordinate_count > (time ? 1 : 0);
  fill_points(&e->lattice, nodes, problem->coordinate_count, points);
  TRY(solver_evaluate(context, solver, points, nodes, NULL, all));
  for (size_t f = 0; f < fields; f++)
    for (size_t k = 0; k < nodes; k++) e->values[f][k] = all[k * fields + f];
  TRY(estimate_correct(context, estimate, e->times, time ? ERROR_TIMES : 1, space ? e->places : NULL,
                       space ? ERROR_PLACES : 1, e->values));
  for (size_t f = 0; f < fields; f++)
    for (size_t k = 0; k < nodes; k++) e->values[f][k] = all[k * fields + f] - e->values[f][k];
  return ANS_OK;
}

static ans_status fill(ans_context *context, ans_solver *solver, estimate *estimate, network_error *e) {
  const ans_problem *problem = solver_instance(solver)->problem;
  size_t fields = (size_t)problem->field_count, dimensions = (size_t)problem->coordinate_count, nodes = 1;
  make_lattice(problem, e);
  for (int a = 0; a < e->lattice.axis_count; a++) nodes *= (size_t)e->lattice.axes[a].size;
  if (!e->block) e->block = memory_take(size_product(nodes * fields, sizeof(double)));
  double *room = memory_take(size_product(nodes * (fields + dimensions), sizeof(double)));
  for (size_t f = 0; f < fields; f++) e->values[f] = e->block + f * nodes;
  ans_status status = e->block && room
                          ? take_errors(context, solver, estimate, e, nodes, room, room + nodes * dimensions)
                          : context_no_memory(context);
  memory_give(room);
  return status;
}

/* Between every other place of the lattice a cubic gives the value left out, but for less than UNRESOLVED of the
 * field's error: then all places together hold it well. */
static bool is_resolved(const network_error *e, int field) {
  static const double UNRESOLVED = 0.3;
  const lattice_axis *last = &e->lattice.axes[e->lattice.axis_count - 1];
  size_t size = (size_t)last->size, rows = e->lattice.axis_count > 1 ? (size_t)e->lattice.axes[0].size : 1;
  double missed = 0, all = 0;
  for (size_t r = 0; r < rows; r++) {
    const double *v = e->values[field] + r * size;
    for (size_t j = 3; j + 3 < size; j += 2) {
      double between = (9 * (v[j - 1] + v[j + 1]) - v[j - 3] - v[j + 3]) / 16;
      missed += (v[j] - between) * (v[j] - between);
      all += v[j] * v[j];
    }
  }
  return missed <= UNRESOLVED * UNRESOLVED * all;
}

ans_status network_error_find(ans_context *context, ans_solver *solver, network_error *e) {
  estimate *estimate;
  e->available = e->trusted = false;
  e->size = e->left = (double)NAN;
  TRY(solver_estimate(context, solver, &estimate));
  const estimate_summary *summary = estimate_result(estimate);
  ans_status status = ANS_OK;
  snprintf(e->reason, sizeof e->reason, "%s", summary->reason);
  if (summary->available) {
    double different = 0;
    e->available = true;
    e->trusted = summary->trusted;
    e->size = 0;
    for (int f = 0; f < summary->field_count; f++) {
      e->size = fmax(e->size, summary->errors[f]);
      if (summary->errors[f] > 0) different = fmax(different, summary->differences[f] / summary->errors[f]);
    }
    e->left = e->trusted ? fmin(different, 1) : 1;
    status = fill(context, solver, estimate, e);
    for (int f = 0; status == ANS_OK && e->trusted && f < summary->field_count; f++)
      if (!is_resolved(e, f)) {
        e->trusted = false;
        e->left = 1;
        snprintf(e->reason, sizeof e->reason, "the error is too sharp for the grid on which it is kept");
      }
  }
  estimate_free(estimate);
  if (status != ANS_OK) e->available = e->trusted = false;
  return status;
}

void network_error_subtract(const network_error *e, const ans_problem *problem, const double *points, size_t count,
                            double *values) {
  size_t fields = (size_t)problem->field_count;
  for (size_t p = 0; p < count; p++)
    for (size_t f = 0; f < fields; f++)
      values[p * fields + f] -=
          lattice_value(&e->lattice, e->values[f], points + p * (size_t)problem->coordinate_count);
}
