/* SPDX-License-Identifier: Apache-2.0
 *
 * solver.c - one equation's solver: the pieces of its best attempt, and how it is run.
 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "training/resolution.h"
#include "training/solver.h"
#include "training/windows_file.h"

static piece *last_piece(const ans_solver *solver) { return solver->windows.list[solver->windows.count - 1].piece; }

static ans_status copy_instance(ans_context *context, ans_solver *solver, const ans_instance *instance) {
  solver->problem = system_share(instance->problem);
  return system_instance_like(context, solver->problem, instance, &solver->instance);
}

static ans_status take_instance(ans_context *context, ans_solver *solver, const ans_instance *instance,
                                const ans_solver_options *options) {
  solver->options = *options;
  TRY(copy_instance(context, solver, instance));
  solver->windows.instance = solver->instance;
  return ANS_OK;
}

/* The piece as the only window, which is the whole of time. */
static void take_piece(ans_solver *solver, piece *piece) {
  const ans_problem *problem = solver->problem;
  const system_coordinate *time = problem->time < 0 ? NULL : &problem->coordinates[problem->time];
  solver->windows.instance = solver->instance;
  solver->windows.list[0] = (window){.begin = time ? time->low : 0, .end = time ? time->high : 0, .piece = piece};
  solver->windows.count = 1;
}

static ans_status begin_scratch(ans_context *context, ans_solver *solver, const ans_instance *instance,
                                const ans_solver_options *options) {
  const ans_problem *problem = instance->problem;
  double end = problem->time < 0 ? 0 : problem->coordinates[problem->time].high;
  solver->scratch = true;
  TRY(take_instance(context, solver, instance, options));
  TRY(windows_draft(context, &solver->windows, &(window_draft){.end = end}, options, &solver->windows.list[0]));
  solver->windows.count = 1;
  return ANS_OK;
}

/* Adam's networks are those of the text. */
static bool chooses_network(const ans_model *model, const ans_instance *instance, const ans_solver_options *options) {
  return !model && method_choose(instance, options, false, false).optimiser == OPTIMISER_GAUSS_NEWTON;
}

ans_status solver_begin(ans_context *context, const ans_model *model, const ans_instance *instance,
                        const ans_solver_options *options, ans_solver **result) {
  *result = NULL;
  TRY(system_require_initial(context, instance->problem));
  if (!chooses_network(model, instance, options))
    return solver_begin_light(context, model, instance, options, 0, result);
  ans_solver *solver = memory_take(sizeof *solver);
  if (!solver) return context_no_memory(context);
  ans_status status = begin_scratch(context, solver, instance, options);
  if (status == ANS_OK)
    *result = solver;
  else
    solver_free(solver);
  return status;
}

ans_status solver_begin_light(ans_context *context, const ans_model *model, const ans_instance *instance,
                              const ans_solver_options *options, int most_points, ans_solver **result) {
  piece *piece = NULL;
  *result = NULL;
  TRY(system_require_initial(context, instance->problem));
  ans_solver *solver = memory_take(sizeof *solver);
  if (!solver) return context_no_memory(context);
  solver->scratch = !model;
  ans_status status = take_instance(context, solver, instance, options);
  if (status == ANS_OK) status = piece_begin_light(context, model, instance, options, most_points, &piece);
  if (status == ANS_OK) {
    take_piece(solver, piece);
    *result = solver;
  } else {
    solver_free(solver);
  }
  return status;
}

/* Whether an equation has the network of the text and the usual points. */
static bool is_usual(const ans_model *model, const ans_instance *instance, const ans_solver_options *options) {
  const window whole = {0};
  if (!chooses_network(model, instance, options)) return true;
  window_network network = resolution_of(instance, &whole, (network_wish){0});
  return network.width == 0 && network.layers == 0 && network.fourier == 0 &&
         method_choose(instance, options, false, false).points == METHOD_POINTS;
}

/* By member: what stands between them in memory says nothing. */
static bool same_options(const ans_solver_options *a, const ans_solver_options *b) {
  return a->mode == b->mode && a->seed == b->seed && a->rate == b->rate && a->threads == b->threads &&
         a->precision == b->precision && a->patience == b->patience && a->method == b->method &&
         a->time_weight == b->time_weight && a->tolerance == b->tolerance && a->attempts == b->attempts;
}

