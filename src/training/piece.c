/* SPDX-License-Identifier: Apache-2.0
 *
 * piece.c - see piece.h.
 */
#include "training/piece.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "field/chart.h"
#include "training/safetensors.h"

/* The piece's own copy of the instance. */
static ans_status copy_instance(ans_context *context, piece *piece, const ans_instance *instance) {
  piece->problem = system_share(instance->problem);
  return system_instance_like(context, piece->problem, instance, &piece->instance);
}

static adaptation_options plan_of(const piece *piece) {
  return (adaptation_options){.mode = piece->choice.mode,
                              .seed = piece->seed,
                              .threads = piece->threads,
                              .decoder = piece->decoder,
                              .fixed_points = piece->choice.most_points,
                              .judging_points = piece->choice.points / 2,
                              .time_weight = piece->choice.time_weight,
                              .eases = piece->choice.eases,
                              .smooth = piece->choice.smooth,
                              .moving = piece->choice.moving,
                              .scaled = piece->choice.scaled};
}

/* Everything that needs no memory of the network's size. `known`: not from scratch. */
ans_status piece_plan(ans_context *context, piece *piece, const ans_solver_options *options, int bits, bool known) {
  piece->choice = method_choose(piece->instance, options, piece->decoder, known);
  bool newton = piece->choice.optimiser == OPTIMISER_GAUSS_NEWTON;
  if (newton && piece->most_points > 0) piece->choice.points = piece->choice.most_points = piece->most_points;
  if (piece->hasty) piece->choice.most_points = piece->choice.points;
  if (newton && piece->spare_points > piece->choice.points) piece->choice.most_points = piece->spare_points;
  piece->bits = bits;
  piece->engine = engine_of(newton ? 32 : bits);
  piece->seed = options->seed;
  piece->threads = options->threads > 0 ? options->threads : 1;
  adaptation_options network = plan_of(piece);
  TRY(piece->engine->solver_unknowns(context, piece->arena, piece->problem, &network, &piece->unknowns));
  if (!newton) return ANS_OK;
  size_t columns = unknown_free_count(&piece->unknowns);
  piece->choice.points = method_points(piece->instance, piece->choice.points, columns, bits);
  piece->choice.most_points = method_points(piece->instance, piece->choice.most_points, columns, bits);
  return ANS_OK;
}

static ans_status make_optimiser(ans_context *context, piece *piece, const optimiser_settings *settings) {
  const optimiser_class *class = piece->engine->optimisers[piece->choice.optimiser];
  if (piece->optimiser && class->restart) return class->restart(context, piece->optimiser, settings);
  if (piece->optimiser) piece->optimiser->class->end(piece->optimiser);
  piece->optimiser = NULL;
  return class->begin(context, piece->adaptation, settings, &piece->optimiser);
}

/* The present engine's objective and optimiser, from these numbers or (NULL) from scratch; those there are are used
 * again. */
static ans_status make_parts(ans_context *context, piece *piece, double rate, const double *numbers) {
  const protocol_budget *budget = &piece->problem->protocol.adapt;
  bool newton = piece->choice.optimiser == OPTIMISER_GAUSS_NEWTON;
  adaptation_options network = plan_of(piece);
  optimiser_settings settings = {.rate = rate > 0 ? rate
                                         : newton ? 0
                                                  : budget->rate,
                                 .clip = budget->clip,
                                 .points = piece->first_points,
                                 .enough = piece->choice.points,
                                 .hasty = piece->hasty,
                                 .threads = piece->threads};
  network.start = numbers;
  if (piece->adaptation)
    TRY(piece->engine->renew(context, piece->adaptation, piece->instance, &network));
  else
    TRY(piece->engine->adaptation(context, piece->instance, &network, &piece->adaptation));
  TRY(make_optimiser(context, piece, &settings));
  piece->run.optimiser = piece->optimiser;
  piece->run.judge = piece->engine->judge;
  return ANS_OK;
}

static void drop_parts(piece *piece) {
  if (piece->optimiser) piece->optimiser->class->end(piece->optimiser);
  if (piece->engine) piece->engine->drop(piece->adaptation);
  piece->optimiser = NULL;
  piece->adaptation = NULL;
}

/* ---- The tolerance ----------------------------------------------------------------------------------- */

