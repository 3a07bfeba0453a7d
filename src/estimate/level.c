/* SPDX-License-Identifier: Apache-2.0 */
#include "estimate/level.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Unknowns of dense matrices, and their work, that an estimate may cost. */
enum { MOST_UNKNOWNS = 270 };
static const double MOST_WORK = 4e9;

/* ---- Norms ------------------------------------------------------------------------------------------- */

/* Weights of the mean over the default grid of the problem, [times][nodes]. */
static ans_status mean_weights(ans_context *context, const level *level, double **result) {
  const ans_problem *problem = level->defect->instance->problem;
  int nodes = level->space->nodes, times = level->times->nodes;
  double *along = arena_array(level->arena, double, (size_t)nodes);
  double *through = arena_array(level->arena, double, (size_t)times);
  double *weights = arena_array(level->arena, double, (size_t)nodes *(size_t)times);
  if (!along || !through || !weights) return context_no_memory(context);
  mesh_mean(level->space, problem->reference.points > 1 ? problem->reference.points : 128, along);
  mesh_mean(level->times, problem->reference.times > 1 ? problem->reference.times : 101, through);
  for (int k = 0; k < times; k++)
    for (int j = 0; j < nodes; j++) weights[k * nodes + j] = through[k] * along[j];
  *result = weights;
  return ANS_OK;
}

static size_t place(const level *level, int time, int field, int node) {
  assert(time >= 0 && time < level->times->nodes);
  assert(field >= 0 && field < level->defect->field_count);
  assert(node >= 0 && node < level->space->nodes);
  return ((size_t)time * (size_t)level->defect->field_count + (size_t)field) * (size_t)level->space->nodes +
         (size_t)node;
}

/* Relative norm of the error of one field; the root mean square where the solution is zero. */
static double relative_norm(const level *level, const double *weights, const double *error, int field, bool *absolute) {
  assert(weights && error);
  double difference = 0, size = 0;
  for (int k = 0; k < level->times->nodes; k++) {
    const double *values = sample_values(level->sample, field, k);
    for (int j = 0; j < level->space->nodes; j++) {
      double e = error[place(level, k, field, j)], whole = values[j] + e;
      difference += weights[k * level->space->nodes + j] * e * e;
      size += weights[k * level->space->nodes + j] * whole * whole;
    }
  }
  *absolute = !(size > 0);
  return sqrt(fmax(difference, 0)) / (size > 0 ? sqrt(size) : 1);
}

/* The change since the coarse level, whose nodes are among this one's, beside the solution. */
static double change_norm(const level *fine, const level *coarse, level_form form, const double *weights, int field) {
  const double *now = fine->answers[form].error, *before = coarse->answers[form].error;
  int along = fine->space->kind == MESH_POINT ? 1 : 2, through = fine->times->kind == MESH_POINT ? 1 : 2;
  assert(fine->number == coarse->number + 1 && weights);
  double difference = 0, size = 0;
  for (int k = 0; k < coarse->times->nodes; k++) {
    const double *values = sample_values(coarse->sample, field, k);
    for (int j = 0; j < coarse->space->nodes; j++) {
      double weight = weights[k * coarse->space->nodes + j];
      double e = now[place(fine, through * k, field, along * j)], change = e - before[place(coarse, k, field, j)];
      difference += weight * change * change;
      size += weight * (values[j] + e) * (values[j] + e);
    }
  }
  return sqrt(fmax(difference, 0)) / (size > 0 ? sqrt(size) : 1);
}

static void judge(level_answer *answer, int fields) {
  double most = 0;
  for (int f = 0; f < fields; f++) most = fmax(most, answer->errors[f]);
  answer->score = 0;
  for (int f = 0; f < fields; f++) {
    /* A field that is far better than the others need not be known to the same share, nor any to the last digit. */
    double beside = fmax(fmax(answer->errors[f], most / 10), 1e-11);
    answer->score = fmax(answer->score, answer->changes[f] / beside);
  }
  if (!isfinite(most)) answer->score = INFINITY;
}

/* ---- One form ---------------------------------------------------------------------------------------- */

