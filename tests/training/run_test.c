/* SPDX-License-Identifier: Apache-2.0
 *
 * The policy of a run, on one number x that should fall to zero.
 */
#include "check.h"

#include "training/run.h"

struct descent {
  double x, gradient, kept;
};

static double norm(const descent *d) { return fabs(d->gradient); }
static void update(descent *d, double rate, double scale) { d->x -= rate * scale * d->gradient; }
static void keep(descent *d) { d->kept = d->x; }
static void back(descent *d) { d->x = d->kept; }

static const precision_table TABLE = {.descent = {.norm = norm, .update = update, .keep = keep, .back = back}};

typedef struct hill {
  descent *descent;
  long bad_step; /* bad there while the rate has not fallen below `cure`, */
  double bad_loss, cure;
  bool everywhere;  /* or only where the run has moved since it kept something */
  long harder_step; /* a loss of harder_loss wherever the parameters are */
  double harder_loss;
  const run *run;
} hill;

static ans_status gradient(ans_context *context, void *object, long step, double *loss, const char **worst) {
  (void)context;
  hill *hill = object;
  *loss = hill->descent->x * hill->descent->x;
  hill->descent->gradient = 2 * hill->descent->x;
  *worst = "steep";
  bool moved = hill->descent->x != hill->descent->kept;
  if (step == hill->bad_step && hill->run->rate > hill->cure && (moved || hill->everywhere)) *loss = hill->bad_loss;
  if (step == hill->harder_step) *loss = hill->harder_loss;
  return ANS_OK;
}

static run new_run(hill *hill) {
  return (run){.table = &TABLE,
               .gradient = gradient,
               .object = hill,
               .descent = hill->descent,
               .rate = 0.001,
               .what = "training"};
}

