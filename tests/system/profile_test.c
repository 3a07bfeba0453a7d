/* SPDX-License-Identifier: Apache-2.0
 *
 * Profiles: functions that are known by numbers, and problems that begin with them.
 */
#include "check.h"

#include <math.h>

#include "system/system.h"

static const double PI = 3.14159265358979323846;

static double wave(double x, int order) {
  double k = 2 * PI / 3;
  return 0.5 * (order == 0) + pow(k, order) * cos(k * (x + 1) + order * PI / 2) +
         0.1 * pow(3 * k, order) * sin(3 * k * (x + 1) + order * PI / 2);
}

static double growth(double x, int order) { return pow(1.3, order) * exp(1.3 * x); }

static const system_profile *fit(ans_context *context, arena *arena, bool periodic, int intervals,
                                 double (*function)(double x, int order)) {
  double values[65], coefficients[65];
  const system_profile *profile;
  for (int j = 0; j <= intervals; j++) values[j] = function(profile_node(periodic, -1, 2, intervals, j), 0);
  int count = profile_fit(periodic, intervals, values, coefficients);
  count = profile_length(periodic, count, coefficients, 1e-13);
  assert_ok(context, profile_new(context, arena, periodic, -1, 2, count, coefficients, &profile));
  return profile;
}

static void a_profile_is_the_function_and_its_derivatives(void **state) {
  (void)state;
  ans_context *context = new_context();
  arena *arena;
  assert_ok(context, arena_new(context, &arena));
  for (int periodic = 0; periodic < 2; periodic++) {
    double (*function)(double, int) = periodic ? wave : growth;
    const system_profile *profile = fit(context, arena, periodic, periodic ? 16 : 24, function);
    if (periodic) assert_int_equal(profile->count, 7); /* the rest is noise, and cut */
    for (double x = -1; x <= 2; x += 0.37) {
      double taylor[5];
      for (int order = 0; order <= 4; order++) {
        double size = fmax(1, fabs(function(2, order)));
        assert_near(profile_value(profile, x, order), function(x, order), (periodic ? 1e-12 : 3e-7) * 10 * size);
      }
      profile_taylor(profile, x, 1, 3, taylor);
      assert_near(taylor[2], profile_value(profile, x, 3) / 2, 1e-9);
    }
    assert_near(profile_value(profile, 0.3, PROFILE_ORDERS), 0, 0);
  }
  arena_free(arena);
  ans_context_free(context);
}

static void numbers_that_are_no_profile_are_refused(void **state) {
  (void)state;
  ans_context *context = new_context();
  arena *arena;
  const system_profile *profile;
  double bad[4] = {1, (double)NAN, 0, 0}, good[4] = {1, 2, 3, 4};
  assert_ok(context, arena_new(context, &arena));
  assert_int_equal(profile_new(context, arena, true, 0, 1, 4, good, &profile), ANS_MODEL);
  assert_int_equal(profile_new(context, arena, false, 0, 1, 0, good, &profile), ANS_MODEL);
  assert_int_equal(profile_new(context, arena, false, 0, 1, 4, bad, &profile), ANS_MODEL);
  arena_free(arena);
  ans_context_free(context);
}

/* The variant begins later, with the profile, and still has its walls built in. */
static void a_variant_begins_with_a_profile(void **state) {
  (void)state;
  static const char TEXT[] = "coordinate x in [-1, 2]\ncoordinate t in [0, 4] time\nfield u\n"
                             "equation u: u_tt = u_xx\ninitial u = 0\ninitial u_t = 1\n"
                             "boundary u at x = -1: u = t\nboundary u at x = 2: u_x = 0\n";
  ans_context *context = new_context();
  arena *arena;
  ans_problem *problem, *later;
  assert_ok(context, arena_new(context, &arena));
  assert_ok(context, system_parse(context, "p", NULL, TEXT, sizeof TEXT - 1, &problem));
  assert_int_equal(problem->condition_count, 4);
  const system_profile *profiles[4] = {fit(context, arena, false, 24, growth), fit(context, arena, false, 24, growth)};
  double numbers[4] = {0};
  system_variation variation = {
      .window = true, .begin = 1.5, .end = 2, .profiles = profiles, .numbers = numbers, .width = 48};
  assert_ok(context, system_vary(context, problem, &variation, &later));
  assert_near(later->coordinates[later->time].low, 1.5, 0);
  assert_near(later->coordinates[later->time].high, 2, 0);
  assert_int_equal(later->protocol.network.width, 48);
  const expression *transform = later->fields[0].transform;
  for (int c = 0; c < 4; c++) assert_true(later->conditions[c].hard);
  double wall[2] = {-1, 1.9};
  assert_near(expression_value(transform, NULL, wall, 0.7), 1.9, 1e-12);
  /* Profile and wall contradict each other here, so the wall wins near itself alone. */
  double inside[2] = {1.9, 1.5};
  assert_near(expression_value(later->conditions[0].value, NULL, inside, 0), growth(1.9, 0), 1e-6);
  system_free(later);
  system_free(problem);
  arena_free(arena);
  ans_context_free(context);
}

static void a_declared_transform_cannot_begin_later(void **state) {
  (void)state;
  static const char TEXT[] = "coordinate x in [0, 1) periodic\ncoordinate t in [0, 4] time\n"
                             "field u = cos(2*pi*x) + t*_\nequation u: u_t = u_xx\ninitial u = cos(2*pi*x)\n";
  ans_context *context = new_context();
  ans_problem *problem, *later;
  assert_ok(context, system_parse(context, "p", NULL, TEXT, sizeof TEXT - 1, &problem));
  double numbers[1] = {0};
  system_variation variation = {.window = true, .begin = 1, .end = 2, .numbers = numbers};
  assert_int_equal(system_vary(context, problem, &variation, &later), ANS_UNSUPPORTED);
  assert_null(later);
  system_free(problem);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_profile_is_the_function_and_its_derivatives),
      cmocka_unit_test(numbers_that_are_no_profile_are_refused),
      cmocka_unit_test(a_variant_begins_with_a_profile),
      cmocka_unit_test(a_declared_transform_cannot_begin_later),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
