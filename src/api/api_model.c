/* SPDX-License-Identifier: Apache-2.0
 *
 * api_model.c - the public functions of models and their training.
 */
#include "api/api.h"
#include "training/training.h"

ans_status ans_model_read(ans_context *context, const char *path, ans_model **model) {
  return model_read(context, path, model);
}

ans_status ans_model_write(ans_context *context, const ans_model *model, const char *path) {
  return model_write(context, model, path);
}

void ans_model_free(ans_model *model) { model_free(model); }

const ans_problem *ans_model_problem(const ans_model *model) { return model_problem(model); }

ans_model_info ans_model_information(const ans_model *model) { return model_info(model); }

ans_array ans_model_array(const ans_model *model, size_t index) { return model_array(model, index); }

ans_status ans_model_coverage(ans_context *context, const ans_model *model, const ans_instance *instance,
                              ans_coverage *coverage) {
  *coverage = (ans_coverage){0};
  TRY(model_fits(context, model, instance));
  *coverage = model_coverage(model, instance);
  return ANS_OK;
}

long ans_problem_adapt_steps(const ans_problem *problem) { return problem->protocol.adapt.steps; }

ans_status api_check_precision(ans_context *context, int precision) {
  FAIL_IF(precision != 0 && precision != 32 && precision != 64, context, ANS_ARGUMENT,
          "the precision is 32 or 64 bits, not %d", precision);
  return ANS_OK;
}

ans_status api_check_rate(ans_context *context, double rate) {
  FAIL_IF(!(rate >= 0 && rate < 1e6), context, ANS_ARGUMENT, "the rate %g is not a learning rate", rate);
  return ANS_OK;
}

/* ---- Training ---------------------------------------------------------------------------------------- */

ans_status ans_training_begin(ans_context *context, const ans_problem *problem, const ans_training_options *options,
                              ans_training **training) {
  ans_training_options own = {0};
  if (options) api_options(&own, sizeof own, options, API_SIZE_UP_TO(ans_training_options, precision));
  *training = NULL;
  descriptor_kind kind = DESCRIPTOR_GRAPH;
  const char *name = own.descriptor;
  FAIL_IF(name && !descriptor_parse(name, &kind), context, ANS_ARGUMENT, "there is no descriptor \"%s\"", name);
  TRY(api_check_precision(context, own.precision));
  TRY(api_check_rate(context, own.rate));
  FAIL_IF(own.rounds < 0 || own.rounds > 16, context, ANS_ARGUMENT, "rounds is %d and must be 1 to 16", own.rounds);
  FAIL_IF(own.steps < 0 || own.steps > TRAINING_MAX_STEPS, context, ANS_ARGUMENT, "steps is %ld and must be 1 to %d",
          own.steps, TRAINING_MAX_STEPS);
  own.threads = api_threads(own.threads);
  return training_begin(context, problem, kind, &own, training);
}

ans_status ans_training_step(ans_context *context, ans_training *training, long count) {
  return training_step(context, training, count);
}

ans_run_rules api_rules(const ans_run_rules *rules) {
  ans_run_rules own = ANS_RUN_RULES_DEFAULT;
  if (rules) api_options(&own, sizeof own, rules, API_SIZE_UP_TO(ans_run_rules, interrupt));
  if (!(own.seconds > 0)) own.seconds = 0;
  return own;
}

ans_status ans_training_run(ans_context *context, ans_training *training, const ans_run_rules *rules,
                            ans_watcher watcher, void *user_data) {
  ans_run_rules own = api_rules(rules);
  return training_run(context, training, &own, watcher, user_data);
}

ans_progress ans_training_state(const ans_training *training) { return training_progress(training); }

const double *ans_training_losses(const ans_training *training, size_t *count) {
  return training_losses(training, count);
}

void ans_training_share(ans_training *training, const ans_fellows *fellows) { training_share(training, fellows); }

void ans_training_plan(ans_training *training, long steps) { training_plan(training, steps); }

ans_status ans_training_save(ans_context *context, ans_training *training, const char *path) {
  return training_save(context, training, path);
}

ans_status ans_training_resume(ans_context *context, const char *path, int threads, ans_training **training) {
  return training_resume(context, path, api_threads(threads), training);
}

ans_status ans_training_model(ans_context *context, const ans_training *training, ans_model **model) {
  return training_model(context, training, model);
}

void ans_training_free(ans_training *training) { training_free(training); }
