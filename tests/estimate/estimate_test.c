/* SPDX-License-Identifier: Apache-2.0
 *
 * estimate_test.c - approximations with a known error, for every kind of equation: the estimate is that error.
 */
#include "waves.h"

static const double PI = 3.14159265358979323846;

#define PERIODIC "coordinate x in [0, 1) periodic\ncoordinate t in [0, 1] time\n"
#define WALLS    "coordinate x in [0, 1]\ncoordinate t in [0, 1] time\n"

/* A sine of x: amplitude sin(k x) exp(through t), from cos by a quarter turn. */
static wave sine(int field, double amplitude, double k, double complex through) {
  return (wave){.field = field, .amplitude = -J * amplitude, .along = J * k, .through = through};
}

static wave cosine(int field, double amplitude, double k, double complex through) {
  return (wave){.field = field, .amplitude = amplitude, .along = J * k, .through = through};
}

static void diffusion_advection_dispersion(void **state) {
  (void)state;
  double k = 2 * PI;
  check(PERIODIC "field u\nequation u: u_t = 0.01*u_xx\ninitial u = sin(2*pi*x)\n",
        (waves){.count = 2, .exact = 1, .list = {sine(0, 1, k, -0.01 * k * k), sine(0, 0.003, 3 * k, 1)}}, 1e-4);
  /* Nine and a half periods in time. */
  check(PERIODIC "field u\nequation u: u_t + 9.5*u_x = 0\ninitial u = sin(2*pi*x)\n",
        (waves){.count = 2, .exact = 1, .list = {sine(0, 1, k, -9.5 * k * J), cosine(0, 1e-4, k, -9 * k * J)}}, 2e-2);
  check(PERIODIC "field u\nequation u: u_t + u_xxx - 1e-4*u_xxxx = 0\ninitial u = sin(2*pi*x)\n",
        (waves){.count = 2,
                .exact = 1,
                .list = {sine(0, 1, k, J * k * k * k + 1e-4 * k * k * k * k), sine(0, 1e-3, k, -1)}},
        1e-4);
}

/* A wave of constant size, whose approximation is larger after every seam: what is wrong is carried through. */
static void seams_are_crossed(void **state) {
  (void)state;
  static const char *const texts[] = {
      PERIODIC "field u\nequation u: u_t + 2*u_x = 0\ninitial u = sin(2*pi*x)\n",
      PERIODIC "field u\nequation u: u_tt = 4*u_xx\ninitial u = sin(2*pi*x)\ninitial u_t = -4*pi*cos(2*pi*x)\n",
      PERIODIC "field u\nequation u: u_t + (2 + 0*sin(2*pi*x))*u_x = 0\ninitial u = sin(2*pi*x)\n"};
  const double seams[] = {0.25, 0.5, 0.75}, lift = 1e-3;
  for (int i = 0; i < 3; i++) {
    posed posed = pose(texts[i]);
    estimate *estimate;
    waves waves = {
        .problem = posed.problem, .count = 1, .exact = 1, .list = {sine(0, 1, 2 * PI, -4 * PI * J)}, .lift = lift};
    estimate_network network = network_of(&waves);
    network.seams = seams;
    network.seam_count = 3;
    assert_ok(posed.context, estimate_new(posed.context, posed.instance, &network, &estimate));
    const estimate_summary *summary = estimate_result(estimate);
    if (!summary->available || !summary->trusted) fail_msg("%s\n%s", texts[i], summary->reason);
    assert_near(summary->errors[0], lift * sqrt((0 + 1 + 4 + 9) / 4.0), 0.02 * lift);
    /* A time on each side of every seam. */
    double times[] = {0.1, 0.25, 0.3, 0.6, 0.8, 1}, places[] = {0.3}, values[6], *fields[] = {values};
    for (int k = 0; k < 6; k++)
      values[k] = (1 + lift * (k < 2 ? 0 : k < 3 ? 1 : k < 4 ? 2 : 3)) * sin(2 * PI * (places[0] - 2 * times[k]));
    assert_ok(posed.context, estimate_correct(posed.context, estimate, times, 6, places, 1, fields));
    for (int k = 0; k < 6; k++) assert_near(values[k], sin(2 * PI * (places[0] - 2 * times[k])), 2e-4);
    estimate_free(estimate);
    drop(&posed);
  }
}

