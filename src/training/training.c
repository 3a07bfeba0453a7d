/* SPDX-License-Identifier: Apache-2.0
 *
 * Meta-training as begin, step, save, resume. A checkpoint is a model file with the optimiser's state, the losses so
 * far, the present rate and what a bad step would roll back to; points and coefficients need no state, because their
 * streams are named by the step.
 */
#include "training/training.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "training/model.h"
#include "training/run.h"
#include "training/sampler.h"

struct ans_training {
  ans_model *model; /* its parameters are filled when they are wanted */
  const engine *engine;
  objective *meta;
  optimiser *optimiser;
  run run;
  long steps; /* planned */
};

static const optimiser_class *method(const ans_model *model) {
  return engine_of(model->bits)->optimisers[OPTIMISER_ADAM];
}

/* Arrays of an optimiser beside the unknowns. */
static size_t block_count(const optimiser_class *class) {
  size_t count = 0;
  while (class->blocks[count]) count++;
  return count;
}

/* Reported before the first step, not at the first checkpoint. That holds the optimiser's state twice at most: the
 * present one and the one to roll back to. */
static ans_status check_size(ans_context *context, const ans_model *model) {
  size_t bytes = 2 * (1 + block_count(method(model))) * (size_t)model->bits / 8;
  size_t most = (SAFETENSORS_MAX_FILE - SAFETENSORS_MAX_HEADER) / bytes;
  FAIL_IF(model->unknowns.size > most, context, ANS_UNSUPPORTED,
          "the networks have %zu parameters, and a checkpoint holds at most %zu", model->unknowns.size, most);
  return ANS_OK;
}

static ans_status start(ans_context *context, ans_training *training, int threads, double rate) {
  ans_model *model = training->model;
  optimiser_settings settings = {.rate = rate, .clip = model->problem->protocol.train.clip};
  training->engine = engine_of(model->bits);
  TRY(training->engine->meta(context, model->problem, model->kind, model->rounds, model->seed, threads,
                             &training->meta));
  TRY(method(model)->begin(context, training->meta, &settings, &training->optimiser));
  training->run.optimiser = training->optimiser;
  training->run.what = "training";
  return run_begin(context, &training->run, training->steps);
}

ans_status training_begin(ans_context *context, const ans_problem *problem, descriptor_kind kind,
                          const ans_training_options *options, ans_training **result) {
  *result = NULL;
  TRY(system_require_initial(context, problem));
  ans_training *training = memory_take(sizeof *training);
  if (!training) return context_no_memory(context);
  training->steps = options->steps > 0 ? options->steps : problem->protocol.train.steps;
  double rate = options->rate > 0 ? options->rate : problem->protocol.train.rate;
  ans_status status = model_new(context, problem, kind, options->rounds, options->seed,
                                options->precision == 64 ? 64 : 32, &training->model);
  if (status == ANS_OK) status = check_size(context, training->model);
  if (status == ANS_OK) status = model_take_parameters(context, training->model);
  if (status == ANS_OK) status = start(context, training, options->threads > 0 ? options->threads : 1, rate);
  if (status == ANS_OK)
    *result = training;
  else
    training_free(training);
  return status;
}

void training_free(ans_training *training) {
  if (!training) return;
  if (training->optimiser) training->optimiser->class->end(training->optimiser);
  if (training->engine) training->engine->drop(training->meta);
  run_end(&training->run);
  model_free(training->model);
  memory_give(training);
}

/* The step after `count` more, of those planned. */
static long goal_after(const ans_training *training, long count) {
  long rest = training->steps - training->run.step;
  return training->run.step + (count < rest ? count : rest);
}

ans_status training_step(ans_context *context, ans_training *training, long count) {
  return run_until(context, &training->run, &(run_rules){.goal = goal_after(training, count)});
}

static ans_progress progress_of(const void *owner) { return training_progress(owner); }

ans_status training_run(ans_context *context, ans_training *training, const ans_run_rules *rules, ans_watcher watcher,
                        void *user_data) {
  long steps = rules->steps < 0 ? training->steps : rules->steps;
  run_rules own = run_rules_of(rules, goal_after(training, steps), watcher, user_data, progress_of, training);
  return run_until(context, &training->run, &own);
}

