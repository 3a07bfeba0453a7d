/* SPDX-License-Identifier: Apache-2.0 */
#include "estimate/level.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "estimate/grading.h"

/* Unknowns of dense matrices, and their work, that an estimate may cost. */
enum { MOST_UNKNOWNS = 270 };
static const double MOST_WORK = 12e9;
/* The same of a graded level: values of the network, and operations of the steps of all spans. */
static const double MOST_VALUES = 150e3, MOST_BAND_WORK = 1.5e9;
/* Intervals of the coarsest graded mesh. */
enum { COARSEST_GRADED = 256 };

static size_t place(const level *level, int time, int field) {
  assert(time >= 0 && time < level->time_count);
  assert(field >= 0 && field < level->defect->field_count);
  return ((size_t)time * (size_t)level->defect->field_count + (size_t)field) * (size_t)level->space->nodes;
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
      double *to = error + place(level, span->first + k, f);
      for (int j = 0; j < n; j++) to[j] = form == FORM_DIRECT ? y[j] - network[j] : y[j];
    }
}

/* Where a solution is hardly determined, as the place of a shock between two walls is, Newton's method ends wherever it
 * begins: from a start some percent aside it does not come back, or does not settle at all. */
static ans_status check_determined(ans_context *context, const level *level, march *march, const defect_base *base,
                                   march_outcome *outcome) {
  static const double ASIDE = 0.02, BACK = 1e-3;
  const defect *d = level->defect;
  int n = level->space->nodes;
  double *again = arena_array(level->arena, double, (size_t)d->size), sizes[SYSTEM_MAX_FIELDS];
  march_outcome other;
  if (!again) return context_no_memory(context);
  memcpy(again, march->history, (size_t)d->size * sizeof *again);
  for (int f = 0; f < d->field_count; f++) {
    const double *network = sample_values(level->spans[0].sample, f, 0);
    sizes[f] = 0;
    for (int j = 0; j < n; j++) sizes[f] = fmax(sizes[f], fabs(network[j]));
    for (int j = 0; j < n; j++) again[d->first[f] * n + j] += ASIDE * sizes[f] * cos(2.3 * j / n);
  }
  TRY(march_settle(context, march, base, 0, again, &other));
  if (other != MARCH_DONE) *outcome = MARCH_SINGULAR;
  for (int f = 0; f < d->field_count; f++)
    for (int j = d->first[f] * n; j < (d->first[f] + 1) * n; j++)
      if (fabs(again[j] - march->history[j]) > BACK * sizes[f]) *outcome = MARCH_SINGULAR;
  return ANS_OK;
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
  TRY(march_settle(context, march, &base, 0, march->history, outcome));
  return *outcome == MARCH_DONE ? check_determined(context, level, march, &base, outcome) : ANS_OK;
}

/* Operations of a step on a graded mesh, about: factors, solutions, rows, and sources at eight times. */
static double band_step(const defect *d) {
  double reach = MESH_REACH * d->component_count, sources = 0;
  int time = d->instance->problem->time;
  for (int i = 0; i < d->term_count; i++)
    sources += d->terms[i].source && expression_uses_index(d->terms[i].source, EXPRESSION_COORDINATE, time);
  return d->size * (reach * reach / 2 + 30 * reach + 200) + 250 * sources * d->mesh->nodes;
}

/* Steps of all spans that the work allows. */
static double affordable_steps(const level *level) {
  double size = level->defect->size;
  if (mesh_graded(level->space)) return MOST_BAND_WORK / band_step(level->defect);
  return MOST_WORK / (size * size * size + 200 * size * size);
}

static ans_status solve_implicit(ans_context *context, level *level, march *march, march_outcome *outcome) {
  TRY(mesh_differentiable(context, level->arena, level->space));
  march->most_steps = (long)fmin(4000, fmax(100, affordable_steps(level) / level->span_count));
  return march_implicit(context, march, outcome);
}

static ans_status solve_evolution(ans_context *context, level *level, march *march, march_outcome *outcome) {
  *outcome = MARCH_BLOWN;
  if (defect_splits(level->defect)) TRY(march_exponential(context, march, outcome));
  level->steps += march->taken;
  if (*outcome == MARCH_DONE || (level->defect->size > MOST_UNKNOWNS && !mesh_graded(level->space))) return ANS_OK;
  TRY(solve_implicit(context, level, march, outcome));
  level->steps += march->taken;
  return ANS_OK;
}

