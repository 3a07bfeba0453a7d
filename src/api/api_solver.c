/* SPDX-License-Identifier: Apache-2.0
 *
 * api_solver.c - the public functions of solvers.
 */
#include <math.h>
#include <stdio.h>

#include "api/api.h"
#include "base/clock.h"
#include "base/team.h"
#include "solution/grid.h"
#include "training/training.h"

ans_status api_solver_options(ans_context *context, const ans_solver_options *options, ans_solver_options *own) {
  memset(own, 0, sizeof *own);
  if (options) api_options(own, sizeof *own, options, API_SIZE_UP_TO(ans_solver_options, time_weight));
  TRY(api_check_precision(context, own->precision));
  TRY(api_check_rate(context, own->rate));
  FAIL_IF(own->mode < ANS_MODE_AUTOMATIC || own->mode > ANS_WEIGHTS, context, ANS_ARGUMENT, "there is no mode %d",
          (int)own->mode);
  FAIL_IF(own->method < ANS_METHOD_AUTOMATIC || own->method > ANS_ADAM, context, ANS_ARGUMENT, "there is no method %d",
          (int)own->method);
  FAIL_IF(!isfinite(own->time_weight) || own->time_weight > 100, context, ANS_ARGUMENT,
          "the time weight is %g; it is at most 100", own->time_weight);
  own->threads = api_threads(own->threads);
  if (own->patience < 0) own->patience = 0;
  return ANS_OK;
}

ans_status ans_solver_begin(ans_context *context, const ans_model *model, const ans_instance *instance,
                            const ans_solver_options *options, ans_solver **solver) {
  ans_solver_options own;
  *solver = NULL;
  TRY(api_solver_options(context, options, &own));
  return solver_begin(context, model, instance, &own, solver);
}

ans_status ans_solver_step(ans_context *context, ans_solver *solver, long count) {
  return solver_step(context, solver, count);
}

/* With a context of its own, because contexts are not shared by threads. */
static ans_status step_alone(ans_solver *solver, long count, char *message, size_t room) {
  ans_context *context;
  ans_status status = ans_context_new(&context);
  if (status == ANS_OK) status = solver_step(context, solver, count);
  if (status != ANS_OK && message)
    snprintf(message, room, "%s", context ? ans_context_diagnostic(context)->message : ans_status_sentence(status));
  ans_context_free(context);
  return status;
}

typedef struct many {
  ans_solver *const *solvers;
  size_t solver_count;
  int items; /* each of them every items-th solver */
  long count;
  ans_status *statuses;
  char *messages;
  size_t room;
} many;

static void step_item(void *data, int item, int worker) {
  const many *all = data;
  (void)worker;
  for (size_t i = (size_t)item; i < all->solver_count; i += (size_t)all->items)
    if (all->solvers[i] && all->statuses[i] == ANS_OK)
      all->statuses[i] =
          step_alone(all->solvers[i], all->count, all->messages ? all->messages + i * all->room : NULL, all->room);
}

void ans_solver_step_many(ans_solver *const *solvers, size_t solver_count, long count, int threads,
                          ans_status *statuses, char *messages, size_t room) {
  enum { MOST_ITEMS = 1 << 20 };
  many all = {solvers,  solver_count, solver_count < MOST_ITEMS ? (int)solver_count : MOST_ITEMS, count, statuses,
              messages, room};
  team_run(api_threads(threads), all.items, step_item, &all);
}

ans_status ans_solver_run(ans_context *context, ans_solver *solver, const ans_run_rules *rules, ans_watcher watcher,
                          void *user_data) {
  ans_run_rules own = api_rules(rules);
  return solver_run(context, solver, &own, watcher, user_data);
}

/* Steps of all, and whether any goes on: not skipped, not ended, not at its goal. */
static bool any_goes_on(ans_solver *const *solvers, size_t count, long goal, const ans_status *statuses, long *steps) {
  bool going = false;
  *steps = 0;
  for (size_t i = 0; i < count; i++) {
    if (!solvers[i]) continue;
    ans_progress now = solver_progress(solvers[i]);
    *steps += now.step;
    going = going || (statuses[i] == ANS_OK && !now.stopped && goal > 0);
  }
  return going;
}

