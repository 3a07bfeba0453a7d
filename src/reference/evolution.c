/* SPDX-License-Identifier: Apache-2.0 */
#include "reference/evolution.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reference/alias.h"
#include "reference/field_scale.h"
#include "reference/integrator.h"
#include "reference/largest.h"
#include "reference/need.h"
#include "reference/preconditioner.h"
#include "reference/steady.h"

enum { MAX_STEPS = 100000, MAX_NODES = 1 << 15, MAX_LEVELS = 1 << 20, MAX_VALUES = 1 << 26 };

/* Rounding errors of a Chebyshev derivative of order m grow like n^(2m): more nodes than these make it worse. */
enum { CHEBYSHEV_NODES_LOW_ORDER = 129, CHEBYSHEV_NODES_HIGH_ORDER = 49 };

/* Work limit, about one minute; beyond it the integration stops. */
static const double MOST_WORK = 6e10;

/* A solution with more of its norm than this in the highest third of the modes is not resolved. */
static const double TAIL_LIMIT = 1e-3;

typedef struct evolution {
  const ans_instance *instance;
  evolution_settings settings;
  evolution_outcome *outcome;
  int coordinate; /* of space, or -1 */
  space *space;
  lines *lines;
  preconditioner *preconditioner;
  schedule *schedule;
  need *need; /* NULL: not asked for */
  field_scales scales;
  double rate_work; /* of one right side */
  double *places, *times, *start, *levels, *nodes;
} evolution;

int evolution_coordinate(const ans_problem *problem) {
  return problem->coordinate_count == 2 && problem->time >= 0 ? 1 - problem->time : -1;
}

const char *evolution_method(const ans_problem *problem, evolution_settings settings) {
  int coordinate = evolution_coordinate(problem);
  if (settings.steady) return settings.density ? "difference-Newton" : "Chebyshev-Newton";
  return coordinate < 0                              ? "BDF"
         : problem->coordinates[coordinate].periodic ? "Fourier-BDF"
         : settings.density                          ? "difference-BDF"
                                                     : "Chebyshev-BDF";
}

int evolution_order(const ans_problem *problem, int coordinate) {
  int highest = 0;
  for (int i = 0; i < problem->term_count; i++)
    for (int k = 0; k < problem->terms[i].factor_count; k++)
      if (problem->terms[i].factors[k].order[coordinate] > highest)
        highest = problem->terms[i].factors[k].order[coordinate];
  return highest;
}

evolution_settings evolution_defaults(const ans_problem *problem, int points, int times) {
  const protocol_reference *asked = &problem->protocol.reference;
  evolution_settings settings = {.points = points > 0          ? points
                                           : asked->points > 0 ? asked->points
                                                               : 256,
                                 .times = times > 0          ? times
                                          : asked->times > 0 ? asked->times
                                                             : 101,
                                 .relative = asked->relative > 0 ? asked->relative : 1e-8,
                                 .absolute = asked->absolute > 0 ? asked->absolute : 1e-10,
                                 .max_step = asked->max_step,
                                 .max_work = MOST_WORK};
  int coordinate = evolution_coordinate(problem);
  if (coordinate < 0) settings.points = 1;
  settings.resolution = settings.points;
  if (coordinate >= 0 && !problem->coordinates[coordinate].periodic) {
    int most = evolution_order(problem, coordinate) > 2 ? CHEBYSHEV_NODES_HIGH_ORDER : CHEBYSHEV_NODES_LOW_ORDER;
    if (settings.resolution > most) settings.resolution = most;
  }
  return settings;
}

