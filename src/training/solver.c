/* SPDX-License-Identifier: Apache-2.0
 *
 * One equation's solver: codes and a backbone of its own, adapted to that equation's physics alone.
 */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "training/goal.h"
#include "training/model.h"
#include "training/run.h"
#include "training/training.h"

struct ans_solver {
  ans_problem *problem; /* shared */
  ans_instance *instance;
  arena *arena;
  unknown_table unknowns; /* codes, then backbone */
  bool decoder;
  ans_mode mode;
  uint64_t seed;
  const engine *engine;
  objective *adaptation;
  optimiser *optimiser;
  run run;
  goal goal;
};

static descriptor_kind plan_kind(bool decoder) { return decoder ? DESCRIPTOR_DICTIONARY : DESCRIPTOR_NONE; }

/* The solver's own copy of the instance. */
static ans_status copy_instance(ans_context *context, ans_solver *solver, const ans_instance *instance) {
  const ans_problem *problem = instance->problem;
  solver->problem = system_share(problem);
  double *values = arena_array(solver->arena, double, (size_t)problem->symbol_count + 1);
  if (!values) return context_no_memory(context);
  for (int i = 0; i < problem->symbol_count; i++)
    values[i] = instance->present[i] && problem->symbols[i].kind != SYMBOL_DERIVED ? instance->values[i] : (double)NAN;
  return system_instance(context, solver->problem, instance->structure, values, true, &solver->instance);
}

static adaptation_options plan_of(const ans_solver *solver, const ans_solver_options *options) {
  return (adaptation_options){.mode = (solver_mode)options->mode,
                              .seed = options->seed,
                              .threads = options->threads > 0 ? options->threads : 1,
                              .decoder = solver->decoder};
}

/* Everything that needs no memory of the network's size. bits, mode and rate are those to use. */
static ans_status plan(ans_context *context, ans_solver *solver, const ans_solver_options *options, int bits) {
  solver->engine = engine_of(bits);
  solver->mode = options->mode;
  solver->seed = options->seed;
  adaptation_options network = plan_of(solver, options);
  return solver->engine->solver_unknowns(context, solver->arena, solver->problem, &network, &solver->unknowns);
}

/* ---- The tolerance ----------------------------------------------------------------------------------- */

static ans_status network_of(ans_context *context, void *object, const double *points, size_t count,
                             const uint8_t *order, double *values) {
  return solver_evaluate(context, object, points, count, order, values);
}

ans_status solver_estimate(ans_context *context, ans_solver *solver, estimate **result) {
  estimate_network network = {network_of, solver};
  return estimate_new(context, solver->instance, &network, result);
}

/* run.verify: is the error small enough? */
static ans_status verify_goal(ans_context *context, void *owner, ans_end *end) {
  ans_solver *solver = owner;
  goal *goal = &solver->goal;
  bool best;
  goal_verdict verdict;
  estimate *estimate;
  if (goal->begun && solver->run.step % goal->stride != 0) return ANS_OK;
  double residual = solver->engine->judge(solver->adaptation);
  if (!goal_due(goal, solver->run.step, residual)) return ANS_OK;
  TRY(solver_estimate(context, solver, &estimate));
  ans_status status = goal_judge(context, goal, solver->run.step, residual, estimate_result(estimate), &best, &verdict);
  estimate_free(estimate);
  TRY(status);
  if (best) solver->engine->store(solver->adaptation, goal->kept);
  *end = verdict == GOAL_MET ? ANS_END_TOLERANCE : verdict == GOAL_STALLED ? ANS_END_STALLED : ANS_END_NONE;
  return ANS_OK;
}

static ans_status begin_goal(ans_context *context, ans_solver *solver, double tolerance) {
  enum { MANY_CHEAP_STEPS = 50 };
  solver->goal = (goal){.tolerance = tolerance, .stride = solver->run.keep_best ? 1 : MANY_CHEAP_STEPS};
  solver->goal.kept = arena_array(solver->arena, double, solver->unknowns.size);
  if (!solver->goal.kept) return context_no_memory(context);
  solver->run.verify = verify_goal;
  solver->run.verify_owner = solver;
  return ANS_OK;
}

