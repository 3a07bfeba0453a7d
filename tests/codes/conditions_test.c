/* SPDX-License-Identifier: Apache-2.0
 *
 * The prescribed initial points that a conditional decoder's encoder reads.
 */
#include "check.h"

#include "codes/conditions.h"
#include "codes/plan.h"
#include "families.h"

static void points_are_even_and_carry_their_values(void **state) {
  (void)state;
  ans_context *context = new_context();
  made m;
  double points[PLAN_CONDITION_POINTS][11];
  assert_ok(context, condition_points(context, families_fisher(&m)->problem, points[0]));
  for (int i = 0; i < PLAN_CONDITION_POINTS; i++) {
    double phase = 2 * 3.14159265358979323846 * i / 64;
    for (int k = 1; k <= 4; k++) {
      assert_near(points[i][2 * k - 2], sin(k * phase), 1e-14);
      assert_near(points[i][2 * k - 1], cos(k * phase), 1e-14);
    }
    assert_true(points[i][8] == 0); /* t */
    for (int f = 0; f < 2; f++) assert_near(points[i][9 + f], 0.35 + 0.2 * sin(phase), 1e-14);
  }
  ans_context_free(context);
}

/* No initial value is zero; in two space coordinates every row and column of the lattice holds one point. */
static void lattices_are_even_in_every_coordinate(void **state) {
  (void)state;
  ans_context *context = new_context();
  made m;
  made_begin(&m, "x y t", "u");
  m.coordinates[1].low = -1;
  made_finish(&m);
  double points[PLAN_CONDITION_POINTS][4];
  bool seen[2][PLAN_CONDITION_POINTS] = {{false}};
  assert_ok(context, condition_points(context, &m.problem, points[0]));
  for (int i = 0; i < PLAN_CONDITION_POINTS; i++) {
    int cell[2] = {(int)lround(points[i][0] * 64), (int)lround((points[i][1] + 1) * 32)};
    assert_int_equal(cell[0], i);
    for (int c = 0; c < 2; c++) {
      assert_in_range(cell[c], 0, 63);
      assert_false(seen[c][cell[c]]);
      seen[c][cell[c]] = true;
    }
    assert_true(points[i][2] == 0 && points[i][3] == 0);
  }
  ans_context_free(context);
}

/* Initial values may use constants by name, not what is sampled. */
static void sampled_initial_values_are_refused(void **state) {
  (void)state;
  ans_context *context = new_context();
  made m;
  families_fisher(&m);
  static const expression_step number[] = {{.op = EXPRESSION_NUMBER, .number = 0.25}},
                               named[] = {{.op = EXPRESSION_SYMBOL, .index = 2}};
  static const expression quarter = {1, 1, number}, symbol = {1, 1, named};
  static const system_condition conditions[] = {
      {.kind = CONDITION_INITIAL, .field = 1, .coordinate = 1, .value = &symbol}};
  m.problem.conditions = conditions;
  m.problem.condition_count = 1;
  double points[PLAN_CONDITION_POINTS][11];
  assert_int_equal(condition_points(context, &m.problem, points[0]), ANS_UNSUPPORTED);
  assert_non_null(strstr(ans_context_diagnostic(context)->message, " v "));
  m.symbols[2].kind = SYMBOL_DERIVED;
  m.symbols[2].value = &quarter;
  assert_ok(context, condition_points(context, &m.problem, points[0]));
  assert_true(points[5][9] == 0 && points[5][10] == 0.25);
  static const expression_step first[] = {{.op = EXPRESSION_SYMBOL, .index = 0}};
  static const expression sampled = {1, 1, first};
  m.symbols[2].value = &sampled;
  assert_int_equal(condition_points(context, &m.problem, points[0]), ANS_UNSUPPORTED);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_are_even_and_carry_their_values),
      cmocka_unit_test(lattices_are_even_in_every_coordinate),
      cmocka_unit_test(sampled_initial_values_are_refused),
  };
  return cmocka_run_group_tests_name("conditions", tests, NULL, NULL);
}
