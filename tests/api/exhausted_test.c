/* SPDX-License-Identifier: Apache-2.0
 *
 * exhausted_test.c - memory ends in the middle of training, solving, estimating, fitting, computing a reference or
 * writing: the n-th allocation fails, for every n of a short path and a spread of them over a long one. Each time the
 * call says so and leaves no result and no file; afterwards the same call gives the same numbers as before. (Leaks show
 * in the sanitized build.)
 */
#include "check.h"

#include <unistd.h>

#include "ansatz_tools.h"
#include "base/context.h"
#include "temporary.h"

static const char family[] = "coordinate x in [0, 1) periodic\n"
                             "coordinate t in [0, 0.5] time\n"
                             "field u, v\n"
                             "coefficient a in [0.5, 1]\n"
                             "coefficient D in [0.05, 0.1] log optional\n"
                             "equation u: u_t + a*u_x - D*u_xx + u*v = 0\n"
                             "equation v: v_t - 0.1*v_xx - u = 0\n"
                             "initial u = sin(2*pi*x)\n"
                             "initial v = 0.1*cos(2*pi*x)\n"
                             "case one: a=0.7 D=0.05\n"
                             "network width 8, layers 1, fourier x 1..2\n"
                             "train steps 3, points 16\n"
                             "adapt steps 3, points 16\n"
                             "reference points 16, times 6, relative 1e-5, absolute 1e-7\n";

/* What every path works on and leaves: a number to compare, or a file. */
typedef struct world {
  ans_context *context;
  ans_problem *problem;
  ans_instance *instance;
  ans_model *model;
  char path[64];
  const char *descriptor;
  double number;
} world;

static ans_status train(world *w) {
  ans_training *training;
  ans_model *model = NULL;
  ans_training_options options = {.size = sizeof options, .descriptor = w->descriptor};
  ans_status status = ans_training_begin(w->context, w->problem, &options, &training);
  assert_int_equal(status == ANS_OK, training != NULL);
  if (status == ANS_OK) status = ans_training_step(w->context, training, 3);
  if (status == ANS_OK) status = ans_training_save(w->context, training, w->path);
  if (status == ANS_OK) status = ans_training_model(w->context, training, &model);
  if (status == ANS_OK) w->number = ans_training_state(training).loss;
  ans_model_free(model);
  ans_training_free(training);
  return status;
}

static ans_status resume(world *w) {
  ans_training *training;
  ans_status status = ans_training_resume(w->context, w->path, 1, &training);
  assert_int_equal(status == ANS_OK, training != NULL);
  if (status == ANS_OK) status = ans_training_step(w->context, training, 1);
  if (status == ANS_OK) w->number = ans_training_state(training).loss;
  ans_training_free(training);
  return status;
}

static ans_status keep_model(world *w) {
  ans_model *read = NULL;
  ans_status status = ans_model_write(w->context, w->model, w->path);
  if (status == ANS_OK) status = ans_model_read(w->context, w->path, &read);
  assert_int_equal(status == ANS_OK, read != NULL);
  ans_model_free(read);
  w->number = 1;
  return status;
}

static ans_status solve(world *w) {
  ans_solver *solver = NULL, *loaded = NULL;
  ans_solution *solution = NULL;
  double residual = 0;
  ans_status status = ans_solver_begin(w->context, w->model, w->instance, NULL, &solver);
  assert_int_equal(status == ANS_OK, solver != NULL);
  if (status == ANS_OK) status = ans_solver_step(w->context, solver, 3);
  if (status == ANS_OK) status = ans_solver_residual(w->context, solver, &residual, NULL);
  if (status == ANS_OK) status = ans_solver_save(w->context, solver, w->path);
  if (status == ANS_OK) status = ans_solver_load(w->context, w->path, 1, &loaded);
  if (status == ANS_OK) status = ans_solver_solution(w->context, loaded, NULL, &solution);
  assert_int_equal(status == ANS_OK, solution != NULL);
  w->number = residual;
  ans_solution_free(solution);
  ans_solver_free(loaded);
  ans_solver_free(solver);
  return status;
}

/* The estimate may also say that it is not available. */
static ans_status estimate(world *w) {
  ans_solver *solver;
  ans_estimate estimate = {0};
  ans_status status = ans_solver_begin(w->context, NULL, w->instance, NULL, &solver);
  if (status == ANS_OK) status = ans_solver_estimate(w->context, solver, &estimate);
  w->number = estimate.mean;
  ans_solver_free(solver);
  return status;
}

static ans_status reference(world *w) {
  ans_reference_report report;
  ans_solution *solution;
  ans_status status = ans_reference_solve(w->context, w->instance, (ans_reference_options){0}, &solution, &report);
  assert_int_equal(status == ANS_OK, solution != NULL);
  if (status == ANS_OK) {
    size_t count;
    const double *values = ans_solution_values(solution, 0, NULL, &count);
    w->number = values[count - 1];
  }
  ans_solution_free(solution);
  return status;
}

