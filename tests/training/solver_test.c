/* SPDX-License-Identifier: Apache-2.0
 *
 * Solvers: adaptation, its modes, evaluation, files, many at once.
 */
#include <limits.h>

#include "small.h"

#include <sys/resource.h>

enum { POINTS = 20 };

typedef struct setting {
  ans_context *context;
  ans_problem *problem;
  ans_instance *instance;
  ans_model *model;
} setting;

static setting set_up(void) {
  setting s = {.context = new_context()};
  s.problem = small_problem(s.context);
  s.instance = small_instance(s.context, s.problem);
  s.model = small_model(s.context, s.problem);
  return s;
}

static void tear_down(setting *s) {
  model_free(s->model);
  system_instance_free(s->instance);
  system_free(s->problem);
  ans_context_free(s->context);
}

/* By Adam, unless a test says otherwise: gauss_newton_test.c has the other method. */
static ans_solver *begin(setting *s, bool from_model, ans_solver_options options) {
  ans_solver *solver;
  options.seed = 7;
  if (options.method == ANS_METHOD_AUTOMATIC) options.method = ANS_ADAM;
  assert_ok(s->context, solver_begin(s->context, from_model ? s->model : NULL, s->instance, &options, &solver));
  return solver;
}

static void evaluate(setting *s, ans_solver *solver, const uint8_t *order, double *values) {
  double points[POINTS][2];
  for (int i = 0; i < POINTS; i++) {
    points[i][0] = (double)i / POINTS;
    points[i][1] = (double)(i * 7 % POINTS) / POINTS;
  }
  assert_ok(s->context, solver_evaluate(s->context, solver, points[0], POINTS, order, values));
}

static void adaptation_lowers_the_residual(void **state) {
  (void)state;
  setting s = set_up();
  for (int from_model = 0; from_model < 2; from_model++) {
    ans_solver *solver = begin(&s, from_model, (ans_solver_options){0});
    double before, after, grid_before, grid_after;
    assert_true(isnan(solver_progress(solver).loss));
    assert_ok(s.context, solver_residual(s.context, solver, &before, &grid_before));
    assert_ok(s.context, solver_step(s.context, solver, 200));
    assert_ok(s.context, solver_residual(s.context, solver, &after, &grid_after));
    assert_int_equal(solver_progress(solver).step, 200);
    assert_true(after < before / 2 && grid_after < grid_before / 2);
    assert_near(log(after / grid_after), 0, 0.5); /* two estimates of one mean */
    solver_free(solver);
  }
  tear_down(&s);
}

/* Looking at the held-out points must not disturb the run. */
static void looking_changes_nothing(void **state) {
  (void)state;
  setting s = set_up();
  ans_solver *plain = begin(&s, true, (ans_solver_options){0}),
             *watched = begin(&s, true, (ans_solver_options){.threads = 2});
  double residual, grid, expected[POINTS], actual[POINTS];
  assert_ok(s.context, solver_step(s.context, plain, 30));
  for (int i = 0; i < 30; i++) {
    assert_ok(s.context, solver_step(s.context, watched, 1));
    assert_ok(s.context, solver_residual(s.context, watched, &residual, &grid));
    evaluate(&s, watched, NULL, actual);
  }
  evaluate(&s, plain, NULL, expected);
  assert_memory_equal(expected, actual, sizeof expected);
  solver_free(plain);
  solver_free(watched);
  tear_down(&s);
}