/* A run that misses its tolerance ends with the best that was seen. */
void solver_settle(ans_solver *solver) {
  goal *goal = &solver->goal;
  run_settle(&solver->run);
  if (goal->begun && solver->run.ended != ANS_END_TOLERANCE && goal->least < goal->error)
    solver->engine->load(solver->adaptation, goal->kept);
}

/* From these numbers, or (NULL) from scratch. */
static ans_status start(ans_context *context, ans_solver *solver, const ans_solver_options *options,
                        const double *numbers, long expected_steps) {
  adaptation_options network = plan_of(solver, options);
  optimiser_settings settings = {.rate = options->rate > 0 ? options->rate : solver->problem->adapt.rate,
                                 .clip = solver->problem->adapt.clip};
  network.start = numbers;
  TRY(solver->engine->adaptation(context, solver->instance, &network, &solver->adaptation));
  TRY(solver->engine->optimisers[OPTIMISER_ADAM]->begin(context, solver->adaptation, &settings, &solver->optimiser));
  solver->run.optimiser = solver->optimiser;
  solver->run.what = "adaptation";
  solver->run.patience = options->patience;
  solver->run.judge = solver->engine->judge;
  if (options->tolerance > 0) TRY(begin_goal(context, solver, options->tolerance));
  return run_begin(context, &solver->run, expected_steps);
}

/* What solver and model both have, by name. */
static void copy_shared(const unknown_table *to, double *numbers, const ans_model *model) {
  for (int i = 0; i < to->count; i++) {
    const unknown_part *part = &to->parts[i], *from = unknown_find(&model->unknowns, part->name);
    if (from) memcpy(numbers + part->offset, model->parameters + from->offset, unknown_count(part) * sizeof *numbers);
  }
}

/* Codes from the hypernetwork, backbone copied. */
static ans_status start_from_model(ans_context *context, ans_solver *solver, const ans_model *model,
                                   const ans_solver_options *options) {
  double *numbers = memory_take(size_product(solver->unknowns.size, sizeof *numbers));
  if (!numbers) return context_no_memory(context);
  const unknown_part *codes = unknown_find(&solver->unknowns, "codes");
  ans_status status = solver->engine->predict(context, solver->instance, model->kind, model->rounds, model->parameters,
                                              numbers + codes->offset);
  copy_shared(&solver->unknowns, numbers, model);
  if (status == ANS_OK) status = start(context, solver, options, numbers, solver->problem->adapt.steps);
  memory_give(numbers);
  return status;
}

static ans_status fill(ans_context *context, ans_solver *solver, const ans_model *model, const ans_instance *instance,
                       const ans_solver_options *options) {
  if (model) TRY(model_fits(context, model, instance));
  int bits = options->precision ? options->precision : model ? model->bits : 32;
  if (!options->precision && options->tolerance > 0 && options->tolerance < GOAL_SINGLE) bits = 64;
  TRY(goal_check(context, options->tolerance, bits));
  solver->decoder = model && model->kind == DESCRIPTOR_DICTIONARY;
  TRY(arena_new(context, &solver->arena));
  TRY(copy_instance(context, solver, instance));
  TRY(plan(context, solver, options, bits));
  return model ? start_from_model(context, solver, model, options)
               : start(context, solver, options, NULL, solver->problem->adapt.steps);
}

ans_status solver_begin(ans_context *context, const ans_model *model, const ans_instance *instance,
                        const ans_solver_options *options, ans_solver **result) {
  *result = NULL;
  ans_solver *solver = memory_take(sizeof *solver);
  if (!solver) return context_no_memory(context);
  ans_status status = fill(context, solver, model, instance, options);
  if (status == ANS_OK)
    *result = solver;
  else
    solver_free(solver);
  return status;
}

void solver_free(ans_solver *solver) {
  if (!solver) return;
  if (solver->optimiser) solver->optimiser->class->end(solver->optimiser);
  if (solver->engine) solver->engine->drop(solver->adaptation);
  run_end(&solver->run);
  system_instance_free(solver->instance);
  system_free(solver->problem);
  arena_free(solver->arena);
  memory_give(solver);
}

