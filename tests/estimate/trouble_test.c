/* SPDX-License-Identifier: Apache-2.0
 *
 * trouble_test.c - what has no estimate, or none that can be trusted, says why; nothing hangs and no number comes out.
 */
#include "waves.h"

#define PERIODIC "coordinate x in [0, 1) periodic\ncoordinate t in [0, 1] time\n"

static void refused(const char *text, waves waves, const char *reason) {
  estimate_summary summary = summary_of(text, waves, NULL);
  assert_false(summary.available);
  assert_false(summary.trusted);
  assert_true(summary.mean == 0);
  if (!strstr(summary.reason, reason)) fail_msg("\"%s\" has no \"%s\"", summary.reason, reason);
}

static void forms_that_are_not_known(void **state) {
  (void)state;
  waves waves = {.count = 1, .list = {{0, 1, 0, 0}}};
  refused("coordinate x in [0, 1]\ncoordinate t in [0, 1) periodic time\nfield u\nequation u: u_t - u_xx = 1\n"
          "boundary u at x = 0: u = 0 soft weight 1\nboundary u at x = 1: u = 0 soft weight 1\n",
          waves, "time is periodic");
  refused("coordinate x in [0, 1) periodic\ncoordinate y in [0, 1) periodic\ncoordinate t in [0, 1] time\nfield u\n"
          "equation u: u_t = u_xx + u_yy\ninitial u = sin(2*pi*x)\n",
          waves, "one space coordinate");
  refused(PERIODIC "field u\nequation u: u*u_t = u_xx\ninitial u = 2\n", waves, "mixes the highest time derivative");
}

static void equations_that_fix_nothing(void **state) {
  (void)state;
  refused("coordinate x in [0, 1) periodic\nfield u\nequation u: u_xx = sin(2*pi*x)\n",
          (waves){.count = 1, .list = {{0, 1, 0, 0}}}, "do not determine");
}

/* The place of a steady shock is fixed by exp(-50) of its height: no Newton step sees that, while a thicker one is
 * determined well enough. */
static void shocks_that_may_stand_anywhere(void **state) {
  (void)state;
#define SHOCK(nu)                                                                                                      \
  "coordinate x in [-1, 1]\nfield u\nequation u: u*u_x = " nu "*u_xx\nboundary u at x = -1: u = 1\n"                   \
  "boundary u at x = 1: u = -1\n"
  refused(SHOCK("0.02"), (waves){.count = 2, .list = {{0, -1, 25, 0, 5, true}, {0, 1e-3, 40 * J, 0}}},
          "do not determine");
  assert_true(summary_of(SHOCK("0.5"), (waves){.count = 1, .list = {{0, -1, 1, 0, 0.1, true}}}, NULL).trusted);
}

static void solutions_that_grow_without_bound(void **state) {
  (void)state;
  refused(PERIODIC "field u\nequation u: u_t = u^2\ninitial u = 3 + sin(2*pi*x)\n",
          (waves){.count = 1, .list = {{0, 3, 0, 0}}}, "grows without bound");
  refused("coordinate t in [0, 1] time\nfield u\nequation u: u_t = u^2\ninitial u = 3\n",
          (waves){.count = 1, .list = {{0, 3, 0, 0}}}, "near t = 0.33");
}

static void networks_that_are_not_finite(void **state) {
  (void)state;
  refused(PERIODIC "field u\nequation u: u_t = u_xx\ninitial u = 1\n", (waves){.count = 1, .list = {{0, NAN, 0, 0}}},
          "not finite");
}

/* Thousands of turns in time, and shocks: a number may come, but not a trusted one. */
static void errors_that_are_not_resolved(void **state) {
  (void)state;
  estimate_summary fast = summary_of("coordinate t in [0, 1e6] time\nfield u, v\nequation u: u_t = v\n"
                                     "equation v: v_t = -u + 0.1*u^3\ninitial u = 1\ninitial v = 0\n",
                                     (waves){.count = 1, .list = {{0, 1, 0, J}}}, NULL);
  assert_false(fast.trusted);
  assert_true(fast.reason[0] != '\0');
  estimate_summary shock = summary_of(PERIODIC "field u\nequation u: u_t + u*u_x = 0\ninitial u = sin(2*pi*x)\n",
                                      (waves){.count = 1, .list = {{0, -J, 6.283185307179586 * J, 0}}}, NULL);
  assert_false(shock.trusted);
  assert_true(shock.reason[0] != '\0');
}