static ans_status network_of(ans_context *context, void *object, int span, const double *points, size_t count,
                             const system_orders *orders, double *values) {
  (void)span;
  return piece_evaluate_all(context, object, points, count, orders, values);
}

ans_status piece_estimate(ans_context *context, piece *piece, bool rough, estimate **result) {
  estimate_network network = {.evaluate = network_of, .object = piece, .rough = rough};
  return estimate_new(context, piece->instance, &network, result);
}

/* Is the error small enough? */
static ans_status verify_goal(ans_context *context, piece *piece, ans_end *end) {
  goal *goal = &piece->goal;
  bool best;
  goal_verdict verdict;
  estimate *estimate;
  if (goal->begun && piece->run.step % goal->stride != 0) return ANS_OK;
  double residual = piece->engine->judge(piece->adaptation);
  if (!goal_due(goal, piece->run.step, residual)) return ANS_OK;
  TRY(piece_estimate(context, piece, false, &estimate));
  ans_status status = goal_judge(context, goal, piece->run.step, residual, estimate_result(estimate), &best, &verdict);
  estimate_free(estimate);
  TRY(status);
  if (best) piece->engine->store(piece->adaptation, goal->kept);
  *end = verdict == GOAL_MET ? ANS_END_TOLERANCE : verdict == GOAL_STALLED ? ANS_END_STALLED : ANS_END_NONE;
  return ANS_OK;
}

static ans_status begin_goal(ans_context *context, piece *piece, double tolerance) {
  enum { MANY_CHEAP_STEPS = 50 };
  double *kept = piece->goal.kept; /* of the equation before */
  piece->goal = (goal){.tolerance = tolerance,
                       .stride = piece->choice.optimiser == OPTIMISER_GAUSS_NEWTON ? 1 : MANY_CHEAP_STEPS};
  piece->goal.kept = kept ? kept : arena_array(piece->arena, double, piece->unknowns.size);
  return piece->goal.kept ? ANS_OK : context_no_memory(context);
}

/* run.verify: after every step. */
static ans_status look_at_step(ans_context *context, void *owner, ans_end *end) {
  piece *piece = owner;
  if (piece->best.numbers && piece->run.step % RUN_JUDGE_EVERY == 0)
    best_look(&piece->best, piece->engine, piece->adaptation);
  return piece->goal.tolerance > 0 ? verify_goal(context, piece, end) : ANS_OK;
}

/* A run that misses its tolerance ends with the best estimate that was seen, one that is resumed with the best loss. */
void piece_settle(piece *piece) {
  goal *goal = &piece->goal;
  if (!goal->begun && piece->best.numbers) best_settle(&piece->best, piece->engine, piece->adaptation);
  if (goal->begun && piece->run.ended != ANS_END_TOLERANCE && goal->least < goal->error)
    piece->engine->load(piece->adaptation, goal->kept);
}

/* ---- Beginning --------------------------------------------------------------------------------------- */

/* A few words of text can ask for any size: refused before memory of that size is taken. */
static ans_status check_size(ans_context *context, const piece *piece) {
  size_t most = (SAFETENSORS_MAX_FILE - SAFETENSORS_MAX_HEADER) / ((size_t)piece->engine->bits / 8);
  FAIL_IF(piece->unknowns.size > most, context, ANS_UNSUPPORTED,
          "the network has %zu parameters, and the file of a solver holds at most %zu", piece->unknowns.size, most);
  return ANS_OK;
}

/* From these numbers, or (NULL) from scratch. */
ans_status piece_start(ans_context *context, piece *piece, const ans_solver_options *options, const double *numbers,
                       long expected_steps) {
  TRY(check_size(context, piece));
  TRY(make_parts(context, piece, options->rate, numbers));
  piece->run.what = "adaptation";
  piece->run.patience = options->patience;
  piece->run.verify = look_at_step;
  piece->run.verify_owner = piece;
  if (options->tolerance > 0) TRY(begin_goal(context, piece, options->tolerance));
  return run_begin(context, &piece->run, expected_steps);
}

/* Codes predicted, backbone copied. */
static ans_status start_from_model(ans_context *context, piece *piece, const ans_model *model,
                                   const ans_solver_options *options) {
  bool rests;
  TRY(guess_take(context, piece, model, &rests));
  piece->guessing = rests && piece->choice.optimiser == OPTIMISER_GAUSS_NEWTON;
  if (piece->guessing) piece->choice.moving = false;
  return piece_start(context, piece, options, piece->guess.numbers, piece->choice.steps);
}

