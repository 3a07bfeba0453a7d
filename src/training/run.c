/* SPDX-License-Identifier: Apache-2.0 */
#include "training/run.h"

#include <math.h>
#include <string.h>

/* A loss this many times above every other since the kept step may be an explosion, or the draw of a hard equation; it
 * is an explosion if it is as many times above that of the same draw at the kept parameters. */
static const double EXPLOSION = 1e4;

static ans_status reserve(ans_context *context, run *run, long steps) {
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
  run->table->descent.keep(run->descent);
  run->kept_step = run->step;
}

ans_status run_begin(ans_context *context, run *run, long expected_steps) {
  enum { FEW = 64, MANY = 1 << 20 };
  TRY(reserve(context, run, expected_steps < FEW ? FEW : expected_steps > MANY ? MANY : expected_steps));
  run->first = run->step;
  keep(run);
  return ANS_OK;
}

void run_end(run *run) {
  memory_give(run->losses);
  run->losses = NULL;
  run->room = 0;
}

ans_status run_resume(ans_context *context, run *run, long step, const double *losses, const descent_state *now,
                      long kept_step, const descent_state *kept) {
  TRY(reserve(context, run, step));
  memcpy(run->losses, losses, (size_t)step * sizeof *losses);
  run->first = 0;
  run->step = kept_step;
  run->table->descent.load(run->descent, kept);
  keep(run);
  run->step = step;
  run->table->descent.load(run->descent, now);
  return ANS_OK;
}

/* The largest loss since the kept step; 0 at that step, where nothing was changed that could explode. */
static double peak(const run *run) {
  double largest = 0;
  for (long i = run->kept_step - run->first; i < run->step - run->first; i++) largest = fmax(largest, run->losses[i]);
  return largest;
}

double run_loss(const run *run) {
  return run->step > run->first ? run->losses[run->step - run->first - 1] : (double)NAN;
}

static void return_to_kept(run *run) {
  run->table->descent.back(run->descent);
  run->step = run->kept_step;
}

static ans_status go_back(ans_context *context, run *run, long step, double loss, const char *worst) {
  return_to_kept(run);
  FAIL_IF(
      run->returns == RUN_RETRIES, context, ANS_DIVERGED,
      "%s diverged at step %ld on equation %s (loss %g, gradient norm %g) although the rate was halved %d times, to %g",
      run->what, step, worst, loss, run->norm, RUN_RETRIES, run->rate);
  run->returns++;
  run->rate /= 2;
  run->cleared = 0; /* with another rate the steps come with other numbers */
  return ANS_OK;
}

/* A step whose loss stands out: an explosion goes back with half the rate. A hard draw only goes back, because there
 * is no copy of where the run was: the steps come again with the same numbers, and all up to this one are let through.
 */
static ans_status look_again(ans_context *context, run *run, long step, double loss, const char *worst) {
  double norm = run->norm, before = (double)NAN;
  const char *hardest = "";
  return_to_kept(run);
  TRY(run->gradient(context, run->object, step, &before, &hardest));
  run->norm = norm;
  if (!(loss <= EXPLOSION * before)) return go_back(context, run, step, loss, worst);
  run->cleared = step;
  return ANS_OK;
}

ans_status run_step(ans_context *context, run *run) {
  long step = run->step + 1;
  double loss = (double)NAN;
  const char *worst = "";
  TRY(reserve(context, run, step - run->first));
  TRY(run->gradient(context, run->object, step, &loss, &worst));
  run->norm = run->table->descent.norm(run->descent);
  bool finite = isfinite(loss) && isfinite(run->norm);
  FAIL_IF(
      !finite && run->step == run->kept_step, context, ANS_DIVERGED,
      "%s cannot begin: at step %ld equation %s has the loss %g and the gradient norm %g, which no rate changes; look "
      "at the sizes of its coefficients, weights and functions",
      run->what, step, worst, loss, run->norm);
  if (!finite) return go_back(context, run, step, loss, worst);
  double usual = peak(run);
  if (usual > 0 && loss > EXPLOSION * usual && step > run->cleared) return look_again(context, run, step, loss, worst);
  if (run->step % RUN_KEEP_EVERY == 0) keep(run); /* now that a loss says they are good */
  double scale = run->clip > 0 && run->norm > run->clip ? run->clip / run->norm : 1;
  run->table->descent.update(run->descent, run->rate, scale);
  run->losses[step - run->first - 1] = loss;
  run->step = step;
  return ANS_OK;
}
