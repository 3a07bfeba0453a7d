/* SPDX-License-Identifier: Apache-2.0
 *
 * The policy of a run, on one number x that should fall to zero.
 */
#include "check.h"

#include "base/clock.h"
#include "training/run.h"

/* Gradient descent on x^2. */
typedef struct hill {
  optimiser optimiser; /* first */
  double x, gradient, kept;
  long bad_step; /* bad there while the rate has not fallen below `cure`, */
  double bad_loss, cure;
  bool everywhere;  /* or only where the run has moved since it kept something */
  long harder_step; /* a loss of harder_loss wherever the unknown is */
  double harder_loss;
} hill;

static ans_status look(ans_context *context, optimiser *optimiser, long step, double *loss) {
  (void)context;
  hill *hill = (struct hill *)optimiser;
  *loss = hill->x * hill->x;
  hill->gradient = 2 * hill->x;
  optimiser->norm = fabs(hill->gradient);
  optimiser->worst = "steep";
  bool moved = hill->x != hill->kept;
  if (step == hill->bad_step && optimiser->rate > hill->cure && (moved || hill->everywhere)) *loss = hill->bad_loss;
  if (step == hill->harder_step) *loss = hill->harder_loss;
  return ANS_OK;
}

static ans_status step(ans_context *context, optimiser *optimiser) {
  (void)context;
  hill *hill = (struct hill *)optimiser;
  hill->x -= optimiser->rate * hill->gradient;
  optimiser->work += 10;
  return ANS_OK;
}

static void soften(optimiser *optimiser) { optimiser->rate /= 2; }
static void keep(optimiser *optimiser) { ((hill *)optimiser)->kept = ((hill *)optimiser)->x; }
static void back(optimiser *optimiser) { ((hill *)optimiser)->x = ((hill *)optimiser)->kept; }
static void load(optimiser *optimiser, const optimiser_state *state) { ((hill *)optimiser)->x = state->unknowns[0]; }

static const optimiser_class CLASS = {
    .name = "hill", .look = look, .step = step, .soften = soften, .keep = keep, .back = back, .load = load};

static run new_run(hill *hill) {
  hill->optimiser = (optimiser){.class = &CLASS, .rate = 0.001};
  return (run){.optimiser = &hill->optimiser, .what = "training"};
}

static void losses_fall_and_are_recorded(void **state) {
  (void)state;
  ans_context *context = new_context();
  hill hill = {.x = 3};
  run run = new_run(&hill);
  assert_ok(context, run_begin(context, &run, 10)); /* more steps than expected: the record grows */
  assert_true(isnan(run_loss(&run)));
  for (int i = 0; i < 500; i++) assert_ok(context, run_step(context, &run));
  assert_int_equal(run.step, 500);
  assert_near(run.losses[0], 9, 0);
  for (int i = 1; i < 500; i++) assert_true(run.losses[i] < run.losses[i - 1]);
  assert_true(run_loss(&run) == run.losses[499]);
  run_end(&run);
  ans_context_free(context);
}

/* Only steps count, on a clock that goes forward. */
static void seconds_are_those_of_the_steps(void **state) {
  (void)state;
  ans_context *context = new_context();
  hill hill = {.x = 3};
  run run = new_run(&hill);
  double begun = clock_seconds(), before = 0;
  assert_ok(context, run_begin(context, &run, 10));
  for (int i = 1; i <= 3; i++) {
    assert_ok(context, run_until(context, &run, &(run_rules){.goal = 10 * i}));
    assert_true(run.seconds >= before && run.seconds <= clock_seconds() - begun);
    before = run.seconds;
  }
  assert_true(before > 0);
  run_end(&run);
  ans_context_free(context);
}

