/* SPDX-License-Identifier: Apache-2.0 */
#include "training/run.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"

/* A loss this many times above every other since the kept step may be an explosion, or the draw of a hard equation; it
 * is an explosion if it is as many times above that of the same draw at the kept parameters. */
static const double EXPLOSION = 1e4;

/* A judged loss counts as an improvement below this share of the least one. */
static const double IMPROVEMENT = 0.99;

static ans_status reserve(ans_context *context, run *run, long steps) {
  assert(steps >= 0 && run->room >= 0);
  if (steps <= run->room) return ANS_OK;
  long room = steps > 2 * run->room ? steps : 2 * run->room;
  double *larger =
      memory_resize(run->losses, (size_t)run->room * sizeof *larger, size_product((size_t)room, sizeof *larger));
  if (!larger) return context_no_memory(context);
  run->losses = larger;
  run->room = room;
  return ANS_OK;
}

static void keep(run *run) {
  run->optimiser->class->keep(run->optimiser);
  run->kept_step = run->step;
}

ans_status run_begin(ans_context *context, run *run, long expected_steps) {
  enum { FEW = 64, MANY = 1 << 20 };
  TRY(reserve(context, run, expected_steps < FEW ? FEW : expected_steps > MANY ? MANY : expected_steps));
  run->first = run->step;
  run->least = (double)INFINITY;
  keep(run);
  return ANS_OK;
}

void run_end(run *run) {
  memory_give(run->losses);
  run->losses = NULL;
  run->room = 0;
}

void run_forget(run *run) { *run = (struct run){.losses = run->losses, .room = run->room}; }

ans_status run_resume(ans_context *context, run *run, long step, const double *losses, const optimiser_state *now,
                      long kept_step, const optimiser_state *kept) {
  assert(step >= 0 && kept_step >= 0 && kept_step <= step);
  TRY(reserve(context, run, step));
  memcpy(run->losses, losses, (size_t)step * sizeof *losses);
  run->first = 0;
  run->step = kept_step;
  run->optimiser->class->load(run->optimiser, kept);
  keep(run);
  run->step = step;
  run->optimiser->class->load(run->optimiser, now);
  return ANS_OK;
}

/* The largest loss since the kept step; 0 at that step, where nothing was changed that could explode. */
static double peak(const run *run) {
  assert(run->first <= run->kept_step && run->kept_step <= run->step);
  double largest = 0;
  for (long i = run->kept_step - run->first; i < run->step - run->first; i++) largest = fmax(largest, run->losses[i]);
  return largest;
}

double run_loss(const run *run) {
  return run->step > run->first ? run->losses[run->step - run->first - 1] : (double)NAN;
}

static void return_to_kept(run *run) {
  assert(run->kept_step <= run->step);
  run->optimiser->class->back(run->optimiser);
  run->step = run->kept_step;
}

static ans_status roll_back(ans_context *context, run *run, long step, double loss, const char *worst) {
  optimiser *optimiser = run->optimiser;
  return_to_kept(run);
  FAIL_IF(
      run->rollbacks == RUN_RETRIES, context, ANS_DIVERGED,
      "%s diverged at step %ld on equation %s (loss %g, gradient norm %g) although the rate was halved %d times, to %g",
      run->what, step, worst, loss, optimiser->norm, RUN_RETRIES, optimiser->rate);
  run->rollbacks++;
  optimiser->class->soften(optimiser);
  run->cleared = 0; /* a softer step changes the trajectory, so earlier clearances no longer hold */
  return ANS_OK;
}

/* A step whose loss stands out. An explosion is rolled back and the optimiser softened. A hard draw is not divergence,
 * but the present state is gone, so we roll back and replay; the replay has the same bits, and the check is skipped up
 * to this step. */
static ans_status look_again(ans_context *context, run *run, long step, double loss, const char *worst) {
  double norm = run->optimiser->norm, before = (double)NAN;
  return_to_kept(run);
  TRY(run->optimiser->class->look(context, run->optimiser, step, &before));
  run->optimiser->norm = norm;
  if (!(loss <= EXPLOSION * before)) return roll_back(context, run, step, loss, worst);
  run->cleared = step;
  return ANS_OK;
}