/* The defect is that of this span from now on. */
static march begin_march(level *level, level_form form, const level_span *span, const mesh *times) {
  assert(level->number >= 0 && level->number < LEVEL_COUNT && level->grade <= LEVEL_GRADES);
  assert(form < FORM_COUNT);
  static const double graded[LEVEL_GRADES + 1] = {0, 1e-6, 1e-7, 1e-8, 1e-8};
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
                 .tolerance = level->grade > 0 ? graded[level->grade] : tolerances[form][level->number],
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

/* ---- One resolution ---------------------------------------------------------------------------------- */

static const system_coordinate *space_of(const ans_problem *problem) {
  const system_coordinate *along = NULL;
  for (int c = 0; c < problem->coordinate_count; c++)
    if (c != problem->time) along = &problem->coordinates[c];
  return along;
}

static ans_status make_space(ans_context *context, const ans_instance *instance, level *level) {
  const system_coordinate *along = space_of(instance->problem);
  mesh_kind kind = !along ? MESH_POINT : along->periodic ? MESH_PERIODIC : MESH_WALLS;
  int nodes = (kind == MESH_PERIODIC ? 32 : 16) << level->number;
  return mesh_new(context, level->arena, kind, along ? along->low : 0, along ? along->high : 0, nodes, &level->space);
}

/* Of several spans each is short, and needs fewer times. The finer graded meshes all have as many. */
static int times_of(int spans, int number, int grade) {
  if (grade == 0) return (spans == 1 ? 16 : spans <= 4 ? 8 : 4) << number;
  int intervals = 64;
  while (intervals > 4 && intervals / 2 * spans >= 64) intervals /= 2;
  return grade == 1 ? intervals : 2 * intervals;
}

static ans_status make_spans(ans_context *context, const ans_instance *instance, const estimate_network *network,
                             bool residual, level *level) {
  const ans_problem *problem = instance->problem;
  const system_coordinate *time = problem->time < 0 ? NULL : &problem->coordinates[problem->time];
  int count = network->seam_count + 1;
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
                 times_of(count, level->number, level->grade), &span->times));
    TRY(sample_new(context, level->arena, level->defect, span->times, network, s, residual, &span->sample));
    level->time_count += span->times->nodes;
    level->points += span->sample->points;
    level->finite = level->finite && sample_finite(span->sample);
  }
  return ANS_OK;
}

/* Everything but the answers; the space is there. */
static ans_status prepare(ans_context *context, const ans_instance *instance, const estimate_network *network,
                          bool residual, level *level) {
  TRY(defect_new(context, level->arena, instance, level->space, &level->defect));
  assert(level->defect->size == level->defect->component_count * level->space->nodes);
  return make_spans(context, instance, network, residual, level);
}

static ans_status solve(ans_context *context, const ans_instance *instance, const estimate_network *network,
                        bool residual, const level *coarse, level *level) {
  TRY(make_space(context, instance, level));
  TRY(prepare(context, instance, network, residual, level));
  if (!level->finite) return ANS_OK;
  TRY(solve_form(context, level, FORM_DIRECT));
  if (residual) TRY(solve_form(context, level, FORM_RESIDUAL));
  return level_measure(context, level, coarse);
}

static ans_status level_new(ans_context *context, int number, int grade, level **result) {
  arena *arena;
  *result = NULL;
  TRY(arena_new(context, &arena));
  level *level = arena_take(arena, sizeof *level);
  if (!level) {
    arena_free(arena);
    return context_no_memory(context);
  }
  *level = (struct level){.arena = arena, .number = number, .grade = grade};
  *result = level;
  return ANS_OK;
}

/* Hands out a level, or frees it when the status is bad. */
static ans_status hand_out(ans_status status, level *level, struct level **result) {
  *result = status == ANS_OK ? level : NULL;
  if (status != ANS_OK) level_free(level);
  return status;
}

ans_status level_solve(ans_context *context, const ans_instance *instance, const estimate_network *network, int number,
                       bool residual, const level *coarse, level **result) {
  level *level;
  *result = NULL;
  TRY(level_new(context, number, 0, &level));
  return hand_out(solve(context, instance, network, residual, coarse, level), level, result);
}

void level_free(level *level) {
  if (level) arena_free(level->arena);
}

bool level_refinable(const level *level) {
  if (level->number + 1 >= LEVEL_COUNT) return false;
  if (defect_splits(level->defect) || level->space->kind == MESH_POINT) return true;
  return level->number + 1 < LEVEL_USUAL && 2 * level->defect->size <= MOST_UNKNOWNS;
}

/* ---- Graded meshes ----------------------------------------------------------------------------------- */