/* ---- Fits ------------------------------------------------------------------------------------------------ */

static const char wave[] = "coordinate x in [0, 1) periodic\n"
                           "coordinate t in [0, 0.5] time\n"
                           "field u\n"
                           "coefficient D in [0.02, 0.1]\n"
                           "coefficient c in [0, 1] optional\n"
                           "parameter a, b in [0.5, 2]\n"
                           "equation u: u_t + c*u_x = D*u_xx\n"
                           "initial u = a*b*sin(2*pi*x)\n"
                           "structure still without c\n"
                           "structure drifting\n"
                           "network width 8, layers 1, fourier x 1..1\n"
                           "adapt points 32\n"
                           "reference points 16, times 6, relative 1e-5, absolute 1e-7\n";

/* Twenty values of the wave with D = 0.04, c = 0.3, a b = 1, and a little of what is no noise. */
static void write_measurements(const char *path) {
  const double pi = 3.14159265358979323846;
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "x,t,u\n");
  for (int i = 0; i < 20; i++) {
    double x = 0.37 * i, t = 0.025 * i;
    double u = exp(-4 * pi * pi * 0.04 * t) * sin(2 * pi * (x - 0.3 * t)) + 0.01 * cos(5.0 * i);
    fprintf(file, "%.12g,%.12g,%.12g\n", x, t, u);
  }
  fclose(file);
}

/* With notes: a and b cannot be told apart. */
static ans_status fit(world *w) {
  ans_fit_options options = {.size = sizeof options, .unknown = "D,a,b", .fixed = "c=0.3"};
  ans_measurements *data = NULL;
  ans_fit *fit = NULL;
  ans_fit_reference checked;
  char *text = NULL;
  ans_status status = ans_measurements_read(w->context, w->problem, w->path, &data);
  if (status == ANS_OK) status = ans_fit_new(w->context, w->problem, data, &options, &fit);
  assert_int_equal(status == ANS_OK, fit != NULL);
  if (status == ANS_OK) status = ans_fit_check(w->context, fit, &checked);
  if (status == ANS_OK) status = ans_fit_print(w->context, fit, &text);
  if (status == ANS_OK) assert_non_null(strstr(text, "do not tell a and b apart"));
  if (status == ANS_OK) w->number = ans_fit_number(fit, 0).estimate;
  ans_free(text);
  ans_fit_free(fit);
  ans_measurements_free(data);
  return status;
}

/* The questions one may ask of a fit. */
static ans_status fit_closely(world *w) {
  ans_fit_options options = {.size = sizeof options, .unknown = "D", .fixed = "a=1,b=1,c=0.3", .noise = "u=0.4"};
  ans_fit_candidate table[2];
  ans_measurements *data = NULL;
  ans_fit *fit = NULL;
  ans_fit_place places[2];
  ans_fit_profile profile;
  assert_int_equal(ans_problem_count(w->problem, ANS_STRUCTURES), 2);
  ans_status status = ans_measurements_read(w->context, w->problem, w->path, &data);
  if (status == ANS_OK) status = ans_fit_structures(w->context, w->problem, data, &options, table, &fit);
  assert_int_equal(status == ANS_OK, fit != NULL);
  if (status == ANS_OK) status = ans_fit_next(w->context, fit, places, 2);
  if (status == ANS_OK) status = ans_fit_profile_of(w->context, fit, 0, &profile);
  if (status == ANS_OK) w->number = profile.least + places[1].errors[0];
  ans_fit_free(fit);
  ans_measurements_free(data);
  return status;
}

/* ---- The n-th allocation --------------------------------------------------------------------------------- */

static void check_path(ans_status (*path)(world *w), world *w, const char *name, long most) {
  long before = memory_taken();
  assert_ok(w->context, path(w));
  long count = memory_taken() - before, stride = count / most + 1;
  double expected = w->number;
  assert_true(count > 5);
  for (long n = 1; n <= count; n += stride) {
    memory_fail_after(n, n / stride % 2 == 1);
    ans_status status = path(w);
    memory_fail_after(0, false);
    if (status != ANS_MEMORY)
      fail_msg("%s: allocation %ld of %ld failed and the status is %d", name, n, count, (int)status);
    assert_non_null(strstr(ans_context_diagnostic(w->context)->message, "memory"));
  }
  assert_ok(w->context, path(w));
  assert_true(w->number == expected);
}