/* From the numbers of another piece whose network has the same shape. */
static ans_status start_like(ans_context *context, piece *piece, const struct piece *like,
                             const ans_solver_options *options) {
  double *numbers = memory_take(size_product(like->unknowns.size, sizeof *numbers));
  if (!numbers) return context_no_memory(context);
  like->engine->store(like->adaptation, numbers);
  /* Along one coordinate points are cheap, and few of them would lose a thin layer that the start has. */
  if (piece->problem->coordinate_count == 1) piece->first_points = piece->choice.points;
  ans_status status = piece_start(context, piece, options, numbers, piece->choice.steps);
  memory_give(numbers);
  return status;
}

static bool same_shape(const unknown_table *a, const unknown_table *b) {
  if (a->count != b->count || a->size != b->size) return false;
  for (int i = 0; i < a->count; i++)
    if (a->parts[i].rows != b->parts[i].rows || a->parts[i].columns != b->parts[i].columns) return false;
  return true;
}

/* own: of a model or a file; 0: none. */
static int bits_of(int own, const ans_solver_options *options) {
  if (options->precision) return options->precision;
  if (options->tolerance > 0 && options->tolerance < GOAL_SINGLE) return 64;
  return own ? own : 32;
}

ans_status piece_bits(ans_context *context, const ans_solver_options *options, int *bits) {
  *bits = bits_of(*bits, options);
  return goal_check(context, options->tolerance, *bits);
}

/* Where float ends above the tolerance, Gauss-Newton goes on in double. */
static void end_in_double(piece *piece, const ans_solver_options *options) {
  bool newton = piece->choice.optimiser == OPTIMISER_GAUSS_NEWTON;
  if (newton && options->tolerance > 0 && !options->precision) piece->bits = 64;
}

void piece_resume(piece *piece, const ans_solver_options *options, int bits) {
  piece->resumed = true;
  end_in_double(piece, options);
  if (piece->choice.optimiser == OPTIMISER_GAUSS_NEWTON)
    piece->engine = engine_of(bits < piece->bits ? bits : piece->bits);
}

static bool is_decoder(const ans_model *model) { return model && model->kind == DESCRIPTOR_DICTIONARY; }

static ans_status fill(ans_context *context, piece *piece, const ans_model *model, const struct piece *like,
                       const ans_instance *instance, const ans_solver_options *options) {
  if (model) TRY(model_fits(context, model, instance));
  int bits = model ? model->bits : 0;
  TRY(piece_bits(context, options, &bits));
  piece->decoder = is_decoder(model);
  TRY(arena_new(context, &piece->arena));
  TRY(copy_instance(context, piece, instance));
  TRY(piece_plan(context, piece, options, bits, model != NULL));
  end_in_double(piece, options);
  piece->single_suffices = !model && !options->precision;
  if (!model && like && same_shape(&piece->unknowns, &like->unknowns)) return start_like(context, piece, like, options);
  return model ? start_from_model(context, piece, model, options)
               : piece_start(context, piece, options, NULL, piece->choice.steps);
}

static ans_status begin(ans_context *context, const ans_model *model, const piece *like, const ans_instance *instance,
                        const ans_solver_options *options, int most_points, bool hasty, piece **result) {
  *result = NULL;
  piece *piece = memory_take(sizeof *piece);
  if (!piece) return context_no_memory(context);
  piece->most_points = most_points;
  piece->hasty = hasty;
  ans_status status = fill(context, piece, model, like, instance, options);
  guess_drop(&piece->guess); /* most pieces never see another equation */
  if (status == ANS_OK)
    *result = piece;
  else
    piece_free(piece);
  return status;
}

ans_status piece_begin(ans_context *context, const ans_model *model, const piece *like, const ans_instance *instance,
                       const ans_solver_options *options, bool hasty, piece **result) {
  return begin(context, model, like, instance, options, 0, hasty, result);
}

ans_status piece_begin_light(ans_context *context, const ans_model *model, const ans_instance *instance,
                             const ans_solver_options *options, int most_points, piece **result) {
  return begin(context, model, NULL, instance, options, most_points, false, result);
}