/* ---- Steps ------------------------------------------------------------------------------------------- */

/* The step after `count` more. */
static long goal_after(const ans_solver *solver, long count) {
  return count < LONG_MAX - solver->run.step ? solver->run.step + count : LONG_MAX;
}

ans_status solver_step(ans_context *context, ans_solver *solver, long count) {
  return run_until(context, &solver->run, &(run_rules){.goal = goal_after(solver, count)});
}

static ans_progress progress_of(const void *owner) { return solver_progress(owner); }

ans_status solver_run(ans_context *context, ans_solver *solver, const ans_run_rules *rules, ans_watcher watcher,
                      void *user_data) {
  long steps = rules->steps < 0 ? solver->problem->adapt.steps : rules->steps;
  run_rules own = {.goal = goal_after(solver, steps),
                   .seconds = rules->seconds,
                   .interrupt = rules->interrupt,
                   .every = rules->every,
                   .watch = watcher,
                   .user_data = user_data,
                   .progress = progress_of,
                   .owner = solver};
  ans_status status = run_until(context, &solver->run, &own);
  solver_settle(solver);
  return status;
}

ans_progress solver_progress(const ans_solver *solver) {
  const run *run = &solver->run;
  return (ans_progress){.step = run->step,
                        .loss = run_loss(run),
                        .gradient_norm = solver->optimiser->norm,
                        .rate = solver->optimiser->rate,
                        .rollbacks = run->rollbacks,
                        .stopped = run->ended == ANS_END_PATIENCE || run->ended == ANS_END_EXHAUSTED ||
                                   run->ended == ANS_END_TOLERANCE || run->ended == ANS_END_STALLED,
                        .seconds = run->seconds,
                        .end = run->ended};
}

const ans_instance *solver_instance(const ans_solver *solver) { return solver->instance; }

ans_status solver_residual(ans_context *context, ans_solver *solver, double *held_out, double *grid) {
  double loss = 0, mean_square = 0;
  if (held_out) *held_out = 0;
  if (grid) *grid = 0;
  if (held_out) loss = solver->engine->judge(solver->adaptation);
  if (grid) TRY(solver->engine->grid(context, solver->adaptation, &mean_square));
  FAIL_IF(!isfinite(loss) || !isfinite(mean_square), context, ANS_DIVERGED,
          "the residual is not finite: look at the sizes of coefficients, weights and functions");
  if (held_out) *held_out = loss;
  if (grid) *grid = mean_square;
  return ANS_OK;
}

ans_status solver_evaluate(ans_context *context, ans_solver *solver, const double *points, size_t count,
                           const uint8_t *order, double *values) {
  static const uint8_t none[SYSTEM_MAX_COORDINATES] = {0};
  return solver->engine->evaluate(context, solver->adaptation, points, count, order ? order : none, values);
}

/* ---- Files ------------------------------------------------------------------------------------------- */

static ans_status fill_sheet(ans_context *context, model_sheet *sheet, const ans_solver *solver, const char *values,
                             const double *numbers) {
  const ans_instance *instance = solver->instance;
  ans_model head = {.kind = plan_kind(solver->decoder),
                    .rounds = 0,
                    .seed = solver->seed,
                    .steps = solver->run.step,
                    .bits = solver->engine->bits,
                    .problem = solver->problem};
  TRY(sheet_model(context, sheet, "solver", &head));
  sheet_note(sheet, "structure", "%s", instance->problem->structures[instance->structure].name);
  sheet_note(sheet, "values", "%s", values);
  sheet_note(sheet, "mode", "%d", (int)solver->mode);
  sheet_note(sheet, "rate", "%a", solver->optimiser->rate);
  sheet_note(sheet, "patience", "%d", solver->run.patience);
  sheet_unknowns(sheet, "", &solver->unknowns, head.bits, numbers);
  return ANS_OK;
}

