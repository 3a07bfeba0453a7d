/* SPDX-License-Identifier: Apache-2.0 */
#include "estimate/level.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Unknowns of dense matrices, and their work, that an estimate may cost. */
enum { MOST_UNKNOWNS = 270 };
static const double MOST_WORK = 12e9;

/* ---- Norms ------------------------------------------------------------------------------------------- */

/* Weights of the times of all spans in the mean over `count` even times. One span: that of its mesh. */
static void time_weights(const level *level, int count, double *through) {
  const level_span *spans = level->spans;
  int last = level->span_count - 1;
  mesh_mean(spans[0].times, count, through);
  if (last == 0) return;
  double begin = spans[0].begin, end = spans[last].end, own[(16 << LEVEL_COUNT) + 1];
  for (int k = 0; k < level->time_count; k++) through[k] = 0;
  for (int i = 0, s = 0; i < count; i++) {
    double t = begin + (end - begin) * i / (count - 1);
    while (s < last && t > spans[s].end) s++;
    mesh_interpolation(spans[s].times, fmin(t, spans[s].end), own);
    for (int k = 0; k < spans[s].times->nodes; k++) through[spans[s].first + k] += own[k] / count;
  }
}

/* Weights of the mean over the default grid of the problem, [times][nodes]. */
static ans_status mean_weights(ans_context *context, const level *level, double **result) {
  const ans_problem *problem = level->defect->instance->problem;
  int nodes = level->space->nodes, times = level->time_count;
  double *along = arena_array(level->arena, double, (size_t)nodes);
  double *through = arena_array(level->arena, double, (size_t)times);
  double *weights = arena_array(level->arena, double, (size_t)nodes *(size_t)times);
  if (!along || !through || !weights) return context_no_memory(context);
  mesh_mean(level->space, problem->protocol.reference.points > 1 ? problem->protocol.reference.points : 128, along);
  time_weights(level, problem->protocol.reference.times > 1 ? problem->protocol.reference.times : 101, through);
  for (int k = 0; k < times; k++)
    for (int j = 0; j < nodes; j++) weights[k * nodes + j] = through[k] * along[j];
  *result = weights;
  return ANS_OK;
}

static size_t place(const level *level, int time, int field, int node) {
  assert(time >= 0 && time < level->time_count);
  assert(field >= 0 && field < level->defect->field_count);
  assert(node >= 0 && node < level->space->nodes);
  return ((size_t)time * (size_t)level->defect->field_count + (size_t)field) * (size_t)level->space->nodes +
         (size_t)node;
}

/* Relative norm of the error of one field; the root mean square where the solution is zero. */
static double relative_norm(const level *level, const double *weights, const double *error, int field, bool *absolute,
                            double *varying) {
  assert(weights && error);
  double difference = 0, size = 0, sum = 0, whole_weight = 0;
  for (int s = 0; s < level->span_count; s++)
    for (int k = 0; k < level->spans[s].times->nodes; k++) {
      const double *values = sample_values(level->spans[s].sample, field, k);
      int time = level->spans[s].first + k;
      for (int j = 0; j < level->space->nodes; j++) {
        double e = error[place(level, time, field, j)], whole = values[j] + e;
        double weight = weights[time * level->space->nodes + j];
        difference += weight * e * e;
        size += weight * whole * whole;
        sum += weight * whole;
        whole_weight += weight;
      }
    }
  *varying = size > 0 ? sqrt(fmax(1 - sum * (sum / whole_weight) / size, 0)) : 0;
  *absolute = !(size > 0);
  return sqrt(fmax(difference, 0)) / (size > 0 ? sqrt(size) : 1);
}

