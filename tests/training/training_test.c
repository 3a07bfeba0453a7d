/* SPDX-License-Identifier: Apache-2.0
 *
 * Meta-training as a whole: it learns, it does not depend on threads or pauses, it leaves nothing behind.
 */
#include <limits.h>

#include "small.h"

static void training_lowers_the_loss(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = small_problem(context);
  for (int bits = 32; bits <= 64; bits += 32) {
    ans_training *training = small_training(context, problem, 1, bits);
    training_plan(training, 300);
    assert_ok(context, training_step(context, training, 1000)); /* no step beyond the planned ones */
    ans_progress now = training_progress(training);
    assert_int_equal(now.step, 300);
    assert_int_equal(now.rollbacks, 0);
    size_t count;
    const double *losses = training_losses(training, &count);
    assert_int_equal(count, 300);
    assert_true(now.loss == losses[299] && now.loss < losses[0] / 4);
    training_free(training);
  }
  system_free(problem);
  ans_context_free(context);
}

static void assert_same_model(const ans_model *a, const ans_model *b) {
  assert_int_equal(a->unknowns.size, b->unknowns.size);
  assert_int_equal(a->steps, b->steps);
  assert_memory_equal(a->parameters, b->parameters, a->unknowns.size * sizeof *a->parameters);
}

/* At width 64 coded layers may be thin. */
static void threads_change_no_bit(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = small_problem(context);
  for (int width = 16; width <= 64; width *= 4) {
    problem->protocol.network.width = width;
    ans_model *models[3];
    for (int threads = 1; threads <= 3; threads++) {
      ans_training *training = small_training(context, problem, threads, 32);
      assert_ok(context, training_step(context, training, 10));
      assert_ok(context, training_model(context, training, &models[threads - 1]));
      training_free(training);
    }
    assert_same_model(models[0], models[1]);
    assert_same_model(models[0], models[2]);
    for (int i = 0; i < 3; i++) model_free(models[i]);
  }
  system_free(problem);
  ans_context_free(context);
}

static void check_pause(ans_context *context, const ans_problem *problem, descriptor_kind kind, int bits) {
  ans_model *whole = small_model_of(context, problem, kind, bits), *resumed;
  char path[64];
  temporary_path(path, sizeof path, "checkpoint");
  ans_training *training = small_training_of(context, problem, kind, 1, bits);
  assert_ok(context, training_step(context, training, 13));
  assert_ok(context, training_save(context, training, path));
  assert_ok(context, training_step(context, training, 5)); /* lost, as by a kill */
  training_free(training);
  assert_ok(context, training_resume(context, path, 2, &training));
  ans_progress now = training_progress(training);
  assert_int_equal(now.step, 13);
  assert_int_equal(now.steps, 30);
  assert_true(isfinite(now.loss));
  assert_ok(context, training_step(context, training, 30));
  assert_ok(context, training_model(context, training, &resumed));
  assert_same_model(whole, resumed);
  assert_int_equal(resumed->kind, kind);
  assert_int_equal(resumed->bits, bits);
  training_free(training);
  model_free(resumed);
  model_free(whole);
  remove_path(path);
}

static void a_pause_changes_no_bit(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = small_problem(context);
  for (int k = 0; k < SMALL_KIND_COUNT; k++)
    for (int bits = 32; bits <= 64; bits += 32) check_pause(context, problem, SMALL_KINDS[k], bits);
  system_free(problem);
  ans_context_free(context);
}

/* Version 0.2 wrote `returns` where `rollbacks` stands now. */
static void older_checkpoints_can_be_resumed(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = small_problem(context);
  char path[64];
  temporary_path(path, sizeof path, "checkpoint");
  ans_training *training = small_training(context, problem, 1, 32), *resumed;
  assert_ok(context, training_step(context, training, 5));
  assert_ok(context, training_save(context, training, path));
  rewrite_note(context, path, "rollbacks", "returns", "3");
  assert_ok(context, training_resume(context, path, 1, &resumed));
  assert_int_equal(training_progress(resumed).rollbacks, 3);
  training_free(resumed);
  training_free(training);
  remove_path(path);
  system_free(problem);
  ans_context_free(context);
}

