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
    assert_false(goes_on(number, SHARP));           /* as sharp as asked for is sharp */
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

/* Between walls, at the level before the last usual one, in direct form. */
typedef struct made_level {
  mesh space, times;
  defect defect;
  level_span span;
  level level;
} made_level;

static level *make_level(made_level *it, double score) {
  *it = (made_level){.space = {.kind = MESH_WALLS, .low = 0, .high = 1, .nodes = 9}, .times.kind = MESH_POINT};
  it->defect = (defect){.mesh = &it->space, .field_count = 1};
  it->span.times = &it->times;
  it->level = (level){.number = LEVEL_USUAL - 2, .space = &it->space, .defect = &it->defect, .finite = true};
  it->level.span_count = 1;
  it->level.time_count = 5;
  it->level.spans = &it->span;
  it->level.answers[FORM_DIRECT] = (level_answer){.tried = true, .outcome = MARCH_DONE, .score = score};
  return &it->level;
}

/* A graded mesh goes before the next spectral one only where half of the error is unknown, and only there. */
static void what_is_far_is_graded_first(void **state) {
  (void)state;
  made_level it;
  assert_true(is_far(make_level(&it, 0.51)));
  assert_true(is_far(make_level(&it, (double)INFINITY)));
  assert_false(is_far(make_level(&it, 0.5)));
  make_level(&it, 0.51)->number++;
  assert_false(is_far(&it.level));
  make_level(&it, 0.51);
  it.space.kind = MESH_POINT; /* no space to grade */
  assert_false(is_far(&it.level));
}

/* A graded mesh is asked about an answer that is not trusted, and about a solution that is not resolved. */
static void doubt_asks_for_a_graded_mesh(void **state) {
  (void)state;
  made_level it;
  assert_false(is_doubtful(make_level(&it, 0.2), 0.05));
  assert_true(is_doubtful(make_level(&it, 0.21), 0));
  assert_true(is_doubtful(make_level(&it, 0.01), 0.051));
  for (int form = 0; form < FORM_COUNT; form++) {
    it.level.answers[form] = (level_answer){.tried = true, .outcome = MARCH_DONE, .score = 0.01};
    it.level.answers[form].errors[0] = form == FORM_DIRECT ? 1e-3 : 3e-3;
  }
  assert_true(is_doubtful(&it.level, 0));
  it.level.answers[FORM_RESIDUAL].errors[0] = 1e-3;
  it.level.answers[FORM_RESIDUAL].errors[1] = 1; /* of no field */
  assert_false(is_doubtful(&it.level, 0));
}

/* The reason names what was measured, in per cent. */
static void the_reason_tells_by_how_much(void **state) {
  (void)state;
  made_level it;
  estimate estimate = {.finest = make_level(&it, 0.9), .summary.field_count = 1};
  conclude(&estimate);
  assert_true(estimate.summary.available && !estimate.summary.trusted);
  assert_string_equal(estimate.summary.reason,
                      "at half the resolution it differs by 90 %: 9 nodes and 5 times do not resolve the error");
  estimate = (struct estimate){.finest = make_level(&it, 0.1), .steepness = 0.75, .summary.field_count = 1};
  conclude(&estimate);
  assert_true(estimate.summary.available && !estimate.summary.trusted);
  assert_string_equal(estimate.summary.reason, "9 nodes do not resolve the solution, whose norm is 75 % off");
  estimate = (struct estimate){.finest = make_level(&it, 0.2), .steepness = 0.2, .summary.field_count = 1};
  conclude(&estimate);
  assert_true(estimate.summary.trusted);
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
  summary.varying[0] = 1e-9; /* rounding, not a part of the solution */
  assert_near(estimate_worst(&summary), 2e-3, 1e-15);
  summary.varying[0] = 0.2;
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
      cmocka_unit_test(what_is_far_is_graded_first),
      cmocka_unit_test(doubt_asks_for_a_graded_mesh),
      cmocka_unit_test(the_reason_tells_by_how_much),
      cmocka_unit_test(of_two_that_disagree_the_larger_counts),
      cmocka_unit_test(an_error_counts_beside_what_varies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