static void evaluation_gives_derivatives(void **state) {
  (void)state;
  setting s = set_up();
  ans_solver *solver = begin(&s, true, (ans_solver_options){.precision = 64});
  assert_ok(s.context, solver_step(s.context, solver, 50));
  const double h = 1e-4;
  const uint8_t first[4] = {1}, second[4] = {2};
  for (double x = 0.1; x < 0.9; x += 0.2) {
    double points[3][2] = {{x - h, 0.4}, {x, 0.4}, {x + h, 0.4}}, u[3], slope, curve;
    assert_ok(s.context, solver_evaluate(s.context, solver, points[0], 3, NULL, u));
    assert_ok(s.context, solver_evaluate(s.context, solver, points[1], 1, first, &slope));
    assert_ok(s.context, solver_evaluate(s.context, solver, points[1], 1, second, &curve));
    assert_near(slope, (u[2] - u[0]) / (2 * h), 1e-4);
    assert_near(curve, (u[2] - 2 * u[1] + u[0]) / (h * h), 1e-2);
  }
  double start[2] = {0.25, 0}, value;
  assert_ok(s.context, solver_evaluate(s.context, solver, start, 1, NULL, &value));
  assert_near(value, 1, 1e-12); /* the initial value holds exactly */
  solver_free(solver);
  tear_down(&s);
}

static void modes_leave_alone_what_they_should(void **state) {
  (void)state;
  setting s = set_up();
  for (int mode = ANS_FULL; mode <= ANS_WEIGHTS; mode++) {
    ans_solver *solver = begin(&s, true, (ans_solver_options){.mode = (ans_mode)mode});
    assert_ok(s.context, solver_step(s.context, solver, 5));
    char path[64];
    temporary_path(path, sizeof path, "solver");
    assert_ok(s.context, solver_save(s.context, solver, path));
    safetensors *file;
    assert_ok(s.context, safetensors_read(s.context, path, &file));
    for (int i = 0; i < s.model->unknowns.count; i++) {
      const unknown_part *part = &s.model->unknowns.parts[i];
      if (part->role == UNKNOWN_HYPERNETWORK) continue;
      const tensor *tensor = safetensors_find(file, part->name);
      assert_non_null(tensor);
      double *values = memory_take(tensor->count * sizeof *values);
      tensor_values(tensor, values);
      bool same = memcmp(values, s.model->parameters + part->offset, tensor->count * sizeof *values) == 0;
      bool frozen = mode == ANS_CODES || (mode == ANS_FROZEN_BASES && unknown_is_basis(part)) ||
                    (mode == ANS_WEIGHTS && part->role == UNKNOWN_LEFT_BASIS);
      assert_int_equal(same, frozen);
      memory_give(values);
    }
    safetensors_free(file);
    remove_path(path);
    solver_free(solver);
  }
  tear_down(&s);
}

static void a_solver_survives_its_file(void **state) {
  (void)state;
  setting s = set_up();
  ans_solver *solver = begin(&s, true, (ans_solver_options){0}), *loaded;
  assert_ok(s.context, solver_step(s.context, solver, 20));
  char path[64];
  double expected[POINTS], actual[POINTS];
  temporary_path(path, sizeof path, "solver");
  assert_ok(s.context, solver_save(s.context, solver, path));
  assert_ok(s.context, solver_load(s.context, path, 1, &loaded));
  evaluate(&s, solver, NULL, expected);
  evaluate(&s, loaded, NULL, actual);
  assert_memory_equal(expected, actual, sizeof expected);
  assert_int_equal(solver_progress(loaded).step, 20);
  assert_true(system_instance_hash(solver_instance(loaded)) == system_instance_hash(s.instance));
  assert_ok(s.context, solver_step(s.context, loaded, 3));
  assert_int_equal(solver_progress(loaded).step, 23);
  ans_model *model;
  assert_int_equal(model_read(s.context, path, &model), ANS_MODEL);
  solver_free(loaded);
  solver_free(solver);
  remove_path(path);
  tear_down(&s);
}

/* Whatever a fresh optimiser does to it: at a rate that ruins the fields the saved state is taken again, at a usual one
 * it gets better. */
