/* SPDX-License-Identifier: Apache-2.0 */
#include "fit/forward_network.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "estimate/estimate.h"
#include "fit/interpolate.h"
#include "training/engine.h"

enum { FIRST_STEPS = 80, FEW_STEPS = 10, TIMES = 65, PLACES = 129 };

static const double ROW_DISTANCE = 2e-3;   /* of a range: over which rows are differentiated */
static const double FIELD_DISTANCE = 1e-2; /* the same for fields along the tangents; float needs it longer */
static const double SLOW = 0.6;            /* a step that leaves more of the loss than this gains little */

struct network_forward {
  const sought *sought;
  const measurements *data;
  const ans_model *model;
  ans_solver *solver;
  size_t size;
  bool begun, correct;
  struct {
    bool corrected;
    double left; /* part of the errors that may be left in the values */
    char reason[200];
    double *errors; /* [points][fields] */
  } now, kept;      /* of the last prediction; of the accepted one */
  double centre_z[FIT_MAX_UNKNOWNS], trial_z[FIT_MAX_UNKNOWNS];
  bool has_directions;
  double *centre, *moved; /* [size]: numbers of the network */
  double *directions;     /* [unknowns][size]: per unit of z */
  double *fields;         /* [points][fields] */
};

/* ---- Memory -------------------------------------------------------------------------------------------- */

void network_forward_free(network_forward *n) {
  if (!n) return;
  memory_give(n->centre);
  memory_give(n->moved);
  memory_give(n->directions);
  memory_give(n->fields);
  memory_give(n->now.errors);
  memory_give(n->kept.errors);
  solver_free(n->solver);
  memory_give(n);
}

static ans_status begin_solver(ans_context *context, network_forward *n, const ans_solver_options *options,
                               const double *z) {
  double values[SYSTEM_MAX_SYMBOLS];
  ans_instance *instance;
  sought_values(n->sought, z, values);
  TRY(system_instance(context, n->sought->problem, n->sought->structure, values, true, &instance));
  ans_status status = solver_begin(context, n->model, instance, options, &n->solver);
  system_instance_free(instance);
  TRY(status);
  FAIL_IF(solver_info(n->solver).method != ANS_GAUSS_NEWTON, context, ANS_UNSUPPORTED,
          "a fit needs equations and initial values that determine the solution; give every field that has a time "
          "derivative an initial value, with unknown parameters in it where it is not known");
  return ANS_OK;
}

static ans_status fill(ans_context *context, network_forward *n, const ans_solver_options *options, const double *z) {
  TRY(begin_solver(context, n, options, z));
  n->size = solver_size(n->solver);
  n->centre = memory_take(size_product(n->size, sizeof(double)));
  n->moved = memory_take(size_product(n->size, sizeof(double)));
  n->directions = memory_take(size_product(n->size * (size_t)(n->sought->count + 1), sizeof(double)));
  size_t values = size_product((n->data->point_count + 1) * (size_t)n->data->field_count, sizeof(double));
  n->fields = memory_take(values);
  n->now.errors = memory_take(values);
  n->kept.errors = memory_take(values);
  if (!n->centre || !n->moved || !n->directions || !n->fields || !n->now.errors || !n->kept.errors)
    return context_no_memory(context);
  solver_store(n->solver, n->centre);
  memcpy(n->centre_z, z, (size_t)n->sought->count * sizeof *z);
  return ANS_OK;
}

ans_status network_forward_new(ans_context *context, const sought *sought, const measurements *data,
                               const ans_model *model, const ans_solver_options *options, const double *z,
                               network_forward **result) {
  network_forward *n = memory_take(sizeof *n);
  *result = NULL;
  if (!n) return context_no_memory(context);
  *n = (network_forward){.sought = sought, .data = data, .model = model};
  ans_status status = fill(context, n, options, z);
  if (status == ANS_OK)
    *result = n;
  else
    network_forward_free(n);
  return status;
}

/* ---- Where the network is ------------------------------------------------------------------------------ */

static ans_status go_to(ans_context *context, network_forward *n, const double *z) {
  double values[SYSTEM_MAX_SYMBOLS];
  sought_values(n->sought, z, values);
  return solver_retarget(context, n->solver, values);
}