/* At a rate that makes it go back. Saving and resuming at odd steps must not move what it goes back to. */
static ans_model *train_restlessly(ans_context *context, const ans_problem *problem, const char *path, long pause) {
  enum { STEPS = 250 };
  ans_training *training;
  ans_model *model;
  ans_training_options options = {.seed = 7, .threads = 1, .steps = STEPS, .rate = 1000};
  assert_ok(context, training_begin(context, problem, DESCRIPTOR_GRAPH, &options, &training));
  while (training_progress(training).step < STEPS) {
    assert_ok(context, training_step(context, training, pause));
    assert_ok(context, training_save(context, training, path));
    if (training_progress(training).step % 3 > 0) continue;
    training_free(training);
    assert_ok(context, training_resume(context, path, 1, &training));
  }
  assert_true(training_progress(training).rollbacks > 0);
  assert_ok(context, training_model(context, training, &model));
  training_free(training);
  return model;
}

static void a_pause_changes_no_return(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = small_problem(context);
  char path[64];
  temporary_path(path, sizeof path, "checkpoint");
  ans_model *whole = train_restlessly(context, problem, path, 250),
            *paused = train_restlessly(context, problem, path, 7);
  assert_same_model(whole, paused);
  model_free(paused);
  model_free(whole);
  remove_path(path);
  system_free(problem);
  ans_context_free(context);
}

/* A run that gave up, or whose plan was changed to nonsense, can still be saved and resumed. */
static void every_checkpoint_can_be_resumed(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = small_problem(context);
  char path[64];
  temporary_path(path, sizeof path, "checkpoint");
  const long plans[] = {-7, LONG_MAX};
  for (int i = 0; i < 3; i++) {
    ans_training *training;
    ans_training_options options = {.seed = 7, .threads = 1, .steps = 500, .rate = i == 0 ? 1e5 : 1e-3};
    assert_ok(context, training_begin(context, problem, DESCRIPTOR_GRAPH, &options, &training));
    if (i == 0)
      assert_int_equal(training_step(context, training, 500), ANS_DIVERGED);
    else
      training_plan(training, plans[i - 1]);
    assert_ok(context, training_save(context, training, path));
    training_free(training);
    assert_ok(context, training_resume(context, path, 1, &training));
    if (i == 1) assert_ok(context, training_step(context, training, 5));
    if (i == 1) assert_int_equal(training_progress(training).step, 0);
    training_free(training);
  }
  remove_path(path);
  system_free(problem);
  ans_context_free(context);
}

/* Eight fields of twelve layers: three arrays of each part fit in a checkpoint. */
static void the_largest_network_has_a_checkpoint(void **state) {
  (void)state;
  char text[4096] = "coordinate t in [0, 1] time\n";
  size_t length = strlen(text);
  for (int i = 0; i < SYSTEM_MAX_FIELDS; i++)
    length +=
        (size_t)snprintf(text + length, sizeof text - length,
                         "field u%d\ncoefficient a%d in [0, 1]\nequation u%d: u%d_t + a%d*u%d = 0\ninitial u%d = 1\n",
                         i, i, i, i, i, i, i);
  snprintf(text + length, sizeof text - length, "structure only\nnetwork width 4, layers 12\ntrain points 8\n");
  ans_context *context = new_context();
  ans_problem *problem;
  assert_ok(context, system_parse(context, "large", NULL, text, strlen(text), &problem));
  char path[64];
  temporary_path(path, sizeof path, "checkpoint");
  ans_training *training;
  assert_ok(context,
            training_begin(context, problem, DESCRIPTOR_VECTOR, &(ans_training_options){.seed = 7}, &training));
  assert_ok(context, training_step(context, training, 1));
  assert_ok(context, training_save(context, training, path));
  training_free(training);
  assert_ok(context, training_resume(context, path, 1, &training));
  assert_int_equal(training_progress(training).step, 1);
  training_free(training);
  remove_path(path);
  system_free(problem);
  ans_context_free(context);
}

