/* SPDX-License-Identifier: Apache-2.0
 *
 * front_test.c - fronts and layers that no spectral mesh resolves: the estimate comes from a graded one, and is either
 * right and trusted or not trusted.
 */
#include "waves.h"

static const double PI = 3.14159265358979323846;

#define SOFT " soft weight 1\n"

/* amplitude * tanh((x - place - speed t) / width) */
static wave front(int field, double amplitude, double place, double width, double speed) {
  return (wave){field, amplitude, 1 / width, -speed / width, -place / width, true};
}

static wave sine(int field, double amplitude, double k, double through) {
  return (wave){.field = field, .amplitude = -J * amplitude, .along = J * k, .through = through};
}

/* exp((x - 1) / width) */
static wave layer(double amplitude, double width) {
  return (wave){.amplitude = amplitude, .along = 1 / width, .shift = -1 / width};
}

/* ---- Between walls ----------------------------------------------------------------------------------- */

/* u = speed - tanh((x - place - speed t) / width) / 2 solves Burgers' equation with viscosity width / 4. Fields after
 * the first are carried along by it, and are multiples of it. */
static void pose_burgers(char *text, size_t room, int fields, double place, double width, double speed) {
  static const char *const names = "uvw";
  size_t at = (size_t)snprintf(text, room, "coordinate x in [0, 1]\ncoordinate t in [0, 1] time\nfield u%s\n",
                               fields == 1   ? ""
                               : fields == 2 ? ", v"
                                             : ", v, w");
  for (int f = 0; f < fields; f++) {
    char u = names[f], profile[3][200]; /* at the start and at either wall */
    for (int i = 0; i < 3; i++) {
      char argument[60] = "x";
      if (i > 0) snprintf(argument, sizeof argument, "%d - %.17g*t", i - 1, speed);
      snprintf(profile[i], sizeof profile[i], "%d*(%.17g - tanh((%s - %.17g)/%.17g)/2)", f + 1, speed, argument, place,
               width);
    }
    at += (size_t)snprintf(text + at, room - at,
                           "equation %c: %c_t + u*%c_x = %.17g*%c_xx\ninitial %c = %s\n"
                           "boundary %c at x = 0: %c = %s" SOFT "boundary %c at x = 1: %c = %s" SOFT,
                           u, u, u, width / 4, u, u, profile[0], u, u, profile[1], u, u, profile[2]);
  }
  assert_true(at < room);
}

static waves burgers_waves(int fields, double place, double width, double speed, double error) {
  waves waves = {.exact = 2 * fields, .count = 3 * fields};
  for (int f = 0; f < fields; f++) {
    waves.list[2 * f] = (wave){.field = f, .amplitude = (f + 1) * speed};
    waves.list[2 * f + 1] = front(f, -(f + 1) / 2.0, place, width, speed);
    waves.list[2 * fields + f] = sine(f, error, 3 + 2 * f, -1);
  }
  return waves;
}

static void check_burgers(int fields, double place, double width, double speed, double error) {
  char text[4000];
  pose_burgers(text, sizeof text, fields, place, width, speed);
  check(text, burgers_waves(fields, place, width, speed, error), 0.01);
}

static void fronts_that_stand(void **state) {
  (void)state;
  check_burgers(1, 0.5, 0.004, 0, 1e-1);
  check_burgers(1, 0.37, 0.002, 0, 1e-3);
}

static void fronts_that_move(void **state) {
  (void)state;
  check_burgers(1, 0.3, 0.008, 0.2, 1e-3);
}

/* Dense matrices had fewer nodes for each of several fields. */
static void fronts_of_several_fields(void **state) {
  (void)state;
  check_burgers(2, 0.5, 0.004, 0, 1e-3);
  check_burgers(3, 0.5, 0.008, 0, 1e-3);
}

