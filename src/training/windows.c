/* SPDX-License-Identifier: Apache-2.0 */
#include "training/windows.h"

#include <math.h>
#include <string.h>

#include "training/resolution.h"

/* ---- What can be cut --------------------------------------------------------------------------------- */

const char *windows_obstacle(const ans_instance *instance) {
  const ans_problem *problem = instance->problem;
  if (problem->time < 0) return "it has no time";
  if (problem->coordinates[problem->time].periodic) return "time is periodic";
  if (problem->coordinate_count > 2) return "profiles are taken along one space coordinate";
  for (int f = 0; f < problem->field_count; f++)
    if (problem->fields[f].declared) return "a field declares its own transform";
  return NULL;
}

static const system_coordinate *space_of(const ans_problem *problem, int *index) {
  for (int d = 0; d < problem->coordinate_count; d++)
    if (d != problem->time) {
      *index = d;
      return &problem->coordinates[d];
    }
  *index = -1;
  return NULL;
}

double windows_reached(const windows *windows) {
  const ans_problem *problem = windows->instance->problem;
  if (windows->count > 0) return windows->list[windows->count - 1].end;
  return problem->time < 0 ? 0 : problem->coordinates[problem->time].low;
}

/* ---- Profiles of the end ----------------------------------------------------------------------------- */

enum { FIRST_INTERVALS = 32, MOST_WAVES = 256, MOST_POLYNOMIAL = 128 };

/* Values of one initial condition's quantity at the nodes of the space coordinate, at the end of a window. */
static ans_status sample_end(ans_context *context, const window *last, const ans_problem *problem,
                             const system_condition *condition, int intervals, double *points, double *all,
                             double *values) {
  int along, fields = problem->field_count, dimensions = problem->coordinate_count;
  const system_coordinate *space = space_of(problem, &along);
  int nodes = !space ? 1 : space->periodic && !space->soft_period ? intervals : intervals + 1;
  for (int j = 0; j < nodes; j++) {
    points[j * dimensions + problem->time] = last->end;
    if (space)
      points[j * dimensions + along] =
          profile_node(space->periodic && !space->soft_period, space->low, space->high, intervals, j);
  }
  TRY(piece_evaluate(context, last->piece, points, (size_t)nodes, condition->order, all));
  for (int j = 0; j < nodes; j++) {
    values[j] = all[j * fields + condition->field];
    FAIL_IF(!isfinite(values[j]), context, ANS_DIVERGED, "a window of time ended with a value that is not finite");
  }
  return ANS_OK;
}

/* Nodes are doubled until the series ends in noise. */
static ans_status fit_end(ans_context *context, const window *last, const ans_problem *problem,
                          const system_condition *condition, arena *arena, double *room,
                          const system_profile **result) {
  int along;
  const system_coordinate *space = space_of(problem, &along);
  bool periodic = space->periodic && !space->soft_period;
  double noise = last->piece->engine->bits == 64 ? 1e-10 : 3e-7, *points = room,
         *all = points + (MOST_WAVES + 1) * SYSTEM_MAX_COORDINATES,
         *values = all + (MOST_WAVES + 1) * SYSTEM_MAX_FIELDS, *coefficients = values + MOST_WAVES + 1;
  int most = periodic ? MOST_WAVES : MOST_POLYNOMIAL, length = 0, count = 0;
  for (int intervals = FIRST_INTERVALS; intervals <= most; intervals *= 2) {
    TRY(sample_end(context, last, problem, condition, intervals, points, all, values));
    count = profile_fit(periodic, intervals, values, coefficients);
    length = profile_length(periodic, count, coefficients, noise);
    if (3 * length < 2 * count) break;
  }
  return profile_new(context, arena, periodic, space->low, space->high, length, coefficients, result);
}

/* What the last window ends with, in the place of every initial value. */
static ans_status take_end(ans_context *context, const window *last, const ans_problem *problem, window *next) {
  int along;
  bool space = space_of(problem, &along) != NULL;
  size_t room = (MOST_WAVES + 1) * (SYSTEM_MAX_COORDINATES + SYSTEM_MAX_FIELDS + 2);
  double *work = memory_take(room * sizeof *work);
  next->profiles = arena_array(next->arena, const system_profile *, (size_t)problem->condition_count + 1);
  next->numbers = arena_array(next->arena, double, (size_t)problem->condition_count + 1);
  ans_status status = work && next->profiles && next->numbers ? ANS_OK : context_no_memory(context);
  for (int c = 0; status == ANS_OK && c < problem->condition_count; c++) {
    const system_condition *condition = &problem->conditions[c];
    if (condition->kind != CONDITION_INITIAL) continue;
    if (space)
      status = fit_end(context, last, problem, condition, next->arena, work, &next->profiles[c]);
    else
      status = sample_end(context, last, problem, condition, 1, work, work + SYSTEM_MAX_COORDINATES, &next->numbers[c]);
  }
  memory_give(work);
  return status;
}

/* ---- One window -------------------------------------------------------------------------------------- */

static bool is_plain(const windows *windows, const window *window) {
  const ans_problem *problem = windows->instance->problem;
  bool whole = problem->time < 0 || (window->begin == problem->coordinates[problem->time].low &&
                                     window->end == problem->coordinates[problem->time].high);
  return whole && window->thickening == 0 && window->network.width == 0 && window->network.layers == 0 &&
         window->network.fourier == 0;
}

