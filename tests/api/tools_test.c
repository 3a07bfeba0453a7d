/* SPDX-License-Identifier: Apache-2.0
 *
 * tools_test.c - what the program's own header promises beyond the library's: costs, conditions by number, grids.
 */
#include "check.h"

#include "ansatz_tools.h"

static const char text[] = "coordinate x in [0, 1]\ncoordinate t in [0, 1] time\nfield u\nequation u: u_t = 0.1*u_xx\n"
                           "initial u = x soft\nboundary u at x = 0: u = 0 soft\nboundary u at x = 1: u = 1 soft\n"
                           "network width 8, layers 2\nadapt points 32, initial 8, boundary 8, steps 2\n";

typedef struct setting {
  ans_context *context;
  ans_problem *problem;
  ans_instance *instance;
} setting;

static setting set_up(void) {
  setting s = {.context = new_context()};
  assert_ok(s.context, ans_problem_parse(s.context, "tools", text, strlen(text), &s.problem));
  assert_ok(s.context, ans_instance_new(s.context, s.problem, (ans_choice)ANS_CHOICE_DEFAULT, &s.instance));
  return s;
}

static void tear_down(setting *s) {
  ans_instance_free(s->instance);
  ans_problem_free(s->problem);
  ans_context_free(s->context);
}

static double flops(ans_context *context, const char *budget) {
  char whole[1024];
  ans_problem *problem;
  snprintf(whole, sizeof whole, "%s%s\n", text, budget);
  assert_ok(context, ans_problem_parse(context, "tools", whole, strlen(whole), &problem));
  double result = ans_step_cost(problem, true).gflop;
  ans_problem_free(problem);
  return result;
}

/* Every point counts, wherever it lies. */
static void a_step_costs_what_its_points_cost(void **state) {
  (void)state;
  ans_context *context = new_context();
  double all = flops(context, "train points 100, initial 10, boundary 10");
  assert_near(all, 1e-9 * 12 * 120 * 8 * 8 * 2, 1e-12);
  assert_near(flops(context, "train points 110, initial 5, boundary 5"), all, 1e-15);
  ans_context_free(context);
}

static void conditions_end_with_the_last(void **state) {
  (void)state;
  setting s = set_up();
  ans_condition first = ans_problem_condition(s.problem, 0), beyond = ans_problem_condition(s.problem, 3), none = {0};
  assert_true(first.initial);
  assert_true(!ans_problem_condition(s.problem, 2).initial && ans_problem_condition(s.problem, 2).at == 1);
  assert_memory_equal(&beyond, &none, sizeof none);
  tear_down(&s);
}

/* The first node and the last are evaluated like those between them. */
static void a_grid_is_filled_to_its_corners(void **state) {
  (void)state;
  setting s = set_up();
  ans_solver *solver;
  ans_solution *grid;
  assert_ok(s.context, ans_solver_begin(s.context, NULL, s.instance, NULL, &solver));
  assert_ok(s.context, ans_solver_solution(s.context, solver, (const size_t[]){101, 97}, &grid)); /* several chunks */
  size_t times, places, count;
  const double *t = ans_solution_axis(grid, 0, NULL, &times), *x = ans_solution_axis(grid, 1, NULL, &places),
               *values = ans_solution_values(grid, 0, NULL, &count);
  assert_int_equal(count, times * places);
  for (size_t i = 0; i < count; i += i < 4000 || i + 200 > count ? 1 : 97) {
    double expected;
    assert_ok(s.context, ans_solver_evaluate(s.context, solver, (const double[]){x[i % places], t[i / places]}, 1, NULL,
                                             &expected));
    assert_true(values[i] == expected);
  }
  ans_solution_free(grid);
  ans_solver_free(solver);
  tear_down(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_step_costs_what_its_points_cost),
                                     cmocka_unit_test(conditions_end_with_the_last),
                                     cmocka_unit_test(a_grid_is_filled_to_its_corners)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