void training_share(ans_training *training, const ans_fellows *fellows) {
  training->engine->share(training->meta, fellows);
}

ans_progress training_progress(const ans_training *training) {
  const run *run = &training->run;
  return (ans_progress){.step = run->step,
                        .steps = training->steps,
                        .loss = run_loss(run),
                        .gradient_norm = run->optimiser->norm,
                        .rate = run->optimiser->rate,
                        .radius = sampler_radius(&training->model->problem->protocol.sampler, run->step + 1),
                        .rollbacks = run->rollbacks,
                        .seconds = run->seconds,
                        .end = run->ended};
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
  training->engine->store(training->meta, (*result)->parameters);
  (*result)->steps = training->run.step;
  return ANS_OK;
}

/* ---- Checkpoints ------------------------------------------------------------------------------------- */

/* Memory for what goes beside the parameters: the optimiser's blocks, then the kept parameters and blocks. */
static ans_status take_state(ans_context *context, const ans_training *training, double **memory) {
  size_t blocks = 1 + 2 * block_count(method(training->model));
  *memory = memory_take(size_product(training->model->unknowns.size, blocks * sizeof **memory));
  return *memory ? ANS_OK : context_no_memory(context);
}

static optimiser_state state_in(const ans_model *model, double *unknowns, double *blocks) {
  optimiser_state state = {.unknowns = unknowns};
  for (size_t b = 0; b < block_count(method(model)); b++) state.blocks[b] = blocks + b * model->unknowns.size;
  return state;
}

static optimiser_state present_state(const ans_model *model, double *memory) {
  return state_in(model, model->parameters, memory);
}

static optimiser_state kept_state(const ans_model *model, double *memory) {
  double *kept = memory + block_count(method(model)) * model->unknowns.size;
  return state_in(model, kept, kept + model->unknowns.size);
}

static void sheet_numbers(model_sheet *sheet, const char *prefix, const optimiser_class *class,
                          const optimiser_state *state) {
  char key[64];
  for (int i = 0; class->numbers[i]; i++) {
    snprintf(key, sizeof key, "%s%s", prefix, class->numbers[i]);
    sheet_note(sheet, key, "%a", state->numbers[i]);
  }
}

static void sheet_kept(model_sheet *sheet, const ans_training *training, double *memory) {
  const ans_model *model = training->model;
  const optimiser_class *class = method(model);
  optimiser_state state = kept_state(model, memory);
  class->store(training->optimiser, true, &state);
  sheet_note(sheet, "kept_step", "%ld", training->run.kept_step);
  sheet_note(sheet, "kept_updates", "%ld", state.updates);
  sheet_numbers(sheet, "kept_", class, &state);
  sheet_tensor(sheet, "kept", model->bits, 1 + block_count(class), model->unknowns.size, state.unknowns);
}

/* Parameters, then the optimiser's blocks, each with the names of the unknowns after its own. */
static void sheet_blocks(model_sheet *sheet, const ans_model *model, const optimiser_state *state) {
  const optimiser_class *class = method(model);
  sheet_unknowns(sheet, "", &model->unknowns, model->bits, state->unknowns);
  for (int b = 0; class->blocks[b]; b++) {
    char prefix[32];
    snprintf(prefix, sizeof prefix, "%s.", class->blocks[b]);
    sheet_unknowns(sheet, prefix, &model->unknowns, model->bits, state->blocks[b]);
  }
}

static ans_status write_checkpoint(ans_context *context, const ans_training *training, double *memory,
                                   const char *path) {
  ans_model *model = training->model;
  optimiser_state state = present_state(model, memory);
  method(model)->store(training->optimiser, false, &state);
  model->steps = training->run.step;
  model_sheet *sheet;
  TRY(sheet_new(context, &sheet));
  ans_status status = sheet_model(context, sheet, "checkpoint", model);
  sheet_note(sheet, "planned", "%ld", training->steps);
  sheet_note(sheet, "updates", "%ld", state.updates);
  sheet_note(sheet, "rollbacks", "%d", training->run.rollbacks);
  sheet_note(sheet, "rate", "%a", training->optimiser->rate);
  sheet_numbers(sheet, "", method(model), &state);
  sheet_blocks(sheet, model, &state);
  sheet_tensor(sheet, "losses", 64, (size_t)training->run.step, 0, training->run.losses);
  if (training->run.kept_step != training->run.step) sheet_kept(sheet, training, memory);
  if (status == ANS_OK) status = sheet_write(context, sheet, path);
  sheet_free(sheet);
  return status;
}

