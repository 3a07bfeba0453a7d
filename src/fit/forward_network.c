/* SPDX-License-Identifier: Apache-2.0 */
#include "fit/forward_network.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fit/network_error.h"
#include "training/engine.h"
#include "training/method.h"

enum { FIRST_STEPS = 80, FEW_STEPS = 10 };

static const double ROW_DISTANCE = 2e-3;   /* of a range: over which rows are differentiated */
static const double FIELD_DISTANCE = 1e-2; /* the same for fields along the tangents; float needs it longer */
static const double STRAIGHT = 0.1;        /* of the network's numbers: a change over which it is as good as linear */
static const double POOR = 0.02;           /* relative error of a field: its slopes are not to be relied on */
static const double SLOW = 0.6;            /* a step that leaves more of the loss than this gains little */

/* Whether the network's estimated error is taken away from its values: decided at the first prediction, so that all
 * predictions of a search are of one kind. */
typedef enum correction { UNDECIDED, TAKEN_AWAY, LEFT } correction;

struct network_forward {
  const sought *sought;
  const measurements *data;
  ans_solver_options options;
  ans_solver *solver;
  size_t size;
  long steps; /* of solvers before the present one */
  bool begun;
  correction correction;
  network_error error;   /* of the last prediction, with TAKEN_AWAY */
  double accepted_error; /* relative: of the accepted network */
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
  network_error_drop(&n->error);
  solver_free(n->solver);
  memory_give(n);
}

/* Rows of Gauss-Newton that make a network good enough to be corrected. */
static int few_points(const ans_problem *problem) {
  enum { ROWS = 1024, LEAST = 256 };
  int points = ROWS / problem->equation_count;
  return points < LEAST ? LEAST : points;
}

static ans_status begin_solver(ans_context *context, network_forward *n, const ans_model *model, const double *z,
                               bool light) {
  double values[SYSTEM_MAX_SYMBOLS];
  ans_instance *instance;
  int free = method_undetermined(n->sought->problem);
  FAIL_IF(free >= 0, context, ANS_UNSUPPORTED,
          "a fit needs an initial value of every field that has a time derivative, and %s has none: where it is not "
          "known, write it with parameters and seek them",
          n->sought->problem->fields[free].name);
  sought_values(n->sought, z, values);
  TRY(system_instance(context, n->sought->problem, n->sought->structure, values, true, &instance));
  ans_status status =
      solver_begin_light(context, model, instance, &n->options, light ? few_points(n->sought->problem) : 0, &n->solver);
  system_instance_free(instance);
  TRY(status);
  FAIL_IF(solver_info(n->solver).method != ANS_GAUSS_NEWTON, context, ANS_UNSUPPORTED,
          "a fit needs a network that Gauss-Newton can adapt, and this model's is none");
  return ANS_OK;
}

static ans_status fill(ans_context *context, network_forward *n, const ans_model *model, const double *z) {
  TRY(begin_solver(context, n, model, z, true));
  n->size = solver_size(n->solver);
  n->centre = memory_take(size_product(n->size, sizeof(double)));
  n->moved = memory_take(size_product(n->size, sizeof(double)));
  n->directions = memory_take(size_product(n->size * (size_t)(n->sought->count + 1), sizeof(double)));
  n->fields = memory_take(size_product((n->data->point_count + 1) * (size_t)n->data->field_count, sizeof(double)));
  if (!n->centre || !n->moved || !n->directions || !n->fields) return context_no_memory(context);
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
  *n = (network_forward){.sought = sought, .data = data, .options = *options};
  n->options.attempts = 1; /* one network, which is then sent from member to member */
  ans_status status = fill(context, n, model, z);
  if (status == ANS_OK)
    *result = n;
  else
    network_forward_free(n);
  return status;
}

ans_status network_forward_thorough(ans_context *context, network_forward *n, const ans_model *model) {
  ans_solver *light = n->solver;
  n->solver = NULL;
  ans_status status = begin_solver(context, n, model, n->centre_z, false);
  if (status != ANS_OK) {
    solver_free(n->solver);
    n->solver = light;
    return status;
  }
  n->steps += solver_progress(light).step;
  solver_free(light);
  solver_restore(n->solver, n->centre);
  n->begun = n->has_directions = false;
  n->correction = UNDECIDED;
  return ANS_OK;
}

/* ---- Where the network is ------------------------------------------------------------------------------ */