/* The instance's values in the window's variant of the problem. */
static ans_status vary_instance(ans_context *context, const windows *windows, window *window, ans_instance **result) {
  const ans_instance *whole = windows->instance;
  const ans_problem *problem = whole->problem;
  system_variation variation = {.window = problem->time >= 0,
                                .begin = window->begin,
                                .end = window->end,
                                .profiles = window->profiles,
                                .numbers = window->numbers,
                                .width = window->network.width,
                                .layers = window->network.layers,
                                .fourier = window->network.fourier,
                                .thickening = window->thickening};
  if (is_plain(windows, window))
    window->problem = system_share(problem);
  else
    TRY(system_vary(context, problem, &variation, &window->problem));
  return system_instance_like(context, window->problem, whole, result);
}

static ans_status draft(ans_context *context, const windows *windows, const window_draft *wanted,
                        const ans_solver_options *options, window *window) {
  ans_instance *instance;
  TRY(arena_new(context, &window->arena));
  if (windows->count > 0)
    TRY(take_end(context, &windows->list[windows->count - 1], windows->instance->problem, window));
  window->network = resolution_of(windows->instance, window, wanted->network);
  TRY(vary_instance(context, windows, window, &instance));
  const piece *before = windows->count > 0 ? windows->list[windows->count - 1].piece : wanted->like;
  ans_status status = piece_begin(context, NULL, before, instance, options, wanted->hasty, &window->piece);
  system_instance_free(instance);
  return status;
}

ans_status windows_draft(ans_context *context, const windows *windows, const window_draft *wanted,
                         const ans_solver_options *options, window *result) {
  *result = (window){.begin = windows_reached(windows), .end = wanted->end, .thickening = wanted->thickening};
  ans_status status = draft(context, windows, wanted, options, result);
  if (status != ANS_OK) window_free(result);
  return status;
}

ans_status windows_restore(ans_context *context, const windows *windows, window *window,
                           const ans_solver_options *options, int bits, bool moving, bool scaled,
                           const double *unknowns, size_t count) {
  ans_instance *instance;
  TRY(vary_instance(context, windows, window, &instance));
  ans_status status = piece_restore(context, instance, options, bits, moving, scaled, unknowns, count, &window->piece);
  system_instance_free(instance);
  return status;
}

void window_free(window *window) {
  piece_free(window->piece);
  system_free(window->problem);
  arena_free(window->arena);
  *window = (struct window){0};
}

void windows_clear(windows *windows) {
  for (int i = 0; i < windows->count; i++) window_free(&windows->list[i]);
  windows->count = 0;
}

/* ---- Values ------------------------------------------------------------------------------------------ */

static int window_at(const windows *windows, double t) {
  int i = 0;
  while (i + 1 < windows->count && t > windows->list[i].end) i++;
  return i;
}

/* Those of the points that belong to one window. */
static ans_status evaluate_window(ans_context *context, const windows *windows, int number, const double *points,
                                  size_t count, const uint8_t *order, double *room, double *values) {
  const ans_problem *problem = windows->instance->problem;
  size_t dimensions = (size_t)problem->coordinate_count, fields = (size_t)problem->field_count, taken = 0;
  double *own = room, *found = room + count * dimensions;
  for (size_t i = 0; i < count; i++)
    if (window_at(windows, points[i * dimensions + (size_t)problem->time]) == number)
      memcpy(own + taken++ * dimensions, points + i * dimensions, dimensions * sizeof *own);
  if (taken == 0) return ANS_OK;
  TRY(piece_evaluate(context, windows->list[number].piece, own, taken, order, found));
  for (size_t i = 0; i < count; i++)
    if (window_at(windows, points[i * dimensions + (size_t)problem->time]) == number) {
      memcpy(values + i * fields, found, fields * sizeof *values);
      found += fields;
    }
  return ANS_OK;
}

ans_status windows_evaluate(ans_context *context, const windows *windows, const double *points, size_t count,
                            const uint8_t *order, double *values) {
  static const uint8_t none[SYSTEM_MAX_COORDINATES] = {0};
  const ans_problem *problem = windows->instance->problem;
  size_t each = (size_t)(problem->coordinate_count + problem->field_count);
  if (!order) order = none;
  if (windows->count == 1) return piece_evaluate(context, windows->list[0].piece, points, count, order, values);
  double *room = memory_take(size_product(size_product(count, each), sizeof *room));
  ans_status status = room ? ANS_OK : context_no_memory(context);
  for (int i = 0; status == ANS_OK && i < windows->count; i++)
    status = evaluate_window(context, windows, i, points, count, order, room, values);
  memory_give(room);
  return status;
}

ans_status windows_residual(ans_context *context, const windows *windows, double *held_out, double *grid) {
  if (windows->count == 1) return piece_residual(context, windows->list[0].piece, held_out, grid);
  double whole = windows_reached(windows) - windows->list[0].begin;
  if (held_out) *held_out = 0;
  if (grid) *grid = 0;
  for (int i = 0; i < windows->count; i++) {
    const window *window = &windows->list[i];
    double share = (window->end - window->begin) / whole, first, second;
    TRY(piece_residual(context, window->piece, held_out ? &first : NULL, grid ? &second : NULL));
    if (held_out) *held_out += share * first;
    if (grid) *grid += share * second;
  }
  return ANS_OK;
}

/* ---- The error of the whole -------------------------------------------------------------------------- */

static ans_status evaluate_span(ans_context *context, void *object, int span, const double *points, size_t count,
                                const system_orders *orders, double *values) {
  const windows *windows = object;
  return piece_evaluate_all(context, windows->list[span].piece, points, count, orders, values);
}

ans_status windows_estimate(ans_context *context, const windows *windows, estimate **result) {
  double seams[WINDOWS_MAX];
  for (int i = 0; i + 1 < windows->count; i++) seams[i] = windows->list[i].end;
  estimate_network network = {
      .evaluate = evaluate_span, .object = (void *)windows, .seams = seams, .seam_count = windows->count - 1};
  return estimate_new(context, windows->instance, &network, result);
}