static ans_status check_form(ans_context *context, const ans_problem *problem, evolution_settings settings) {
  FAIL_IF(problem->time < 0, context, ANS_UNSUPPORTED,
          "the problem has no time coordinate; the reference knows such problems in one dimension only");
  FAIL_IF(problem->coordinate_count > 2, context, ANS_UNSUPPORTED,
          "the reference knows one space dimension and the problem has %d", problem->coordinate_count - 1);
  FAIL_IF(
      problem->coordinates[problem->time].periodic, context, ANS_UNSUPPORTED,
      "the problem is periodic in time and has no initial value; only drift_diffusion has a reference of that kind");
  FAIL_IF(settings.steady && problem->coordinates[evolution_coordinate(problem)].periodic, context, ANS_UNSUPPORTED,
          "the problem is periodic and has no time coordinate; the reference wants conditions at the ends");
  int least = problem->coordinate_count > 1 ? 8 : 1;
  FAIL_IF(settings.points < least || settings.resolution < least || settings.points > MAX_NODES, context, ANS_ARGUMENT,
          "the reference needs between %d and %d points, not %d", least, MAX_NODES, settings.points);
  FAIL_IF(settings.times < 2 || settings.times > MAX_LEVELS, context, ANS_ARGUMENT,
          "the reference needs at least 2 times, not %d", settings.times);
  FAIL_IF((double)settings.points * settings.times * problem->field_count > MAX_VALUES, context, ANS_ARGUMENT,
          "%d points at %d times are more than a reference keeps", settings.points, settings.times);
  return ANS_OK;
}

/* ---- What the integrator calls ----------------------------------------------------------------------- */

static bool right_side(void *data, double t, const double *y, double *result) {
  evolution *e = data;
  e->outcome->work += e->rate_work;
  return lines_right_side(e->lines, t, y, result);
}
static void linearise(void *data, double t, const double *y) {
  evolution *e = data;
  e->outcome->work += 2 * e->rate_work;
  lines_linearise(e->lines, t, y);
}
static void product(void *data, const double *v, double *result) {
  evolution *e = data;
  e->outcome->work += e->rate_work;
  lines_product(e->lines, v, result);
}
static bool factorise(void *data, double gamma) {
  evolution *e = data;
  e->outcome->work += e->preconditioner->factorise_work;
  return e->preconditioner->factorise(e->preconditioner, gamma);
}
static void precondition(void *data, const double *r, double *result) {
  evolution *e = data;
  e->outcome->work += e->preconditioner->apply_work;
  e->preconditioner->apply(e->preconditioner, r, result);
}
static void enter(void *data, double t) {
  evolution *e = data;
  schedule_window(e->schedule, t, &e->lines->window[0], &e->lines->window[1]);
}

/* ---- One solution ------------------------------------------------------------------------------------ */

static ans_status make_space(ans_context *context, evolution *e) {
  if (e->coordinate < 0) return space_point(context, &e->space);
  const system_coordinate *along = &e->instance->problem->coordinates[e->coordinate];
  int nodes = e->settings.resolution;
  if (along->periodic) return space_fourier(context, along->low, along->high, nodes, &e->space);
  if (!e->settings.density) return space_chebyshev(context, along->low, along->high, nodes, &e->space);
  return space_graded(context, along->low, along->high, nodes, e->settings.density, &e->space);
}

static ans_status make_preconditioner(ans_context *context, evolution *e) {
  if (!e->space->row) return preconditioner_spectral(context, e->lines, &e->preconditioner);
  bool full = e->space->reach == e->space->node_count - 1;
  return (full ? preconditioner_dense : preconditioner_banded)(context, e->lines, &e->preconditioner);
}

/* Of a right side, about: transforms or rows, products, functions of time, and what GMRES does beside it. */
static double count_work(const evolution *e) {
  const lines *lines = e->lines;
  double n = lines->node_count, transform = 1.5 * n * log2(n + 2), sum = 10.0 * lines->size;
  for (int s = 0; s < lines->slot_count; s++)
    if (lines->slots[s].order > 0) sum += lines->frame ? 1.5 * transform : n * (e->space->reach + 1);
  for (int f = 0; lines->frame && f < lines->field_count; f++) sum += lines->frame->moves[f] ? 4 * transform : 0;
  for (int i = 0; i < lines->term_count; i++) {
    const lines_term *term = &lines->terms[i];
    sum += n * (1 + term->factor_count);
    if (term->source && !term->steady) sum += 4 * n * (double)term->source->count;
  }
  return sum;
}