/* A bad step rolls back to the kept state with half the rate and goes on. */
static void a_bad_step_is_undone(void **state) {
  (void)state;
  const double bad[] = {(double)NAN, (double)INFINITY, 1e9};
  for (int i = 0; i < 3; i++) {
    ans_context *context = new_context();
    hill hill = {.x = 3, .bad_step = 150, .bad_loss = bad[i], .cure = 0.0004};
    run run = new_run(&hill);
    assert_ok(context, run_begin(context, &run, 10));
    for (int k = 0; k < 149; k++) assert_ok(context, run_step(context, &run));
    assert_ok(context, run_step(context, &run));
    assert_int_equal(run.step, 100);
    assert_int_equal(run.rollbacks, 1);
    assert_true(hill.x == hill.kept);
    while (run.step < 200) assert_ok(context, run_step(context, &run));
    assert_int_equal(run.rollbacks, 2);
    assert_near(hill.optimiser.rate, 0.00025, 1e-18);
    for (int k = 0; k < 200; k++) assert_true(isfinite(run.losses[k]) && run.losses[k] < 10);
    run_end(&run);
    ans_context_free(context);
  }
}

/* An explosion by the very update whose outcome was about to be kept. */
static void what_is_kept_has_been_seen_to_be_good(void **state) {
  (void)state;
  ans_context *context = new_context();
  hill hill = {.x = 3, .bad_step = 101, .bad_loss = 1e9, .cure = 0.0004};
  run run = new_run(&hill);
  assert_ok(context, run_begin(context, &run, 10));
  while (run.step < 101) assert_ok(context, run_step(context, &run));
  assert_int_equal(run.rollbacks, 2);
  assert_true(run_loss(&run) < 10);
  run_end(&run);
  ans_context_free(context);
}

/* A draw whose loss is large wherever the parameters are costs no rollback. */
static void a_hard_draw_is_no_explosion(void **state) {
  (void)state;
  ans_context *context = new_context();
  hill hill = {.x = 3, .bad_step = 150, .bad_loss = 1e9, .everywhere = true}, plain = {.x = 3};
  run run = new_run(&hill), other = new_run(&plain);
  assert_ok(context, run_begin(context, &run, 10));
  assert_ok(context, run_begin(context, &other, 10));
  while (run.step < 200) assert_ok(context, run_step(context, &run));
  while (other.step < 200) assert_ok(context, run_step(context, &other));
  assert_int_equal(run.rollbacks, 0);
  assert_true(hill.optimiser.rate == plain.optimiser.rate && hill.x == plain.x);
  assert_true(run.losses[149] == 1e9 && run.losses[150] == other.losses[150]);
  run_end(&other);
  run_end(&run);
  ans_context_free(context);
}

/* The second is found to be hard after the run went back over the first, which must not be looked at again. */
static void two_hard_draws_do_not_go_round_in_a_circle(void **state) {
  (void)state;
  ans_context *context = new_context();
  hill hill = {.x = 3, .bad_step = 150, .bad_loss = 1e9, .everywhere = true};
  hill.harder_step = 160, hill.harder_loss = 1e15;
  run run = new_run(&hill);
  assert_ok(context, run_begin(context, &run, 10));
  for (int k = 0; k < 400 && run.step < 200; k++) assert_ok(context, run_step(context, &run));
  assert_int_equal(run.step, 200);
  assert_int_equal(run.rollbacks, 0);
  assert_true(run.losses[149] == 1e9 && run.losses[159] == 1e15);
  run_end(&run);
  ans_context_free(context);
}

/* Where nothing was changed yet, another rate cannot help. */
static void a_run_that_cannot_begin_says_so_at_once(void **state) {
  (void)state;
  ans_context *context = new_context();
  hill hill = {.x = 3, .harder_step = 1, .harder_loss = (double)NAN};
  run run = new_run(&hill);
  assert_ok(context, run_begin(context, &run, 10));
  assert_int_equal(run_step(context, &run), ANS_DIVERGED);
  assert_non_null(strstr(ans_context_diagnostic(context)->message, "no rate changes"));
  assert_int_equal(run.rollbacks, 0);
  run_end(&run);
  ans_context_free(context);
}

