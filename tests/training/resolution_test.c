/* SPDX-License-Identifier: Apache-2.0
 *
 * What is chosen from the equation and its data: sharpness, waves, width, depth and points.
 */
#include "posed.h"
#include "small.h"

#include "training/resolution.h"
#include "training/sharpness.h"

static const char SPACE[] = "coordinate x in [-1, 1) periodic\ncoordinate t in [0, 1] time\nfield u\n";

static setting pose_after(const char *head, const char *rest) {
  char text[1024];
  snprintf(text, sizeof text, "%s%s", head, rest);
  return pose(text);
}

static double sharpness(const char *rest) {
  setting s = pose_after(SPACE, rest);
  double result = sharpness_of(s.instance);
  tear_down(&s);
  return result;
}

static window_network network(const char *rest, int finer) {
  setting s = pose_after(SPACE, rest);
  window whole = {0};
  window_network result = resolution_of(s.instance, &whole, (network_wish){.finer = finer});
  tear_down(&s);
  return result;
}

static int points(const char *rest, bool known) {
  setting s = pose_after(SPACE, rest);
  ans_solver_options options = {0};
  int result = method_choose(s.instance, &options, false, known).points;
  tear_down(&s);
  return result;
}

#define BURGERS(nu)   "equation u: u_t + u*u_x = " nu "*u_xx\ninitial u = -sin(pi*x)\n"
#define REACTION(D)   "equation u: u_t = " D "*u_xx + 4*u - 4*u^3\ninitial u = cos(pi*x)\n"
#define LINEAR(start) "equation u: u_tt = u_xx\ninitial u_t = 0\ninitial u = " start "\n"

/* Over the length 2: D / u, sqrt(D / 4), and the square root of the dispersion. */
static void test_fronts(void **state) {
  (void)state;
  assert_float_equal(sharpness(BURGERS("0.01")), 0.005, 1e-6);
  assert_float_equal(sharpness(REACTION("1e-4")), 0.0025, 1e-6);
  assert_float_equal(sharpness("equation u: u_t + u*u_x + 0.0004*u_xxx = 0\ninitial u = cos(pi*x)\n"), 0.01, 1e-6);
  /* In other units: u ten times as large, and the product a tenth. */
  assert_float_equal(sharpness("equation u: u_t + 0.1*u*u_x = 0.01*u_xx\ninitial u = -10*sin(pi*x)\n"), 0.005, 1e-6);
}

static void test_nothing_makes_or_stops_fronts(void **state) {
  (void)state;
  assert_float_equal(sharpness("equation u: u_t = 1e-6*u_xx\ninitial u = sin(pi*x)\n"), 1, 0);
  assert_float_equal(sharpness("equation u: u_t = u - u^3\ninitial u = sin(pi*x)\n"), 1, 0);
  assert_float_equal(sharpness(BURGERS("1e3")), 1, 0);
  assert_float_equal(sharpness("equation u: u_t + u*u_x = 0.01*u_xx\ninitial u = 0\n"), 1, 0);
}

/* Without space, and with two coordinates of it. */
static void test_other_spaces(void **state) {
  (void)state;
  setting s = pose_after("coordinate t in [0, 1] time\nfield u\n", "equation u: u_t = u - u^3\ninitial u = 0.1\n");
  assert_float_equal(sharpness_of(s.instance), 1, 0);
  tear_down(&s);
  s = pose_after(
      "coordinate x in [0, 1) periodic\ncoordinate y in [0, 1) periodic\ncoordinate t in [0, 1] time\nfield u\n",
      "equation u: u_t = 1e-5*u_xx + 1e-5*u_yy + u - u^3\ninitial u = sin(2*pi*x)\n");
  assert_float_equal(sharpness_of(s.instance), 1, 0);
  tear_down(&s);
}

/* A member whose only term is absent. */
static void test_no_terms(void **state) {
  (void)state;
  setting s = pose("coordinate x in [0, 1]\nfield u\ncoefficient b in [1, 2] optional\nequation u: b*u_xx = 0\n"
                   "boundary u at x = 0: u = 0\nboundary u at x = 1: u = 1\nstructure none without b\nstructure all\n");
  assert_int_equal(s.instance->term_count, 0);
  assert_float_equal(sharpness_of(s.instance), 1, 0);
  tear_down(&s);
}