/* The error is that the front is not where it should be. */
static void fronts_in_the_wrong_place(void **state) {
  (void)state;
  char text[4000];
  double width = 0.008;
  pose_burgers(text, sizeof text, 1, 0.4, width, 0.1);
  waves waves = {.exact = 2,
                 .count = 4,
                 .list = {{.amplitude = 0.1},
                          front(0, -0.5, 0.4, width, 0.1),
                          front(0, 0.5, 0.4, width, 0.1),
                          front(0, -0.5, 0.4, width, 0.101)}};
  check(text, waves, 0.01);
}

/* The network is larger by a share of itself after a seam in time. */
static void fronts_across_a_seam(void **state) {
  (void)state;
  char text[4000];
  const double seams[] = {0.5}, lift = 1e-3;
  pose_burgers(text, sizeof text, 1, 0.5, 0.004, 0);
  posed posed = pose(text);
  estimate *estimate;
  waves waves = {.problem = posed.problem, .exact = 1, .count = 1, .list = {front(0, -0.5, 0.5, 0.004, 0)}};
  waves.lift = lift;
  estimate_network network = network_of(&waves);
  network.seams = seams;
  network.seam_count = 1;
  assert_ok(posed.context, estimate_new(posed.context, posed.instance, &network, &estimate));
  const estimate_summary *summary = estimate_result(estimate);
  assert_string_equal(summary->reason, "");
  assert_near(summary->errors[0], lift * sqrt(0.5), 0.02 * lift);
  estimate_free(estimate);
  drop(&posed);
}

static void pose_layer(char *text, size_t room, double width) {
  snprintf(text, room,
           "coordinate x in [0, 1]\nfield u\nequation u: u_x = %.17g*u_xx\n"
           "boundary u at x = 0: u = 0" SOFT "boundary u at x = 1: u = 1" SOFT,
           width);
}

/* Thinner than the grid on which errors are compared. */
static void layers_at_a_wall(void **state) {
  (void)state;
  char text[400];
  for (double width = 1e-2; width > 0.9e-4; width /= 10) {
    pose_layer(text, sizeof text, width);
    check(text, (waves){.exact = 1, .count = 2, .list = {layer(1, width), sine(0, 1e-3, 3, 0)}}, 0.1);
    /* A network that knows nothing of the layer. */
    waves blind = {.exact = 1, .count = 3, .list = {layer(1, width), layer(-1, width), sine(0, 1e-3, 3, 0)}};
    check(text, blind, 0.1);
  }
}

/* Far from the origin neighbouring nodes must stay different numbers, and where they cannot be there is no such mesh.
 */
static void layers_far_from_the_origin(void **state) {
  (void)state;
  for (double origin = 1e3; origin < 1e17; origin *= 1e4) {
    char text[400];
    double error, end = origin + 1 > origin ? origin + 1 : origin * (1 + 1e-15);
    snprintf(text, sizeof text,
             "coordinate x in [%.17g, %.17g]\nfield u\nequation u: u_x = 1e-3*u_xx\n"
             "boundary u at x = %.17g: u = 0" SOFT "boundary u at x = %.17g: u = 1" SOFT,
             origin, end, origin, end);
    estimate_summary summary = summary_of(text, (waves){.exact = 0, .count = 1, .list = {{.amplitude = 1}}}, &error);
    if (origin < 1e4) assert_true(summary.trusted);
    assert_true(summary.trusted == (summary.reason[0] == '\0'));
  }
}

static void layers_inside(void **state) {
  (void)state;
  char text[800];
  for (double width = 0.02; width > 0.001; width /= 3) {
    snprintf(text, sizeof text,
             "coordinate x in [0, 1]\nfield u\nequation u: u_xx - u = -2/%.17g^2*(1 - tanh((x - 0.37)/%.17g)^2)"
             "*tanh((x - 0.37)/%.17g) - tanh((x - 0.37)/%.17g)\n"
             "boundary u at x = 0: u = -1" SOFT "boundary u at x = 1: u = 1" SOFT,
             width, width, width, width);
    check(text, (waves){.exact = 1, .count = 2, .list = {front(0, 1, 0.37, width, 0), sine(0, 1e-3, 3, 0)}}, 0.02);
  }
}

