/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_trial.h"

#include <math.h>
#include <time.h>

#include "interrupt.h"

typedef struct trial_watch {
  ans_context *context;
  ans_solver *solver;
  const trial_plan *plan;
  const ans_solution *reference;
  trial *trial;
  double resumed, spent; /* when the steps went on; processor seconds in steps */
  ans_status status;
} trial_watch;

static double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static ans_status look(trial_watch *watch) {
  double errors[ANS_MAX_FIELDS], mean = 0;
  size_t fields = ans_solution_field_count(watch->reference);
  ans_solution *solution = NULL;
  ans_status status = ans_solver_solution_like(watch->context, watch->solver, watch->reference, &solution);
  if (status == ANS_OK) status = ans_solution_compare(watch->context, solution, watch->reference, errors);
  ans_solution_free(solution);
  if (status != ANS_OK) return status;
  for (size_t f = 0; f < fields; f++) mean += errors[f] / (double)fields;
  trial *trial = watch->trial;
  int at = trial->count < TRIAL_LOOKS ? trial->count++ : TRIAL_LOOKS - 1;
  trial->seconds[at] = watch->spent;
  trial->errors[at] = mean;
  return ANS_OK;
}

static bool watch_step(void *user_data, ans_progress now) {
  trial_watch *watch = user_data;
  (void)now;
  watch->spent += processor_seconds() - watch->resumed;
  watch->status = look(watch);
  watch->resumed = processor_seconds();
  bool late = watch->plan->seconds > 0 && watch->spent >= watch->plan->seconds;
  return watch->status == ANS_OK && !late && !interrupted();
}

static ans_status run_and_look(trial_watch *watch) {
  ans_run_rules rules = ANS_RUN_RULES_DEFAULT;
  rules.every = watch->plan->every;
  rules.seconds = watch->plan->clock;
  rules.interrupt = interrupt_flag();
  ans_status status = look(watch);
  if (status != ANS_OK) return status;
  watch->resumed = processor_seconds();
  status = ans_solver_run(watch->context, watch->solver, &rules, watch_step, watch);
  if (watch->status != ANS_OK) return watch->status;
  watch->spent += processor_seconds() - watch->resumed;
  ans_progress end = ans_solver_state(watch->solver);
  watch->trial->steps = end.step;
  watch->trial->wall = end.seconds;
  return status == ANS_OK ? look(watch) : status;
}

ans_status trial_run(ans_context *context, const trial_plan *plan, const ans_solution *reference, trial *result) {
  *result = (trial){0};
  trial_watch watch = {.context = context, .plan = plan, .reference = reference, .trial = result};
  ans_solver_options options = {.size = sizeof options,
                                .method = plan->method,
                                .precision = plan->precision,
                                .threads = plan->threads,
                                .tolerance = plan->tolerance,
                                .seed = plan->seed};
  ans_status status = ans_solver_begin(context, plan->model, plan->instance, &options, &watch.solver);
  if (status == ANS_OK) status = run_and_look(&watch);
  ans_solver_free(watch.solver);
  return status;
}

double trial_error(const trial *trial) { return trial->count > 0 ? trial->errors[trial->count - 1] : (double)NAN; }

double trial_error_at(const trial *trial, double limit) {
  double error = (double)NAN;
  for (int i = 0; i < trial->count; i++)
    if (trial->seconds[i] <= limit) error = trial->errors[i];
  return error;
}

double trial_spent(const trial *trial) { return trial->count > 0 ? trial->seconds[trial->count - 1] : 0; }

double trial_time_to(const trial *trial, double error) {
  for (int i = 0; i < trial->count; i++)
    if (trial->errors[i] <= error) return trial->seconds[i];
  return (double)NAN;
}
