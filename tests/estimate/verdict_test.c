/* SPDX-License-Identifier: Apache-2.0
 *
 * verdict_test.c - how far an estimate is refined, and what counts as its error. The source is compiled here, since the
 * first is nobody else's business.
 */
#include "check.h"

#include "estimate/estimate.c"

static bool goes_on_with(mesh_kind kind, int number, double score, bool rough) {
  mesh space = {.kind = kind};
  level level = {.number = number, .space = &space};
  for (int form = 0; form < FORM_COUNT; form++)
    level.answers[form] = (level_answer){.tried = form == FORM_DIRECT, .outcome = MARCH_DONE, .score = score};
  return is_worth_more(&level, rough);
}

static bool goes_on_along(mesh_kind kind, int number, double score) { return goes_on_with(kind, number, score, false); }

static bool goes_on(int number, double score) { return goes_on_along(MESH_WALLS, number, score); }

static void usual_levels_go_on_until_they_are_sharp(void **state) {
  (void)state;
  for (int number = 0; number + 1 < LEVEL_USUAL; number++) {
    assert_true(goes_on(number, 0.021));
    assert_false(goes_on(number, 0.019));
    assert_true(goes_on(number, (double)INFINITY)); /* the first has nothing to differ from */
  }
}

/* It is dear: not for an answer that is trusted already, nor for one that is lost. */
static void the_last_level_is_for_what_is_not_trusted(void **state) {
  (void)state;
  assert_true(goes_on(LEVEL_USUAL - 1, 0.21));
  assert_false(goes_on(LEVEL_USUAL - 1, 0.19));
  assert_false(goes_on(LEVEL_USUAL - 1, (double)INFINITY));
}

static void without_space_all_levels_are_usual(void **state) {
  (void)state;
  assert_true(goes_on_along(MESH_POINT, LEVEL_USUAL - 1, 0.021));
  assert_false(goes_on_along(MESH_POINT, LEVEL_USUAL - 1, 0.019));
}

/* A factor of two is enough, and the dear level is never asked. */
static void a_rough_one_ends_early(void **state) {
  (void)state;
  assert_true(goes_on_with(MESH_WALLS, 1, 0.31, true));
  assert_false(goes_on_with(MESH_WALLS, 1, 0.29, true));
  assert_false(goes_on_with(MESH_WALLS, LEVEL_USUAL - 1, 0.9, true));
}

/* Both sharp, and apart: the larger one is reported, and not trusted. */
static void of_two_that_disagree_the_larger_counts(void **state) {
  (void)state;
  for (int larger = 0; larger < FORM_COUNT; larger++) {
    mesh space = {.kind = MESH_POINT, .nodes = 1};
    defect defect = {.field_count = 1};
    level level = {.space = &space, .defect = &defect, .finite = true};
    for (int form = 0; form < FORM_COUNT; form++) {
      level.answers[form] = (level_answer){.tried = true, .outcome = MARCH_DONE, .score = form == larger ? 0.02 : 0.01};
      level.answers[form].errors[0] = form == larger ? 4e-3 : 4e-4;
    }
    estimate estimate = {.finest = &level, .summary.field_count = 1};
    conclude(&estimate);
    assert_near(estimate.summary.errors[0], 4e-3, 0);
    assert_true(estimate.summary.available && !estimate.summary.trusted);
    assert_non_null(strstr(estimate.summary.reason, "different errors"));
  }
}

static void an_error_counts_beside_what_varies(void **state) {
  (void)state;
  estimate_summary summary = {.available = true, .field_count = 2, .errors = {1e-3, 2e-3}, .varying = {0.1, 0.5}};
  assert_near(estimate_worst(&summary), 1e-2, 1e-15);
  summary.varying[0] = 0.3;
  assert_near(estimate_worst(&summary), 2e-3, 1e-15);
  summary.varying[0] = 0; /* a constant: nothing varies */
  assert_near(estimate_worst(&summary), 2e-3, 1e-15);
  summary.available = false;
  assert_true(isinf(estimate_worst(&summary)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(usual_levels_go_on_until_they_are_sharp),
      cmocka_unit_test(the_last_level_is_for_what_is_not_trusted),
      cmocka_unit_test(without_space_all_levels_are_usual),
      cmocka_unit_test(a_rough_one_ends_early),
      cmocka_unit_test(of_two_that_disagree_the_larger_counts),
      cmocka_unit_test(an_error_counts_beside_what_varies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