static void a_hopeless_run_gives_up_and_names_the_equation(void **state) {
  (void)state;
  ans_context *context = new_context();
  hill hill = {.x = 3, .bad_step = 7, .bad_loss = (double)NAN};
  run run = new_run(&hill);
  assert_ok(context, run_begin(context, &run, 10));
  ans_status status = ANS_OK;
  for (int k = 0; k < 1000 && status == ANS_OK; k++) status = run_step(context, &run);
  assert_int_equal(status, ANS_DIVERGED);
  const char *message = ans_context_diagnostic(context)->message;
  assert_non_null(strstr(message, "step 7"));
  assert_non_null(strstr(message, "steep"));
  assert_true(isfinite(hill.x)); /* the last good state */
  assert_int_equal(run.rollbacks, RUN_RETRIES);
  assert_near(hill.optimiser.rate, 0.001 / 256, 1e-18); /* the rate that the message names */
  run_end(&run);
  ans_context_free(context);
}

/* A resumed run that then diverges rolls back to what the first one would have rolled back to. */
static void a_resumed_run_rolls_back_to_the_kept_state(void **state) {
  (void)state;
  ans_context *context = new_context();
  hill whole = {.x = 3, .bad_step = 160, .bad_loss = (double)NAN, .cure = 0.0006}, second = whole;
  run run = new_run(&whole), resumed = new_run(&second);
  assert_ok(context, run_begin(context, &run, 10));
  while (run.step < 150) assert_ok(context, run_step(context, &run));
  double now = whole.x, kept = whole.kept;
  optimiser_state present = {.unknowns = &now}, before = {.unknowns = &kept};
  assert_ok(context, run_begin(context, &resumed, 10));
  assert_ok(context, run_resume(context, &resumed, 150, run.losses, &present, run.kept_step, &before));
  assert_true(second.x == now && second.kept == kept && now != kept);
  while (resumed.rollbacks == 0) assert_ok(context, run_step(context, &resumed));
  assert_int_equal(resumed.step, 100);
  assert_true(second.x == kept);
  while (run.step < 200) assert_ok(context, run_step(context, &run));
  while (resumed.step < 200) assert_ok(context, run_step(context, &resumed));
  assert_int_equal(run.rollbacks, 1);
  assert_true(second.x == whole.x);
  assert_memory_equal(run.losses, resumed.losses, 200 * sizeof *run.losses);
  run_end(&resumed);
  run_end(&run);
  ans_context_free(context);
}

/* ---- Rules ---- */

typedef struct onlooker {
  long steps[16];
  int calls, most;
} onlooker;

static bool look_on(void *data, ans_progress now) {
  onlooker *onlooker = data;
  onlooker->steps[onlooker->calls++] = now.step;
  return onlooker->calls < onlooker->most;
}

static ans_progress progress_of(const void *owner) { return (ans_progress){.step = ((const run *)owner)->step}; }

static void every_rule_ends_a_run(void **state) {
  (void)state;
  ans_context *context = new_context();
  hill hill = {.x = 3};
  run run = new_run(&hill);
  onlooker onlooker = {.most = 3};
  volatile int flag = 0;
  run_rules rules = {.goal = 25, .every = 10, .interrupt = &flag, .watch = look_on, .user_data = &onlooker};
  rules.progress = progress_of, rules.owner = &run;
  assert_ok(context, run_begin(context, &run, 10));
  assert_ok(context, run_until(context, &run, &rules));
  assert_int_equal(run.ended, ANS_END_STEPS);
  assert_int_equal(run.step, 25);
  rules.goal = 100;
  assert_ok(context, run_until(context, &run, &rules));
  assert_int_equal(run.ended, ANS_END_WATCHER);
  assert_int_equal(onlooker.calls, 3);
  assert_true(onlooker.steps[0] == 10 && onlooker.steps[1] == 20 && onlooker.steps[2] == 30);
  flag = 1;
  assert_ok(context, run_until(context, &run, &rules));
  assert_int_equal(run.ended, ANS_END_INTERRUPTED);
  assert_int_equal(run.step, 30);
  flag = 0;
  rules.seconds = 1e-12;
  assert_ok(context, run_until(context, &run, &rules));
  assert_int_equal(run.ended, ANS_END_SECONDS);
  assert_int_equal(run.step, 31); /* the time is up after one step, not before */
  assert_true(run.seconds > 0);
  hill.optimiser.exhausted = true;
  assert_ok(context, run_until(context, &run, &rules));
  assert_int_equal(run.ended, ANS_END_EXHAUSTED);
  run_end(&run);
  ans_context_free(context);
}

