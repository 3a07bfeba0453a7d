/* SPDX-License-Identifier: Apache-2.0 */
#include "reference/evolution.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reference/field_scale.h"
#include "reference/integrator.h"
#include "reference/largest.h"
#include "reference/preconditioner.h"

enum { MAX_STEPS = 100000, LEAST_STEPS = 10000, MAX_NODES = 1 << 15, MAX_LEVELS = 1 << 20, MAX_VALUES = 1 << 26 };

/* Rounding errors of a Chebyshev derivative of order m grow like n^(2m): more nodes than these make it worse. */
enum { CHEBYSHEV_NODES_LOW_ORDER = 129, CHEBYSHEV_NODES_HIGH_ORDER = 49 };

/* A run that needs more multiplications than about these is hopeless: it ends after a minute, not after ten. */
static const double MOST_WORK = 1e10;

/* A solution with more of its norm than this in the highest third of the modes is not resolved. */
static const double TAIL_LIMIT = 1e-3;

typedef struct evolution {
  const ans_instance *instance;
  evolution_settings settings;
  int coordinate; /* of space, or -1 */
  space *space;
  lines *lines;
  preconditioner *preconditioner;
  field_scales scales;
  double *places, *times, *start, *levels, *nodes;
} evolution;

static int space_coordinate(const ans_problem *problem) {
  return problem->coordinate_count == 2 && problem->time >= 0 ? 1 - problem->time : -1;
}

const char *evolution_method(const ans_problem *problem) {
  int coordinate = space_coordinate(problem);
  return coordinate < 0 ? "BDF" : problem->coordinates[coordinate].periodic ? "Fourier-BDF" : "Chebyshev-BDF";
}

static int highest_order(const ans_problem *problem, int coordinate) {
  int highest = 0;
  for (int i = 0; i < problem->term_count; i++)
    for (int k = 0; k < problem->terms[i].factor_count; k++)
      if (problem->terms[i].factors[k].order[coordinate] > highest)
        highest = problem->terms[i].factors[k].order[coordinate];
  return highest;
}

evolution_settings evolution_defaults(const ans_problem *problem, int points, int times) {
  const system_reference *asked = &problem->reference;
  evolution_settings settings = {.points = points > 0          ? points
                                           : asked->points > 0 ? asked->points
                                                               : 256,
                                 .times = times > 0          ? times
                                          : asked->times > 0 ? asked->times
                                                             : 101,
                                 .relative = asked->relative > 0 ? asked->relative : 1e-8,
                                 .absolute = asked->absolute > 0 ? asked->absolute : 1e-10,
                                 .max_step = asked->max_step,
                                 .check_resolution = true};
  int coordinate = space_coordinate(problem);
  if (coordinate < 0) settings.points = 1;
  settings.resolution = settings.points;
  if (coordinate >= 0 && !problem->coordinates[coordinate].periodic) {
    int most = highest_order(problem, coordinate) > 2 ? CHEBYSHEV_NODES_HIGH_ORDER : CHEBYSHEV_NODES_LOW_ORDER;
    if (settings.resolution > most) settings.resolution = most;
  }
  return settings;
}

static ans_status check_form(ans_context *context, const ans_problem *problem, evolution_settings settings) {
  FAIL_IF(problem->time < 0, context, ANS_UNSUPPORTED,
          "the problem has no time coordinate; the reference integrates in time");
  FAIL_IF(problem->coordinate_count > 2, context, ANS_UNSUPPORTED,
          "the reference knows one space dimension and the problem has %d", problem->coordinate_count - 1);
  FAIL_IF(
      problem->coordinates[problem->time].periodic, context, ANS_UNSUPPORTED,
      "the problem is periodic in time and has no initial value; only drift_diffusion has a reference of that kind");
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
  return lines_right_side(((evolution *)data)->lines, t, y, result);
}
static void linearise(void *data, double t, const double *y) { lines_linearise(((evolution *)data)->lines, t, y); }
static void product(void *data, const double *v, double *result) {
  lines_product(((evolution *)data)->lines, v, result);
}
static bool factorise(void *data, double gamma) {
  preconditioner *p = ((evolution *)data)->preconditioner;
  return p->factorise(p, gamma);
}
static void precondition(void *data, const double *r, double *result) {
  preconditioner *p = ((evolution *)data)->preconditioner;
  p->apply(p, r, result);
}

/* ---- One solution ------------------------------------------------------------------------------------ */

static ans_status make_space(ans_context *context, evolution *e) {
  if (e->coordinate < 0) return space_point(context, &e->space);
  const system_coordinate *coordinate = &e->instance->problem->coordinates[e->coordinate];
  return (coordinate->periodic ? space_fourier : space_chebyshev)(context, coordinate->low, coordinate->high,
                                                                  e->settings.resolution, &e->space);
}