/* What the unknowns say of the error: themselves, or what the network lacks of them. */
static void take_error(const level *level, level_form form, const double *history, double *error) {
  const defect *d = level->defect;
  int n = level->space->nodes;
  for (int k = 0; k < level->times->nodes; k++)
    for (int f = 0; f < d->field_count; f++) {
      const double *y = history + (size_t)k * (size_t)d->size + (size_t)(d->first[f] * n);
      const double *network = sample_values(level->sample, f, k);
      for (int j = 0; j < n; j++) error[place(level, k, f, j)] = form == FORM_DIRECT ? y[j] - network[j] : y[j];
    }
}

/* Problems without time: Newton's method from the network. */
static ans_status solve_steady(ans_context *context, level *level, level_form form, march *march,
                               march_outcome *outcome) {
  defect *d = level->defect;
  int n = level->space->nodes;
  defect_base base;
  TRY(mesh_differentiable(context, level->arena, level->space));
  TRY(defect_base_new(context, level->arena, d, &base));
  sample_at(march->sample, 0, &base);
  for (int f = 0; form == FORM_DIRECT && f < d->field_count; f++)
    memcpy(march->history + (size_t)(d->first[f] * n), sample_values(level->sample, f, 0), (size_t)n * sizeof(double));
  return march_settle(context, march, &base, 0, march->history, outcome);
}

static ans_status solve_implicit(ans_context *context, level *level, march *march, march_outcome *outcome) {
  double size = level->defect->size;
  TRY(mesh_differentiable(context, level->arena, level->space));
  march->most_steps = (long)fmin(4000, fmax(100, MOST_WORK / (size * size * size + 200 * size * size)));
  return march_implicit(context, march, outcome);
}

static ans_status solve_evolution(ans_context *context, level *level, march *march, march_outcome *outcome) {
  *outcome = MARCH_BLOWN;
  if (defect_splits(level->defect)) TRY(march_exponential(context, march, outcome));
  level->steps += march->taken;
  if (*outcome == MARCH_DONE || level->defect->size > MOST_UNKNOWNS) return ANS_OK;
  TRY(solve_implicit(context, level, march, outcome));
  level->steps += march->taken;
  return ANS_OK;
}

static march begin_march(const level *level, level_form form) {
  assert(level->number >= 0 && level->number < LEVEL_COUNT);
  assert(form < FORM_COUNT);
  static const double tolerances[FORM_COUNT][LEVEL_COUNT] = {{1e-2, 1e-3, 3e-4, 1e-4}, {1e-4, 1e-5, 1e-6, 1e-7}};
  return (march){.defect = level->defect,
                 .sample = form == FORM_RESIDUAL ? level->sample : NULL,
                 .times = level->times,
                 .steps = 64 << level->number,
                 .tolerance = tolerances[form][level->number],
                 .reached = level->defect->begin};
}

static ans_status solve_form(ans_context *context, level *level, level_form form) {
  defect *d = level->defect;
  level_answer *answer = &level->answers[form];
  size_t times = (size_t)level->times->nodes;
  march march = begin_march(level, form);
  *answer = (level_answer){.tried = true, .score = INFINITY};
  march.history = memory_take(size_product(times, (size_t)d->size * sizeof(double)));
  answer->error = arena_array(level->arena, double, times *(size_t)d->field_count *(size_t)level->space->nodes);
  ans_status status = ANS_OK;
  if (!march.history || !answer->error)
    status = context_no_memory(context);
  else if (d->instance->problem->time < 0)
    status = solve_steady(context, level, form, &march, &answer->outcome);
  else
    status = solve_evolution(context, level, &march, &answer->outcome);
  answer->reached = march.reached;
  if (status == ANS_OK && answer->outcome == MARCH_DONE) take_error(level, form, march.history, answer->error);
  memory_give(march.history);
  return status;
}

ans_status level_fields(ans_context *context, level *level, level_form form, const mesh *times, double *fields,
                        march_outcome *outcome) {
  defect *d = level->defect;
  size_t nodes = (size_t)level->space->nodes;
  march march = begin_march(level, form);
  if (d->instance->problem->time >= 0) march.times = times;
  size_t count = (size_t)march.times->nodes;
  march.history = memory_take(size_product(count, (size_t)d->size * sizeof(double)));
  if (!march.history) return context_no_memory(context);
  ans_status status = d->instance->problem->time < 0 ? solve_steady(context, level, form, &march, outcome)
                                                     : solve_evolution(context, level, &march, outcome);
  for (size_t k = 0; status == ANS_OK && k < count; k++)
    for (size_t f = 0; f < (size_t)d->field_count; f++)
      memcpy(fields + (k * (size_t)d->field_count + f) * nodes,
             march.history + k * (size_t)d->size + (size_t)d->first[f] * nodes, nodes * sizeof *fields);
  memory_give(march.history);
  return status;
}