/* The change since the coarse level, whose nodes are among this one's, beside the solution. */
static double change_norm(const level *fine, const level *coarse, level_form form, const double *weights, int field) {
  const double *now = fine->answers[form].error, *before = coarse->answers[form].error;
  int along = fine->space->kind == MESH_POINT ? 1 : 2, through = fine->spans[0].times->kind == MESH_POINT ? 1 : 2;
  assert(fine->number == coarse->number + 1 && weights);
  double difference = 0, size = 0;
  for (int s = 0; s < coarse->span_count; s++)
    for (int k = 0; k < coarse->spans[s].times->nodes; k++) {
      const double *values = sample_values(coarse->spans[s].sample, field, k);
      int time = coarse->spans[s].first + k, here = fine->spans[s].first + through * k;
      for (int j = 0; j < coarse->space->nodes; j++) {
        double weight = weights[time * coarse->space->nodes + j];
        double e = now[place(fine, here, field, along * j)], change = e - before[place(coarse, time, field, j)];
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
static void take_error(const level *level, const level_span *span, level_form form, const double *history,
                       double *error) {
  const defect *d = level->defect;
  int n = level->space->nodes;
  for (int k = 0; k < span->times->nodes; k++)
    for (int f = 0; f < d->field_count; f++) {
      const double *y = history + (size_t)k * (size_t)d->size + (size_t)(d->first[f] * n);
      const double *network = sample_values(span->sample, f, k);
      double *to = error + place(level, span->first + k, f, 0);
      for (int j = 0; j < n; j++) to[j] = form == FORM_DIRECT ? y[j] - network[j] : y[j];
    }
}

/* Problems without time: Newton's method from the network. */
static ans_status solve_steady(ans_context *context, level *level, level_form form, march *march,
                               march_outcome *outcome) {
  defect *d = level->defect;
  const sample *sample = level->spans[0].sample;
  int n = level->space->nodes;
  defect_base base;
  TRY(mesh_differentiable(context, level->arena, level->space));
  TRY(defect_base_new(context, level->arena, d, &base));
  sample_at(march->sample, 0, &base);
  for (int f = 0; form == FORM_DIRECT && f < d->field_count; f++)
    memcpy(march->history + (size_t)(d->first[f] * n), sample_values(sample, f, 0), (size_t)n * sizeof(double));
  return march_settle(context, march, &base, 0, march->history, outcome);
}

static ans_status solve_implicit(ans_context *context, level *level, march *march, march_outcome *outcome) {
  double size = level->defect->size, work = MOST_WORK / level->span_count;
  TRY(mesh_differentiable(context, level->arena, level->space));
  march->most_steps = (long)fmin(4000, fmax(100, work / (size * size * size + 200 * size * size)));
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

/* The defect is that of this span from now on. */
static march begin_march(level *level, level_form form, const level_span *span, const mesh *times) {
  assert(level->number >= 0 && level->number < LEVEL_COUNT);
  assert(form < FORM_COUNT);
  static const double tolerances[FORM_COUNT][LEVEL_COUNT] = {{1e-2, 1e-3, 3e-4, 1e-4, 3e-5},
                                                             {1e-4, 1e-5, 1e-6, 1e-7, 1e-8}};
  double whole = level->spans[level->span_count - 1].end - level->spans[0].begin;
  double share = level->span_count > 1 ? fmax((span->end - span->begin) / whole, 0.125) : 1;
  level->defect->begin = span->begin;
  level->defect->end = span->end;
  level->defect->time = (double)NAN;
  return (march){.defect = level->defect,
                 .sample = form == FORM_RESIDUAL ? span->sample : NULL,
                 .times = times,
                 .steps = (int)ceil((64 << level->number) * share),
                 .tolerance = tolerances[form][level->number],
                 .reached = span->begin};
}

/* The unknowns at the start of a span from those at the end of the one before: the solution goes on, the network jumps.
 */
static void cross_seam(const level *level, const level_span *span, level_form form, const double *ended,
                       double *start) {
  const defect *d = level->defect;
  int n = level->space->nodes;
  memcpy(start, ended, (size_t)d->size * sizeof *start);
  for (int c = 0; form == FORM_RESIDUAL && c < d->component_count; c++) {
    const double *before = sample_component(span[-1].sample, c, span[-1].times->nodes - 1);
    const double *after = sample_component(span->sample, c, 0);
    for (int j = 0; j < n; j++) start[c * n + j] += before[j] - after[j];
  }
}

/* The unknowns at the times of a mesh, which has both ends of the span. start: at its beginning; NULL: from the initial
 * values. */
static ans_status solve_span(ans_context *context, level *level, level_form form, const level_span *span,
                             const mesh *times, const double *start, double *history, double *reached,
                             march_outcome *outcome) {
  march march = begin_march(level, form, span, times);
  march.history = history;
  march.start = start;
  TRY(level->defect->instance->problem->time < 0 ? solve_steady(context, level, form, &march, outcome)
                                                 : solve_evolution(context, level, &march, outcome));
  *reached = march.reached;
  return ANS_OK;
}

static ans_status solve_spans(ans_context *context, level *level, level_form form, level_answer *answer,
                              double *history, double *start) {
  const size_t size = (size_t)level->defect->size;
  for (int s = 0; s < level->span_count; s++) {
    const level_span *span = &level->spans[s];
    TRY(solve_span(context, level, form, span, span->times, s ? start : NULL, history, &answer->reached,
                   &answer->outcome));
    if (answer->outcome != MARCH_DONE) return ANS_OK;
    take_error(level, span, form, history, answer->error);
    if (s + 1 < level->span_count)
      cross_seam(level, span + 1, form, history + (size_t)(span->times->nodes - 1) * size, start);
  }
  return ANS_OK;
}

static ans_status solve_form(ans_context *context, level *level, level_form form) {
  size_t size = (size_t)level->defect->size, most = 0;
  level_answer *answer = &level->answers[form];
  *answer = (level_answer){.tried = true, .score = INFINITY};
  for (int s = 0; s < level->span_count; s++)
    if ((size_t)level->spans[s].times->nodes > most) most = (size_t)level->spans[s].times->nodes;
  double *history = memory_take(size_product(most + 1, size * sizeof(double)));
  answer->error = arena_array(
      level->arena, double, (size_t)level->time_count *(size_t)level->defect->field_count *(size_t)level->space->nodes);
  ans_status status = history && answer->error
                          ? solve_spans(context, level, form, answer, history, history + most * size)
                          : context_no_memory(context);
  memory_give(history);
  return status;
}

/* One span of level_fields: its beginning, the asked times in it, its end. Returns how many were asked. */
static int fill_span_times(const level_span *span, bool last, const double *times, int count, mesh *mesh) {
  int inside = 0;
  while (inside < count && (last || times[inside] <= span->end)) inside++;
  mesh->nodes = inside + 2;
  mesh->places[0] = span->begin;
  for (int k = 0; k < inside; k++) mesh->places[k + 1] = fmin(fmax(times[k], span->begin), span->end);
  mesh->places[inside + 1] = span->end;
  return inside;
}

static void copy_fields(const level *level, const double *history, double *fields) {
  const defect *d = level->defect;
  size_t nodes = (size_t)level->space->nodes;
  for (size_t f = 0; f < (size_t)d->field_count; f++)
    memcpy(fields + f * nodes, history + (size_t)d->first[f] * nodes, nodes * sizeof *fields);
}

static ans_status fill_fields(ans_context *context, level *level, level_form form, const double *times, int count,
                              double *fields, mesh *mesh, double *history, march_outcome *outcome) {
  size_t size = (size_t)level->defect->size, stride = (size_t)level->defect->field_count * (size_t)level->space->nodes;
  double *start = history + (size_t)(count + 2) * size, reached;
  bool steady = level->defect->instance->problem->time < 0;
  *outcome = MARCH_DONE;
  for (int s = 0; s < level->span_count && *outcome == MARCH_DONE; s++) {
    const level_span *span = &level->spans[s];
    int inside = fill_span_times(span, s + 1 == level->span_count, times, count, mesh);
    TRY(solve_span(context, level, form, span, mesh, s ? start : NULL, history, &reached, outcome));
    for (int k = 0; k < inside; k++)
      copy_fields(level, history + (size_t)(steady ? 0 : k + 1) * size, fields + (size_t)k * stride);
    if (s + 1 < level->span_count) cross_seam(level, span + 1, form, history + (size_t)(inside + 1) * size, start);
    times += inside, fields += (size_t)inside * stride, count -= inside;
  }
  return ANS_OK;
}

ans_status level_fields(ans_context *context, level *level, level_form form, const double *times, int count,
                        double *fields, march_outcome *outcome) {
  mesh mesh = {.kind = MESH_WALLS};
  double *history = memory_take(size_product((size_t)count + 3, (size_t)level->defect->size * sizeof *history));
  mesh.places = memory_take((size_t)(count + 2) * sizeof *mesh.places);
  ans_status status = history && mesh.places
                          ? fill_fields(context, level, form, times, count, fields, &mesh, history, outcome)
                          : context_no_memory(context);
  memory_give(mesh.places);
  memory_give(history);
  return status;
}

static void measure(level *level, const struct level *coarse, level_form form, const double *fine_weights,
                    const double *coarse_weights) {
  level_answer *answer = &level->answers[form];
  int fields = level->defect->field_count;
  if (!answer->tried || answer->outcome != MARCH_DONE) return;
  for (int f = 0; f < fields; f++)
    answer->errors[f] = relative_norm(level, fine_weights, answer->error, f, &answer->absolute[f], &answer->varying[f]);
  if (!coarse || !coarse->answers[form].tried || coarse->answers[form].outcome != MARCH_DONE) return;
  for (int f = 0; f < fields; f++) {
    /* The second shows that the times are too few for the norm, though every value is right. */
    double values = change_norm(level, coarse, form, coarse_weights, f);
    answer->changes[f] = fmax(values, fabs(answer->errors[f] - coarse->answers[form].errors[f]));
  }
  judge(answer, fields);
}

/* ---- One resolution ---------------------------------------------------------------------------------- */

static ans_status make_space(ans_context *context, const ans_instance *instance, level *level) {
  const ans_problem *problem = instance->problem;
  const system_coordinate *along = NULL;
  for (int c = 0; c < problem->coordinate_count; c++)
    if (c != problem->time) along = &problem->coordinates[c];
  mesh_kind kind = !along ? MESH_POINT : along->periodic ? MESH_PERIODIC : MESH_WALLS;
  int nodes = (kind == MESH_PERIODIC ? 32 : 16) << level->number;
  return mesh_new(context, level->arena, kind, along ? along->low : 0, along ? along->high : 0, nodes, &level->space);
}

/* Of several spans each is short, and needs fewer times. */
static ans_status make_spans(ans_context *context, const ans_instance *instance, const estimate_network *network,
                             bool residual, level *level) {
  const ans_problem *problem = instance->problem;
  const system_coordinate *time = problem->time < 0 ? NULL : &problem->coordinates[problem->time];
  int count = network->seam_count + 1, intervals = count == 1 ? 16 : count <= 4 ? 8 : 4;
  level->spans = arena_array(level->arena, level_span, (size_t)count);
  if (!level->spans) return context_no_memory(context);
  level->span_count = count;
  level->finite = true;
  for (int s = 0; s < count; s++) {
    level_span *span = &level->spans[s];
    *span = (level_span){.begin = s > 0  ? network->seams[s - 1]
                                  : time ? time->low
                                         : 0,
                         .end = s + 1 < count ? network->seams[s]
                                : time        ? time->high
                                              : 0,
                         .first = level->time_count};
    TRY(mesh_new(context, level->arena, time ? MESH_WALLS : MESH_POINT, span->begin, span->end,
                 intervals << level->number, &span->times));
    TRY(sample_new(context, level->arena, level->defect, span->times, network, s, residual, &span->sample));
    level->time_count += span->times->nodes;
    level->points += span->sample->points;
    level->finite = level->finite && sample_finite(span->sample);
  }
  return ANS_OK;
}

static ans_status solve(ans_context *context, const ans_instance *instance, const estimate_network *network,
                        bool residual, const level *coarse, level *level) {
  double *weights = NULL, *coarse_weights = NULL;
  TRY(make_space(context, instance, level));
  TRY(defect_new(context, level->arena, instance, level->space, &level->defect));
  assert(level->defect->size == level->defect->component_count * level->space->nodes);
  TRY(make_spans(context, instance, network, residual, level));
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
  if (level->number + 1 >= LEVEL_USUAL) return defect_splits(level->defect);
  return defect_splits(level->defect) || level->space->kind == MESH_POINT || 2 * level->defect->size <= MOST_UNKNOWNS;
}
