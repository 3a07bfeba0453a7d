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

static ans_status solve(ans_context *context, scalar *s, double start, double end, double max_step,
                        integrator_settings settings, double *levels) {
  integrator_system system = {1, s, right_side, linearise, product, factorise, precondition, NULL};
  const double times[3] = {0, end / 2, end};
  const schedule_stretch whole = {end, max_step, false};
  settings.stretch_count = 1;
  settings.stretches = &whole;
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
  assert_ok(context, solve(context, &s, 1, 2, 2,
                           (integrator_settings){.relative = 1e-5, .absolute = 1e-8, .max_steps = 10000}, levels));
  loose = fabs(levels[2] - exp(-2));
  assert_ok(context, solve(context, &s, 1, 2, 2,
                           (integrator_settings){.relative = 1e-10, .absolute = 1e-12, .max_steps = 10000}, levels));
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
  assert_ok(context, solve(context, &s, 2, 3, 3,
                           (integrator_settings){.relative = 1e-9, .absolute = 1e-11, .max_steps = 10000}, levels));
  assert_near(levels[2], cos(3), 1e-8);
  ans_context_free(context);
}

static void blow_up_is_told(void **state) {
  (void)state;
  ans_context *context = new_context();
  scalar s = {.f = square, .slope = square_slope};
  double levels[3];
  assert_int_equal(solve(context, &s, 1, 2, 2,
                         (integrator_settings){.relative = 1e-8, .absolute = 1e-10, .max_steps = 100000}, levels),
                   ANS_DIVERGED);
  assert_non_null(strstr(ans_context_diagnostic(context)->message, "t = 1"));
  ans_context_free(context);
}

static void the_wall_of_steps_holds(void **state) {
  (void)state;
  ans_context *context = new_context();
  scalar s = {.f = decay, .slope = decay_slope};
  double levels[3];
  assert_int_equal(solve(context, &s, 1, 2, 1e-6,
                         (integrator_settings){.relative = 1e-8, .absolute = 1e-10, .max_steps = 500}, levels),
                   ANS_TOLERANCE);
  assert_non_null(strstr(ans_context_diagnostic(context)->message, "500 steps"));
  assert_non_null(strstr(ans_context_diagnostic(context)->message, "`max_step`"));
  ans_context_free(context);
}

/* y' = 1 between 1/3 and 2/3, else 0: the sides of the edges as schedule.h asks for. */
static double low_side, high_side;
static double switched(double t, double y) {
  t = fmin(fmax(t, low_side), high_side);
  return (t >= 1.0 / 3 && t <= 2.0 / 3) + 0 * y;
}
static double no_slope(double t, double y) { return 0 * (t + y); }
static void enter(void *data, double t) {
  (void)data;
  low_side = t < 1.0 / 3 ? -1 : t < 2.0 / 3 ? 1.0 / 3 : 2.0 / 3 + 1e-15;
  high_side = t < 1.0 / 3 ? 1.0 / 3 - 1e-15 : t < 2.0 / 3 ? 2.0 / 3 : 2;
}

static void every_stretch_is_entered(void **state) {
  (void)state;
  ans_context *context = new_context();
  scalar s = {.f = switched, .slope = no_slope};
  integrator_system system = {1, &s, right_side, linearise, product, factorise, precondition, enter};
  const schedule_stretch stretches[3] = {{1.0 / 3, 1, true}, {2.0 / 3, 1, true}, {1, 1, false}};
  integrator_settings settings = {
      .relative = 1e-9, .absolute = 1e-11, .max_steps = 1000, .stretch_count = 3, .stretches = stretches};
  const double times[4] = {0, 0.5, 2.0 / 3, 1};
  double start = 0, levels[4];
  long steps;
  assert_ok(context, integrate(context, &system, settings, &start, 4, times, levels, &steps));
  assert_near(levels[1], 1.0 / 6, 1e-12);
  assert_near(levels[2], 1.0 / 3, 1e-12);
  assert_near(levels[3], 1.0 / 3, 1e-12);
  assert_in_range(steps, 6, 200);
  ans_context_free(context);
}

static double work_done;
static bool working_side(void *data, double t, const double *y, double *result) {
  work_done += 1;
  return right_side(data, t, y, result);
}

static void the_wall_of_work_holds(void **state) {
  (void)state;
  ans_context *context = new_context();
  scalar s = {.f = decay, .slope = decay_slope};
  integrator_system system = {1, &s, working_side, linearise, product, factorise, precondition, NULL};
  const schedule_stretch whole = {1, 1e-4, false};
  integrator_settings settings = {.relative = 1e-8,
                                  .absolute = 1e-10,
                                  .max_steps = 100000,
                                  .max_work = 50,
                                  .work = &work_done,
                                  .stretch_count = 1,
                                  .stretches = &whole};
  const double times[2] = {0, 1};
  double start = 1, levels[2];
  long steps;
  work_done = 0;
  assert_int_equal(integrate(context, &system, settings, &start, 2, times, levels, &steps), ANS_TOLERANCE);
  assert_in_range((long)work_done, 50, 60);
  assert_non_null(strstr(ans_context_diagnostic(context)->message, "reached only"));
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(decay_meets_its_tolerance), cmocka_unit_test(stiff_relaxation_is_followed),
      cmocka_unit_test(blow_up_is_told),           cmocka_unit_test(the_wall_of_steps_holds),
      cmocka_unit_test(every_stretch_is_entered),  cmocka_unit_test(the_wall_of_work_holds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
