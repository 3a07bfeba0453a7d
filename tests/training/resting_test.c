/* SPDX-License-Identifier: Apache-2.0
 *
 * resting_test.c - which member of a family an equation becomes in its moving frame, and that a model is asked for it.
 */
#include "small.h"

#include "training/resting.h"

static const char FAMILY[] = "coordinate x in [0, 1) periodic\n"
                             "coordinate t in [0, 1] time\n"
                             "field u, v\n"
                             "coefficient a in [1, 3] optional\n"
                             "coefficient b in [1, 3] optional\n"
                             "coefficient D in [0.01, 0.1] log optional\n"
                             "equation u: u_t + a*u_x - D*u_xx = 0\n"
                             "equation v: v_t + b*v_x - 0.1*v_xx = u\n"
                             "initial u = sin(2*pi*x)\n"
                             "initial v = cos(2*pi*x)\n"
                             "structure all\n"
                             "structure u_rests without a\n"
                             "structure both_rest without a, b\n"
                             "structure no_diffusion without D\n"
                             "structure still without a, b, D\n";

static int resting_of(ans_context *context, const ans_problem *problem, const char *structure, bool moving) {
  double values[3] = {2, 1.5, 0.05};
  int index = system_find_structure(problem, structure), found = -1;
  ans_instance *instance = NULL, *member = NULL;
  for (int i = 0; i < 3; i++)
    if (problem->structures[index].absent[i]) values[i] = (double)NAN;
  assert_ok(context, system_instance(context, problem, index, values, true, &instance));
  field_chart chart = chart_of(instance, (chart_options){.moving = moving});
  assert_ok(context, resting_member(context, instance, &chart, &member));
  if (member) {
    found = member->structure;
    assert_true(member->problem == instance->problem && member->term_count < instance->term_count);
    if (member->present[2]) assert_true(member->values[2] == 0.05);
  }
  system_instance_free(member);
  system_instance_free(instance);
  return found;
}

/* Advection of every field goes, and nothing else: where the family has no such member, there is none. */
static void the_frame_takes_advection_alone(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = NULL;
  assert_ok(context, system_parse(context, "family", NULL, FAMILY, strlen(FAMILY), &problem));
  int both = system_find_structure(problem, "both_rest"), still = system_find_structure(problem, "still");
  assert_int_equal(resting_of(context, problem, "all", true), both);
  assert_int_equal(resting_of(context, problem, "u_rests", true), both);
  assert_int_equal(resting_of(context, problem, "no_diffusion", true), still);
  assert_int_equal(resting_of(context, problem, "both_rest", true), -1);
  assert_int_equal(resting_of(context, problem, "all", false), -1);
  system_free(problem);
  ans_problem *small = small_problem(context); /* a is not optional */
  ans_instance *instance = small_instance(context, small), *member = NULL;
  field_chart chart = chart_of(instance, (chart_options){.moving = true});
  assert_true(chart.moves);
  assert_ok(context, resting_member(context, instance, &chart, &member));
  assert_null(member);
  system_instance_free(instance);
  system_free(small);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_frame_takes_advection_alone)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