static void losses_fall_and_are_recorded(void **state) {
  (void)state;
  ans_context *context = new_context();
  descent descent = {.x = 3};
  hill hill = {.descent = &descent};
  run run = new_run(&hill);
  hill.run = &run;
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

static void the_gradient_is_clipped(void **state) {
  (void)state;
  ans_context *context = new_context();
  descent descent = {.x = 100};
  hill hill = {.descent = &descent};
  run run = new_run(&hill);
  run.clip = 10;
  hill.run = &run;
  assert_ok(context, run_begin(context, &run, 10));
  assert_ok(context, run_step(context, &run));
  assert_near(run.norm, 200, 0);
  assert_near(descent.x, 100 - 0.001 * 10, 1e-12);
  run_end(&run);
  ans_context_free(context);
}

/* A bad step returns to the kept state with half the rate and goes on. */
static void a_bad_step_is_undone(void **state) {
  (void)state;
  const double bad[] = {(double)NAN, (double)INFINITY, 1e9};
  for (int i = 0; i < 3; i++) {
    ans_context *context = new_context();
    descent descent = {.x = 3};
    hill hill = {.descent = &descent, .bad_step = 150, .bad_loss = bad[i], .cure = 0.0004};
    run run = new_run(&hill);
    hill.run = &run;
    assert_ok(context, run_begin(context, &run, 10));
    for (int k = 0; k < 149; k++) assert_ok(context, run_step(context, &run));
    assert_ok(context, run_step(context, &run));
    assert_int_equal(run.step, 100);
    assert_int_equal(run.returns, 1);
    assert_true(descent.x == descent.kept);
    while (run.step < 200) assert_ok(context, run_step(context, &run));
    assert_int_equal(run.returns, 2);
    assert_near(run.rate, 0.00025, 1e-18);
    for (int k = 0; k < 200; k++) assert_true(isfinite(run.losses[k]) && run.losses[k] < 10);
    run_end(&run);
    ans_context_free(context);
  }
}

/* An explosion by the very update whose outcome was about to be kept. */
static void what_is_kept_has_been_seen_to_be_good(void **state) {
  (void)state;
  ans_context *context = new_context();
  descent descent = {.x = 3};
  hill hill = {.descent = &descent, .bad_step = 101, .bad_loss = 1e9, .cure = 0.0004};
  run run = new_run(&hill);
  hill.run = &run;
  assert_ok(context, run_begin(context, &run, 10));
  while (run.step < 101) assert_ok(context, run_step(context, &run));
  assert_int_equal(run.returns, 2);
  assert_true(run_loss(&run) < 10);
  run_end(&run);
  ans_context_free(context);
}

/* A draw whose loss is large wherever the parameters are costs no return. */
static void a_hard_draw_is_no_explosion(void **state) {
  (void)state;
  ans_context *context = new_context();
  descent descent = {.x = 3}, easy = {.x = 3};
  hill hill = {.descent = &descent, .bad_step = 150, .bad_loss = 1e9, .everywhere = true}, plain = {.descent = &easy};
  run run = new_run(&hill), other = new_run(&plain);
  hill.run = &run;
  plain.run = &other;
  assert_ok(context, run_begin(context, &run, 10));
  assert_ok(context, run_begin(context, &other, 10));
  while (run.step < 200) assert_ok(context, run_step(context, &run));
  while (other.step < 200) assert_ok(context, run_step(context, &other));
  assert_int_equal(run.returns, 0);
  assert_true(run.rate == other.rate && descent.x == easy.x);
  assert_true(run.losses[149] == 1e9 && run.losses[150] == other.losses[150]);
  run_end(&other);
  run_end(&run);
  ans_context_free(context);
}

/* The second is found to be hard after the run went back over the first, which must not be looked at again. */
static void two_hard_draws_do_not_go_round_in_a_circle(void **state) {
  (void)state;
  ans_context *context = new_context();
  descent descent = {.x = 3};
  hill hill = {.descent = &descent, .bad_step = 150, .bad_loss = 1e9, .everywhere = true};
  hill.harder_step = 160, hill.harder_loss = 1e15;
  run run = new_run(&hill);
  hill.run = &run;
  assert_ok(context, run_begin(context, &run, 10));
  for (int k = 0; k < 400 && run.step < 200; k++) assert_ok(context, run_step(context, &run));
  assert_int_equal(run.step, 200);
  assert_int_equal(run.returns, 0);
  assert_true(run.losses[149] == 1e9 && run.losses[159] == 1e15);
  run_end(&run);
  ans_context_free(context);
}

/* Where nothing was changed yet, another rate cannot help. */
static void a_run_that_cannot_begin_says_so_at_once(void **state) {
  (void)state;
  ans_context *context = new_context();
  descent descent = {.x = 3};
  hill hill = {.descent = &descent, .harder_step = 1, .harder_loss = (double)NAN};
  run run = new_run(&hill);
  hill.run = &run;
  assert_ok(context, run_begin(context, &run, 10));
  assert_int_equal(run_step(context, &run), ANS_DIVERGED);
  assert_non_null(strstr(ans_context_diagnostic(context)->message, "no rate changes"));
  assert_int_equal(run.returns, 0);
  run_end(&run);
  ans_context_free(context);
}

static void a_hopeless_run_gives_up_and_names_the_equation(void **state) {
  (void)state;
  ans_context *context = new_context();
  descent descent = {.x = 3};
  hill hill = {.descent = &descent, .bad_step = 7, .bad_loss = (double)NAN};
  run run = new_run(&hill);
  hill.run = &run;
  assert_ok(context, run_begin(context, &run, 10));
  ans_status status = ANS_OK;
  for (int k = 0; k < 1000 && status == ANS_OK; k++) status = run_step(context, &run);
  assert_int_equal(status, ANS_DIVERGED);
  const char *message = ans_context_diagnostic(context)->message;
  assert_non_null(strstr(message, "step 7"));
  assert_non_null(strstr(message, "steep"));
  assert_true(isfinite(descent.x)); /* the last good state */
  assert_int_equal(run.returns, RUN_RETRIES);
  assert_near(run.rate, 0.001 / 256, 1e-18); /* the rate that the message names */
  run_end(&run);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(losses_fall_and_are_recorded),
      cmocka_unit_test(the_gradient_is_clipped),
      cmocka_unit_test(a_bad_step_is_undone),
      cmocka_unit_test(what_is_kept_has_been_seen_to_be_good),
      cmocka_unit_test(a_hard_draw_is_no_explosion),
      cmocka_unit_test(a_hopeless_run_gives_up_and_names_the_equation),
      cmocka_unit_test(two_hard_draws_do_not_go_round_in_a_circle),
      cmocka_unit_test(a_run_that_cannot_begin_says_so_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