static ans_status make_schedule(ans_context *context, evolution *e) {
  const system_coordinate *time = &e->instance->problem->coordinates[e->instance->problem->time];
  double distance = (time->high - time->low) / (e->settings.times - 1), asked = e->settings.max_step;
  return schedule_new(context, e->instance, asked > 0 ? asked : distance, &e->schedule);
}

static ans_status prepare(ans_context *context, evolution *e) {
  TRY(make_schedule(context, e));
  TRY(make_space(context, e));
  TRY(lines_new(context, e->instance, e->coordinate, e->space, &e->lines));
  TRY(make_preconditioner(context, e));
  if (e->outcome->needed && e->coordinate >= 0) TRY(need_new(context, e->lines, &e->need));
  e->rate_work = count_work(e);
  size_t size = (size_t)e->lines->size, times = (size_t)e->settings.times;
  e->places = memory_take((size_t)e->settings.points * sizeof(double));
  e->times = memory_take(times * sizeof(double));
  e->start = memory_take(size * sizeof(double));
  e->levels = memory_take(size_product(times, size * sizeof(double)));
  e->nodes = memory_take((size_t)e->lines->field_count * (size_t)e->lines->node_count * sizeof(double));
  if (!e->places || !e->times || !e->start || !e->levels || !e->nodes) return context_no_memory(context);
  return ANS_OK;
}

static void fill_axes(evolution *e) {
  const ans_problem *problem = e->instance->problem;
  const system_coordinate *time = &problem->coordinates[problem->time];
  int last = e->settings.times - 1;
  for (int k = 0; k <= last; k++)
    e->times[k] = k == last ? time->high : time->low + (time->high - time->low) * k / last;
  if (e->coordinate < 0) return;
  const system_coordinate *along = &problem->coordinates[e->coordinate];
  int intervals = along->periodic ? e->settings.points : e->settings.points - 1;
  for (int j = 0; j < e->settings.points; j++)
    e->places[j] = j == intervals ? along->high : along->low + (along->high - along->low) * j / intervals;
}

/* The worst level so far: how much of a field its nodes do not show. */
typedef struct worst_tail {
  double tail, time;
  int field;
} worst_tail;

/* The highest modes of a level against the largest norm of the field so far: where a wave passes through zero, the
 * share of what is left says nothing. The first level is given, and may be rough where later ones are smooth. */
static void look_at_tail(const evolution *e, int level, int field, double *largest, worst_tail *worst) {
  int exponent, n = e->lines->node_count;
  const double *values = e->nodes + (size_t)field * n;
  double *scaled = e->lines->scratch;
  /* By a power of two, which rounds nothing: the squares of a very small field would vanish. */
  (void)frexp(e->scales.values[field], &exponent);
  if (e->scales.values[field] == 1) exponent = 0;
  for (int j = 0; j < n; j++) scaled[j] = ldexp(values[j], -exponent);
  double square = 0;
  for (int j = 0; j < n; j++) square += scaled[j] * scaled[j];
  *largest = fmax(*largest, sqrt(square));
  if (level == 0 || *largest == 0) return;
  double tail = e->space->tail(e->space, scaled) * sqrt(square) / *largest;
  if (tail > worst->tail) *worst = (worst_tail){tail, e->times[level], field};
}

/* The interpolant on the output's even nodes. */
static ans_status put_out(ans_context *context, const evolution *e, const double *values, double *to) {
  int points = e->settings.points, nodes = e->space->node_count;
  bool periodic = !e->space->row;
  if (e->coordinate < 0 || (periodic && nodes % points == 0))
    for (int j = 0; j < points; j++) to[j] = values[j * (nodes / points)];
  else if (periodic && points > nodes)
    TRY(fourier_resample(context, e->space, values, points, to));
  else
    e->space->evaluate(e->space, values, points, e->places, to);
  return ANS_OK;
}

