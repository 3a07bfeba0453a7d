/* SPDX-License-Identifier: Apache-2.0
 *
 * api_solver.c - the public functions of solvers.
 */
#include <math.h>
#include <stdio.h>

#include "api/api.h"
#include "base/team.h"
#include "training/training.h"

ans_status ans_solver_begin(ans_context *context, const ans_model *model, const ans_instance *instance,
                            const ans_solver_options *options, ans_solver **solver) {
  static const ans_solver_options defaults = {0};
  if (!options) options = &defaults;
  *solver = NULL;
  FAIL_IF(options->precision != 0 && options->precision != 32 && options->precision != 64, context, ANS_ARGUMENT,
          "the precision is 32 or 64 bits, not %d", options->precision);
  FAIL_IF(options->mode < ANS_FULL || options->mode > ANS_FROZEN_BASES, context, ANS_ARGUMENT, "there is no mode %d",
          (int)options->mode);
  FAIL_IF(!(options->rate >= 0 && options->rate < 1e6), context, ANS_ARGUMENT, "the rate %g is no learning rate",
          options->rate);
  ans_solver_options own = *options;
  own.threads = api_threads(options->threads);
  if (own.patience < 0) own.patience = 0;
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

ans_status ans_solver_save(ans_context *context, const ans_solver *solver, const char *path) {
  return solver_save(context, solver, path);
}

ans_status ans_solver_load(ans_context *context, const char *path, int threads, ans_solver **solver) {
  return solver_load(context, path, api_threads(threads), solver);
}

void ans_solver_free(ans_solver *solver) { solver_free(solver); }