static world set_up(void) {
  world w = {.context = new_context()};
  ans_training *training;
  ans_choice choice = ANS_CHOICE_DEFAULT;
  choice.case_name = "one";
  temporary_path(w.path, sizeof w.path, "made");
  assert_ok(w.context, ans_problem_parse(w.context, "exhausted", family, strlen(family), &w.problem));
  assert_ok(w.context, ans_instance_new(w.context, w.problem, choice, &w.instance));
  assert_ok(w.context, ans_training_begin(w.context, w.problem, NULL, &training));
  assert_ok(w.context, ans_training_step(w.context, training, 3));
  assert_ok(w.context, ans_training_model(w.context, training, &w.model));
  assert_ok(w.context, ans_training_save(w.context, training, w.path));
  ans_training_free(training);
  return w;
}

static void tear_down(world *w) {
  ans_model_free(w->model);
  ans_instance_free(w->instance);
  ans_problem_free(w->problem);
  ans_context_free(w->context);
  remove_path(w->path);
}

enum { SPREAD = 150, FEW = 60, SOME = 20 };

static void training_may_run_out_of_memory(void **state) {
  (void)state;
  world w = set_up();
  check_path(resume, &w, "resume", SPREAD);
  check_path(keep_model, &w, "model", SPREAD);
  static const char *const descriptors[] = {"graph", "set", "ownership", "vector", "presence", "dictionary"};
  for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++) {
    w.descriptor = descriptors[i];
    check_path(train, &w, descriptors[i], 60);
  }
  tear_down(&w);
}

static void solving_may_run_out_of_memory(void **state) {
  (void)state;
  world w = set_up();
  check_path(solve, &w, "solve", SPREAD);
  tear_down(&w);
}

static void estimating_may_run_out_of_memory(void **state) {
  (void)state;
  world w = set_up();
  check_path(estimate, &w, "estimate", SPREAD);
  tear_down(&w);
}

static void a_reference_may_run_out_of_memory(void **state) {
  (void)state;
  world w = set_up();
  ans_reference_report report;
  ans_solution *solution;
  ans_status status = ans_reference_solve(w.context, w.instance, (ans_reference_options){0}, &solution, &report);
  ans_solution_free(solution);
  if (status != ANS_UNSUPPORTED) check_path(reference, &w, "reference", FEW); /* a build without SUNDIALS has none */
  tear_down(&w);
}

/* Of second order in time: it is rewritten for the reference. */
static void a_rewritten_reference_may_run_out_of_memory(void **state) {
  (void)state;
  static const char waves[] = "coordinate x in [0, 1) periodic\n"
                              "coordinate t in [0, 0.2] time\n"
                              "field u\n"
                              "equation u: u_tt - u_xx = 0\n"
                              "initial u = sin(2*pi*x)\n"
                              "initial u_t = 0\n"
                              "reference points 16, times 6, relative 1e-5, absolute 1e-7\n";
  world w = {.context = new_context()};
  ans_reference_report report;
  ans_solution *solution;
  assert_ok(w.context, ans_problem_parse(w.context, "waves", waves, strlen(waves), &w.problem));
  assert_ok(w.context, ans_instance_new(w.context, w.problem, (ans_choice)ANS_CHOICE_DEFAULT, &w.instance));
  ans_status status = ans_reference_solve(w.context, w.instance, (ans_reference_options){0}, &solution, &report);
  ans_solution_free(solution);
  if (status != ANS_UNSUPPORTED) check_path(reference, &w, "rewritten", SPREAD);
  ans_instance_free(w.instance);
  ans_problem_free(w.problem);
  ans_context_free(w.context);
}

static void a_fit_may_run_out_of_memory(void **state) {
  (void)state;
  world w = {.context = new_context()};
  temporary_path(w.path, sizeof w.path, "measured");
  write_measurements(w.path);
  assert_ok(w.context, ans_problem_parse(w.context, "wave", wave, strlen(wave), &w.problem));
  check_path(fit, &w, "fit", SOME);
  check_path(fit_closely, &w, "questions about a fit", SOME);
  ans_problem_free(w.problem);
  ans_context_free(w.context);
  remove_path(w.path);
}

/* The means of this test: 0 is never, also for all that follow. */
static void no_allocation_fails_by_itself(void **state) {
  (void)state;
  memory_fail_after(0, true);
  void *memory = memory_take(1);
  assert_non_null(memory);
  memory_give(memory);
  memory_fail_after(0, false);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(training_may_run_out_of_memory),
                                     cmocka_unit_test(solving_may_run_out_of_memory),
                                     cmocka_unit_test(estimating_may_run_out_of_memory),
                                     cmocka_unit_test(a_reference_may_run_out_of_memory),
                                     cmocka_unit_test(a_rewritten_reference_may_run_out_of_memory),
                                     cmocka_unit_test(a_fit_may_run_out_of_memory),
                                     cmocka_unit_test(no_allocation_fails_by_itself)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