static void second_order_in_time_and_coupled_fields(void **state) {
  (void)state;
  double k = 2 * PI;
  check(PERIODIC "field u\nequation u: u_tt = 4*u_xx\ninitial u = sin(2*pi*x)\ninitial u_t = 0\n",
        (waves){.count = 3,
                .exact = 2,
                .list = {sine(0, 0.5, k, 2 * k * J), sine(0, 0.5, k, -2 * k * J), cosine(0, 1e-3, 2 * k, 1)}},
        1e-4);
  /* Schroedinger: u + i v. */
  check(PERIODIC "field u, v\nequation u: u_t = -0.1*v_xx\nequation v: v_t = 0.1*u_xx\n"
                 "initial u = cos(2*pi*x)\ninitial v = sin(2*pi*x)\n",
        (waves){.count = 4,
                .exact = 2,
                .list = {cosine(0, 1, k, -0.1 * k * k * J), sine(1, 1, k, -0.1 * k * k * J), cosine(0, 2e-3, k, 0),
                         sine(1, 1e-3, 2 * k, 0.5)}},
        1e-4);
  /* The wave again, between walls. */
  check(WALLS "field u\nequation u: u_tt = u_xx\ninitial u = sin(pi*x)\ninitial u_t = 0\n"
              "boundary u at x = 0: u = 0 soft weight 1\nboundary u at x = 1: u = 0 soft weight 1\n",
        (waves){
            .count = 3, .exact = 2, .list = {sine(0, 0.5, PI, PI * J), sine(0, 0.5, PI, -PI * J), sine(0, 1e-3, 2, 1)}},
        2e-3);
}

static void walls_and_their_defects(void **state) {
  (void)state;
  double h = PI / 2;
  /* The error does not vanish at the walls, nor at the start. */
  check(WALLS "field u\nequation u: u_t = 0.1*u_xx\ninitial u = sin(pi*x/2)\n"
              "boundary u at x = 0: u = 0 soft weight 1\nboundary u at x = 1: u_x = 0 soft weight 1\n",
        (waves){.count = 2, .exact = 1, .list = {sine(0, 1, h, -0.1 * h * h), {0, 1e-3, 0.7, -1}}}, 1e-3);
  /* A beam: four conditions, second order in time, fourth in space. */
  check(WALLS "field u\nequation u: u_tt = -0.01*u_xxxx\ninitial u = sin(pi*x)\ninitial u_t = 0\n"
              "boundary u at x = 0: u = 0 soft weight 1\nboundary u at x = 0: u_xx = 0 soft weight 1\n"
              "boundary u at x = 1: u = 0 soft weight 1\nboundary u at x = 1: u_xx = 0 soft weight 1\n",
        (waves){.count = 3,
                .exact = 2,
                .list = {sine(0, 0.5, PI, 0.1 * PI * PI * J), sine(0, 0.5, PI, -0.1 * PI * PI * J),
                         sine(0, 1e-2, 2 * PI, 0)}},
        5e-3);
}

static void nonlinear_and_sources(void **state) {
  (void)state;
  double k = 2 * PI;
  /* u = 2 + sin(2 pi x) exp(-t) made a solution by a source. */
  check(PERIODIC "field u\nequation u: u_t + u*u_x - 0.02*u_xx = sin(2*pi*x)*exp(-t)*(0.02*4*pi^2 - 1)"
                 " + 2*pi*cos(2*pi*x)*exp(-t)*(2 + sin(2*pi*x)*exp(-t))\ninitial u = 2 + sin(2*pi*x)\n",
        (waves){.count = 3, .exact = 2, .list = {cosine(0, 2, 0, 0), sine(0, 1, k, -1), sine(0, 0.3, 2 * k, 0)}}, 1e-4);
  /* The same weight before every term cancels. */
  check(PERIODIC "field u\nequation u: exp(-5*t)*u_t - 0.01*exp(-5*t)*u_xx = 0\ninitial u = sin(2*pi*x)\n",
        (waves){.count = 2, .exact = 1, .list = {sine(0, 1, k, -0.01 * k * k), sine(0, 0.003, 3 * k, 1)}}, 1e-4);
  /* A coefficient that depends on place, so no exact linear part: a (1 + x) leads. */
  check(WALLS "field u\nequation u: (1 + x)*u_t = u_x - (1 + x)*u - pi*cos(pi*x)*exp(-t)\ninitial u = sin(pi*x)\n"
              "boundary u at x = 1: u = 0 soft weight 1\n",
        (waves){.count = 2, .exact = 1, .list = {sine(0, 1, PI, -1), sine(0, 1e-2, 1, 0)}}, 1e-3);
}