static void measure(level *level, const struct level *coarse, level_form form, const double *fine_weights,
                    const double *coarse_weights) {
  level_answer *answer = &level->answers[form];
  int fields = level->defect->field_count;
  if (!answer->tried || answer->outcome != MARCH_DONE) return;
  for (int f = 0; f < fields; f++)
    answer->errors[f] = relative_norm(level, fine_weights, answer->error, f, &answer->absolute[f]);
  if (!coarse || !coarse->answers[form].tried || coarse->answers[form].outcome != MARCH_DONE) return;
  for (int f = 0; f < fields; f++) {
    /* The second shows that the times are too few for the norm, though every value is right. */
    double values = change_norm(level, coarse, form, coarse_weights, f);
    answer->changes[f] = fmax(values, fabs(answer->errors[f] - coarse->answers[form].errors[f]));
  }
  judge(answer, fields);
}

/* ---- One resolution ---------------------------------------------------------------------------------- */

static ans_status make_meshes(ans_context *context, const ans_instance *instance, level *level) {
  const ans_problem *problem = instance->problem;
  const system_coordinate *along = NULL, *time = problem->time < 0 ? NULL : &problem->coordinates[problem->time];
  for (int c = 0; c < problem->coordinate_count; c++)
    if (c != problem->time) along = &problem->coordinates[c];
  mesh_kind kind = !along ? MESH_POINT : along->periodic ? MESH_PERIODIC : MESH_WALLS;
  int nodes = (kind == MESH_PERIODIC ? 32 : 16) << level->number;
  TRY(mesh_new(context, level->arena, kind, along ? along->low : 0, along ? along->high : 0, nodes, &level->space));
  return mesh_new(context, level->arena, time ? MESH_WALLS : MESH_POINT, time ? time->low : 0, time ? time->high : 0,
                  16 << level->number, &level->times);
}

static ans_status solve(ans_context *context, const ans_instance *instance, const estimate_network *network,
                        bool residual, const level *coarse, level *level) {
  double *weights = NULL, *coarse_weights = NULL;
  TRY(make_meshes(context, instance, level));
  TRY(defect_new(context, level->arena, instance, level->space, &level->defect));
  assert(level->defect->size == level->defect->component_count * level->space->nodes);
  TRY(sample_new(context, level->arena, level->defect, level->times, network, residual, &level->sample));
  level->finite = sample_finite(level->sample);
  if (!level->finite) return ANS_OK;
  TRY(solve_form(context, level, FORM_DIRECT));
  if (residual) TRY(solve_form(context, level, FORM_RESIDUAL));
  TRY(mean_weights(context, level, &weights));
  if (coarse) TRY(mean_weights(context, coarse, &coarse_weights));
  for (int form = 0; form < FORM_COUNT; form++) measure(level, coarse, (level_form)form, weights, coarse_weights);
  return ANS_OK;
}

ans_status level_solve(ans_context *context, const ans_instance *instance, const estimate_network *network, int number,
                       bool residual, const level *coarse, level **result) {
  arena *arena;
  *result = NULL;
  TRY(arena_new(context, &arena));
  level *level = arena_take(arena, sizeof *level);
  ans_status status = ANS_OK;
  if (level) {
    level->arena = arena;
    level->number = number;
    status = solve(context, instance, network, residual, coarse, level);
  } else {
    status = context_no_memory(context);
  }
  if (status == ANS_OK)
    *result = level;
  else
    arena_free(arena);
  return status;
}

void level_free(level *level) {
  if (level) arena_free(level->arena);
}

bool level_refinable(const level *level) {
  if (level->number + 1 >= LEVEL_COUNT) return false;
  return defect_splits(level->defect) || level->space->kind == MESH_POINT || 2 * level->defect->size <= MOST_UNKNOWNS;
}