static void a_resumed_run_does_not_end_worse(void **state) {
  (void)state;
  setting s = set_up();
  ans_solver *solver = begin(&s, true, (ans_solver_options){0}), *resumed;
  char path[64];
  double saved, after, expected[POINTS], actual[POINTS];
  temporary_path(path, sizeof path, "solver");
  assert_ok(s.context, solver_step(s.context, solver, 30));
  assert_ok(s.context, solver_residual(s.context, solver, &saved, NULL));
  assert_ok(s.context, solver_save(s.context, solver, path));
  for (int ruinous = 0; ruinous < 2; ruinous++) {
    assert_ok(s.context, solver_resume(s.context, path,
                                       &(ans_solver_options){.rate = ruinous ? 10.0 : 1e-3, .threads = 1}, &resumed));
    assert_true(solver_progress(resumed).rate == (ruinous ? 10.0 : 1e-3));
    const ans_run_rules rules = {.size = sizeof rules, .steps = 150};
    assert_ok(s.context, solver_run(s.context, resumed, &rules, NULL, NULL));
    assert_int_equal(solver_progress(resumed).step, 180);
    assert_ok(s.context, solver_residual(s.context, resumed, &after, NULL));
    evaluate(&s, solver, NULL, expected);
    evaluate(&s, resumed, NULL, actual);
    if (ruinous) {
      assert_true(after == saved);
      assert_memory_equal(expected, actual, sizeof expected);
    } else {
      assert_true(after < 0.9 * saved);
    }
    solver_free(resumed);
  }
  solver_free(solver);
  remove_path(path);
  tear_down(&s);
}

/* Adam in a frame that the text sets moving. */
static void a_moving_frame_survives_the_file_of_adam(void **state) {
  (void)state;
  static const char TEXT[] = "coordinate x in [0, 1) periodic\ncoordinate t in [0, 1] time\nfield u\n"
                             "equation u: u_t + 2*u_x - 0.01*u_xx = 0\ninitial u = sin(2*pi*x)\n"
                             "network width 8, layers 1, frame moving\nadapt method adam, points 32\n";
  setting s = {.context = new_context()};
  ans_solver *loaded;
  char path[64];
  double expected[POINTS], actual[POINTS];
  temporary_path(path, sizeof path, "solver");
  assert_ok(s.context, system_parse(s.context, "frame", NULL, TEXT, sizeof TEXT - 1, &s.problem));
  double none[1] = {0};
  assert_ok(s.context, system_instance(s.context, s.problem, 0, none, true, &s.instance));
  ans_solver *solver = begin(&s, false, (ans_solver_options){0});
  assert_true(solver_info(solver).moving_frame);
  assert_ok(s.context, solver_step(s.context, solver, 3));
  assert_ok(s.context, solver_save(s.context, solver, path));
  assert_ok(s.context, solver_load(s.context, path, 1, &loaded));
  evaluate(&s, solver, NULL, expected);
  evaluate(&s, loaded, NULL, actual);
  assert_memory_equal(expected, actual, sizeof expected);
  solver_free(loaded), solver_free(solver);
  remove_path(path);
  tear_down(&s);
}