/* An exact network has no error worth a doubt. */
static void no_error_is_trusted(void **state) {
  (void)state;
  double k = 6.283185307179586;
  estimate_summary exact = summary_of(PERIODIC "field u\nequation u: u_t = 0.01*u_xx\ninitial u = sin(2*pi*x)\n",
                                      (waves){.count = 1, .list = {{0, -J, J * k, -0.01 * k * k}}}, NULL);
  assert_true(exact.trusted);
  assert_true(exact.mean < 1e-10);
  estimate_summary zero = summary_of(PERIODIC "field u\nequation u: u_t = 0.01*u_xx\ninitial u = 0*x\n",
                                     (waves){.count = 1, .list = {{0, 1e-3, J * k, 0}}}, NULL);
  assert_true(zero.absolute[0]);
  assert_near(zero.errors[0], 1e-3 / sqrt(2), 1e-9);
}

static void every_allocation_may_fail_for(const char *text, waves waves) {
  posed posed = pose(text);
  waves.problem = posed.problem;
  estimate_network network = network_of(&waves);
  estimate *estimate;
  long before = memory_taken();
  assert_ok(posed.context, estimate_new(posed.context, posed.instance, &network, &estimate));
  long count = memory_taken() - before;
  estimate_free(estimate);
  assert_true(count > 20);
  for (long n = 1; n <= count; n++) {
    memory_fail_after(n, false);
    ans_status status = estimate_new(posed.context, posed.instance, &network, &estimate);
    memory_fail_after(0, false);
    if (status != ANS_MEMORY) fail_msg("allocation %ld of %ld failed and the status is %d", n, count, (int)status);
    assert_null(estimate);
  }
  drop(&posed);
}

static const char *const heat =
    "coordinate x in [0, 1]\ncoordinate t in [0, 1] time\nfield u\nequation u: u_t = 0.1*u_xx\n"
    "initial u = sin(pi*x)\nboundary u at x = 0: u = 0 soft weight 1\nboundary u at x = 1: u = 0 soft weight 1\n";
/* A layer that only a graded mesh resolves. */
static const char *const layer = "coordinate x in [0, 1]\nfield u\nequation u: u_x = 1e-3*u_xx\n"
                                 "boundary u at x = 0: u = 0 soft weight 1\nboundary u at x = 1: u = 1 soft weight 1\n";
static const waves on_heat = {.count = 1, .list = {{0, -J, 3 * J, 0}}}, on_layer = {.count = 1, .list = {{0, 1, 1, 0}}};

static void every_allocation_may_fail(void **state) {
  (void)state;
  every_allocation_may_fail_for(heat, on_heat);
  every_allocation_may_fail_for(layer, on_layer);
}

/* A network whose evaluation ends, as it does when a run is interrupted: nothing is left behind. */
typedef struct mortal {
  estimate_network inner;
  int left; /* evaluations */
} mortal;

static ans_status evaluate_while_alive(ans_context *context, void *object, int span, const double *points, size_t count,
                                       const system_orders *orders, double *values) {
  mortal *mortal = object;
  if (mortal->left-- <= 0) return context_fail(context, ANS_DIVERGED, "stopped");
  return mortal->inner.evaluate(context, mortal->inner.object, span, points, count, orders, values);
}

static int evaluations_until_done(const char *text, waves waves) {
  posed posed = pose(text);
  waves.problem = posed.problem;
  ans_status status = ANS_DIVERGED;
  int allowed = -1;
  while (status != ANS_OK) {
    mortal mortal = {.inner = network_of(&waves), .left = ++allowed};
    estimate_network network = {.evaluate = evaluate_while_alive, .object = &mortal};
    estimate *estimate;
    status = estimate_new(posed.context, posed.instance, &network, &estimate);
    assert_true(status == ANS_OK || status == ANS_DIVERGED);
    assert_true((status == ANS_OK) == (estimate != NULL));
    assert_true(allowed < 20);
    estimate_free(estimate);
  }
  drop(&posed);
  return allowed;
}

static void every_evaluation_may_fail(void **state) {
  (void)state;
  assert_true(evaluations_until_done(heat, on_heat) >= 2);
  assert_true(evaluations_until_done(layer, on_layer) > 4 + 2); /* four spectral meshes, and graded ones */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forms_that_are_not_known),
      cmocka_unit_test(equations_that_fix_nothing),
      cmocka_unit_test(shocks_that_may_stand_anywhere),
      cmocka_unit_test(solutions_that_grow_without_bound),
      cmocka_unit_test(networks_that_are_not_finite),
      cmocka_unit_test(errors_that_are_not_resolved),
      cmocka_unit_test(no_error_is_trusted),
      cmocka_unit_test(every_allocation_may_fail),
      cmocka_unit_test(every_evaluation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
