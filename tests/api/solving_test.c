/* SPDX-License-Identifier: Apache-2.0
 *
 * solving_test.c - training and solving through the public header alone.
 */
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

#include "temporary.h"

static const char family[] = "coordinate x in [0, 1]\n"
                             "coordinate t in [0, 1] time\n"
                             "field u\n"
                             "coefficient k in [1, 2]\n"
                             "equation u: u_t + k*u_x = 0\n"
                             "initial u = sqrt(x + 0.1)\n"
                             "boundary u at x = 0: u = sqrt(0.1) soft\n"
                             "network width 8, layers 1\n"
                             "train steps 4, points 16\n";

typedef struct setting {
  ans_context *context;
  ans_problem *problem;
  ans_instance *instance;
  ans_model *model;
} setting;

/* A problem of the text above and some more lines, and its member k = 1.5. */
static void read_family(ans_context *context, const char *name, const char *more, ans_problem **problem,
                        ans_instance **instance) {
  char text[sizeof family + 256];
  snprintf(text, sizeof text, "%s%s", family, more);
  assert_ok(context, ans_problem_parse(context, name, text, strlen(text), problem));
  ans_choice choice = ANS_CHOICE_DEFAULT;
  choice.assignments = "k=1.5";
  assert_ok(context, ans_instance_new(context, *problem, choice, instance));
}

static setting set_up(void) {
  setting s = {.context = new_context()};
  ans_training *training;
  read_family(s.context, "first", "", &s.problem, &s.instance);
  assert_ok(s.context, ans_training_begin(s.context, s.problem, NULL, &training));
  assert_ok(s.context, ans_training_step(s.context, training, 4));
  assert_ok(s.context, ans_training_model(s.context, training, &s.model));
  ans_training_free(training);
  return s;
}

static void tear_down(setting *s) {
  ans_model_free(s->model);
  ans_instance_free(s->instance);
  ans_problem_free(s->problem);
  ans_context_free(s->context);
}

static void a_model_serves_problems_that_say_the_same_of_its_networks(void **state) {
  (void)state;
  setting s = set_up();
  static const struct {
    const char *more;
    ans_status status;
  } others[] = {{"case mine: k=1.2\nadapt steps 7, points 16\nreference points 16\n", ANS_OK},
                {"override network width 9\n", ANS_MODEL},
                {"override coefficient k in [1, 3]\n", ANS_MODEL}};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    ans_problem *problem;
    ans_instance *instance;
    ans_solver *solver;
    ans_coverage coverage;
    read_family(s.context, "second", others[i].more, &problem, &instance);
    assert_int_equal(ans_solver_begin(s.context, s.model, instance, NULL, &solver), others[i].status);
    assert_int_equal(ans_model_coverage(s.context, s.model, instance, &coverage), others[i].status);
    ans_solver_free(solver);
    ans_instance_free(instance);
    ans_problem_free(problem);
  }
  tear_down(&s);
}

static void a_loaded_solver_goes_on_as_it_was_begun(void **state) {
  (void)state;
  setting s = set_up();
  const ans_solver_options options = {
      .mode = ANS_CODES, .rate = 0.01, .patience = 1, .precision = 64, .method = ANS_ADAM};
  ans_solver *solver, *loaded;
  char path[64];
  temporary_path(path, sizeof path, "solving");
  assert_ok(s.context, ans_solver_begin(s.context, s.model, s.instance, &options, &solver));
  assert_ok(s.context, ans_solver_save(s.context, solver, path));
  assert_ok(s.context, ans_solver_load(s.context, path, 1, &loaded));
  assert_true(ans_solver_state(loaded).rate == 0.01);
  /* Saved before the first step, it has lost nothing: both take the same steps, up to where the rule ends them. */
  assert_ok(s.context, ans_solver_step(s.context, solver, 100000));
  assert_ok(s.context, ans_solver_step(s.context, loaded, 100000));
  assert_true(ans_solver_state(solver).stopped && ans_solver_state(loaded).stopped);
  assert_int_equal(ans_solver_state(solver).step, ans_solver_state(loaded).step);
  const double point[] = {0.3, 0.7};
  double expected, actual;
  assert_ok(s.context, ans_solver_evaluate(s.context, solver, point, 1, NULL, &expected));
  assert_ok(s.context, ans_solver_evaluate(s.context, loaded, point, 1, NULL, &actual));
  assert_true(expected == actual);
  ans_solver_free(loaded);
  ans_solver_free(solver);
  remove_path(path);
  tear_down(&s);
}