/* A watcher sees steps in order: what is rolled back on the way is not reported. */
static void a_rollback_is_not_watched(void **state) {
  (void)state;
  ans_context *context = new_context();
  hill hill = {.x = 3, .bad_step = 150, .bad_loss = (double)NAN, .cure = 0.0006};
  run run = new_run(&hill);
  onlooker onlooker = {.most = 16};
  run_rules rules = {.goal = 160, .every = 15, .watch = look_on, .user_data = &onlooker};
  rules.progress = progress_of, rules.owner = &run;
  assert_ok(context, run_begin(context, &run, 10));
  assert_ok(context, run_until(context, &run, &rules));
  assert_int_equal(run.rollbacks, 1);
  assert_int_equal(onlooker.calls, 10);
  for (int i = 0; i < 10; i++) assert_int_equal(onlooker.steps[i], 15 * (i + 1));
  run_end(&run);
  ans_context_free(context);
}

static double judged, fall;

static double judge(objective *objective) {
  (void)objective;
  return judged *= fall;
}

/* Falls of 1.5 % count as progress, falls of 0.5 % do not, until they add up. */
static void patience_is_one_per_cent(void **state) {
  (void)state;
  static const struct {
    double fall;
    int patience;
    long end;
    ans_end reason;
  } trials[] = {{0.985, 1, 2000, ANS_END_STEPS},
                {0.995, 1, 200, ANS_END_PATIENCE},
                {0.995, 2, 300, ANS_END_PATIENCE}, /* two falls of 0.5 % are 0.9975 % */
                {0.995, 3, 2000, ANS_END_STEPS},   /* three are more than 1 % */
                {1.02, 3, 400, ANS_END_PATIENCE}};
  for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
    ans_context *context = new_context();
    hill hill = {.x = 3};
    run run = new_run(&hill);
    run.patience = trials[i].patience;
    run.judge = judge;
    judged = 1, fall = trials[i].fall;
    assert_ok(context, run_begin(context, &run, 10));
    assert_ok(context, run_until(context, &run, &(run_rules){.goal = 2000}));
    assert_int_equal(run.step, trials[i].end);
    assert_int_equal(run.ended, trials[i].reason);
    run_end(&run);
    ans_context_free(context);
  }
}

/* Counted over all calls; bounded in each. */
static void work_ends_a_run(void **state) {
  (void)state;
  ans_context *context = new_context();
  hill hill = {.x = 3};
  run run = new_run(&hill);
  assert_ok(context, run_begin(context, &run, 10));
  for (int call = 1; call <= 2; call++) {
    assert_ok(context, run_until(context, &run, &(run_rules){.goal = 100, .work = 65}));
    assert_int_equal(run.ended, ANS_END_SECONDS);
    assert_int_equal(run.step, 7 * call);
    assert_near(run.work, 70.0 * call, 0);
  }
  run_end(&run);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(losses_fall_and_are_recorded),
      cmocka_unit_test(seconds_are_those_of_the_steps),
      cmocka_unit_test(a_bad_step_is_undone),
      cmocka_unit_test(what_is_kept_has_been_seen_to_be_good),
      cmocka_unit_test(a_hard_draw_is_no_explosion),
      cmocka_unit_test(a_hopeless_run_gives_up_and_names_the_equation),
      cmocka_unit_test(two_hard_draws_do_not_go_round_in_a_circle),
      cmocka_unit_test(a_run_that_cannot_begin_says_so_at_once),
      cmocka_unit_test(a_resumed_run_rolls_back_to_the_kept_state),
      cmocka_unit_test(every_rule_ends_a_run),
      cmocka_unit_test(work_ends_a_run),
      cmocka_unit_test(a_rollback_is_not_watched),
      cmocka_unit_test(patience_is_one_per_cent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