ans_status run_step(ans_context *context, run *run) {
  long step = run->step + 1;
  double loss = (double)NAN;
  optimiser *optimiser = run->optimiser;
  TRY(reserve(context, run, step - run->first));
  TRY(optimiser->class->look(context, optimiser, step, &loss));
  const char *worst = optimiser->worst;
  bool finite = isfinite(loss) && isfinite(optimiser->norm);
  FAIL_IF(
      !finite && run->step == run->kept_step, context, ANS_DIVERGED,
      "%s cannot begin: at step %ld equation %s has the loss %g and the gradient norm %g, which no rate changes; look "
      "at the sizes of its coefficients, weights and functions",
      run->what, step, worst, loss, optimiser->norm);
  if (!finite) return roll_back(context, run, step, loss, worst);
  double usual = peak(run);
  if (usual > 0 && loss > EXPLOSION * usual && step > run->cleared) return look_again(context, run, step, loss, worst);
  if (run->step % RUN_KEEP_EVERY == 0) keep(run); /* now that a loss says they are good */
  double work = optimiser->work;
  TRY(optimiser->class->step(context, optimiser));
  run->work += optimiser->work - work;
  assert(step - run->first <= run->room);
  run->losses[step - run->first - 1] = loss;
  run->step = step;
  return ANS_OK;
}

/* ---- Until a rule ends it ----------------------------------------------------------------------------- */

/* After a step forward. */
static void judge(run *run) {
  assert(run->patience <= 0 || run->judge);
  if (run->patience <= 0 || run->step % RUN_JUDGE_EVERY != 0) return;
  double now = run->judge(run->optimiser->objective);
  if (now < IMPROVEMENT * run->least) {
    run->least = now;
    run->waited = 0;
  } else {
    run->waited++;
  }
}

/* What this call has spent. */
typedef struct run_spent {
  double seconds, work;
} run_spent;

/* The rules, in the order in which they are asked. */
static bool is_exhausted(const run *run, const run_rules *rules, run_spent spent) {
  (void)rules, (void)spent;
  return run->optimiser->exhausted;
}

static bool lost_patience(const run *run, const run_rules *rules, run_spent spent) {
  (void)rules, (void)spent;
  return run->patience > 0 && run->waited >= run->patience;
}

static bool is_there(const run *run, const run_rules *rules, run_spent spent) {
  (void)spent;
  return run->step >= rules->goal;
}

static bool is_interrupted(const run *run, const run_rules *rules, run_spent spent) {
  (void)run, (void)spent;
  return rules->interrupt && *rules->interrupt;
}

static bool is_late(const run *run, const run_rules *rules, run_spent spent) {
  (void)run;
  return (rules->seconds > 0 && spent.seconds >= rules->seconds) || (rules->work > 0 && spent.work >= rules->work);
}

static const struct {
  bool (*met)(const run *run, const run_rules *rules, run_spent spent);
  ans_end end;
} rules_list[] = {{lost_patience, ANS_END_PATIENCE},
                  {is_exhausted, ANS_END_EXHAUSTED},
                  {is_there, ANS_END_STEPS},
                  {is_interrupted, ANS_END_INTERRUPTED},
                  {is_late, ANS_END_SECONDS}};

static ans_end end_of(const run *run, const run_rules *rules, run_spent spent) {
  if (run->verdict) return run->verdict;
  for (size_t i = 0; i < sizeof rules_list / sizeof *rules_list; i++)
    if (rules_list[i].met(run, rules, spent)) return rules_list[i].end;
  return ANS_END_NONE;
}

static ans_status verify(ans_context *context, run *run) {
  run->verified = true;
  return run->verify ? run->verify(context, run->verify_owner, &run->verdict) : ANS_OK;
}

/* One step forward: what is rolled back does not count and is not watched. */
static ans_status advance(ans_context *context, run *run) {
  long goal = run->step + 1;
  double begun = clock_seconds();
  ans_status status = ANS_OK;
  while (status == ANS_OK && run->step < goal && !lost_patience(run, NULL, (run_spent){0})) {
    long before = run->step;
    status = run_step(context, run);
    if (status == ANS_OK && run->step > before) judge(run);
    if (status == ANS_OK && run->step > before) status = verify(context, run);
  }
  run->seconds += clock_seconds() - begun;
  return status;
}

run_rules run_rules_of(const ans_run_rules *rules, long goal, ans_watcher watcher, void *user_data,
                       ans_progress (*progress)(const void *owner), const void *owner) {
  return (run_rules){.goal = goal,
                     .seconds = rules->seconds,
                     .interrupt = rules->interrupt,
                     .every = rules->every,
                     .watch = watcher,
                     .user_data = user_data,
                     .progress = progress,
                     .owner = owner};
}

ans_status run_until(ans_context *context, run *run, const run_rules *rules) {
  run_spent begun = {run->seconds, run->work};
  if (!run->verified) TRY(verify(context, run));
  while (!(run->ended = end_of(run, rules, (run_spent){run->seconds - begun.seconds, run->work - begun.work}))) {
    TRY(advance(context, run));
    bool due = rules->watch && rules->every > 0 && run->step % rules->every == 0;
    if (due && !rules->watch(rules->user_data, rules->progress(rules->owner))) {
      run->ended = ANS_END_WATCHER;
      break;
    }
  }
  return ANS_OK;
}