static void a_saved_solver_is_resumed(void **state) {
  (void)state;
  setting s = set_up();
  ans_solver *solver, *resumed;
  char path[64];
  temporary_path(path, sizeof path, "solving");
  assert_ok(s.context, ans_solver_begin(s.context, s.model, s.instance, NULL, &solver));
  assert_ok(s.context, ans_solver_step(s.context, solver, 2));
  assert_ok(s.context, ans_solver_save(s.context, solver, path));
  const ans_solver_options wrong[] = {{.method = ANS_ADAM},
                                      {.mode = ANS_CODES},
                                      {.time_weight = 1},
                                      {.precision = 7},
                                      {.size = sizeof wrong[0], .tolerance = -1}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    assert_int_equal(ans_solver_resume(s.context, path, &wrong[i], &resumed), ANS_ARGUMENT);
    assert_null(resumed);
  }
  const ans_solver_options options = {.size = sizeof options, .tolerance = 0.5};
  const ans_run_rules rules = {sizeof rules, 100, 0, 0, NULL};
  assert_ok(s.context, ans_solver_resume(s.context, path, &options, &resumed));
  assert_int_equal(ans_solver_state(resumed).step, 2);
  assert_ok(s.context, ans_solver_run(s.context, resumed, &rules, NULL, NULL));
  assert_int_equal(ans_solver_state(resumed).end, ANS_END_TOLERANCE);
  ans_solver_free(resumed);
  ans_solver_free(solver);
  remove_path(path);
  tear_down(&s);
}

static const ans_solver_options by_adam = {.method = ANS_ADAM};

typedef struct onlooker {
  ans_context *context;
  ans_solver *solver;
  long calls, last, most;
  double residual;
} onlooker;

/* The solver may be asked while it runs. */
static bool look_on(void *data, ans_progress now) {
  onlooker *o = data;
  o->calls++;
  o->last = now.step;
  assert_ok(o->context, ans_solver_residual(o->context, o->solver, &o->residual, NULL));
  return o->calls < o->most;
}

/* A run with rules and a watcher takes the same steps as ans_solver_step. */
static void a_run_is_its_steps(void **state) {
  (void)state;
  setting s = set_up();
  ans_solver *stepped, *run;
  volatile int flag = 0;
  ans_run_rules rules = ANS_RUN_RULES_DEFAULT;
  assert_ok(s.context, ans_solver_begin(s.context, s.model, s.instance, &by_adam, &stepped));
  assert_ok(s.context, ans_solver_begin(s.context, s.model, s.instance, &by_adam, &run));
  onlooker onlooker = {.context = s.context, .solver = run, .most = 100};
  rules.steps = 23;
  rules.every = 5;
  rules.interrupt = &flag;
  assert_int_equal(ans_solver_state(run).end, ANS_END_NONE);
  assert_ok(s.context, ans_solver_step(s.context, stepped, 23));
  assert_ok(s.context, ans_solver_run(s.context, run, &rules, look_on, &onlooker));
  assert_int_equal(ans_solver_state(run).end, ANS_END_STEPS);
  assert_int_equal(onlooker.calls, 4);
  assert_int_equal(onlooker.last, 20);
  const double point[] = {0.3, 0.7};
  double expected, actual;
  assert_ok(s.context, ans_solver_evaluate(s.context, stepped, point, 1, NULL, &expected));
  assert_ok(s.context, ans_solver_evaluate(s.context, run, point, 1, NULL, &actual));
  assert_true(expected == actual);
  flag = 1;
  assert_ok(s.context, ans_solver_run(s.context, run, &rules, look_on, &onlooker));
  assert_int_equal(ans_solver_state(run).end, ANS_END_INTERRUPTED);
  assert_int_equal(ans_solver_state(run).step, 23);
  flag = 0;
  onlooker.most = onlooker.calls + 1;
  assert_ok(s.context, ans_solver_run(s.context, run, &rules, look_on, &onlooker));
  assert_int_equal(ans_solver_state(run).end, ANS_END_WATCHER);
  assert_int_equal(ans_solver_state(run).step, 25);
  ans_solver_free(run);
  ans_solver_free(stepped);
  tear_down(&s);
}