/* ---- Around a period --------------------------------------------------------------------------------- */

/* A plateau that moves through a medium that depends on place: no linear part is constant. */
static void fronts_around_a_period(void **state) {
  (void)state;
  char text[1200];
  const double width = 0.008;
  snprintf(text, sizeof text,
           "coordinate x in [0, 1) periodic\ncoordinate t in [0, 0.3] time\nfield u\n"
           "equation u: (2 + cos(2*pi*x))*u_t + (2 + cos(2*pi*x))*0.1*u_x - 1e-3*u_xx = 2e-3/%.17g^2*("
           "(1 - tanh((x - 0.3 - 0.1*t)/%.17g)^2)*tanh((x - 0.3 - 0.1*t)/%.17g)"
           " - (1 - tanh((x - 0.6 - 0.1*t)/%.17g)^2)*tanh((x - 0.6 - 0.1*t)/%.17g))\n"
           "initial u = tanh((x - 0.3)/%.17g) - tanh((x - 0.6)/%.17g)\n",
           width, width, width, width, width, width, width);
  check(text,
        (waves){.exact = 2,
                .count = 3,
                .list = {front(0, 1, 0.3, width, 0.1), front(0, -1, 0.6, width, 0.1), sine(0, 1e-3, 2 * PI, -1)}},
        0.01);
}

/* ---- What is not resolved ---------------------------------------------------------------------------- */

/* As thin as can be while it moves, at the price of many steps, and thinner than any mesh: a number may come, but if it
 * is trusted it is right. */
static void thinner_fronts_are_right_or_not_trusted(void **state) {
  (void)state;
  char text[4000];
  double error;
  for (double width = 0.003; width > 5e-4; width /= 4) {
    pose_burgers(text, sizeof text, 1, 0.3, width, 0.2);
    estimate_summary summary = summary_of(text, burgers_waves(1, 0.3, width, 0.2, 1e-4), &error);
    if (summary.trusted) assert_near(summary.errors[0], error, 0.1 * error);
    assert_true(summary.trusted == (summary.reason[0] == '\0'));
  }
  for (double width = 1e-5; width > 1e-8; width /= 10) {
    pose_layer(text, sizeof text, width);
    waves blind = {.exact = 1, .count = 3, .list = {layer(1, width), layer(-1, width), sine(0, 1e-3, 3, 0)}};
    estimate_summary summary = summary_of(text, blind, &error);
    if (summary.trusted) assert_near(summary.errors[0], error, 0.1 * error);
  }
}

/* What a hopeless error may cost: values of the network, and steps. */
static void work_is_bounded(void **state) {
  (void)state;
  double error;
  waves waves = {.count = 1, .list = {sine(0, 1, 2 * PI, 0)}};
  estimate_summary summary =
      summary_of("coordinate x in [0, 1]\ncoordinate t in [0, 50] time\nfield u\n"
                 "equation u: u_t + u*u_x = 1e-7*u_xx + sin(40*t)*cos(30*x)\n"
                 "initial u = sin(2*pi*x)\nboundary u at x = 0: u = 0" SOFT "boundary u at x = 1: u = 0" SOFT,
                 waves, &error);
  assert_false(summary.trusted);
  assert_true(summary.points < 700 * 1000);
  assert_true(summary.steps < 40 * 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fronts_that_stand),
      cmocka_unit_test(fronts_that_move),
      cmocka_unit_test(fronts_of_several_fields),
      cmocka_unit_test(fronts_in_the_wrong_place),
      cmocka_unit_test(fronts_across_a_seam),
      cmocka_unit_test(layers_at_a_wall),
      cmocka_unit_test(layers_far_from_the_origin),
      cmocka_unit_test(layers_inside),
      cmocka_unit_test(fronts_around_a_period),
      cmocka_unit_test(thinner_fronts_are_right_or_not_trusted),
      cmocka_unit_test(work_is_bounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
