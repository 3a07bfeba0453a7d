/* SPDX-License-Identifier: Apache-2.0
 *
 * Meta-training as begin, step, save, resume. A checkpoint is a model file with Adam's moments, the losses so far,
 * the present rate and what a bad step would return to; points and coefficients need no state, because their streams
 * are named by the step.
 */
#include "training/training.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "training/model.h"
#include "training/run.h"
#include "training/sampler.h"

struct ans_training {
  ans_model *model; /* its parameters are filled when they are wanted */
  const precision_table *table;
  meta *meta;
  run run;
  long steps; /* planned */
};

/* Told before the first step, not at the first checkpoint. That holds six blocks at most: parameters and moments, and
 * those that a diverging run returns to. */
static ans_status check_size(ans_context *context, const ans_model *model) {
  size_t most = (SAFETENSORS_MAX_FILE - SAFETENSORS_MAX_HEADER) / (6 * (size_t)model->bits / 8);
  FAIL_IF(model->unknowns.size > most, context, ANS_UNSUPPORTED,
          "the networks have %zu parameters, and a checkpoint holds at most %zu", model->unknowns.size, most);
  return ANS_OK;
}

static ans_status start(ans_context *context, ans_training *training, int threads) {
  ans_model *model = training->model;
  const system_budget *budget = &model->problem->train;
  training->table = precision_of(model->bits);
  TRY(training->table->meta.make(context, model->problem, model->kind, model->rounds, model->seed, threads,
                                 &training->meta));
  training->run.table = training->table;
  training->run.gradient = training->table->meta.gradient;
  training->run.object = training->meta;
  training->run.descent = training->table->meta.parameters(training->meta);
  training->run.clip = budget->clip;
  training->run.what = "training";
  return run_begin(context, &training->run, training->steps);
}

ans_status training_begin(ans_context *context, const ans_problem *problem, descriptor_kind kind,
                          const ans_training_options *options, ans_training **result) {
  *result = NULL;
  ans_training *training = memory_take(sizeof *training);
  if (!training) return context_no_memory(context);
  training->steps = options->steps > 0 ? options->steps : problem->train.steps;
  training->run.rate = options->rate > 0 ? options->rate : problem->train.rate;
  ans_status status = model_new(context, problem, kind, options->rounds, options->seed,
                                options->precision == 64 ? 64 : 32, &training->model);
  if (status == ANS_OK) status = check_size(context, training->model);
  if (status == ANS_OK) status = model_take_parameters(context, training->model);
  if (status == ANS_OK) status = start(context, training, options->threads > 0 ? options->threads : 1);
  if (status == ANS_OK)
    *result = training;
  else
    training_free(training);
  return status;
}

void training_free(ans_training *training) {
  if (!training) return;
  if (training->table) training->table->meta.drop(training->meta);
  run_end(&training->run);
  model_free(training->model);
  memory_give(training);
}

ans_status training_step(ans_context *context, ans_training *training, long count) {
  long rest = training->steps - training->run.step, goal = training->run.step + (count < rest ? count : rest);
  while (training->run.step < goal) TRY(run_step(context, &training->run));
  return ANS_OK;
}

ans_progress training_progress(const ans_training *training) {
  const run *run = &training->run;
  return (ans_progress){.step = run->step,
                        .steps = training->steps,
                        .loss = run_loss(run),
                        .gradient_norm = run->norm,
                        .rate = run->rate,
                        .radius = sampler_radius(&training->model->problem->sampler, run->step + 1),
                        .returns = run->returns};
}

const double *training_losses(const ans_training *training, size_t *count) {
  *count = (size_t)training->run.step;
  return training->run.losses;
}

void training_plan(ans_training *training, long steps) {
  training->steps = steps < 0 ? 0 : steps > TRAINING_MAX_STEPS ? TRAINING_MAX_STEPS : steps;
}

ans_status training_model(ans_context *context, const ans_training *training, ans_model **result) {
  const ans_model *own = training->model;
  TRY(model_new(context, own->problem, own->kind, own->rounds, own->seed, own->bits, result));
  ans_status status = model_take_parameters(context, *result);
  if (status != ANS_OK) {
    model_free(*result);
    *result = NULL;
    return status;
  }
  training->table->descent.store(training->run.descent, &(descent_state){.parameters = (*result)->parameters});
  (*result)->steps = training->run.step;
  return ANS_OK;
}

/* ---- Checkpoints ------------------------------------------------------------------------------------- */

/* Room for what goes beside the parameters, [5][size]: Adam's moments, then kept parameters and moments. */
static ans_status take_room(ans_context *context, const ans_training *training, double **room) {
  *room = memory_take(size_product(training->model->unknowns.size, 5 * sizeof **room));
  return *room ? ANS_OK : context_no_memory(context);
}

static descent_state kept_state(double *room, size_t size) {
  return (descent_state){room + 2 * size, room + 3 * size, room + 4 * size, 0};
}

static void sheet_kept(model_sheet *sheet, const ans_training *training, double *room) {
  size_t size = training->model->unknowns.size;
  descent_state state = kept_state(room, size);
  training->table->descent.store_kept(training->run.descent, &state);
  sheet_note(sheet, "kept_step", "%ld", training->run.kept_step);
  sheet_note(sheet, "kept_updates", "%ld", state.updates);
  sheet_tensor(sheet, "kept", training->model->bits, 3, size, state.parameters);
}