static ans_status store(ans_context *context, evolution *e, ans_solution *solution, worst_tail *worst) {
  size_t points = (size_t)e->settings.points;
  double largest[SYSTEM_MAX_FIELDS] = {0};
  *worst = (worst_tail){0};
  for (int k = 0; k < e->settings.times; k++) {
    enter(e, e->times[k]);
    lines_complete(e->lines, e->times[k], e->levels + (size_t)k * (size_t)e->lines->size, e->nodes);
    if (e->need && k > 0) need_look(e->need, e->nodes);
    for (int f = 0; f < e->lines->field_count; f++) {
      const double *values = e->nodes + (size_t)f * e->lines->node_count;
      look_at_tail(e, k, f, &largest[f], worst);
      TRY(put_out(context, e, values, solution->values[f] + (size_t)k * points));
    }
  }
  if (e->need) need_density(e->need, e->outcome->needed);
  return ANS_OK;
}

static ans_status judge(ans_context *context, const evolution *e, worst_tail worst) {
  e->outcome->unresolved = worst.tail > TAIL_LIMIT;
  const char *field = e->instance->problem->fields[worst.field].name;
  FAIL_IF(e->outcome->unresolved && e->settings.density, context, ANS_TOLERANCE,
          "%d points do not resolve %s: at t = %.4g its values differ from what their neighbours say by %.1e of the "
          "norm (limit %.0e)",
          e->settings.resolution, field, worst.time, worst.tail, TAIL_LIMIT);
  FAIL_IF(e->outcome->unresolved, context, ANS_TOLERANCE,
          "%d points do not resolve %s: at t = %.4g its highest third of modes holds %.1e of the norm (limit %.0e)",
          e->settings.resolution, field, worst.time, worst.tail, TAIL_LIMIT);
  return ANS_OK;
}

static ans_status new_solution(ans_context *context, const evolution *e, ans_solution **result) {
  const ans_problem *problem = e->instance->problem;
  int sizes[2] = {e->settings.times, e->settings.points};
  const double *axes[2] = {e->times, e->places};
  char settings[256];
  snprintf(settings, sizeof settings,
           "reference %s, points %d, nodes %d, times %d, relative %g, absolute %g, max step %g",
           evolution_method(problem, e->settings), e->settings.points, e->settings.resolution, e->settings.times,
           e->settings.relative, e->settings.absolute, e->settings.max_step);
  return solution_new(context, problem, sizes, axes, settings, result);
}

/* ---- In time ----------------------------------------------------------------------------------------- */

/* Beyond these the integrator's weights, and what is made of them, leave the range of double precision. */
static const double SCALE_LEAST = 1e-200, SCALE_MOST = 1e200;

static ans_status check_scales(ans_context *context, const evolution *e) {
  for (int f = 0; f < e->lines->field_count; f++)
    FAIL_IF(!(e->scales.values[f] >= SCALE_LEAST && e->scales.values[f] <= SCALE_MOST), context, ANS_TOLERANCE,
            "%s is of size %.1e, and the reference integrates fields between %.0e and %.0e: state it in other units",
            e->instance->problem->fields[f].name, e->scales.values[f], SCALE_LEAST, SCALE_MOST);
  return ANS_OK;
}

/* With the scales of the fields, as they are now. */
static ans_status integrate_lines(ans_context *context, evolution *e) {
  const lines *lines = e->lines;
  integrator_system system = {lines->size, e, right_side, linearise, product, factorise, precondition, enter};
  integrator_group groups[SYSTEM_MAX_FIELDS];
  integrator_settings settings = {.relative = e->settings.relative,
                                  .absolute = e->settings.absolute,
                                  .max_steps = MAX_STEPS,
                                  .max_work = e->settings.max_work,
                                  .work = &e->outcome->work,
                                  .groups = groups,
                                  .stretch_count = e->schedule->count,
                                  .stretches = e->schedule->stretches};
  for (int f = 0; f < lines->field_count; f++) {
    groups[f] = (integrator_group){lines->offset[f] + lines->count[f], e->scales.values[f]};
    if (groups[f].scale != 1) settings.group_count = lines->field_count;
  }
  return integrate(context, &system, settings, e->start, e->settings.times, e->times, e->levels, &e->outcome->steps);
}