static ans_status prepare(ans_context *context, evolution *e) {
  TRY(make_space(context, e));
  TRY(lines_new(context, e->instance, e->coordinate, e->space, &e->lines));
  TRY((e->space->matrix(e->space, 0) ? preconditioner_dense : preconditioner_spectral)(context, e->lines,
                                                                                       &e->preconditioner));
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

/* The highest modes of a level against the largest norm of the field so far: where a wave passes through zero, the
 * share of what is left says nothing. The first level is given, and may be rough where later ones are smooth. */
static ans_status check_tail(ans_context *context, const evolution *e, int level, int field, double *largest) {
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
  if (level == 0 || *largest == 0) return ANS_OK;
  double tail = e->space->tail(e->space, scaled) * sqrt(square) / *largest;
  FAIL_IF(tail > TAIL_LIMIT, context, ANS_TOLERANCE,
          "%d points do not resolve %s: at t = %.4g its highest third of modes holds %.1e of the norm (limit %.0e)",
          e->settings.resolution, e->instance->problem->fields[field].name, e->times[level], tail, TAIL_LIMIT);
  return ANS_OK;
}

static ans_status store(ans_context *context, evolution *e, ans_solution *solution) {
  size_t points = (size_t)e->settings.points;
  double largest[SYSTEM_MAX_FIELDS] = {0};
  bool same = e->coordinate < 0 || (e->settings.points == e->settings.resolution && !e->space->matrix(e->space, 0));
  for (int k = 0; k < e->settings.times; k++) {
    lines_complete(e->lines, e->times[k], e->levels + (size_t)k * (size_t)e->lines->size, e->nodes);
    for (int f = 0; f < e->lines->field_count; f++) {
      const double *values = e->nodes + (size_t)f * e->lines->node_count;
      double *to = solution->values[f] + (size_t)k * points;
      if (e->settings.check_resolution) TRY(check_tail(context, e, k, f, &largest[f]));
      if (same)
        memcpy(to, values, points * sizeof *to);
      else
        e->space->evaluate(e->space, values, e->settings.points, e->places, to);
    }
  }
  return ANS_OK;
}

static ans_status new_solution(ans_context *context, const evolution *e, ans_solution **result) {
  const ans_problem *problem = e->instance->problem;
  int sizes[2] = {e->settings.times, e->settings.points};
  const double *axes[2] = {e->times, e->places};
  char settings[256];
  snprintf(settings, sizeof settings,
           "reference %s, points %d, nodes %d, times %d, relative %g, absolute %g, max step %g",
           evolution_method(problem), e->settings.points, e->settings.resolution, e->settings.times,
           e->settings.relative, e->settings.absolute, e->settings.max_step);
  return solution_new(context, problem, sizes, axes, settings, result);
}

long evolution_step_limit(bool dense, int unknowns) {
  double size = unknowns, step = dense ? size * size : 16 * size;
  return (long)fmax(LEAST_STEPS, fmin(MAX_STEPS, MOST_WORK / step));
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
static ans_status integrate_lines(ans_context *context, evolution *e, long *steps) {
  const lines *lines = e->lines;
  integrator_system system = {lines->size, e, right_side, linearise, product, factorise, precondition};
  integrator_group groups[SYSTEM_MAX_FIELDS];
  long limit = evolution_step_limit(e->space->matrix(e->space, 0) != NULL, lines->size);
  integrator_settings settings = {e->settings.relative, e->settings.absolute, e->settings.max_step, limit, 0, groups};
  for (int f = 0; f < lines->field_count; f++) {
    groups[f] = (integrator_group){lines->offset[f] + lines->count[f], e->scales.values[f]};
    if (groups[f].scale != 1) settings.group_count = lines->field_count;
  }
  return integrate(context, &system, settings, e->start, e->settings.times, e->times, e->levels, steps);
}

static double most_reached(const evolution *e, int field) {
  double most = 0;
  for (int k = 0; k < e->settings.times; k++) {
    const double *level = e->levels + (size_t)k * e->lines->size;
    most = fmax(most, largest(level + e->lines->offset[field], e->lines->count[field]));
  }
  return most;
}

/* A rate that was wrong about the size to come asked for too little: then the initial values alone decide. */
static ans_status integrate_scaled(ans_context *context, evolution *e, long *steps) {
  double span = e->times[e->settings.times - 1] - e->times[0];
  bool missed = false;
  e->scales = field_scales_find(e->lines, e->preconditioner, span, e->start, e->nodes, e->levels);
  TRY(check_scales(context, e));
  ans_status status = integrate_lines(context, e, steps);
  if (status != ANS_OK && status != ANS_DIVERGED && status != ANS_TOLERANCE) return status;
  for (int f = 0; f < e->lines->field_count; f++)
    if (field_scale_missed(&e->scales, f, status == ANS_OK ? most_reached(e, f) : 0)) {
      e->scales.values[f] = e->scales.initial[f];
      missed = true;
    }
  return missed ? integrate_lines(context, e, steps) : status;
}

static ans_status run(ans_context *context, evolution *e, ans_solution **result, long *steps) {
  TRY(prepare(context, e));
  fill_axes(e);
  TRY(lines_start(context, e->lines, e->start));
  TRY(integrate_scaled(context, e, steps));
  ans_solution *solution;
  TRY(new_solution(context, e, &solution));
  ans_status status = store(context, e, solution);
  if (status == ANS_OK)
    *result = solution;
  else
    solution_free(solution);
  return status;
}

ans_status evolution_solve(ans_context *context, const ans_instance *instance, evolution_settings settings,
                           ans_solution **result, long *steps) {
  *result = NULL;
  *steps = 0;
  TRY(check_form(context, instance->problem, settings));
  evolution e = {.instance = instance, .settings = settings, .coordinate = space_coordinate(instance->problem)};
  ans_status status = run(context, &e, result, steps);
  preconditioner_free(e.preconditioner);
  lines_free(e.lines);
  space_free(e.space);
  memory_give(e.places);
  memory_give(e.times);
  memory_give(e.start);
  memory_give(e.levels);
  memory_give(e.nodes);
  return status;
}