/* What one piece of the problem as it stands holds can serve another equation of the same problem. */
static bool renewable(const ans_solver *solver, const ans_model *model, const ans_instance *instance,
                      const ans_solver_options *options) {
  return solver->windows.count == 1 && !solver->climbed && solver->scratch == !model &&
         solver->problem == instance->problem && same_options(&solver->options, options) &&
         is_usual(model, solver->instance, options) && is_usual(model, instance, options) &&
         piece_renewable(solver_first_piece(solver), model, instance, options);
}

static ans_status renew(ans_context *context, ans_solver *solver, const ans_model *model,
                        const ans_instance *instance) {
  ans_instance *own;
  TRY(system_instance_like(context, solver->problem, instance, &own));
  system_instance_free(solver->instance);
  solver->windows.instance = solver->instance = own;
  return piece_renew(context, solver_first_piece(solver), model, own, &solver->options);
}

ans_status solver_renew(ans_context *context, const ans_model *model, const ans_instance *instance,
                        const ans_solver_options *options, ans_solver **solver) {
  ans_solver *before = *solver;
  *solver = NULL;
  if (!before || !renewable(before, model, instance, options)) {
    solver_free(before);
    return solver_begin(context, model, instance, options, solver);
  }
  ans_status status = renew(context, before, model, instance);
  if (status == ANS_OK)
    *solver = before;
  else
    solver_free(before);
  return status;
}

void solver_free(ans_solver *solver) {
  if (!solver) return;
  windows_clear(&solver->windows);
  system_instance_free(solver->instance);
  system_free(solver->problem);
  memory_give(solver);
}

/* ---- Steps ------------------------------------------------------------------------------------------- */

/* Whether a run without a number of steps goes on to further attempts. What a text or a caller states is done as it is
 * stated. */
static bool climbs(const ans_solver *solver) {
  const ans_solver_options *options = &solver->options;
  const piece *piece = solver_first_piece(solver);
  return solver->scratch && !solver->climbed && options->attempts != 1 && options->method == ANS_METHOD_AUTOMATIC &&
         options->mode == ANS_MODE_AUTOMATIC && options->patience == 0 &&
         piece->choice.optimiser == OPTIMISER_GAUSS_NEWTON &&
         solver->problem->protocol.adapt.method == METHOD_AUTOMATIC;
}

static ans_progress progress_of(const void *owner) { return solver_progress(owner); }

static ans_status climb(ans_context *context, ans_solver *solver, const run_rules *rules, double bound) {
  piece *piece = solver_first_piece(solver);
  double begun = clock_seconds();
  solver->climbed = true;
  solver->ladder = (ladder){.instance = solver->instance,
                            .options = solver->options,
                            .goal = solver->options.tolerance > 0 ? solver->options.tolerance : LADDER_GOAL,
                            .seconds = bound > 0 ? bound : LADDER_SECONDS,
                            .by_work = !(solver->options.tolerance > 0),
                            .rules = *rules,
                            .most = solver->options.attempts,
                            .best = &solver->windows};
  TRY(ladder_climb(context, &solver->ladder, piece->run.seconds, piece->run.work, &solver->end));
  solver->seconds += clock_seconds() - begun;
  return ANS_OK;
}

ans_status solver_step(ans_context *context, ans_solver *solver, long count) {
  if (solver->windows.count > 1) return ANS_OK;
  return piece_run(context, solver_first_piece(solver), (run_rules){.goal = count});
}

ans_status solver_run(ans_context *context, ans_solver *solver, const ans_run_rules *rules, ans_watcher watcher,
                      void *user_data) {
  piece *piece = solver_first_piece(solver);
  run_rules own = run_rules_of(rules, rules->steps < 0 ? piece->choice.steps : rules->steps, watcher, user_data,
                               progress_of, solver);
  if (solver->windows.count > 1) return ANS_OK; /* windows are adapted once */
  bool on = rules->steps < 0 && climbs(solver);
  if (on && solver->options.tolerance > 0) {
    /* The rule is the tolerance, and a part of the time is left for what comes after. */
    own.goal = TRAINING_MAX_STEPS;
    own.seconds /= 3;
  }
  ans_status status = piece_run(context, piece, own);
  solver_settle(solver);
  ans_end end = piece->run.ended;
  if (status != ANS_OK || !on || end == ANS_END_INTERRUPTED || end == ANS_END_WATCHER) return status;
  return climb(context, solver, &own, rules->seconds);
}