static long peak_kilobytes(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

/* A file of a few kilobytes whose problem asks for gigabytes is refused before any of them is taken. */
static void a_file_that_asks_for_too_much_is_refused(void **state) {
  (void)state;
  setting s = set_up();
  ans_solver *solver = begin(&s, false, (ans_solver_options){0}), *loaded;
  char path[64], *text, *changed;
  temporary_path(path, sizeof path, "solver");
  assert_ok(s.context, solver_save(s.context, solver, path));
  assert_ok(s.context, system_print(s.context, s.problem, &text));
  const char *place = strstr(text, "width 16");
  assert_non_null(place);
  changed = memory_take(strlen(text) + 16);
  sprintf(changed, "%.*swidth 4096%s", (int)(place - text), text, place + strlen("width 16"));
  rewrite_note(s.context, path, "problem", "problem", changed);
  long before = peak_kilobytes();
  assert_int_equal(solver_load(s.context, path, 1, &loaded), ANS_MODEL);
  assert_non_null(strstr(ans_context_diagnostic(s.context)->message, "numbers where its problem needs"));
  assert_true(peak_kilobytes() - before < 64 * 1024);
  rewrite_note(s.context, path, "problem", "problem", text);
  assert_ok(s.context, solver_load(s.context, path, 1, &loaded));
  solver_free(loaded);
  memory_give(changed), memory_give(text);
  solver_free(solver);
  remove_path(path);
  tear_down(&s);
}

/* A note is missing, or says what no solver writes; the checksum is right. */
static void a_file_with_a_wrong_note_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *key, *name, *text, *sentence; /* the note, what it becomes */
  } wrong[] = {{"structure", "elsewhere", NULL, "has no structure or no values"},
               {"values", "elsewhere", NULL, "has no structure or no values"},
               {"structure", "structure", "unheard-of", "which its problem has not"},
               {"method", "method", "guesswork", "which is not known here"},
               {"time_weight", "time_weight", "101", "no usable time weight"},
               {"eases", "eases", "2", "eases"},
               {"moving", "moving", "3", "moving"},
               {"scaled", "scaled", "2", "scaled"}};
  setting s = set_up();
  ans_solver *solver = begin(&s, false, (ans_solver_options){.method = ANS_GAUSS_NEWTON}), *loaded;
  char path[64];
  temporary_path(path, sizeof path, "solver");
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    assert_ok(s.context, solver_save(s.context, solver, path));
    assert_ok(s.context, solver_load(s.context, path, 1, &loaded));
    solver_free(loaded);
    rewrite_note(s.context, path, wrong[i].key, wrong[i].name, wrong[i].text);
    assert_int_equal(solver_load(s.context, path, 1, &loaded), ANS_MODEL);
    assert_non_null(strstr(ans_context_diagnostic(s.context)->message, wrong[i].sentence));
  }
  solver_free(solver);
  remove_path(path);
  tear_down(&s);
}

/* Whatever the model reads, and in either precision. */
static void solvers_of_every_model_survive_their_files(void **state) {
  (void)state;
  setting s = {.context = new_context()};
  s.problem = small_problem(s.context);
  s.instance = small_instance(s.context, s.problem);
  char path[64];
  temporary_path(path, sizeof path, "solver");
  for (int i = 0; i < 2 * SMALL_KIND_COUNT; i++) {
    int bits = i % 2 ? 64 : 32;
    s.model = small_model_of(s.context, s.problem, SMALL_KINDS[i / 2], bits);
    ans_solver *solver = begin(&s, true, (ans_solver_options){.precision = bits}), *loaded;
    double first[POINTS], expected[POINTS], actual[POINTS];
    evaluate(&s, solver, NULL, first);
    assert_ok(s.context, solver_step(s.context, solver, 5));
    assert_ok(s.context, solver_save(s.context, solver, path));
    assert_ok(s.context, solver_load(s.context, path, 1, &loaded));
    evaluate(&s, solver, NULL, expected);
    evaluate(&s, loaded, NULL, actual);
    assert_memory_not_equal(first, expected, sizeof first);
    assert_memory_equal(expected, actual, sizeof expected);
    solver_free(loaded);
    solver_free(solver);
    model_free(s.model);
  }
  s.model = NULL;
  remove_path(path);
  tear_down(&s);
}

static void the_stopping_rule_stops(void **state) {
  (void)state;
  setting s = set_up();
  /* A rate this small improves nothing: the first check counts as progress, the next two do not. */
  ans_solver *solver = begin(&s, true, (ans_solver_options){.rate = 1e-9, .patience = 2});
  assert_ok(s.context, solver_step(s.context, solver, 1000));
  assert_true(solver_progress(solver).stopped);
  assert_int_equal(solver_progress(solver).step, 300);
  assert_ok(s.context, solver_step(s.context, solver, 10));
  assert_int_equal(solver_progress(solver).step, 300);
  solver_free(solver);
  solver = begin(&s, true, (ans_solver_options){.rate = 1e-9, .patience = 1});
  assert_ok(s.context, solver_step(s.context, solver, 1));
  assert_ok(s.context, solver_step(s.context, solver, LONG_MAX)); /* until it stops */
  assert_int_equal(solver_progress(solver).step, 200);
  solver_free(solver);
  tear_down(&s);
}