/* Between walls what is linear makes layers, with time and without. */
static void test_layers(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double expected;
  } cases[] = {
      {"coordinate x in [0, 2]\nfield u\nequation u: u_x - 0.01*u_xx = 1\n", 0.005},
      {"coordinate x in [0, 2]\nfield u\nequation u: u - 0.0004*u_xx = 1\n", 0.01},
      {"coordinate x in [0, 2]\nfield u\nequation u: u_xx = 1\n", 1},
      {"coordinate x in [0, 2]\ncoordinate t in [0, 1] time\nfield u\nequation u: u_t + u_x = 0.01*u_xx\n"
       "initial u = 0\n",
       0.005},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    setting s = pose_after(cases[i].text, "boundary u at x = 0: u = 0 soft\nboundary u at x = 2: u = 1 soft\n");
    assert_float_equal(sharpness_of(s.instance), cases[i].expected, 1e-6);
    tear_down(&s);
  }
}

/* A field that begins with zero, in its own units: q is 1000 times as large in the second text. */
static void test_units_of_a_field(void **state) {
  (void)state;
  static const char *const equations[] = {
      "equation p: p_t + 0.005*q_xx + p^2*q = 0\nequation q: q_t - 0.005*p_xx - p^3 = 0\n",
      "equation p: p_t + 5e-6*q_xx + 1e-3*p^2*q = 0\nequation q: 1e-3*q_t - 0.005*p_xx - p^3 = 0\n"};
  double found[2];
  for (int i = 0; i < 2; i++) {
    char text[512];
    snprintf(text, sizeof text, "%sinitial p = 2*sin(pi*x)\ninitial q = 0\n", equations[i]);
    setting s = pose_after("coordinate x in [-1, 1) periodic\ncoordinate t in [0, 1] time\nfield p, q\n", text);
    found[i] = sharpness_of(s.instance);
    tear_down(&s);
  }
  assert_true(found[0] < 0.1);
  assert_float_equal(found[1], found[0], 1e-9);
}

/* Fronts that only a field makes which begins with zero, whichever is named first, and whatever the unit of the other.
 */
static void test_order_of_fields(void **state) {
  (void)state;
  static const char *const texts[] = {
      "field p, q\nequation q: q_t = q_xx + p\ninitial p = 2*sin(pi*x)\n",
      "field q, p\nequation q: q_t = q_xx + p\ninitial p = 2*sin(pi*x)\n",
      "field q, p\nequation q: q_t = q_xx + 1e-3*p\ninitial p = 2000*sin(pi*x)\n",
  };
  double found[3];
  for (int i = 0; i < 3; i++) {
    setting s = pose_after(texts[i], "coordinate x in [-1, 1) periodic\ncoordinate t in [0, 1] time\n"
                                     "equation p: p_t = 1e-4*p_xx - p*q\ninitial q = 0\n");
    found[i] = sharpness_of(s.instance);
    tear_down(&s);
  }
  assert_true(found[0] < 0.1);
  for (int i = 1; i < 3; i++) assert_float_equal(found[i], found[0], 1e-9);
}

/* Up to the root mean square wave where waves stay what they are; the defaults' four at least where products make more;
 * 0 where that is what the defaults have. */
static void test_waves(void **state) {
  (void)state;
  assert_int_equal(network(LINEAR("sin(pi*x)"), 0).fourier, 1);
  assert_int_equal(network(LINEAR("sin(7*pi*x)"), 0).fourier, 7);
  assert_int_equal(network(LINEAR("exp(2*cos(pi*x))"), 0).fourier, 2);
  assert_int_equal(network(LINEAR("sin(50*pi*x)"), 0).fourier, 20);
  assert_int_equal(network(LINEAR("1e200*sin(pi*x)"), 0).fourier, 1);
  assert_int_equal(network(LINEAR("3"), 0).fourier, 0);
  assert_int_equal(network(BURGERS("0.1"), 0).fourier, 0);
  assert_int_equal(network("equation u: u_t + u*u_x = 0.1*u_xx\ninitial u = sin(9*pi*x)\n", 0).fourier, 9);
  assert_int_equal(network(BURGERS("0.1"), 1).fourier, 6);
  assert_int_equal(network(LINEAR("sin(pi*x)") "network fourier x 1..3\n", 0).fourier, 0);
}

static void test_width_and_depth(void **state) {
  (void)state;
  assert_int_equal(network(BURGERS("0.01"), 0).width, 0);
  assert_int_equal(network(BURGERS("0.003"), 0).width, 96);
  assert_int_equal(network(BURGERS("0.003"), 1).width, 128);
  assert_int_equal(network(BURGERS("0.003") "network width 32\n", 1).width, 0);
  assert_int_equal(network("equation u: u_t = -0.01*u_xxxx\ninitial u = sin(pi*x)\n", 0).layers, 1);
  assert_int_equal(network(BURGERS("0.003"), 0).layers, 0);
}