/* Numbers and member: the centre, moved along the tangents to z. */
static ans_status move_to(ans_context *context, network_forward *n, const double *z) {
  memcpy(n->moved, n->centre, n->size * sizeof *n->moved);
  for (int i = 0; n->has_directions && i < n->sought->count; i++) {
    double way = z[i] - n->centre_z[i];
    const double *direction = n->directions + (size_t)i * n->size;
    for (size_t k = 0; way != 0 && k < n->size; k++) n->moved[k] += way * direction[k];
  }
  solver_restore(n->solver, n->moved);
  return go_to(context, n, z);
}

/* ---- Taking the error away ------------------------------------------------------------------------------ */

typedef struct error_grid {
  double times[TIMES], places[PLACES];
  int time_count, place_count;
  lattice lattice;
  double *points;                    /* [nodes][coordinates] */
  double *all;                       /* [nodes][fields] */
  double *errors[SYSTEM_MAX_FIELDS]; /* [nodes] */
  double *block;
} error_grid;

static int nodes_along(const system_coordinate *c, int size, double *nodes) {
  int intervals = c->periodic ? size : size - 1;
  for (int i = 0; i < size; i++) nodes[i] = c->low + (c->high - c->low) * i / intervals;
  return size;
}

static ans_status make_grid(ans_context *context, const ans_problem *problem, error_grid *g) {
  int time = problem->time, space = problem->coordinate_count == 1 && time >= 0 ? -1 : time == 0 ? 1 : 0;
  g->time_count = time >= 0 ? nodes_along(&problem->coordinates[time], TIMES, g->times) : 1;
  g->place_count = space >= 0 ? nodes_along(&problem->coordinates[space], PLACES, g->places) : 1;
  const system_coordinate *c = space >= 0 ? &problem->coordinates[space] : NULL;
  if (time >= 0)
    g->lattice.axes[g->lattice.axis_count++] = (lattice_axis){.nodes = g->times, .size = TIMES, .coordinate = time};
  if (c)
    g->lattice.axes[g->lattice.axis_count++] = (lattice_axis){
        .nodes = g->places, .size = PLACES, .period = c->periodic ? c->high - c->low : 0, .coordinate = space};
  size_t nodes = (size_t)(g->time_count * g->place_count), fields = (size_t)problem->field_count;
  size_t dimensions = (size_t)problem->coordinate_count;
  g->block = memory_take(size_product(nodes * (dimensions + 2 * fields), sizeof *g->block));
  if (!g->block) return context_no_memory(context);
  g->points = g->block;
  g->all = g->points + nodes * dimensions;
  for (size_t f = 0; f < fields; f++) g->errors[f] = g->all + nodes * (fields + f);
  for (size_t k = 0; k < nodes; k++) {
    if (time >= 0) g->points[k * dimensions + (size_t)time] = g->times[k / (size_t)g->place_count];
    if (space >= 0) g->points[k * dimensions + (size_t)space] = g->places[k % (size_t)g->place_count];
  }
  return ANS_OK;
}

/* errors <- network - corrected, on the grid and from there at the points. */
static ans_status find_errors(ans_context *context, network_forward *n, estimate *estimate, error_grid *g) {
  const ans_problem *problem = n->sought->problem;
  TRY(make_grid(context, problem, g));
  size_t nodes = (size_t)(g->time_count * g->place_count), fields = (size_t)problem->field_count;
  TRY(solver_evaluate(context, n->solver, g->points, nodes, NULL, g->all));
  for (size_t f = 0; f < fields; f++)
    for (size_t k = 0; k < nodes; k++) g->errors[f][k] = g->all[k * fields + f];
  TRY(estimate_correct(context, estimate, g->times, g->time_count, g->place_count > 1 ? g->places : NULL,
                       g->place_count, g->errors));
  for (size_t f = 0; f < fields; f++)
    for (size_t k = 0; k < nodes; k++) g->errors[f][k] = g->all[k * fields + f] - g->errors[f][k];
  for (size_t p = 0; p < n->data->point_count; p++)
    for (size_t f = 0; f < fields; f++)
      n->now.errors[p * fields + f] =
          lattice_value(&g->lattice, g->errors[f], n->data->points + p * (size_t)problem->coordinate_count);
  return ANS_OK;
}