ans_status training_save(ans_context *context, ans_training *training, const char *path) {
  double *memory;
  TRY(take_state(context, training, &memory));
  ans_status status = write_checkpoint(context, training, memory, path);
  memory_give(memory);
  return status;
}

static ans_status read_numbers(ans_context *context, const char *path, const safetensors *file, const char *prefix,
                               const optimiser_class *class, optimiser_state *state) {
  char key[64];
  for (int i = 0; class->numbers[i]; i++) {
    snprintf(key, sizeof key, "%s%s", prefix, class->numbers[i]);
    TRY(model_read_number(context, path, file, key, &state->numbers[i]));
  }
  snprintf(key, sizeof key, "%supdates", prefix);
  return model_read_integer(context, path, file, key, 0, TRAINING_MAX_STEPS, &state->updates);
}

static ans_status read_blocks(ans_context *context, const char *path, const safetensors *file, const ans_model *model,
                              optimiser_state *state) {
  const optimiser_class *class = method(model);
  for (int b = 0; class->blocks[b]; b++) {
    char prefix[32];
    snprintf(prefix, sizeof prefix, "%s.", class->blocks[b]);
    TRY(model_read_unknowns(context, path, file, prefix, &model->unknowns, state->blocks[b]));
  }
  return ANS_OK;
}

/* What a bad step rolls back to: the checkpoint itself, unless it holds something else. */
static ans_status read_kept(ans_context *context, const char *path, const safetensors *file, const ans_model *model,
                            double *memory, long *step, optimiser_state *state) {
  const optimiser_class *class = method(model);
  *step = model->steps;
  if (!safetensors_note(file, "kept_step")) return ANS_OK;
  *state = kept_state(model, memory);
  TRY(model_read_integer(context, path, file, "kept_step", 0, model->steps, step));
  TRY(read_numbers(context, path, file, "kept_", class, state));
  return model_read_tensor(context, path, file, "kept", 1 + block_count(class), model->unknowns.size, state->unknowns);
}

static ans_status continue_with(ans_context *context, const char *path, const safetensors *file, ans_training *training,
                                int threads, double *memory, double *losses) {
  const ans_model *model = training->model;
  optimiser_state now = present_state(model, memory), kept;
  long kept_step;
  double rate;
  TRY(model_read_rate(context, path, file, &rate));
  TRY(read_numbers(context, path, file, "", method(model), &now));
  TRY(read_blocks(context, path, file, model, &now));
  TRY(model_read_tensor(context, path, file, "losses", (size_t)model->steps, 0, losses));
  kept = now;
  TRY(read_kept(context, path, file, model, memory, &kept_step, &kept));
  TRY(start(context, training, threads, rate));
  return run_resume(context, &training->run, model->steps, losses, &now, kept_step, &kept);
}

static ans_status continue_from(ans_context *context, const char *path, const safetensors *file, ans_training *training,
                                int threads) {
  assert(training);
  ans_model *model = training->model;
  long rollbacks;
  TRY(model_read_integer(context, path, file, "planned", 0, TRAINING_MAX_STEPS, &training->steps));
  const char *key = safetensors_note(file, "returns") ? "returns" : "rollbacks"; /* the former until version 0.2 */
  TRY(model_read_integer(context, path, file, key, 0, RUN_RETRIES, &rollbacks));
  TRY(model_read_parameters(context, path, file, model));
  const tensor *stored = safetensors_find(file, "losses");
  FAIL_IF(!stored || stored->count != (size_t)model->steps, context, ANS_MODEL,
          "%s has not the losses of its %ld steps", path, model->steps);
  training->run.rollbacks = (int)rollbacks;
  double *memory;
  TRY(take_state(context, training, &memory));
  double *losses = memory_take(size_product((size_t)model->steps, sizeof *losses));
  ans_status status =
      losses ? continue_with(context, path, file, training, threads, memory, losses) : context_no_memory(context);
  memory_give(losses);
  memory_give(memory);
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