/* Members beyond the size that the caller states are not read: its struct may be an older, shorter one. */
static void shorter_structs_are_defaults_for_the_rest(void **state) {
  (void)state;
  setting s = set_up();
  ans_solver *solver;
  ans_solver_options options = {.size = offsetof(ans_solver_options, precision), .rate = 0.5, .precision = 7};
  ans_run_rules rules = {.size = offsetof(ans_run_rules, seconds), .steps = 3, .seconds = 1e-30};
  assert_ok(s.context, ans_solver_begin(s.context, s.model, s.instance, &options, &solver));
  assert_true(ans_solver_state(solver).rate == 0.5);
  assert_ok(s.context, ans_solver_run(s.context, solver, &rules, NULL, NULL));
  assert_int_equal(ans_solver_state(solver).step, 3);
  ans_solver_free(solver);
  options.size = sizeof options;
  assert_int_equal(ans_solver_begin(s.context, s.model, s.instance, &options, &solver), ANS_ARGUMENT);
  tear_down(&s);
}

static bool count_calls(void *data, ans_progress now) {
  long *calls = data;
  calls[0]++;
  calls[1] = now.step;
  return true;
}

/* Many solvers, one of them missing, one failed before: the others take the steps of one alone. */
static void many_runs_are_single_ones(void **state) {
  (void)state;
  setting s = set_up();
  ans_solver *alone, *solvers[4] = {NULL};
  ans_status statuses[4] = {ANS_OK, ANS_OK, ANS_ARGUMENT, ANS_OK};
  ans_run_rules rules = ANS_RUN_RULES_DEFAULT;
  long calls[2] = {0};
  rules.steps = 17;
  rules.every = 10;
  assert_ok(s.context, ans_solver_begin(s.context, s.model, s.instance, &by_adam, &alone));
  for (int i = 0; i < 3; i++)
    assert_ok(s.context, ans_solver_begin(s.context, s.model, s.instance, &by_adam, &solvers[i]));
  assert_ok(s.context, ans_solver_step(s.context, alone, 17));
  ans_solver_run_many(solvers, 4, &rules, 2, count_calls, calls, statuses, NULL, 0);
  assert_int_equal(calls[0], 2);
  assert_int_equal(calls[1], 2 * 17);
  assert_int_equal(ans_solver_state(solvers[2]).step, 0);
  const double point[] = {0.3, 0.7};
  double expected, actual;
  assert_ok(s.context, ans_solver_evaluate(s.context, alone, point, 1, NULL, &expected));
  for (int i = 0; i < 2; i++) {
    assert_int_equal(statuses[i], ANS_OK);
    assert_ok(s.context, ans_solver_evaluate(s.context, solvers[i], point, 1, NULL, &actual));
    assert_true(expected == actual);
  }
  for (int i = 0; i < 3; i++) ans_solver_free(solvers[i]);
  ans_solver_free(alone);
  tear_down(&s);
}

static void a_value_that_does_not_exist_is_nan(void **state) {
  (void)state;
  setting s = set_up();
  ans_solver *solver;
  assert_ok(s.context, ans_solver_begin(s.context, s.model, s.instance, NULL, &solver));
  const double points[] = {0.5, 0.5, -1, 0.5}; /* the square root of -0.9 */
  double values[2];
  assert_ok(s.context, ans_solver_evaluate(s.context, solver, points, 2, NULL, values));
  assert_true(isfinite(values[0]) && isnan(values[1]));
  ans_solver_free(solver);
  tear_down(&s);
}