/* Whatever the hypernetwork reads. The first steps find out how much there is to hold. */
static void steps_take_no_memory(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = small_problem(context);
  for (int k = 0; k < SMALL_KIND_COUNT; k++) {
    ans_training *training = small_training_of(context, problem, SMALL_KINDS[k], 1, 32);
    assert_ok(context, training_step(context, training, 10));
    long first = memory_taken();
    assert_ok(context, training_step(context, training, 20));
    assert_int_equal(memory_taken(), first);
    training_free(training);
  }
  system_free(problem);
  ans_context_free(context);
}

static void failing_memory_leaves_nothing(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = small_problem(context);
  ans_training_options options = {.seed = 7};
  ans_status status = ANS_MEMORY;
  long n = 0;
  while (status == ANS_MEMORY) {
    ans_training *training;
    memory_fail_after(++n, false);
    status = training_begin(context, problem, DESCRIPTOR_GRAPH, &options, &training);
    if (status == ANS_OK) status = training_step(context, training, 2);
    memory_fail_after(0, false);
    training_free(training);
    assert_true(n < 5000);
  }
  assert_int_equal(status, ANS_OK);
  assert_true(n > 20);
  system_free(problem);
  ans_context_free(context);
}

static void what_cannot_be_trained_is_refused(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = small_problem(context);
  ans_training *training;
  ans_training_options options = {.seed = 7};
  assert_int_equal(training_begin(context, problem, DESCRIPTOR_NONE, &options, &training), ANS_ARGUMENT);
  assert_null(training);
  options.descriptor = "picture";
  assert_int_equal(ans_training_begin(context, problem, &options, &training), ANS_ARGUMENT);
  assert_non_null(strstr(ans_context_diagnostic(context)->message, "picture"));
  options = (ans_training_options){.precision = 16};
  assert_int_equal(ans_training_begin(context, problem, &options, &training), ANS_ARGUMENT);
  options = (ans_training_options){.steps = 2000000000};
  assert_int_equal(ans_training_begin(context, problem, &options, &training), ANS_ARGUMENT);
  system_free(problem);

  /* A range that a derived value does not allow is the text's fault, and is found where it is drawn. */
  static const char text[] = "coordinate x in [0, 1) periodic\ncoordinate t in [0, 1] time\nfield u\n"
                             "coefficient D in [0, 1]\nlet q = sqrt(D-0.3)\nequation u: u_t = q*u_xx\n"
                             "initial u = sin(2*pi*x)\nnetwork width 8, layers 1\ntrain points 16\n";
  assert_ok(context, ans_problem_parse(context, "roots", text, strlen(text), &problem));
  options = (ans_training_options){.seed = 1};
  ans_status status = ans_training_begin(context, problem, &options, &training);
  if (status == ANS_OK) status = ans_training_step(context, training, 100);
  assert_int_equal(status, ANS_MEANING);
  assert_non_null(strstr(ans_context_diagnostic(context)->message, "'q' has no finite value"));
  assert_non_null(strstr(ans_context_diagnostic(context)->message, "structure 'full'"));
  training_free(training);
  system_free(problem);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_checkpoint_can_be_resumed), cmocka_unit_test(older_checkpoints_can_be_resumed),
      cmocka_unit_test(a_pause_changes_no_return),       cmocka_unit_test(the_largest_network_has_a_checkpoint),
      cmocka_unit_test(training_lowers_the_loss),        cmocka_unit_test(threads_change_no_bit),
      cmocka_unit_test(a_pause_changes_no_bit),          cmocka_unit_test(steps_take_no_memory),
      cmocka_unit_test(failing_memory_leaves_nothing),   cmocka_unit_test(what_cannot_be_trained_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