bool piece_renewable(const piece *piece, const ans_model *model, const ans_instance *instance,
                     const ans_solver_options *options) {
  bool newton = piece->choice.optimiser == OPTIMISER_GAUSS_NEWTON;
  return piece->problem == instance->problem && piece->most_points == 0 && piece->decoder == is_decoder(model) &&
         piece->engine == engine_of(newton ? 32 : bits_of(model ? model->bits : 0, options));
}

/* With the same problem and options the unknowns and the number of points are the same. */
ans_status piece_renew(ans_context *context, piece *piece, const ans_model *model, const ans_instance *instance,
                       const ans_solver_options *options) {
  ans_instance *own;
  int points = piece->choice.points, most = piece->choice.most_points;
  if (model) TRY(model_fits(context, model, instance));
  TRY(system_instance_like(context, piece->problem, instance, &own));
  system_instance_free(piece->instance);
  piece->instance = own;
  piece->choice = method_choose(own, options, piece->decoder, model != NULL);
  piece->choice.points = points;
  piece->choice.most_points = most;
  piece->guessing = false;
  piece->resumed = false;
  piece->best = (best){0};
  run_forget(&piece->run);
  return model ? start_from_model(context, piece, model, options)
               : piece_start(context, piece, options, NULL, piece->choice.steps);
}

static ans_status refill(ans_context *context, piece *piece, const ans_instance *instance,
                         const ans_solver_options *options, int bits, bool moving, bool scaled, const double *numbers,
                         size_t count) {
  TRY(arena_new(context, &piece->arena));
  TRY(copy_instance(context, piece, instance));
  int goal = bits;
  TRY(piece_bits(context, options, &goal));
  TRY(piece_plan(context, piece, options, goal, true));
  FAIL_IF(count != piece->unknowns.size, context, ANS_MODEL, "a window has %zu numbers where its network needs %zu",
          count, piece->unknowns.size);
  piece_resume(piece, options, bits);
  piece->choice.moving = moving;
  piece->choice.scaled = scaled;
  return piece_start(context, piece, options, numbers, 0);
}

ans_status piece_restore(ans_context *context, const ans_instance *instance, const ans_solver_options *options,
                         int bits, bool moving, bool scaled, const double *numbers, size_t count, piece **result) {
  *result = NULL;
  piece *piece = memory_take(sizeof *piece);
  if (!piece) return context_no_memory(context);
  ans_status status = refill(context, piece, instance, options, bits, moving, scaled, numbers, count);
  if (status == ANS_OK)
    *result = piece;
  else
    piece_free(piece);
  return status;
}

void piece_free(piece *piece) {
  if (!piece) return;
  drop_parts(piece);
  guess_drop(&piece->guess);
  run_end(&piece->run);
  system_instance_free(piece->instance);
  system_free(piece->problem);
  arena_free(piece->arena);
  memory_give(piece);
}

/* ---- Steps ------------------------------------------------------------------------------------------- */

/* The step after `count` more. */
static long goal_after(const piece *piece, long count) {
  return count < LONG_MAX - piece->run.step ? piece->run.step + count : LONG_MAX;
}

void piece_begin_anew(piece *piece) {
  const optimiser_class *class = piece->optimiser->class;
  optimiser_state state = {0};
  class->store(piece->optimiser, false, &state);
  class->load(piece->optimiser, &state); /* without the blocks, which are then zero */
  if (class->refresh) class->refresh(piece->optimiser);
  class->keep(piece->optimiser);
  piece->run.kept_step = piece->run.step;
  piece->run.ended = ANS_END_NONE;
}

/* The same unknowns, damping and points once more, in the numbers of another engine. */
static ans_status remake(ans_context *context, piece *piece, const engine *engine) {
  size_t size = piece->unknowns.size;
  optimiser_state state = {.unknowns = memory_take(size_product(2 * size, sizeof(double)))};
  if (!state.unknowns) return context_no_memory(context);
  state.blocks[0] = state.unknowns + size;
  piece->optimiser->class->store(piece->optimiser, false, &state);
  drop_parts(piece);
  piece->engine = engine;
  ans_status status = make_parts(context, piece, 0, state.unknowns);
  if (status == ANS_OK) {
    piece->optimiser->class->load(piece->optimiser, &state);
    piece->optimiser->class->refresh(piece->optimiser);
  }
  memory_give(state.unknowns);
  piece->run.ended = ANS_END_NONE;
  if (status == ANS_OK) piece->optimiser->class->keep(piece->optimiser);
  piece->run.kept_step = piece->run.step;
  return status;
}

