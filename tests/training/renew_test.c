/* SPDX-License-Identifier: Apache-2.0
 *
 * One solver for one equation after the other: the bits are those of new solvers, whatever came before.
 */
#include "small.h"

enum { POINTS = 20, STEPS = 6, MOST_SYMBOLS = 2 };

/* Growth from which on a start from scratch counts early times more, and lets go of that on the way, and growth below.
 */
static const char GROWING[] = "coordinate x in [0, 1) periodic\n"
                              "coordinate t in [0, 1] time\n"
                              "field u\n"
                              "coefficient r in [0.5, 8]\n"
                              "equation u: u_t - 0.02*u_xx - r*u*(1-u) = 0\n"
                              "initial u = 0.3 + 0.2*sin(2*pi*x)\n"
                              "structure only\n"
                              "network width 16, layers 2, activation tanh, fourier x 1..2\n"
                              "train steps 30, points 64\n"
                              "adapt points 64\n";

typedef struct member {
  int structure;
  double values[MOST_SYMBOLS]; /* NaN: none */
} member;

static ans_instance *instance_of(ans_context *context, const ans_problem *problem, const member *member) {
  ans_instance *instance;
  assert_ok(context, system_instance(context, problem, member->structure, member->values, false, &instance));
  return instance;
}

/* All that a user sees of a solver: residuals before and after, steps, values, a derivative. */
typedef struct sight {
  double before, after, grid, steps, end, u[POINTS], u_x[POINTS];
} sight;

static sight look_at(ans_context *context, ans_solver *solver) {
  sight seen;
  double points[POINTS][2];
  const uint8_t slope[4] = {1};
  for (int i = 0; i < POINTS; i++) {
    points[i][0] = (double)i / POINTS;
    points[i][1] = (double)(i * 7 % POINTS) / POINTS;
  }
  memset(&seen, 0, sizeof seen);
  assert_ok(context, solver_residual(context, solver, &seen.before, NULL));
  ans_run_rules rules = {.steps = STEPS};
  assert_ok(context, solver_run(context, solver, &rules, NULL, NULL));
  assert_ok(context, solver_residual(context, solver, &seen.after, &seen.grid));
  seen.steps = (double)solver_progress(solver).step;
  seen.end = solver_progress(solver).end;
  assert_ok(context, solver_evaluate(context, solver, points[0], POINTS, NULL, seen.u));
  assert_ok(context, solver_evaluate(context, solver, points[0], POINTS, slope, seen.u_x));
  return seen;
}

static void compare(ans_context *context, const ans_problem *problem, const ans_model *model,
                    const ans_solver_options *options, const member *members, int count) {
  ans_solver *kept = NULL;
  for (int i = 0; i < count; i++) {
    ans_instance *instance = instance_of(context, problem, &members[i]);
    ans_solver *fresh;
    assert_ok(context, solver_begin(context, model, instance, options, &fresh));
    sight expected = look_at(context, fresh);
    solver_free(fresh);
    const ans_solver *before = kept;
    assert_ok(context, solver_renew(context, model, instance, options, &kept));
    /* It was used again. One that may end in double has gone on there or not, as rounding has it: then it starts anew.
     */
    bool may_end_in_double = options->tolerance > 0 || options->precision == 64;
    assert_true(!before || before == kept || may_end_in_double);
    system_instance_free(instance);
    sight actual = look_at(context, kept);
    assert_memory_equal(&expected, &actual, sizeof expected);
  }
  solver_free(kept);
}

static const member SMALL_MEMBERS[] = {
    {0, {0.7, 0.05}}, {1, {0.9, NAN}}, {0, {0.5, 0.01}}, {0, {0.7, 0.05}}, {1, {0.6, NAN}}};
enum { SMALL_MEMBER_COUNT = sizeof SMALL_MEMBERS / sizeof *SMALL_MEMBERS };

