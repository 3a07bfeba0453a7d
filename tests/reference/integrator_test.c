/* SPDX-License-Identifier: Apache-2.0
 *
 * The BDF integrator on ordinary differential equations with known ends: decay, stiff relaxation, blow-up.
 */
#include "check.h"

#include "reference/integrator.h"

/* One equation y' = f(t, y) with its derivative; the preconditioner is exact. */
typedef struct scalar {
  double (*f)(double t, double y);
  double (*slope)(double t, double y);
  double j, gamma;
} scalar;

static bool right_side(void *data, double t, const double *y, double *result) {
  result[0] = ((scalar *)data)->f(t, y[0]);
  return isfinite(result[0]);
}
static void linearise(void *data, double t, const double *y) { ((scalar *)data)->j = ((scalar *)data)->slope(t, y[0]); }
static void product(void *data, const double *v, double *result) { result[0] = ((scalar *)data)->j * v[0]; }
static bool factorise(void *data, double gamma) {
  ((scalar *)data)->gamma = gamma;
  return true;
}
static void precondition(void *data, const double *r, double *result) {
  scalar *s = data;
  result[0] = r[0] / (1 - s->gamma * s->j);
}

static ans_status solve(ans_context *context, scalar *s, double start, double end, integrator_settings settings,
                        double *levels) {
  integrator_system system = {1, s, right_side, linearise, product, factorise, precondition};
  const double times[3] = {0, end / 2, end};
  long steps;
  return integrate(context, &system, settings, &start, 3, times, levels, &steps);
}

static double decay(double t, double y) { return -y + 0 * t; }
static double decay_slope(double t, double y) { return -1 + 0 * (t + y); }
/* Relaxes to cos t at rate 1e6. */
static double stiff(double t, double y) { return -1e6 * (y - cos(t)) - sin(t); }
static double stiff_slope(double t, double y) { return -1e6 + 0 * (t + y); }
static double square(double t, double y) { return y * y + 0 * t; }
static double square_slope(double t, double y) { return 2 * y + 0 * t; }

static void decay_meets_its_tolerance(void **state) {
  (void)state;
  ans_context *context = new_context();
  scalar s = {.f = decay, .slope = decay_slope};
  double levels[3], loose, tight;
  assert_ok(context, solve(context, &s, 1, 2, (integrator_settings){1e-5, 1e-8, 0, 10000, 0, NULL}, levels));
  loose = fabs(levels[2] - exp(-2));
  assert_ok(context, solve(context, &s, 1, 2, (integrator_settings){1e-10, 1e-12, 0, 10000, 0, NULL}, levels));
  tight = fabs(levels[2] - exp(-2));
  assert_near(levels[1], exp(-1), 1e-8);
  assert_true(loose < 1e-3 && tight < 1e-8 && tight < 1e-2 * loose);
  ans_context_free(context);
}

static void stiff_relaxation_is_followed(void **state) {
  (void)state;
  ans_context *context = new_context();
  scalar s = {.f = stiff, .slope = stiff_slope};
  double levels[3];
  assert_ok(context, solve(context, &s, 2, 3, (integrator_settings){1e-9, 1e-11, 0, 10000, 0, NULL}, levels));
  assert_near(levels[2], cos(3), 1e-8);
  ans_context_free(context);
}

static void blow_up_is_told(void **state) {
  (void)state;
  ans_context *context = new_context();
  scalar s = {.f = square, .slope = square_slope};
  double levels[3];
  assert_int_equal(solve(context, &s, 1, 2, (integrator_settings){1e-8, 1e-10, 0, 100000, 0, NULL}, levels),
                   ANS_DIVERGED);
  assert_non_null(strstr(ans_context_diagnostic(context)->message, "t = 1"));
  ans_context_free(context);
}

static void the_wall_of_steps_holds(void **state) {
  (void)state;
  ans_context *context = new_context();
  scalar s = {.f = decay, .slope = decay_slope};
  double levels[3];
  assert_int_equal(solve(context, &s, 1, 2, (integrator_settings){1e-8, 1e-10, 1e-6, 500, 0, NULL}, levels),
                   ANS_TOLERANCE);
  assert_non_null(strstr(ans_context_diagnostic(context)->message, "500 steps"));
  assert_non_null(strstr(ans_context_diagnostic(context)->message, "`absolute` or `max_step`"));
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(decay_meets_its_tolerance),
      cmocka_unit_test(stiff_relaxation_is_followed),
      cmocka_unit_test(blow_up_is_told),
      cmocka_unit_test(the_wall_of_steps_holds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