static void test_points(void **state) {
  (void)state;
  assert_int_equal(points(BURGERS("0.1"), false), METHOD_POINTS);
  assert_int_equal(points(BURGERS("0.01"), false), 4096);
  assert_int_equal(points(BURGERS("0.003"), false), METHOD_MOST_POINTS);
  assert_int_equal(points(BURGERS("1e-9"), false), METHOD_MOST_POINTS);
  assert_int_equal(points(BURGERS("0.003"), true), METHOD_POINTS); /* a model's */
  assert_int_equal(points(BURGERS("0.003") "adapt method adam\n", false), 0);
}

/* A solver whose network and points were chosen goes on from its file with the same bits. */
static void test_file_of_chosen(void **state) {
  (void)state;
  setting s = pose_after(SPACE, BURGERS("0.003"));
  ans_solver_options options = {.seed = 5, .threads = 1};
  char path[256];
  double at[2] = {0.3, 0.7}, first, second;
  ans_solver *solver, *again;
  temporary_path(path, sizeof path, "chosen.solver");
  assert_ok(s.context, solver_begin(s.context, NULL, s.instance, &options, &solver));
  assert_ok(s.context, solver_step(s.context, solver, 2));
  assert_ok(s.context, solver_save(s.context, solver, path));
  assert_ok(s.context, solver_load(s.context, path, 1, &again));
  assert_ok(s.context, solver_step(s.context, solver, 2));
  assert_ok(s.context, solver_step(s.context, again, 2));
  assert_ok(s.context, solver_evaluate(s.context, solver, at, 1, NULL, &first));
  assert_ok(s.context, solver_evaluate(s.context, again, at, 1, NULL, &second));
  assert_memory_equal(&first, &second, sizeof first);
  solver_free(again);
  solver_free(solver);
  remove_path(path);
  tear_down(&s);
}

/* A narrow network is as wide for every equation; what the text states rules. */
static void test_narrow(void **state) {
  (void)state;
  window whole = {0};
  for (int finer = 0; finer < 2; finer++) {
    setting s = pose_after(SPACE, BURGERS("0.003"));
    window_network narrow = resolution_of(s.instance, &whole, (network_wish){.narrow = true, .finer = finer});
    assert_int_equal(narrow.width, finer ? 20 : 16);
    assert_int_equal(narrow.layers, finer ? 4 : 3);
    tear_down(&s);
  }
  setting s = pose_after(SPACE, BURGERS("0.003") "network width 24\n");
  assert_int_equal(resolution_of(s.instance, &whole, (network_wish){.narrow = true}).width, 0);
  tear_down(&s);
}

/* What a window ended with is 1 + a (cos 9 w): as loud as the field, or a thousandth of it. */
static int waves_after(double a) {
  setting s = pose_after(SPACE, "equation u: u_t = u_xx\ninitial u = 1 + cos(pi*x)\n");
  double coefficients[19] = {1};
  arena *arena;
  const system_profile *profile;
  coefficients[17] = a;
  assert_ok(s.context, arena_new(s.context, &arena));
  assert_ok(s.context, profile_new(s.context, arena, true, -1, 1, 19, coefficients, &profile));
  window after = {.begin = 0.5, .end = 1, .profiles = &profile};
  int waves = resolution_of(s.instance, &after, (network_wish){0}).fourier;
  arena_free(arena);
  tear_down(&s);
  return waves;
}

static void test_noise_asks_for_nothing(void **state) {
  (void)state;
  assert_int_equal(waves_after(0.5), 9);
  assert_true(waves_after(1e-3) < 9);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_fronts),
                                     cmocka_unit_test(test_nothing_makes_or_stops_fronts),
                                     cmocka_unit_test(test_other_spaces),
                                     cmocka_unit_test(test_no_terms),
                                     cmocka_unit_test(test_layers),
                                     cmocka_unit_test(test_waves),
                                     cmocka_unit_test(test_width_and_depth),
                                     cmocka_unit_test(test_points),
                                     cmocka_unit_test(test_file_of_chosen),
                                     cmocka_unit_test(test_units_of_a_field),
                                     cmocka_unit_test(test_order_of_fields),
                                     cmocka_unit_test(test_narrow),
                                     cmocka_unit_test(test_noise_asks_for_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