static void algebraic_fields_and_no_space(void **state) {
  (void)state;
  /* p follows u at once. */
  check(WALLS "field u, p\nequation u: u_t = 0.1*u_xx\nequation p: p_xx = u\ninitial u = sin(pi*x)\n"
              "boundary u at x = 0: u = 0 soft weight 1\nboundary u at x = 1: u = 0 soft weight 1\n"
              "boundary p at x = 0: p = 0 soft weight 1\nboundary p at x = 1: p = 0 soft weight 1\n",
        (waves){.count = 4,
                .exact = 2,
                .list = {sine(0, 1, PI, -0.1 * PI * PI), sine(1, -1 / (PI * PI), PI, -0.1 * PI * PI),
                         sine(0, 1e-2, 2 * PI, 0), sine(1, 1e-3, 1, 1)}},
        1e-3);
  const char *oscillator = "coordinate t in [0, 10] time\nfield u, v\nequation u: u_t = v\nequation v: v_t = -4*u\n"
                           "initial u = 1\ninitial v = 0\n";
  check(oscillator,
        (waves){.count = 4,
                .exact = 2,
                .list = {{0, 1, 0, 2 * J}, {1, 2 * J, 0, 2 * J}, {0, 1e-2, 0, 0.1}, {1, 1e-2, 0, 0.5 * J}}},
        1e-3);
  check("coordinate t in [0, 3] time\nfield u\nequation u: u_tt = -9*u\ninitial u = 1\ninitial u_t = 0\n",
        (waves){.count = 2, .exact = 1, .list = {{0, 1, 0, 3 * J}, {0, 1e-2, 0, J}}}, 1e-3);
}

/* Fifty turns, seen at 101 even times: their mean is not the integral. */
static void errors_that_oscillate_fast(void **state) {
  (void)state;
  check("coordinate t in [0, 5] time\nfield u\nequation u: u_t = -u\ninitial u = 1\n",
        (waves){.count = 2, .exact = 1, .list = {{0, 1, 0, -1}, {0, 1e-3, 0, 20 * PI * J}}}, 1e-3);
}

static void problems_without_time(void **state) {
  (void)state;
  /* u = exp(x). */
  check("coordinate x in [0, 1]\nfield u\nequation u: u_xx + u^2 = exp(x) + exp(2*x)\n"
        "boundary u at x = 0: u = 1 soft weight 1\nboundary u at x = 1: u = exp(1) soft weight 1\n",
        (waves){.count = 2, .exact = 1, .list = {{0, 1, 1, 0}, sine(0, 0.02, 3, 0)}}, 1e-4);
  check("coordinate x in [0, 1) periodic\nfield u\nequation u: u_xx - 3*u = -(4*pi^2 + 3)*sin(2*pi*x)\n",
        (waves){.count = 2, .exact = 1, .list = {sine(0, 1, 2 * PI, 0), cosine(0, 0.02, 2 * PI, 0)}}, 1e-6);
}

/* A clamped plate strip: fourth order without time. */
static void a_steady_beam(void **state) {
  (void)state;
  check("coordinate x in [0, 1]\nfield u\nequation u: u_xxxx + u = 2*exp(x)\n"
        "boundary u at x = 0: u = 1 soft weight 1\nboundary u at x = 0: u_x = 1 soft weight 1\n"
        "boundary u at x = 1: u = exp(1) soft weight 1\nboundary u at x = 1: u_x = exp(1) soft weight 1\n",
        (waves){.count = 2, .exact = 1, .list = {{0, 1, 1, 0}, sine(0, 1e-3, 3, 0)}}, 1e-3);
}

/* What the network's own derivatives cannot see. */
static void jumps_at_a_soft_seam(void **state) {
  (void)state;
  double k = 2 * PI;
  const char *text = "coordinate x in [0, 1) periodic soft weight 1\ncoordinate t in [0, 1] time\nfield u\n"
                     "equation u: u_t + 9.5*u_x = 0\ninitial u = sin(2*pi*x) soft weight 1\n";
  check(text, (waves){.count = 1, .exact = 1, .list = {sine(0, 1, k, -9.5 * k * J)}, .jump = 1e-3}, 2e-2);
}

/* Units of another scale change nothing. */
static void small_and_long_domains(void **state) {
  (void)state;
  double k = 2 * PI * 1e6;
  check("coordinate x in [0, 1e-6) periodic\ncoordinate t in [0, 1e6] time\nfield u\n"
        "equation u: u_t = 2.5e-20*u_xx\ninitial u = 1e-7*sin(2e6*pi*x)\n",
        (waves){.count = 2, .exact = 1, .list = {sine(0, 1e-7, k, -2.5e-20 * k * k), sine(0, 1e-9, k, 0)}}, 1e-4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(diffusion_advection_dispersion),
      cmocka_unit_test(seams_are_crossed),
      cmocka_unit_test(second_order_in_time_and_coupled_fields),
      cmocka_unit_test(walls_and_their_defects),
      cmocka_unit_test(nonlinear_and_sources),
      cmocka_unit_test(algebraic_fields_and_no_space),
      cmocka_unit_test(errors_that_oscillate_fast),
      cmocka_unit_test(problems_without_time),
      cmocka_unit_test(a_steady_beam),
      cmocka_unit_test(jumps_at_a_soft_seam),
      cmocka_unit_test(small_and_long_domains),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