void solver_settle(ans_solver *solver) {
  if (solver->windows.count == 1) piece_settle(solver_first_piece(solver));
}

ans_progress solver_progress(const ans_solver *solver) {
  ans_progress progress = piece_progress(last_piece(solver));
  for (int i = 0; i + 1 < solver->windows.count; i++) progress.step += solver->windows.list[i].piece->run.step;
  if (solver->end != ANS_END_NONE) progress.end = solver->end;
  if (solver->windows.count > 1) progress.stopped = true;
  if (solver->climbed) progress.seconds = solver->ladder.rungs[0].seconds + solver->seconds;
  return progress;
}

long solver_steps(const ans_model *model, const ans_problem *problem, const ans_solver_options *options) {
  return method_steps(problem, options, model && model->kind == DESCRIPTOR_DICTIONARY);
}

ans_solver_info solver_info(const ans_solver *solver) {
  ans_solver_info info = piece_info(solver_first_piece(solver));
  info.windows = (size_t)solver->windows.count;
  return info;
}

ans_attempt solver_attempt(const ans_solver *solver, size_t index) {
  if (!solver->climbed || index >= (size_t)solver->ladder.rung_count) return (ans_attempt){0};
  const ladder_rung *rung = &solver->ladder.rungs[index];
  return (ans_attempt){.what = rung->what,
                       .estimate = rung->error,
                       .finished = rung->finished,
                       .trusted = rung->trusted,
                       .kept = (int)index == solver->ladder.kept,
                       .windows = (size_t)rung->windows,
                       .steps = (size_t)rung->steps,
                       .seconds = rung->seconds};
}

const ans_instance *solver_instance(const ans_solver *solver) { return solver->instance; }

/* ---- Looking ----------------------------------------------------------------------------------------- */

ans_status solver_residual(ans_context *context, ans_solver *solver, double *held_out, double *grid) {
  return windows_residual(context, &solver->windows, held_out, grid);
}

ans_status solver_evaluate(ans_context *context, ans_solver *solver, const double *points, size_t count,
                           const uint8_t *order, double *values) {
  return windows_evaluate(context, &solver->windows, points, count, order, values);
}

ans_status solver_estimate(ans_context *context, ans_solver *solver, estimate **result) {
  return windows_estimate(context, &solver->windows, result);
}

/* ---- Files ------------------------------------------------------------------------------------------- */

/* A solver that is one piece goes on from its file where it was; the file's text states the network that was chosen. */
ans_status solver_save(ans_context *context, const ans_solver *solver, const char *path) {
  return solver->windows.count == 1 ? piece_save(context, solver_first_piece(solver), path)
                                    : windows_save(context, &solver->windows, solver->problem, path);
}

static ans_status load(ans_context *context, const char *path, const safetensors *file,
                       const ans_solver_options *options, ans_solver *solver) {
  piece *piece;
  if (safetensors_note(file, "windows"))
    return windows_load(context, path, file, options, &solver->problem, &solver->instance, &solver->windows);
  TRY(piece_load(context, path, file, options, &piece));
  ans_status status = copy_instance(context, solver, piece->instance);
  take_piece(solver, piece);
  return status;
}

ans_status solver_load(ans_context *context, const char *path, int threads, ans_solver **result) {
  return solver_resume(context, path, &(ans_solver_options){.threads = threads}, result);
}

ans_status solver_resume(ans_context *context, const char *path, const ans_solver_options *options,
                         ans_solver **result) {
  *result = NULL;
  safetensors *file;
  TRY(model_open(context, path, "solver", &file));
  ans_solver *solver = memory_take(sizeof *solver);
  ans_status status = solver ? load(context, path, file, options, solver) : context_no_memory(context);
  if (status == ANS_OK)
    *result = solver;
  else
    solver_free(solver);
  safetensors_free(file);
  return status;
}