static ans_status correct(ans_context *context, network_forward *n) {
  estimate *estimate;
  error_grid grid = {0};
  TRY(solver_estimate(context, n->solver, &estimate));
  const estimate_summary *summary = estimate_result(estimate);
  ans_status status = ANS_OK;
  n->now.corrected = summary->available && summary->trusted;
  snprintf(n->now.reason, sizeof n->now.reason, "%s", summary->reason);
  n->now.left = summary->available ? 0 : (double)NAN;
  for (int f = 0; summary->available && f < summary->field_count; f++)
    n->now.left = fmax(n->now.left, summary->errors[f] > 0 ? summary->differences[f] / summary->errors[f] : 0);
  n->now.left = n->now.corrected ? fmin(n->now.left, 1) : summary->available ? 1 : (double)NAN;
  if (summary->available) status = find_errors(context, n, estimate, &grid);
  estimate_free(estimate);
  memory_give(grid.block);
  for (size_t i = 0; status == ANS_OK && n->now.corrected && i < n->data->point_count * (size_t)n->data->field_count;
       i++)
    n->fields[i] -= n->now.errors[i];
  return status;
}

void network_forward_correct(network_forward *n, bool on) { n->correct = on; }

bool network_forward_corrected(const network_forward *n, double *errors, const char **reason) {
  forward_pick(n->data, n->kept.errors, errors);
  for (size_t i = 0; i < n->data->value_count; i++) errors[i] *= n->kept.left;
  *reason = n->kept.reason;
  return n->kept.corrected;
}

/* ---- The adapted network -------------------------------------------------------------------------------- */

/* Steps until they gain little; the first time as many as it takes. */
static ans_status relax(ans_context *context, network_forward *n) {
  if (!n->begun) {
    n->begun = true;
    ans_run_rules rules = {.steps = FIRST_STEPS};
    return solver_run(context, n->solver, &rules, NULL, NULL);
  }
  double before, now;
  TRY(solver_residual(context, n->solver, &before, NULL));
  for (int i = 0, slow = 0; i < FEW_STEPS && slow < 2; i++, before = now) {
    TRY(solver_step(context, n->solver, 1));
    TRY(solver_residual(context, n->solver, &now, NULL));
    slow = now > SLOW * before ? slow + 1 : 0;
    if (solver_progress(n->solver).stopped) break;
  }
  return ANS_OK;
}

static ans_status read_values(ans_context *context, network_forward *n, double *values) {
  TRY(solver_evaluate(context, n->solver, n->data->points, n->data->point_count, NULL, n->fields));
  if (n->correct) TRY(correct(context, n));
  forward_pick(n->data, n->fields, values);
  for (size_t i = 0; i < n->data->value_count; i++)
    FAIL_IF(!isfinite(values[i]), context, ANS_DIVERGED, "the network is not finite at a measured point");
  return ANS_OK;
}

static ans_status predict_adapted(ans_context *context, void *object, const double *z, double *values) {
  network_forward *n = object;
  memcpy(n->trial_z, z, (size_t)n->sought->count * sizeof *z);
  TRY(move_to(context, n, z));
  TRY(relax(context, n));
  return read_values(context, n, values);
}

static void accept(void *object) {
  network_forward *n = object;
  solver_store(n->solver, n->centre);
  memcpy(n->centre_z, n->trial_z, sizeof n->centre_z);
  n->has_directions = false;
  double *errors = n->kept.errors;
  n->kept = n->now;
  n->now.errors = errors;
}

/* ---- Slopes --------------------------------------------------------------------------------------------- */

static ans_status make_member(ans_context *context, const network_forward *n, int index, double way,
                              ans_instance **result) {
  double z[FIT_MAX_UNKNOWNS], values[SYSTEM_MAX_SYMBOLS];
  memcpy(z, n->centre_z, sizeof z);
  z[index] += way;
  sought_values(n->sought, z, values);
  return system_instance(context, n->sought->problem, n->sought->structure, values, true, result);
}