/* A transform that overflows: neither residual nor fields have numbers to give. */
static void what_is_not_finite_is_told(void **state) {
  (void)state;
  setting s = {.context = new_context()};
  static const char text[] = "coordinate x in [0, 1) periodic\ncoordinate t in [0, 1] time\nfield u = exp(-6000*_*t)\n"
                             "equation u: u_t = 0\ninitial u = 1\nnetwork width 8, layers 1\n";
  assert_ok(s.context, ans_problem_parse(s.context, "overflow", text, strlen(text), &s.problem));
  const ans_choice choice = {.structure = "full", .fill = true};
  assert_ok(s.context, ans_instance_new(s.context, s.problem, choice, &s.instance));
  ans_solver *solver = begin(&s, false, (ans_solver_options){0});
  double held_out, grid;
  ans_solution *solution;
  assert_int_equal(solver_residual(s.context, solver, &held_out, NULL), ANS_DIVERGED);
  assert_int_equal(solver_residual(s.context, solver, NULL, &grid), ANS_DIVERGED);
  assert_int_equal(ans_solver_solution(s.context, solver, NULL, &solution), ANS_DIVERGED);
  assert_non_null(strstr(ans_context_diagnostic(s.context)->message, "field u is not finite"));
  assert_null(solution);
  const size_t sizes[2] = {(size_t)1 << 21, 2};
  assert_int_equal(ans_solver_solution(s.context, solver, sizes, &solution), ANS_ARGUMENT);
  assert_non_null(strstr(ans_context_diagnostic(s.context)->message, "2097152 nodes along x"));
  assert_int_equal(solver_step(s.context, solver, 1), ANS_DIVERGED);
  solver_free(solver);
  tear_down(&s);
}

/* A field that is zero whatever the network says leaves the residual x*t, whose mean square over [2, 4] x [1, 2] is
 * 28/3 * 7/3. The midpoint rule, 32 points on each axis, has a twelfth of its squared step less in each factor. */
static void residuals_are_taken_over_the_domain(void **state) {
  (void)state;
  setting s = {.context = new_context()};
  static const char text[] = "coordinate x in [2, 4]\ncoordinate t in [1, 2] time\nfield u = 0*_\n"
                             "equation u: u_t = x*t\ninitial u = 0\nnetwork width 8, layers 1\n"
                             "adapt points 10000\n";
  assert_ok(s.context, ans_problem_parse(s.context, "known", text, strlen(text), &s.problem));
  const ans_choice choice = {.structure = "full", .fill = true};
  assert_ok(s.context, ans_instance_new(s.context, s.problem, choice, &s.instance));
  const double exact = 28.0 / 3 * 7 / 3,
               midpoints = (28.0 / 3 - pow(2.0 / 32, 2) / 12) * (7.0 / 3 - pow(1.0 / 32, 2) / 12);
  for (int bits = 32; bits <= 64; bits += 32) {
    ans_solver *solver = begin(&s, false, (ans_solver_options){.precision = bits});
    double held_out, grid;
    assert_ok(s.context, solver_residual(s.context, solver, &held_out, &grid));
    assert_near(grid, midpoints, 1e-10);
    assert_near(held_out, exact, 0.05 * exact);
    solver_free(solver);
  }
  tear_down(&s);
}

/* Going back is neither a step nor a check without improvement. */
static void a_return_is_no_step(void **state) {
  (void)state;
  setting s = set_up();
  ans_solver *solver = begin(&s, true, (ans_solver_options){.rate = 1000, .patience = 1});
  assert_ok(s.context, solver_step(s.context, solver, 90));
  assert_true(solver_progress(solver).rollbacks > 0);
  assert_false(solver_progress(solver).stopped);
  assert_int_equal(solver_progress(solver).step, 90);
  solver_free(solver);
  tear_down(&s);
}