void ans_solver_run_many(ans_solver *const *solvers, size_t solver_count, const ans_run_rules *rules, int threads,
                         ans_watcher watcher, void *user_data, ans_status *statuses, char *messages, size_t room) {
  ans_run_rules own = api_rules(rules);
  for (size_t i = 0; own.steps < 0 && i < solver_count; i++)
    if (solvers[i]) own.steps = solver_info(solvers[i]).steps;
  long every = own.every > 0 ? own.every : 50;
  ans_progress now = {.loss = (double)NAN};
  for (long left = own.steps; any_goes_on(solvers, solver_count, left, statuses, &now.step);) {
    if ((own.interrupt && *own.interrupt) || (own.seconds > 0 && now.seconds >= own.seconds)) break;
    long count = left < every ? left : every;
    double begun = clock_seconds();
    ans_solver_step_many(solvers, solver_count, count, threads, statuses, messages, room);
    now.seconds += clock_seconds() - begun;
    left -= count;
    any_goes_on(solvers, solver_count, left, statuses, &now.step);
    if (watcher && !watcher(user_data, now)) break;
  }
  for (size_t i = 0; i < solver_count; i++)
    if (solvers[i] && statuses[i] == ANS_OK) solver_settle(solvers[i]);
}

long ans_solver_steps(const ans_model *model, const ans_problem *problem, const ans_solver_options *options) {
  ans_solver_options own = {0};
  if (options) api_options(&own, sizeof own, options, API_SIZE_UP_TO(ans_solver_options, time_weight));
  return solver_steps(model, problem, &own);
}

ans_solver_info ans_solver_information(const ans_solver *solver) { return solver_info(solver); }

ans_attempt ans_solver_attempt(const ans_solver *solver, size_t index) { return solver_attempt(solver, index); }

ans_progress ans_solver_state(const ans_solver *solver) { return solver_progress(solver); }

const ans_instance *ans_solver_instance(const ans_solver *solver) { return solver_instance(solver); }

ans_status ans_solver_residual(ans_context *context, ans_solver *solver, double *held_out, double *grid) {
  return solver_residual(context, solver, held_out, grid);
}

static ans_status check_points(ans_context *context, const ans_problem *problem, const double *points, size_t count) {
  size_t coordinates = (size_t)problem->coordinate_count;
  for (size_t i = 0; i < count * coordinates; i++) {
    const system_coordinate *coordinate = &problem->coordinates[i % coordinates];
    FAIL_IF(!isfinite(points[i]), context, ANS_ARGUMENT, "coordinate %s of point %zu is not finite", coordinate->name,
            i / coordinates);
  }
  return ANS_OK;
}

ans_status ans_solver_evaluate(ans_context *context, ans_solver *solver, const double *points, size_t count,
                               const unsigned *order, double *values) {
  const ans_problem *problem = solver_instance(solver)->problem;
  uint8_t orders[SYSTEM_MAX_COORDINATES] = {0};
  unsigned total = 0;
  for (int i = 0; order && i < problem->coordinate_count; i++) {
    FAIL_IF(order[i] > SYSTEM_MAX_ORDER, context, ANS_ARGUMENT, "derivatives go up to order %d", SYSTEM_MAX_ORDER);
    orders[i] = (uint8_t)order[i];
    total += order[i];
  }
  FAIL_IF(total > SYSTEM_MAX_ORDER, context, ANS_ARGUMENT, "derivatives go up to order %d", SYSTEM_MAX_ORDER);
  TRY(check_points(context, problem, points, count));
  return solver_evaluate(context, solver, points, count, orders, values);
}

ans_status ans_solver_solution(ans_context *context, ans_solver *solver, const size_t *sizes, ans_solution **solution) {
  return grid_evaluate(context, solver, sizes, solution);
}

ans_status ans_solver_solution_like(ans_context *context, ans_solver *solver, const ans_solution *grid,
                                    ans_solution **solution) {
  return grid_evaluate_like(context, solver, grid, solution);
}

ans_status ans_solver_save(ans_context *context, const ans_solver *solver, const char *path) {
  return solver_save(context, solver, path);
}

ans_status ans_solver_load(ans_context *context, const char *path, int threads, ans_solver **solver) {
  return solver_load(context, path, api_threads(threads), solver);
}

ans_status ans_solver_resume(ans_context *context, const char *path, const ans_solver_options *options,
                             ans_solver **solver) {
  ans_solver_options own;
  *solver = NULL;
  TRY(api_solver_options(context, options, &own));
  FAIL_IF(own.method != ANS_METHOD_AUTOMATIC || own.mode != ANS_MODE_AUTOMATIC || own.time_weight != 0, context,
          ANS_ARGUMENT, "%s is a saved solver, which keeps its method, its unknowns and its time weight", path);
  return solver_resume(context, path, &own, solver);
}

void ans_solver_free(ans_solver *solver) { solver_free(solver); }