static void a_grid_of_other_coordinates_is_refused(void **state) {
  (void)state;
  static const char text[] = "coordinate y in [0, 9]\ncoordinate t in [0, 1] time\nfield u\n"
                             "equation u: u_t + u_y = 0\ninitial u = 1\nboundary u at y = 0: u = 1 soft\n"
                             "network width 4, layers 1\n";
  setting s = set_up();
  ans_problem *problem;
  ans_instance *instance;
  ans_solver *own, *other;
  ans_solution *grid, *solution;
  const size_t sizes[] = {4, 5};
  size_t size;
  assert_ok(s.context, ans_problem_parse(s.context, "other", text, strlen(text), &problem));
  assert_ok(s.context, ans_instance_new(s.context, problem, (ans_choice)ANS_CHOICE_DEFAULT, &instance));
  assert_ok(s.context, ans_solver_begin(s.context, NULL, instance, NULL, &other));
  assert_ok(s.context, ans_solver_begin(s.context, s.model, s.instance, NULL, &own));
  assert_ok(s.context, ans_solver_solution(s.context, other, sizes, &grid));
  assert_int_equal(ans_solver_solution_like(s.context, own, grid, &solution), ANS_ARGUMENT);
  assert_string_equal(ans_context_diagnostic(s.context)->message, "axis 1 of the grid is y, and that of the problem x");
  assert_null(solution);
  assert_non_null(ans_solution_axis(grid, 1, NULL, &size));
  assert_int_equal(size, 4);
  assert_null(ans_solution_axis(grid, 2, NULL, &size));
  assert_int_equal(size, 0);
  ans_solution_free(grid);
  ans_solver_free(own);
  ans_solver_free(other);
  ans_instance_free(instance);
  ans_problem_free(problem);
  tear_down(&s);
}

/* What a caller gives may stand in a message, its control characters may not. */
static void messages_are_one_line(void **state) {
  (void)state;
  setting s = set_up();
  ans_instance *instance;
  assert_int_equal(ans_instance_new(s.context, s.problem, (ans_choice){.case_name = "a\nb"}, &instance), ANS_ARGUMENT);
  const char *message = ans_context_diagnostic(s.context)->message;
  assert_non_null(strstr(message, "'a?b'"));
  assert_null(strchr(message, '\n'));
  tear_down(&s);
}

static void a_residual_that_is_not_finite_is_zero(void **state) {
  (void)state;
  setting s = set_up();
  ans_choice choice = {.assignments = "k=1e300", .outside = true};
  ans_instance *instance;
  ans_solver *solver;
  assert_ok(s.context, ans_instance_new(s.context, s.problem, choice, &instance));
  ans_solver_options adam = {.size = sizeof adam, .method = ANS_ADAM}; /* which does not divide units out */
  assert_ok(s.context, ans_solver_begin(s.context, NULL, instance, &adam, &solver));
  double held_out = 42, grid = 42;
  assert_int_equal(ans_solver_residual(s.context, solver, &held_out, &grid), ANS_DIVERGED);
  assert_true(held_out == 0 && grid == 0);
  ans_solver_free(solver);
  ans_instance_free(instance);
  tear_down(&s);
}

/* The loss after a few steps, which has the same bits in every process. */
static double loss_after(const setting *s, int threads) {
  ans_solver *solver;
  ans_solver_options options = {.threads = threads};
  assert_ok(s->context, ans_solver_begin(s->context, s->model, s->instance, &options, &solver));
  assert_ok(s->context, ans_solver_step(s->context, solver, 20));
  double loss = ans_solver_state(solver).loss;
  ans_solver_free(solver);
  return loss;
}

static void a_child_of_fork_solves_with_threads(void **state) {
  (void)state;
#if defined(ANSATZ_OPENMP) || defined(__SANITIZE_THREAD__)
  skip(); /* neither allows threads in a child of a process that had some */
#endif
  setting s = set_up();
  double loss = loss_after(&s, 2);
  for (int threads = 1; threads <= 3; threads++) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      alarm(60); /* a hang ends here */
      _exit(loss_after(&s, threads) == loss ? 0 : 1);
    }
    int how = -1;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_int_equal(how, 0);
  }
  tear_down(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_model_serves_problems_that_say_the_same_of_its_networks),
      cmocka_unit_test(a_loaded_solver_goes_on_as_it_was_begun),
      cmocka_unit_test(a_saved_solver_is_resumed),
      cmocka_unit_test(a_run_is_its_steps),
      cmocka_unit_test(shorter_structs_are_defaults_for_the_rest),
      cmocka_unit_test(many_runs_are_single_ones),
      cmocka_unit_test(a_value_that_does_not_exist_is_nan),
      cmocka_unit_test(a_grid_of_other_coordinates_is_refused),
      cmocka_unit_test(messages_are_one_line),
      cmocka_unit_test(a_residual_that_is_not_finite_is_zero),
      cmocka_unit_test(a_child_of_fork_solves_with_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
