/* SPDX-License-Identifier: Apache-2.0
 *
 * One equation's solver: codes and a backbone of its own, adapted to that equation's physics alone.
 */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "field/chart.h"
#include "training/goal.h"
#include "training/method.h"
#include "training/model.h"
#include "training/resting.h"
#include "training/run.h"
#include "training/training.h"

struct ans_solver {
  ans_problem *problem; /* shared */
  ans_instance *instance;
  arena *arena;
  unknown_table unknowns; /* codes, then backbone */
  bool decoder;
  bool guessing; /* the fields are still the model's guess, at rest: the first step will move their frames */
  method_choice choice;
  uint64_t seed;
  int threads, bits;    /* bits: to end with */
  const engine *engine; /* the present one */
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

static adaptation_options plan_of(const ans_solver *solver) {
  return (adaptation_options){.mode = solver->choice.mode,
                              .seed = solver->seed,
                              .threads = solver->threads,
                              .decoder = solver->decoder,
                              .fixed_points = solver->choice.points,
                              .time_weight = solver->choice.time_weight,
                              .eases = solver->choice.eases,
                              .smooth = solver->choice.smooth,
                              .moving = solver->choice.moving,
                              .scaled = solver->choice.scaled};
}

/* Everything that needs no memory of the network's size. `known`: not from scratch. */
static ans_status plan(ans_context *context, ans_solver *solver, const ans_solver_options *options, int bits,
                       bool known) {
  solver->choice = method_choose(solver->instance, options, solver->decoder, known);
  bool newton = solver->choice.optimiser == OPTIMISER_GAUSS_NEWTON;
  solver->bits = bits;
  solver->engine = engine_of(newton ? 32 : bits);
  solver->seed = options->seed;
  solver->threads = options->threads > 0 ? options->threads : 1;
  adaptation_options network = plan_of(solver);
  TRY(solver->engine->solver_unknowns(context, solver->arena, solver->problem, &network, &solver->unknowns));
  if (newton)
    solver->choice.points =
        method_points(solver->instance, solver->choice.points, unknown_free_count(&solver->unknowns), bits);
  return ANS_OK;
}

/* The present engine's objective and optimiser, from these numbers or (NULL) from scratch. */
static ans_status make_parts(ans_context *context, ans_solver *solver, double rate, const double *numbers) {
  const system_budget *budget = &solver->problem->adapt;
  bool newton = solver->choice.optimiser == OPTIMISER_GAUSS_NEWTON;
  adaptation_options network = plan_of(solver);
  optimiser_settings settings = {.rate = rate > 0 ? rate
                                         : newton ? 0
                                                  : budget->rate,
                                 .clip = budget->clip,
                                 .threads = solver->threads};
  network.start = numbers;
  TRY(solver->engine->adaptation(context, solver->instance, &network, &solver->adaptation));
  TRY(solver->engine->optimisers[solver->choice.optimiser]->begin(context, solver->adaptation, &settings,
                                                                  &solver->optimiser));
  solver->run.optimiser = solver->optimiser;
  solver->run.judge = solver->engine->judge;
  return ANS_OK;
}

static void drop_parts(ans_solver *solver) {
  if (solver->optimiser) solver->optimiser->class->end(solver->optimiser);
  if (solver->engine) solver->engine->drop(solver->adaptation);
  solver->optimiser = NULL;
  solver->adaptation = NULL;
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
  solver->goal = (goal){.tolerance = tolerance,
                        .stride = solver->choice.optimiser == OPTIMISER_GAUSS_NEWTON ? 1 : MANY_CHEAP_STEPS};
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
  TRY(make_parts(context, solver, options->rate, numbers));
  solver->run.what = "adaptation";
  solver->run.patience = options->patience;
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

/* Codes from the hypernetwork: of the equation as its frame shows it, where the family has that one. Where it has not,
 * they are a guess at rest, and no more than a start in the moving frame. */
static ans_status predict_codes(ans_context *context, ans_solver *solver, const ans_model *model, double *codes) {
  field_chart chart =
      chart_of(solver->instance, (chart_options){.moving = solver->choice.moving, .common = solver->decoder});
  ans_instance *resting = NULL;
  TRY(resting_member(context, solver->instance, &chart, &resting));
  solver->guessing = chart.moves && !resting && solver->choice.optimiser == OPTIMISER_GAUSS_NEWTON;
  if (solver->guessing) solver->choice.moving = false;
  ans_status status = solver->engine->predict(context, resting ? resting : solver->instance, model->kind, model->rounds,
                                              model->parameters, codes);
  system_instance_free(resting);
  return status;
}

/* Codes predicted, backbone copied. */
static ans_status start_from_model(ans_context *context, ans_solver *solver, const ans_model *model,
                                   const ans_solver_options *options) {
  double *numbers = memory_take(size_product(solver->unknowns.size, sizeof *numbers));
  if (!numbers) return context_no_memory(context);
  const unknown_part *codes = unknown_find(&solver->unknowns, "codes");
  ans_status status = predict_codes(context, solver, model, numbers + codes->offset);
  copy_shared(&solver->unknowns, numbers, model);
  if (status == ANS_OK) status = start(context, solver, options, numbers, solver->choice.steps);
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
  TRY(plan(context, solver, options, bits, model != NULL));
  /* Where float ends above the tolerance, Gauss-Newton goes on in double. */
  bool newton = solver->choice.optimiser == OPTIMISER_GAUSS_NEWTON;
  if (newton && options->tolerance > 0 && !options->precision) solver->bits = 64;
  return model ? start_from_model(context, solver, model, options)
               : start(context, solver, options, NULL, solver->choice.steps);
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
  drop_parts(solver);
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

/* The same unknowns, damping and points once more, after `engine` or the frame has changed. */
static ans_status remake(ans_context *context, ans_solver *solver, const engine *engine) {
  size_t size = solver->unknowns.size;
  optimiser_state state = {.unknowns = memory_take(size_product(2 * size, sizeof(double)))};
  if (!state.unknowns) return context_no_memory(context);
  state.blocks[0] = state.unknowns + size;
  solver->optimiser->class->store(solver->optimiser, false, &state);
  drop_parts(solver);
  solver->engine = engine;
  ans_status status = make_parts(context, solver, 0, state.unknowns);
  if (status == ANS_OK) {
    solver->optimiser->class->load(solver->optimiser, &state);
    solver->optimiser->class->refresh(solver->optimiser);
  }
  memory_give(state.unknowns);
  solver->run.ended = ANS_END_NONE;
  if (status == ANS_OK) solver->optimiser->class->keep(solver->optimiser);
  solver->run.kept_step = solver->run.step;
  return status;
}

static ans_status leave_guess(ans_context *context, ans_solver *solver) {
  solver->guessing = false;
  solver->choice.moving = true;
  return remake(context, solver, solver->engine);
}

static ans_status run_all(ans_context *context, ans_solver *solver, run_rules *rules) {
  double begun = solver->run.seconds;
  if (solver->guessing && rules->goal > solver->run.step) TRY(leave_guess(context, solver));
  TRY(run_until(context, &solver->run, rules));
  if (solver->run.ended != ANS_END_EXHAUSTED || solver->engine->bits == solver->bits) return ANS_OK;
  /* Float is at its end, and double was asked for. */
  TRY(remake(context, solver, engine_of(solver->bits)));
  if (rules->seconds > 0) rules->seconds = fmax(rules->seconds - (solver->run.seconds - begun), 1e-9);
  return run_until(context, &solver->run, rules);
}

ans_status solver_step(ans_context *context, ans_solver *solver, long count) {
  return run_all(context, solver, &(run_rules){.goal = goal_after(solver, count)});
}

static ans_progress progress_of(const void *owner) { return solver_progress(owner); }

ans_status solver_run(ans_context *context, ans_solver *solver, const ans_run_rules *rules, ans_watcher watcher,
                      void *user_data) {
  long steps = rules->steps < 0 ? solver->choice.steps : rules->steps;
  run_rules own = run_rules_of(rules, goal_after(solver, steps), watcher, user_data, progress_of, solver);
  ans_status status = run_all(context, solver, &own);
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

long solver_steps(const ans_model *model, const ans_problem *problem, const ans_solver_options *options) {
  return method_steps(problem, options, model && model->kind == DESCRIPTOR_DICTIONARY);
}

ans_solver_info solver_info(const ans_solver *solver) {
  static const ans_mode modes[] = {
      [SOLVER_FULL] = ANS_FULL, [SOLVER_CODES] = ANS_CODES, [SOLVER_FROZEN_BASES] = ANS_FROZEN_BASES};
  const method_choice *choice = &solver->choice;
  return (ans_solver_info){
      .method = choice->optimiser == OPTIMISER_ADAM ? ANS_ADAM : ANS_GAUSS_NEWTON,
      .mode = modes[choice->mode],
      .time_weight = choice->time_weight,
      .moving_frame = choice->moving &&
                      chart_of(solver->instance, (chart_options){.moving = true, .common = solver->decoder}).moves,
      .precision = solver->engine->bits,
      .steps = choice->steps};
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

/* What a file says of the frame: 0 at rest, 1 moving, */
enum { WILL_MOVE = 2 }; /* or at rest until the first step */

/* Writes (file NULL) or reads the optimiser's block of the unknowns that move; of the others it is zero. */
static ans_status pass_block(ans_context *context, const ans_solver *solver, const char *path, const safetensors *file,
                             model_sheet *sheet, double *block) {
  for (int i = 0; i < solver->unknowns.count; i++) {
    const unknown_part *part = &solver->unknowns.parts[i];
    size_t rows = (size_t)part->rows, columns = (size_t)part->columns;
    char name[128];
    if (part->state == UNKNOWN_FROZEN) continue;
    snprintf(name, sizeof name, "%s.%s", solver->optimiser->class->blocks[0], part->name);
    if (file)
      TRY(model_read_tensor(context, path, file, name, rows, columns, block + part->offset));
    else
      sheet_tensor(sheet, name, solver->engine->bits, rows, columns, block + part->offset);
  }
  return ANS_OK;
}

/* What Gauss-Newton needs to go on with the same bits; a file of Adam's is as it always was. block: [unknowns], zero.
 */
static ans_status note_method(ans_context *context, model_sheet *sheet, const ans_solver *solver, double *block) {
  const optimiser_class *class = solver->optimiser->class;
  optimiser_state state = {.blocks = {block}};
  if (solver->choice.optimiser == OPTIMISER_ADAM) return ANS_OK;
  class->store(solver->optimiser, false, &state);
  sheet_note(sheet, "method", "%s", class->name);
  sheet_note(sheet, "time_weight", "%a", solver->choice.time_weight);
  sheet_note(sheet, "eases", "%d", solver->choice.eases);
  sheet_note(sheet, "moving", "%d", solver->guessing ? WILL_MOVE : solver->choice.moving);
  sheet_note(sheet, "scaled", "%d", solver->choice.scaled);
  sheet_note(sheet, "goal_bits", "%d", solver->bits);
  sheet_note(sheet, "updates", "%ld", state.updates);
  for (int i = 0; class->numbers[i]; i++) sheet_note(sheet, class->numbers[i], "%a", state.numbers[i]);
  return pass_block(context, solver, NULL, NULL, sheet, block);
}

static ans_status fill_sheet(ans_context *context, model_sheet *sheet, const ans_solver *solver, const char *values,
                             double *numbers) {
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
  sheet_note(sheet, "mode", "%d", (int)solver->choice.mode);
  TRY(note_method(context, sheet, solver, numbers + solver->unknowns.size));
  if (solver->choice.optimiser == OPTIMISER_ADAM) sheet_note(sheet, "rate", "%a", solver->optimiser->rate);
  sheet_note(sheet, "patience", "%d", solver->run.patience);
  sheet_unknowns(sheet, "", &solver->unknowns, head.bits, numbers);
  return ANS_OK;
}

ans_status solver_save(ans_context *context, const ans_solver *solver, const char *path) {
  double *numbers = memory_take(size_product(2 * solver->unknowns.size, sizeof *numbers));
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
  TRY(model_read_integer(context, path, file, "mode", SOLVER_FULL, SOLVER_FROZEN_BASES, &mode));
  TRY(model_read_integer(context, path, file, "patience", 0, INT_MAX, &patience));
  options->mode = mode == SOLVER_FULL ? ANS_FULL : mode == SOLVER_CODES ? ANS_CODES : ANS_FROZEN_BASES;
  options->patience = (int)patience;
  if (safetensors_note(file, "method")) return ANS_OK; /* its damping is part of its state */
  return model_read_rate(context, path, file, &options->rate);
}

/* A file without a method is Adam's. */
static ans_status read_method(ans_context *context, const char *path, const safetensors *file, ans_solver *solver,
                              ans_solver_options *options, int *bits, method_choice *charts) {
  const char *method = safetensors_note(file, "method");
  long flag, goal;
  options->method = ANS_ADAM;
  if (!method) return ANS_OK;
  FAIL_IF(strcmp(method, "gauss_newton") != 0 || solver->decoder, context, ANS_MODEL,
          "%s was adapted by \"%.40s\", which is not known here", path, method);
  options->method = ANS_GAUSS_NEWTON;
  TRY(model_read_number(context, path, file, "time_weight", &options->time_weight));
  FAIL_IF(!(options->time_weight >= 0 && options->time_weight <= 100), context, ANS_MODEL,
          "%s has no usable time weight", path);
  if (options->time_weight == 0) options->time_weight = -1; /* none, not: chosen anew */
  TRY(model_read_integer(context, path, file, "eases", 0, 1, &flag));
  charts->eases = flag;
  TRY(model_read_integer(context, path, file, "goal_bits", *bits, 64, &goal));
  TRY(model_read_integer(context, path, file, "moving", 0, WILL_MOVE, &flag));
  charts->moving = flag == 1;
  solver->guessing = flag == WILL_MOVE;
  TRY(model_read_integer(context, path, file, "scaled", 0, 1, &flag));
  charts->scaled = flag;
  *bits = goal == 32 ? 32 : 64;
  return ANS_OK;
}

static ans_status read_numbers(ans_context *context, const char *path, const safetensors *file,
                               const optimiser_class *class, optimiser_state *state) {
  TRY(model_read_integer(context, path, file, "updates", 0, LONG_MAX, &state->updates));
  for (int i = 0; class->numbers[i]; i++) {
    TRY(model_read_number(context, path, file, class->numbers[i], &state->numbers[i]));
    FAIL_IF(!(state->numbers[i] >= 0 && state->numbers[i] < 1e15), context, ANS_MODEL, "%s has no usable %s", path,
            class->numbers[i]);
  }
  return ANS_OK;
}

static ans_status read_state(ans_context *context, const char *path, const safetensors *file, ans_solver *solver) {
  if (solver->choice.optimiser == OPTIMISER_ADAM) return ANS_OK;
  const optimiser_class *class = solver->optimiser->class;
  double *block = memory_take(size_product(solver->unknowns.size, sizeof *block));
  optimiser_state state = {.blocks = {block}};
  ans_status status = block ? read_numbers(context, path, file, class, &state) : context_no_memory(context);
  if (status == ANS_OK) status = pass_block(context, solver, path, file, NULL, block);
  if (status == ANS_OK) class->load(solver->optimiser, &state);
  memory_give(block);
  return status;
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
  int now = bits;
  method_choice charts = {0};
  TRY(read_method(context, path, file, solver, &options, &bits, &charts));
  TRY(plan(context, solver, &options, bits, true));
  solver->engine = engine_of(now);
  solver->choice.moving = charts.moving;
  solver->choice.scaled = charts.scaled;
  solver->choice.eases = charts.eases;
  TRY(start_from_file(context, path, file, solver, &options));
  return read_state(context, path, file, solver);
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