/* The profiles of one field, of the network and of the solution where there is one, at all times. */
static void add_profiles(const level *from, int field, grading *grading, double *whole) {
  const level_answer *direct = &from->answers[FORM_DIRECT];
  bool solved = direct->tried && direct->outcome == MARCH_DONE;
  int n = from->space->nodes;
  double low = INFINITY, high = -INFINITY;
  for (int pass = 0; pass < 2; pass++)
    for (int s = 0; s < from->span_count; s++)
      for (int k = 0; k < from->spans[s].times->nodes; k++) {
        const double *network = sample_values(from->spans[s].sample, field, k);
        const double *error = solved ? direct->error + place(from, from->spans[s].first + k, field) : NULL;
        for (int j = 0; j < n; j++) {
          whole[j] = network[j] + (error ? error[j] : 0);
          low = fmin(low, fmin(network[j], whole[j]));
          high = fmax(high, fmax(network[j], whole[j]));
        }
        if (pass == 0) continue;
        grading_add(grading, network, high - low);
        grading_add(grading, whole, high - low);
      }
}

/* The mesh of a level: even, or by what another one found. */
static ans_status make_graded_space(ans_context *context, const system_coordinate *along, const level *from,
                                    level *level) {
  mesh_kind kind = along->periodic ? MESH_PERIODIC : MESH_WALLS;
  int intervals = COARSEST_GRADED << (level->grade - 1), nodes = along->periodic ? intervals : intervals + 1;
  const double ends[2] = {along->low, along->high};
  int known = from ? from->space->nodes : along->periodic ? 1 : 2;
  double *room = arena_array(level->arena, double, (size_t)(nodes > known ? nodes : known));
  grading *grading;
  if (!room) return context_no_memory(context);
  TRY(grading_new(context, level->arena, kind, along->low, along->high, from ? from->space->places : ends, known,
                  &grading));
  for (int f = 0; from && f < from->defect->field_count; f++) add_profiles(from, f, grading, room);
  grading_places(grading, nodes, room);
  return mesh_graded_new(context, level->arena, kind, along->low, along->high, room, nodes, &level->space);
}

/* A level without answers: the network seen on a mesh that was made for `from`. */
static ans_status look(ans_context *context, const ans_instance *instance, const estimate_network *network, int grade,
                       const level *from, level **result) {
  level *level;
  *result = NULL;
  TRY(level_new(context, 0, grade, &level));
  ans_status status = make_graded_space(context, space_of(instance->problem), from, level);
  if (status == ANS_OK) status = prepare(context, instance, network, false, level);
  if (status == ANS_OK && from) level->points += from->grade == grade ? from->points : 0;
  return hand_out(status, level, result);
}

/* The coarsest: an even mesh shows where the network is steep, the next one how steep, and the third is for it. */
static ans_status look_thrice(ans_context *context, const ans_instance *instance, const estimate_network *network,
                              level **result) {
  level *from = NULL;
  for (int i = 0; i < 3; i++) {
    level *next;
    ans_status status = look(context, instance, network, 1, from, &next);
    level_free(from);
    TRY(status);
    from = next;
    if (!from->finite) break;
  }
  *result = from;
  return ANS_OK;
}

ans_status level_solve_graded(ans_context *context, const ans_instance *instance, const estimate_network *network,
                              int grade, const level *coarse, level **result) {
  level *level = NULL;
  *result = NULL;
  TRY(coarse ? look(context, instance, network, grade, coarse, &level)
             : look_thrice(context, instance, network, &level));
  ans_status status = level->finite ? solve_form(context, level, FORM_DIRECT) : ANS_OK;
  if (status == ANS_OK && level->finite) status = level_measure(context, level, coarse);
  return hand_out(status, level, result);
}

/* Whether the network may be asked for the values of a graded level. */
static bool affordable_values(const level *level, int grade) {
  assert(grade >= 1 && grade <= LEVEL_GRADES);
  int times = level->spans[0].times->kind == MESH_POINT ? 1 : times_of(level->span_count, 0, grade) + 1;
  return (double)level->span_count * times * (COARSEST_GRADED << (grade - 1)) <= MOST_VALUES;
}

bool level_gradable(const level *level) {
  const mesh *space = level->space;
  bool determined = false;
  if (space->kind == MESH_POINT || space->high - space->low < 1e-7 * fmax(fabs(space->low), fabs(space->high)))
    return false; /* no space, or one whose places are hardly different numbers */
  for (int form = 0; form < FORM_COUNT; form++)
    determined = determined || (level->answers[form].tried && level->answers[form].outcome != MARCH_SINGULAR);
  return determined && affordable_values(level, 1);
}

bool level_regradable(const level *level) {
  bool solved = level->answers[FORM_DIRECT].outcome == MARCH_DONE;
  /* Twice the nodes at a sharper tolerance take about twice as many steps, each at twice the price. */
  return level->grade < LEVEL_GRADES && solved && affordable_values(level, level->grade + 1) &&
         4 * (double)level->steps <= affordable_steps(level);
}