static ans_status go_to(ans_context *context, network_forward *n, const double *z) {
  double values[SYSTEM_MAX_SYMBOLS];
  sought_values(n->sought, z, values);
  return solver_retarget(context, n->solver, values);
}

/* A network that is far off has tangents that are, too: then it stays as it is, and the error that is taken away knows
 * the difference. */
static bool is_poor(const network_forward *n) { return n->correction == TAKEN_AWAY && n->accepted_error > POOR; }

/* Numbers and member: the centre, moved along the tangents to z. */
static ans_status move_to(ans_context *context, network_forward *n, const double *z) {
  memcpy(n->moved, n->centre, n->size * sizeof *n->moved);
  for (int i = 0; n->has_directions && !is_poor(n) && i < n->sought->count; i++) {
    double way = z[i] - n->centre_z[i];
    const double *direction = n->directions + (size_t)i * n->size;
    for (size_t k = 0; way != 0 && k < n->size; k++) n->moved[k] += way * direction[k];
  }
  solver_restore(n->solver, n->moved);
  return go_to(context, n, z);
}

/* ---- Values --------------------------------------------------------------------------------------------- */

/* values [count][fields]: of the network, or without its error. */
static ans_status evaluate(ans_context *context, network_forward *n, const double *points, size_t count,
                           double *values) {
  TRY(solver_evaluate(context, n->solver, points, count, NULL, values));
  if (n->correction == LEFT) return ANS_OK;
  TRY(network_error_find(context, n->solver, &n->error));
  if (n->correction == UNDECIDED) n->correction = n->error.trusted ? TAKEN_AWAY : LEFT;
  if (n->correction == LEFT) return ANS_OK;
  FAIL_IF(!n->error.available, context, ANS_DIVERGED, "the network's error cannot be followed: %s", n->error.reason);
  network_error_subtract(&n->error, n->sought->problem, points, count, values);
  return ANS_OK;
}

ans_status network_forward_judge(ans_context *context, network_forward *n, network_judgement *judgement,
                                 double *errors) {
  size_t count = n->data->point_count * (size_t)n->data->field_count;
  TRY(network_error_find(context, n->solver, &n->error));
  *judgement = (network_judgement){.corrected = n->correction == TAKEN_AWAY && n->error.available,
                                   .trusted = n->error.trusted,
                                   .size = n->error.size};
  snprintf(judgement->reason, sizeof judgement->reason, "%s", n->error.reason);
  memset(n->fields, 0, count * sizeof *n->fields);
  if (n->error.available)
    network_error_subtract(&n->error, n->sought->problem, n->data->points, n->data->point_count, n->fields);
  forward_pick(n->data, n->fields, errors);
  for (size_t i = 0; i < n->data->value_count; i++) errors[i] *= -n->error.left; /* NaN when it is not known */
  return ANS_OK;
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
  TRY(evaluate(context, n, n->data->points, n->data->point_count, n->fields));
  forward_pick(n->data, n->fields, values);
  for (size_t i = 0; i < n->data->value_count; i++)
    FAIL_IF(!isfinite(values[i]), context, ANS_DIVERGED, "the network is not finite at a measured point");
  return ANS_OK;
}

/* On the tangent, or where the network was if the physics holds better there: a tangent is no good guide to afar. */
static ans_status start_at(ans_context *context, network_forward *n, const double *z) {
  double moved = 0, stayed = 0;
  TRY(move_to(context, n, z));
  if (!n->has_directions || is_poor(n)) return ANS_OK;
  ans_status status = solver_residual(context, n->solver, &moved, NULL);
  if (status != ANS_OK) moved = (double)INFINITY;
  solver_restore(n->solver, n->centre);
  status = solver_residual(context, n->solver, &stayed, NULL);
  if (status == ANS_OK && stayed <= moved) return ANS_OK;
  FAIL_IF(!isfinite(moved), context, ANS_DIVERGED, "the network cannot follow the unknown numbers");
  solver_restore(n->solver, n->moved);
  return ANS_OK;
}

static ans_status predict_adapted(ans_context *context, void *object, const double *z, double *values) {
  network_forward *n = object;
  memcpy(n->trial_z, z, (size_t)n->sought->count * sizeof *z);
  TRY(start_at(context, n, z));
  TRY(relax(context, n));
  return read_values(context, n, values);
}