static void many_at_once_are_as_one_by_one(void **state) {
  (void)state;
  setting s = set_up();
  enum { MANY = 5 };
  ans_solver *solvers[MANY], *alone = begin(&s, true, (ans_solver_options){0});
  ans_status statuses[MANY];
  char messages[MANY][100] = {{0}};
  for (int i = 0; i < MANY; i++) {
    solvers[i] = i == 2 ? NULL : begin(&s, true, (ans_solver_options){.rate = i == 3 ? 1e5 : 0});
    statuses[i] = ANS_OK;
  }
  assert_ok(s.context, solver_step(s.context, alone, 40));
  ans_solver_step_many(solvers, MANY, 40, 3, statuses, messages[0], sizeof messages[0]);
  double expected[POINTS], actual[POINTS];
  evaluate(&s, alone, NULL, expected);
  assert_int_equal(statuses[3], ANS_DIVERGED);
  assert_non_null(strstr(messages[3], "diverged"));
  for (int i = 0; i < MANY; i++) {
    if (i == 2 || i == 3) continue;
    assert_int_equal(statuses[i], ANS_OK);
    evaluate(&s, solvers[i], NULL, actual);
    assert_memory_equal(expected, actual, sizeof expected);
  }
  for (int i = 0; i < MANY; i++) solver_free(solvers[i]);
  solver_free(alone);
  tear_down(&s);
}

static void a_foreign_model_is_refused(void **state) {
  (void)state;
  setting s = set_up();
  static const char other[] =
      "coordinate t in [0, 1] time\nfield u\nequation u: u_t + u = 0\ninitial u = 1\nstructure only\n";
  ans_problem *problem;
  ans_instance *instance;
  ans_solver *solver;
  assert_ok(s.context, system_parse(s.context, "other", NULL, other, strlen(other), &problem));
  const double none[1] = {0};
  assert_ok(s.context, system_instance(s.context, problem, 0, none, false, &instance));
  assert_int_equal(solver_begin(s.context, s.model, instance, &(ans_solver_options){0}, &solver), ANS_MODEL);
  assert_null(solver);
  system_instance_free(instance);
  system_free(problem);
  tear_down(&s);
}

static void failing_memory_leaves_nothing(void **state) {
  (void)state;
  setting s = set_up();
  ans_status status = ANS_MEMORY;
  for (long n = 1; status == ANS_MEMORY; n++) {
    ans_solver *solver;
    memory_fail_after(n, false);
    status = solver_begin(s.context, s.model, s.instance, &(ans_solver_options){0}, &solver);
    if (status == ANS_OK) status = solver_step(s.context, solver, 1);
    double grid;
    if (status == ANS_OK) status = solver_residual(s.context, solver, NULL, &grid);
    memory_fail_after(0, false);
    solver_free(solver);
    assert_true(n < 5000);
  }
  assert_int_equal(status, ANS_OK);
  tear_down(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(adaptation_lowers_the_residual),
      cmocka_unit_test(looking_changes_nothing),
      cmocka_unit_test(evaluation_gives_derivatives),
      cmocka_unit_test(modes_leave_alone_what_they_should),
      cmocka_unit_test(a_file_that_asks_for_too_much_is_refused),
      cmocka_unit_test(a_file_with_a_wrong_note_is_refused),
      cmocka_unit_test(solvers_of_every_model_survive_their_files),
      cmocka_unit_test(a_solver_survives_its_file),
      cmocka_unit_test(a_resumed_run_does_not_end_worse),
      cmocka_unit_test(a_moving_frame_survives_the_file_of_adam),
      cmocka_unit_test(the_stopping_rule_stops),
      cmocka_unit_test(what_is_not_finite_is_told),
      cmocka_unit_test(a_return_is_no_step),
      cmocka_unit_test(many_at_once_are_as_one_by_one),
      cmocka_unit_test(a_foreign_model_is_refused),
      cmocka_unit_test(failing_memory_leaves_nothing),
      cmocka_unit_test(residuals_are_taken_over_the_domain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