static ans_status write_checkpoint(ans_context *context, const ans_training *training, double *room, const char *path) {
  ans_model *model = training->model;
  const unknown_table *unknowns = &model->unknowns;
  descent_state state = {model->parameters, room, room + unknowns->size, 0};
  training->table->descent.store(training->run.descent, &state);
  model->steps = training->run.step;
  model_sheet *sheet;
  TRY(sheet_new(context, &sheet));
  sheet_model(sheet, "checkpoint", model);
  sheet_note(sheet, "planned", "%ld", training->steps);
  sheet_note(sheet, "updates", "%ld", state.updates);
  sheet_note(sheet, "returns", "%d", training->run.returns);
  sheet_note(sheet, "rate", "%a", training->run.rate);
  sheet_unknowns(sheet, "", unknowns, model->bits, state.parameters);
  sheet_unknowns(sheet, "first.", unknowns, model->bits, state.first);
  sheet_unknowns(sheet, "second.", unknowns, model->bits, state.second);
  sheet_tensor(sheet, "losses", 64, (size_t)training->run.step, 0, training->run.losses);
  if (training->run.kept_step != training->run.step) sheet_kept(sheet, training, room);
  ans_status status = sheet_write(context, sheet, path);
  sheet_free(sheet);
  return status;
}

ans_status training_save(ans_context *context, ans_training *training, const char *path) {
  double *room;
  TRY(take_room(context, training, &room));
  ans_status status = write_checkpoint(context, training, room, path);
  memory_give(room);
  return status;
}

/* Adam's moments and the losses. */
static ans_status read_numbers(ans_context *context, const char *path, const safetensors *file, const ans_model *model,
                               double *moments, double *losses) {
  const unknown_table *unknowns = &model->unknowns;
  TRY(model_read_unknowns(context, path, file, "first.", unknowns, moments));
  TRY(model_read_unknowns(context, path, file, "second.", unknowns, moments + unknowns->size));
  return model_read_tensor(context, path, file, "losses", (size_t)model->steps, 0, losses);
}

/* What a bad step returns to: the checkpoint itself, unless it holds something else. */
static ans_status read_kept(ans_context *context, const char *path, const safetensors *file, const ans_model *model,
                            double *room, long *step, descent_state *state) {
  *step = model->steps;
  if (!safetensors_note(file, "kept_step")) return ANS_OK;
  *state = kept_state(room, model->unknowns.size);
  TRY(model_read_integer(context, path, file, "kept_step", 0, model->steps, step));
  TRY(model_read_integer(context, path, file, "kept_updates", 0, 1000000000, &state->updates));
  return model_read_tensor(context, path, file, "kept", 3, model->unknowns.size, state->parameters);
}

static ans_status continue_with(ans_context *context, const char *path, const safetensors *file, ans_training *training,
                                int threads, long updates, double *room, double *losses) {
  const ans_model *model = training->model;
  descent_state now = {model->parameters, room, room + model->unknowns.size, updates}, kept = now;
  long kept_step;
  TRY(read_numbers(context, path, file, model, room, losses));
  TRY(read_kept(context, path, file, model, room, &kept_step, &kept));
  TRY(start(context, training, threads));
  return run_resume(context, &training->run, model->steps, losses, &now, kept_step, &kept);
}

static ans_status continue_from(ans_context *context, const char *path, const safetensors *file, ans_training *training,
                                int threads) {
  ans_model *model = training->model;
  long updates, returns;
  TRY(model_read_integer(context, path, file, "planned", 0, TRAINING_MAX_STEPS, &training->steps));
  TRY(model_read_integer(context, path, file, "updates", 0, 1000000000, &updates));
  TRY(model_read_integer(context, path, file, "returns", 0, RUN_RETRIES, &returns));
  TRY(model_read_rate(context, path, file, &training->run.rate));
  TRY(model_read_parameters(context, path, file, model));
  const tensor *stored = safetensors_find(file, "losses");
  FAIL_IF(!stored || stored->count != (size_t)model->steps, context, ANS_MODEL,
          "%s has not the losses of its %ld steps", path, model->steps);
  training->run.returns = (int)returns;
  double *room;
  TRY(take_room(context, training, &room));
  double *losses = memory_take(size_product((size_t)model->steps, sizeof *losses));
  ans_status status = losses ? continue_with(context, path, file, training, threads, updates, room, losses)
                             : context_no_memory(context);
  memory_give(losses);
  memory_give(room);
  return status;
}

ans_status training_resume(ans_context *context, const char *path, int threads, ans_training **result) {
  *result = NULL;
  safetensors *file;
  TRY(model_open(context, path, "checkpoint", &file));
  ans_training *training = memory_take(sizeof *training);
  ans_status status = training ? model_read_plan(context, path, file, &training->model) : context_no_memory(context);
  if (status == ANS_OK) status = continue_from(context, path, file, training, threads > 0 ? threads : 1);
  if (status == ANS_OK)
    *result = training;
  else
    training_free(training);
  safetensors_free(file);
  return status;
}