/* The tangents at the centre, where the network is. */
static ans_status find_directions(ans_context *context, network_forward *n) {
  ans_instance *below[FIT_MAX_UNKNOWNS] = {NULL}, *above[FIT_MAX_UNKNOWNS] = {NULL};
  double distances[FIT_MAX_UNKNOWNS];
  ans_status status = move_to(context, n, n->centre_z);
  for (int i = 0; i < n->sought->count && status == ANS_OK; i++) {
    distances[i] = 2 * ROW_DISTANCE;
    status = make_member(context, n, i, -ROW_DISTANCE, &below[i]);
    if (status == ANS_OK) status = make_member(context, n, i, ROW_DISTANCE, &above[i]);
  }
  tangent_changes changes = {.count = n->sought->count,
                             .below = (const ans_instance *const *)below,
                             .above = (const ans_instance *const *)above,
                             .distances = distances};
  if (status == ANS_OK) status = solver_tangents(context, n->solver, &changes, n->directions);
  for (int i = 0; i < n->sought->count; i++) {
    system_instance_free(below[i]);
    system_instance_free(above[i]);
  }
  n->has_directions = status == ANS_OK;
  return status;
}

/* slope [count][fields] <- central difference along tangent `index`; `other` is room for as many. */
static ans_status slope_along(ans_context *context, network_forward *n, int index, const double *points, size_t count,
                              double *slope, double *other) {
  double z[FIT_MAX_UNKNOWNS];
  size_t values = count * (size_t)n->data->field_count;
  memcpy(z, n->centre_z, sizeof z);
  z[index] = n->centre_z[index] + FIELD_DISTANCE;
  TRY(move_to(context, n, z));
  TRY(solver_evaluate(context, n->solver, points, count, NULL, slope));
  z[index] = n->centre_z[index] - FIELD_DISTANCE;
  TRY(move_to(context, n, z));
  TRY(solver_evaluate(context, n->solver, points, count, NULL, other));
  for (size_t i = 0; i < values; i++) {
    slope[i] = (slope[i] - other[i]) / (2 * FIELD_DISTANCE);
    FAIL_IF(!isfinite(slope[i]), context, ANS_DIVERGED, "the change of the fields with %s is not finite",
            sought_name(n->sought, index));
  }
  return ANS_OK;
}

ans_status network_forward_slopes(ans_context *context, network_forward *n, const double *points, size_t count,
                                  double *slopes) {
  size_t values = count * (size_t)n->data->field_count;
  double *other = memory_take(size_product(values, sizeof *other));
  if (!other) return context_no_memory(context);
  ans_status status = n->has_directions ? ANS_OK : find_directions(context, n);
  for (int i = 0; i < n->sought->count && status == ANS_OK; i++)
    status = slope_along(context, n, i, points, count, slopes + (size_t)i * values, other);
  ans_status back = status == ANS_MEMORY ? status : move_to(context, n, n->centre_z);
  memory_give(other);
  return status == ANS_OK ? back : status;
}

static ans_status differentiate_adapted(ans_context *context, void *object, const double *z, const double *values,
                                        double *slopes) {
  network_forward *n = object;
  size_t count = n->data->point_count * (size_t)n->data->field_count;
  (void)z, (void)values;
  double *all = memory_take(size_product(count * (size_t)n->sought->count, sizeof *all));
  if (!all) return context_no_memory(context);
  ans_status status = network_forward_slopes(context, n, n->data->points, n->data->point_count, all);
  for (int i = 0; i < n->sought->count && status == ANS_OK; i++)
    forward_pick(n->data, all + (size_t)i * count, slopes + (size_t)i * n->data->value_count);
  memory_give(all);
  return status;
}

forward network_forward_adapted(network_forward *n) {
  return (forward){.object = n, .predict = predict_adapted, .accept = accept, .differentiate = differentiate_adapted};
}

ans_solver *network_forward_solver(network_forward *n) { return n->solver; }

ans_solver *network_forward_take(network_forward *n) {
  ans_solver *solver = n->solver;
  n->solver = NULL;
  return solver;
}

long network_forward_steps(const network_forward *n) { return solver_progress(n->solver).step; }