static double most_reached(const evolution *e, int field) {
  double most = 0;
  for (int k = 0; k < e->settings.times; k++) {
    const double *level = e->levels + (size_t)k * e->lines->size;
    most = fmax(most, largest(level + e->lines->offset[field], e->lines->count[field]));
  }
  return most;
}

/* If the extrapolated size of a field was too large, its tolerance was too loose: integrate again with scales from the
 * initial values. */
static ans_status integrate_scaled(ans_context *context, evolution *e) {
  bool missed = false;
  e->scales = field_scales_find(e->lines, e->preconditioner, e->schedule, e->start, e->nodes, e->levels);
  e->outcome->work += e->schedule->cell_count * e->rate_work;
  TRY(check_scales(context, e));
  ans_status status = integrate_lines(context, e);
  if (status != ANS_OK && status != ANS_DIVERGED && status != ANS_TOLERANCE) return status;
  if (e->outcome->work > e->settings.max_work) return status;
  for (int f = 0; f < e->lines->field_count; f++)
    if (field_scale_missed(&e->scales, f, status == ANS_OK ? most_reached(e, f) : 0)) {
      e->scales.values[f] = e->scales.initial[f];
      missed = true;
    }
  return missed ? integrate_lines(context, e) : status;
}

/* The same at all times. */
static ans_status rest(ans_context *context, evolution *e) {
  size_t size = (size_t)e->lines->size;
  double *work = memory_take(3 * size * sizeof *work);
  if (!work) return context_no_memory(context);
  ans_status status = steady_solve(context, e->lines, e->preconditioner, e->start, work, &e->outcome->steps);
  memory_give(work);
  TRY(status);
  for (int k = 0; k < e->settings.times; k++) memcpy(e->levels + (size_t)k * size, e->start, size * sizeof *e->start);
  lines_complete(e->lines, e->times[0], e->start, e->nodes);
  for (int f = 0; f < e->lines->field_count; f++) {
    double size_of = largest(e->nodes + (size_t)f * e->lines->node_count, e->lines->node_count);
    e->scales.values[f] = size_of > 0 ? size_of : 1;
  }
  return ANS_OK;
}

static ans_status run(ans_context *context, evolution *e, ans_solution **result) {
  TRY(prepare(context, e));
  fill_axes(e);
  TRY(lines_start(context, e->lines, e->start));
  ans_status alias = alias_check(context, e->lines, e->schedule, &e->outcome->difference);
  e->outcome->unresolved = alias == ANS_TOLERANCE;
  TRY(alias);
  TRY((e->settings.steady ? rest : integrate_scaled)(context, e));
  TRY(new_solution(context, e, result));
  worst_tail worst;
  TRY(store(context, e, *result, &worst));
  return judge(context, e, worst);
}

ans_status evolution_solve(ans_context *context, const ans_instance *instance, evolution_settings settings,
                           ans_solution **result, evolution_outcome *outcome) {
  *result = NULL;
  *outcome = (evolution_outcome){.needed = outcome->needed};
  TRY(check_form(context, instance->problem, settings));
  evolution e = {.instance = instance,
                 .settings = settings,
                 .outcome = outcome,
                 .coordinate = evolution_coordinate(instance->problem)};
  ans_status status = run(context, &e, result);
  if (status != ANS_OK && !outcome->unresolved) {
    solution_free(*result);
    *result = NULL;
  }
  preconditioner_free(e.preconditioner);
  need_free(e.need);
  lines_free(e.lines);
  space_free(e.space);
  schedule_free(e.schedule);
  memory_give(e.places);
  memory_give(e.times);
  memory_give(e.start);
  memory_give(e.levels);
  memory_give(e.nodes);
  return status;
}