ans_status solver_save(ans_context *context, const ans_solver *solver, const char *path) {
  double *numbers = memory_take(size_product(solver->unknowns.size, sizeof *numbers));
  char *values = NULL;
  model_sheet *sheet = NULL;
  ans_status status = numbers ? system_print_values(context, solver->instance, &values) : context_no_memory(context);
  if (status == ANS_OK) status = sheet_new(context, &sheet);
  if (status == ANS_OK) {
    solver->engine->store(solver->adaptation, numbers);
    status = fill_sheet(context, sheet, solver, values, numbers);
    if (status == ANS_OK) status = sheet_write(context, sheet, path);
  }
  sheet_free(sheet);
  memory_give(values);
  memory_give(numbers);
  return status;
}

static ans_status read_instance(ans_context *context, const char *path, const safetensors *file,
                                const ans_problem *problem, double *values, ans_instance **result) {
  const char *structure = safetensors_note(file, "structure"), *assignments = safetensors_note(file, "values");
  FAIL_IF(!structure || !assignments, context, ANS_MODEL, "%s has no structure or no values", path);
  int index = system_find_structure(problem, structure);
  FAIL_IF(index < 0, context, ANS_MODEL, "%s has the structure \"%s\", which its problem has not", path, structure);
  for (int i = 0; i < problem->symbol_count; i++) values[i] = (double)NAN;
  if (*assignments) TRY(system_assign(context, problem, assignments, values));
  return system_instance(context, problem, index, values, true, result);
}

/* Nothing of the network's size is allocated before the file is known to hold as many numbers. */
static ans_status start_from_file(ans_context *context, const char *path, const safetensors *file, ans_solver *solver,
                                  const ans_solver_options *options) {
  TRY(model_check_size(context, path, file, &solver->unknowns));
  double *numbers = memory_take(size_product(solver->unknowns.size, sizeof *numbers));
  if (!numbers) return context_no_memory(context);
  ans_status status = model_read_unknowns(context, path, file, "", &solver->unknowns, numbers);
  if (status == ANS_OK) status = start(context, solver, options, numbers, 0);
  memory_give(numbers);
  return status;
}

/* How it was adapted. Files of 0.1.0 and of the first builds of 0.2.0 do not say so; these
 * go on with the defaults. */
static ans_status read_options(ans_context *context, const char *path, const safetensors *file,
                               ans_solver_options *options) {
  if (!safetensors_note(file, "mode")) return ANS_OK;
  long mode, patience;
  TRY(model_read_integer(context, path, file, "mode", ANS_FULL, ANS_FROZEN_BASES, &mode));
  TRY(model_read_integer(context, path, file, "patience", 0, INT_MAX, &patience));
  options->mode = (ans_mode)mode;
  options->patience = (int)patience;
  return model_read_rate(context, path, file, &options->rate);
}

static ans_status load(ans_context *context, const char *path, const safetensors *file, int threads,
                       ans_solver *solver) {
  ans_model *head;
  TRY(arena_new(context, &solver->arena));
  TRY(model_read_plan(context, path, file, &head));
  ans_solver_options options = {.seed = head->seed, .threads = threads};
  int bits = head->bits;
  solver->decoder = head->kind == DESCRIPTOR_DICTIONARY;
  solver->run.step = head->steps;
  solver->problem = system_share(head->problem);
  model_free(head);
  double *values = arena_array(solver->arena, double, (size_t)solver->problem->symbol_count + 1);
  if (!values) return context_no_memory(context);
  TRY(read_instance(context, path, file, solver->problem, values, &solver->instance));
  TRY(read_options(context, path, file, &options));
  TRY(plan(context, solver, &options, bits));
  return start_from_file(context, path, file, solver, &options);
}

ans_status solver_load(ans_context *context, const char *path, int threads, ans_solver **result) {
  *result = NULL;
  safetensors *file;
  TRY(model_open(context, path, "solver", &file));
  ans_solver *solver = memory_take(sizeof *solver);
  ans_status status = solver ? load(context, path, file, threads, solver) : context_no_memory(context);
  if (status == ANS_OK)
    *result = solver;
  else
    solver_free(solver);
  safetensors_free(file);
  return status;
}