static void accept(void *object) {
  network_forward *n = object;
  solver_store(n->solver, n->centre);
  memcpy(n->centre_z, n->trial_z, sizeof n->centre_z);
  n->has_directions = false;
  n->accepted_error = n->correction == TAKEN_AWAY ? n->error.size : 0;
}

ans_status network_forward_follow(ans_context *context, network_forward *n, network_forward *wider, const double *z) {
  if (wider->size != n->size) return ANS_OK;
  ans_status status = start_at(context, wider, z);
  if (status == ANS_OK) status = relax(context, wider);
  if (status == ANS_OK) {
    solver_store(wider->solver, n->centre);
    solver_restore(n->solver, n->centre);
    n->begun = true;
  }
  ans_status back = move_to(context, wider, wider->centre_z);
  return status == ANS_OK || status == ANS_DIVERGED || status == ANS_TOLERANCE ? back : status;
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

/* How far along a tangent the fields are looked at: not so far that the network bends. */
static double distance_along(const network_forward *n, const double *direction) {
  double square = 0;
  for (size_t k = 0; k < n->size; k++) square += direction[k] * direction[k];
  return fmin(FIELD_DISTANCE, STRAIGHT / fmax(sqrt(square), STRAIGHT));
}

/* slope [values] += factor * the fields of the network as it stands; `other` is room for as many. */
static ans_status add_fields(ans_context *context, network_forward *n, const double *points, size_t count,
                             double factor, double *slope, double *other) {
  if (is_poor(n))
    TRY(evaluate(context, n, points, count, other));
  else
    TRY(solver_evaluate(context, n->solver, points, count, NULL, other));
  for (size_t i = 0; i < count * (size_t)n->data->field_count; i++) slope[i] += factor * other[i];
  return ANS_OK;
}

/* The member moves by `way`, the network's numbers stay. */
static ans_status add_member(ans_context *context, network_forward *n, int index, double way, const double *points,
                             size_t count, double *slope, double *other) {
  double z[FIT_MAX_UNKNOWNS];
  memcpy(z, n->centre_z, sizeof z);
  z[index] += way;
  solver_restore(n->solver, n->centre);
  TRY(go_to(context, n, z));
  return add_fields(context, n, points, count, 0.5 / way, slope, other);
}

/* The numbers move along the tangent, the member stays. */
static ans_status add_numbers(ans_context *context, network_forward *n, const double *direction, double way,
                              const double *points, size_t count, double *slope, double *other) {
  for (size_t k = 0; k < n->size; k++) n->moved[k] = n->centre[k] + way * direction[k];
  solver_restore(n->solver, n->moved);
  return add_fields(context, n, points, count, 0.5 / way, slope, other);
}

/* slope [count][fields] <- central differences of member and of numbers; `other` is room for as many. The member moves
 * as far as it did for the tangents: units and frames depend on coefficients and need not be smooth there, but the same
 * difference of them is in both. */
static ans_status slope_along(ans_context *context, network_forward *n, int index, const double *points, size_t count,
                              double *slope, double *other) {
  const double *direction = n->directions + (size_t)index * n->size;
  double member = is_poor(n) ? FIELD_DISTANCE : ROW_DISTANCE, numbers = distance_along(n, direction);
  size_t values = count * (size_t)n->data->field_count;
  memset(slope, 0, values * sizeof *slope);
  TRY(add_member(context, n, index, member, points, count, slope, other));
  TRY(add_member(context, n, index, -member, points, count, slope, other));
  if (!is_poor(n)) {
    TRY(go_to(context, n, n->centre_z));
    TRY(add_numbers(context, n, direction, numbers, points, count, slope, other));
    TRY(add_numbers(context, n, direction, -numbers, points, count, slope, other));
  }
  for (size_t i = 0; i < values; i++)
    FAIL_IF(!isfinite(slope[i]), context, ANS_DIVERGED, "the change of the fields with %s is not finite",
            sought_name(n->sought, index));
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

bool network_forward_is_corrected(const network_forward *n) { return n->correction == TAKEN_AWAY; }
ans_solver *network_forward_solver(network_forward *n) { return n->solver; }

ans_solver *network_forward_take(network_forward *n) {
  ans_solver *solver = n->solver;
  n->solver = NULL;
  return solver;
}

long network_forward_steps(const network_forward *n) { return n->steps + solver_progress(n->solver).step; }