static ans_status leave_guess(ans_context *context, piece *piece) {
  piece->guessing = false;
  piece->choice.moving = true;
  TRY(piece->engine->reframe(context, piece->adaptation, true));
  piece_begin_anew(piece);
  return ANS_OK;
}

/* Whether the error is so large that double cannot be what it lacks, by the last estimate and the residual since. */
static bool is_far(const piece *piece) {
  static const double FAR = 1e-3;
  const goal *goal = &piece->goal;
  if (!piece->single_suffices || !goal->begun) return false;
  return goal->error * sqrt(piece->engine->judge(piece->adaptation) / goal->residual) > FAR;
}

static ans_status run_all(ans_context *context, piece *piece, run_rules *rules) {
  double begun = piece->run.seconds, worked = piece->run.work;
  if (piece->guessing && rules->goal > piece->run.step) TRY(leave_guess(context, piece));
  if (piece->resumed && !piece->best.numbers)
    TRY(best_begin(context, piece->arena, piece->engine, piece->adaptation, piece->unknowns.size, &piece->best));
  TRY(run_until(context, &piece->run, rules));
  if (piece->run.ended != ANS_END_EXHAUSTED || piece->engine->bits == piece->bits) return ANS_OK;
  /* Float is at its end, and double was asked for, or may help. */
  if (is_far(piece)) return ANS_OK;
  TRY(remake(context, piece, engine_of(piece->bits)));
  if (rules->seconds > 0) rules->seconds = fmax(rules->seconds - (piece->run.seconds - begun), 1e-9);
  if (rules->work > 0) rules->work = fmax(rules->work - (piece->run.work - worked), 1);
  return run_until(context, &piece->run, rules);
}

ans_status piece_run(ans_context *context, piece *piece, run_rules rules) {
  rules.goal = goal_after(piece, rules.goal);
  return run_all(context, piece, &rules);
}

ans_progress piece_progress(const piece *piece) {
  const run *run = &piece->run;
  return (ans_progress){.step = run->step,
                        .loss = run_loss(run),
                        .gradient_norm = piece->optimiser->norm,
                        .rate = piece->optimiser->rate,
                        .rollbacks = run->rollbacks,
                        .stopped = run->ended == ANS_END_PATIENCE || run->ended == ANS_END_EXHAUSTED ||
                                   run->ended == ANS_END_TOLERANCE || run->ended == ANS_END_STALLED,
                        .seconds = run->seconds,
                        .end = run->ended};
}

ans_solver_info piece_info(const piece *piece) {
  const method_choice *choice = &piece->choice;
  return (ans_solver_info){
      .method = choice->optimiser == OPTIMISER_ADAM ? ANS_ADAM : ANS_GAUSS_NEWTON,
      .mode = method_public_mode(choice->mode),
      .time_weight = choice->time_weight,
      .moving_frame =
          choice->moving && chart_of(piece->instance, (chart_options){.moving = true, .common = piece->decoder}).moves,
      .precision = piece->engine->bits,
      .steps = choice->steps};
}

ans_status piece_residual(ans_context *context, piece *piece, double *held_out, double *grid) {
  double loss = 0, mean_square = 0;
  if (held_out) *held_out = 0;
  if (grid) *grid = 0;
  if (held_out) loss = piece->engine->judge(piece->adaptation);
  if (grid) TRY(piece->engine->grid(context, piece->adaptation, &mean_square));
  FAIL_IF(!isfinite(loss) || !isfinite(mean_square), context, ANS_DIVERGED,
          "the residual is not finite: look at the sizes of coefficients, weights and functions");
  if (held_out) *held_out = loss;
  if (grid) *grid = mean_square;
  return ANS_OK;
}

ans_status piece_evaluate(ans_context *context, piece *piece, const double *points, size_t count, const uint8_t *order,
                          double *values) {
  system_orders only = {.count = 1};
  if (order) memcpy(only.list[0], order, (size_t)piece->problem->coordinate_count);
  return piece_evaluate_all(context, piece, points, count, &only, values);
}

ans_status piece_evaluate_all(ans_context *context, piece *piece, const double *points, size_t count,
                              const system_orders *orders, double *values) {
  return piece->engine->evaluate(context, piece->adaptation, points, count, orders, values);
}
