/* SPDX-License-Identifier: Apache-2.0
 *
 * system_test.c - the shipped families mean what the paper says.
 */
#include "family.h"

#include "temporary.h"

static void fisher_has_two_equations_of_six_terms(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = read_family(context, "fisher");
  assert_string_equal(problem->name, "fisher");
  assert_int_equal(problem->field_count, 2);
  assert_int_equal(problem->term_count, 12);
  assert_int_equal(problem->structure_count, 4);
  assert_true(problem->structures[3].held);
  ans_instance *instance = case_instance(context, problem, system_find_case(problem, "H1"));
  assert_int_equal(instance->term_count, 12);
  const double expected[6] = {1, -0.008, 0.25, -0.9, 0.9, -0.15};
  for (int i = 0; i < 6; i++) assert_near(instance->terms[i].coefficient, expected[i], 1e-15);
  const double point[2] = {0.3, 0.5};
  double pi = 3.14159265358979323846;
  double u0 = 0.35 + 0.20 * sin(2 * pi * 0.3) + 0.08 * cos(4 * pi * 0.3 + 0.3);
  assert_near(expression_value(problem->fields[0].transform, instance->values, point, 0.7), u0 + 0.5 * 0.7, 1e-15);
  system_instance_free(instance);
  system_free(problem);
  ans_context_free(context);
}

static void ccp_is_made_dimensionless(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = read_family(context, "ccp");
  ans_instance *instance = case_instance(context, problem, system_find_case(problem, "R2.0"));
  assert_near(instance->values[system_find_symbol(problem, "a_D")], 0.6226, 5e-5);
  assert_near(instance->values[system_find_symbol(problem, "a_mu")], 41.506, 5e-4);
  assert_near(instance->values[system_find_symbol(problem, "beta")], 21.021, 5e-4);
  assert_near(instance->values[system_find_symbol(problem, "S0")], 0.039676, 5e-7);
  assert_int_equal(instance->term_count, 9);
  system_instance_free(instance);
  system_free(problem);
  ans_context_free(context);
}

static void cdr_variants_share_the_family(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *all = read_family(context, "cdr"), *five = read_family(context, "cdr-five-two");
  assert_int_equal(all->structure_count, 7);
  assert_int_equal(five->structure_count, 7);
  int held = 0;
  for (int i = 0; i < 7; i++) held += five->structures[i].held;
  assert_int_equal(held, 2);
  assert_int_equal(all->case_count, 8);
  assert_int_equal(all->protocol.train.initial_points, 128);
  assert_true(all->coordinates[0].soft_period);
  assert_false(all->conditions[0].hard);
  system_free(all);
  system_free(five);
  ans_context_free(context);
}

/* The smallest beginning that only a model has: the length of a header in eight bytes, and its brace. */
static void a_model_is_no_problem_file(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem;
  char path[64];
  temporary_path(path, sizeof path, "model");
  for (size_t size = 8; size <= 9; size++) {
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite("\2\0\0\0\0\0\0\0{", 1, size, file), size);
    fclose(file);
    assert_int_equal(system_read(context, path, &problem), ANS_SYNTAX);
    bool named = strstr(ans_context_diagnostic(context)->message, "a model or a solver") != NULL;
    assert_int_equal(named, size == 9);
  }
  remove_path(path);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fisher_has_two_equations_of_six_terms),
      cmocka_unit_test(ccp_is_made_dimensionless),
      cmocka_unit_test(cdr_variants_share_the_family),
      cmocka_unit_test(a_model_is_no_problem_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