static void a_renewed_solver_is_a_new_one(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = small_problem(context);
  ans_model *model = small_model(context, problem);
  const ans_solver_options all[] = {{.seed = 7},
                                    {.seed = 7, .method = ANS_ADAM, .rate = 1e-2},
                                    {.seed = 7, .mode = ANS_FULL, .threads = 2},
                                    {.seed = 7, .mode = ANS_CODES, .precision = 64},
                                    {.seed = 7, .tolerance = 1e-2},
                                    {.seed = 7, .patience = 1, .method = ANS_ADAM}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    for (int scratch = 0; scratch < 2; scratch++)
      compare(context, problem, scratch ? NULL : model, &all[i], SMALL_MEMBERS, SMALL_MEMBER_COUNT);
  model_free(model);
  system_free(problem);
  ans_context_free(context);
}

/* What stands between the members of the options in memory does not count. */
static void options_are_compared_by_member(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = small_problem(context);
  ans_instance *instance = instance_of(context, problem, &SMALL_MEMBERS[0]);
  ans_solver_options options[2];
  ans_solver *solver = NULL;
  for (int i = 0; i < 2; i++) {
    memset(&options[i], i ? 0xff : 0, sizeof options[i]);
    options[i].size = sizeof options[i];
    options[i].mode = ANS_MODE_AUTOMATIC;
    options[i].method = ANS_METHOD_AUTOMATIC;
    options[i].seed = 7;
    options[i].threads = options[i].attempts = 1;
    options[i].precision = options[i].patience = 0;
    options[i].rate = options[i].time_weight = options[i].tolerance = 0;
  }
  assert_ok(context, solver_renew(context, NULL, instance, &options[0], &solver));
  const ans_solver *first = solver;
  assert_ok(context, solver_renew(context, NULL, instance, &options[1], &solver));
  assert_ptr_equal(first, solver);
  solver_free(solver);
  system_instance_free(instance);
  system_free(problem);
  ans_context_free(context);
}

static void time_weights_do_not_stay(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem;
  assert_ok(context, system_parse(context, "growing", NULL, GROWING, strlen(GROWING), &problem));
  static const member members[] = {{0, {8}}, {0, {0.5}}, {0, {6}}};
  compare(context, problem, NULL, &(ans_solver_options){.seed = 7}, members, 3);
  system_free(problem);
  ans_context_free(context);
}

/* What was planned for something else is not used: the answer is that of a new solver all the same. */
static void other_plans_are_not_used(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = small_problem(context), *again = small_problem(context);
  ans_model *graph = small_model(context, problem),
            *decoder = small_model_of(context, problem, DESCRIPTOR_DICTIONARY, 32);
  const struct {
    const ans_problem *problem;
    const ans_model *model;
    ans_solver_options options;
  } turns[] = {{problem, graph, {.seed = 7}},   {problem, NULL, {.seed = 7}},
               {problem, decoder, {.seed = 7}}, {problem, graph, {.seed = 8}},
               {again, NULL, {.seed = 7}},      {problem, graph, {.seed = 7, .precision = 64}},
               {problem, graph, {.seed = 7}}};
  ans_solver *kept = NULL;
  for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
    ans_instance *instance = instance_of(context, turns[i].problem, &SMALL_MEMBERS[0]);
    ans_solver *fresh;
    assert_ok(context, solver_begin(context, turns[i].model, instance, &turns[i].options, &fresh));
    assert_ok(context, solver_renew(context, turns[i].model, instance, &turns[i].options, &kept));
    system_instance_free(instance);
    sight expected = look_at(context, fresh), actual = look_at(context, kept);
    assert_memory_equal(&expected, &actual, sizeof expected);
    solver_free(fresh);
  }
  solver_free(kept);
  model_free(graph);
  model_free(decoder);
  system_free(problem);
  system_free(again);
  ans_context_free(context);
}

/* What is kept of a model is that model's, even where another one has come into its place in memory. */
static void another_model_is_seen(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = small_problem(context);
  const ans_solver_options options = {.seed = 7};
  ans_solver *kept = NULL;
  for (int i = 0; i < 5; i++) {
    ans_model *model = small_model(context, problem);
    for (size_t p = 0; p < model->unknowns.size; p++) model->parameters[p] *= 1 + 0.1 * (i / 2);
    ans_instance *instance = instance_of(context, problem, &SMALL_MEMBERS[i % 2]);
    ans_solver *fresh;
    assert_ok(context, solver_begin(context, model, instance, &options, &fresh));
    assert_ok(context, solver_renew(context, model, instance, &options, &kept));
    sight expected = look_at(context, fresh), actual = look_at(context, kept);
    assert_memory_equal(&expected, &actual, sizeof expected);
    solver_free(fresh);
    system_instance_free(instance);
    model_free(model);
  }
  solver_free(kept);
  system_free(problem);
  ans_context_free(context);
}

static void failing_memory_leaves_nothing(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = small_problem(context);
  ans_model *model = small_model(context, problem);
  ans_instance *first = instance_of(context, problem, &SMALL_MEMBERS[0]),
               *second = instance_of(context, problem, &SMALL_MEMBERS[1]);
  ans_solver_options options = {.seed = 7, .tolerance = 1e-2};
  ans_status status = ANS_MEMORY;
  for (long n = 1; status == ANS_MEMORY; n++) {
    ans_solver *solver = NULL;
    assert_ok(context, solver_renew(context, model, first, &options, &solver));
    memory_fail_after(n, false);
    status = solver_renew(context, model, second, &options, &solver);
    memory_fail_after(0, false);
    assert_true((status == ANS_OK) == (solver != NULL));
    solver_free(solver);
    assert_true(n < 1000);
  }
  assert_int_equal(status, ANS_OK);
  system_instance_free(first);
  system_instance_free(second);
  model_free(model);
  system_free(problem);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_renewed_solver_is_a_new_one), cmocka_unit_test(options_are_compared_by_member),
      cmocka_unit_test(time_weights_do_not_stay),      cmocka_unit_test(other_plans_are_not_used),
      cmocka_unit_test(another_model_is_seen),         cmocka_unit_test(failing_memory_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
