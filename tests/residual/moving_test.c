/* SPDX-License-Identifier: Apache-2.0
 *
 * moving_test.c - fields in frames that move with them: a transport term disappears exactly, either kind of channels
 * gives the same numbers, and a frame moves only where that is a help.
 */
#include "fixture.h"

enum { POINTS_OF_TEST = 40 };

static residual *open_moving(ans_context *context, const ans_instance *instance, const small_network *network,
                             bool plain) {
  residual_options options = {.points = POINTS_OF_TEST,
                              .initial_points = 11,
                              .period_points = 9,
                              .boundary_points = 7,
                              .threads = 1,
                              .plain = plain,
                              .moving = true};
  residual *residual = NULL;
  assert_ok(context, residual_new(context, instance, &network->backbone.shape, &options, &residual));
  residual_sample(residual, 3, RANDOM_TEST, 1, 0);
  return residual;
}

/* u_t + a u_x - D u_xx - r u (1 - u) in its own frame is the same equation without a, soft conditions included. */
static void transport_disappears(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = open_problem(context, CDR);
  small_network network = open_network(context, problem, BACKBONE_FACTORIZED, 24, ACTIVATION_TANH);
  ans_instance *with = middle_instance(context, problem, system_find_structure(problem, "adr"));
  ans_instance *without = middle_instance(context, problem, system_find_structure(problem, "fisher"));
  residual *moving = open_moving(context, with, &network, false), *fixed = NULL;
  fixed = open_residual(context, without, &network, POINTS_OF_TEST, 1, false);
  double speed = with->values[system_find_symbol(problem, "a")], lab[2 * POINTS_OF_TEST], own[2 * POINTS_OF_TEST];
  assert_true(residual_chart(moving)->moves && residual_chart(moving)->motion[0].speed[0] == speed);
  random_stream stream = random_open(5, RANDOM_TEST, 0, 0);
  for (int p = 0; p < POINTS_OF_TEST; p++) {
    double t = lab[2 * p + 1] = own[2 * p + 1] = random_uniform(&stream), x = lab[2 * p] = random_uniform(&stream);
    own[2 * p] = x - speed * t - floor(x - speed * t);
  }
  residual_set_points(moving, lab, POINTS_OF_TEST);
  residual_set_points(fixed, own, POINTS_OF_TEST);
  int count = residual_row_count(moving);
  assert_int_equal(count, residual_row_count(fixed));
  double *a = memory_take((size_t)count * sizeof *a), *b = memory_take((size_t)count * sizeof *b), size = 0;
  residual_rows(moving, network.formed, a);
  residual_rows(fixed, network.formed, b);
  for (int i = 0; i < count; i++) size = fmax(size, fabs(b[i]));
  assert_true(size > 0);
  for (int i = 0; i < count; i++) assert_near(a[i], b[i], 1e3 * (double)REAL_EPSILON * size);
  memory_give(a), memory_give(b);
  residual_free(moving), residual_free(fixed);
  system_instance_free(with), system_instance_free(without);
  close_network(&network);
  system_free(problem);
  ans_context_free(context);
}

static double difference(const real *a, const real *b, size_t count) {
  double most = 0, size = 0;
  for (size_t i = 0; i < count; i++) {
    most = fmax(most, fabs((double)a[i] - (double)b[i]));
    size = fmax(size, fabs((double)b[i]));
  }
  return most / size;
}

static void check_channels(ans_context *context, int index) {
  ans_problem *problem = open_problem(context, index);
  small_network network = open_network(context, problem, BACKBONE_FACTORIZED, 24, ACTIVATION_TANH);
  ans_instance *instance = middle_instance(context, problem, problem->structure_count - 1);
  residual *quick = open_moving(context, instance, &network, false);
  residual *plain = open_moving(context, instance, &network, true);
  size_t size = network_size(&network.backbone.shape);
  real *first = memory_take(size * sizeof *first);
  double loss = residual_loss(quick, network.formed, 1, first);
  double same = residual_loss(plain, network.formed, 1, network.gradient);
  assert_near(loss, same, 1e3 * (double)REAL_EPSILON * same);
  assert_true(difference(first, network.gradient, size) < 1e3 * (double)REAL_EPSILON);
  memory_give(first);
  residual_free(quick), residual_free(plain);
  system_instance_free(instance);
  close_network(&network);
  system_free(problem);
}

static void channels_change_nothing_in_a_moving_frame(void **state) {
  (void)state;
  ans_context *context = new_context();
  for (int i = 0; i < problem_count(); i++) check_channels(context, i);
  ans_context_free(context);
}

static field_chart chart_of_text(ans_context *context, const char *text, chart_options options) {
  ans_problem *problem = NULL;
  assert_ok(context, system_parse(context, "made", NULL, text, strlen(text), &problem));
  ans_instance *instance = middle_instance(context, problem, 0);
  field_chart chart = chart_of(instance, options);
  system_instance_free(instance);
  system_free(problem);
  return chart;
}

#define PLANE "coordinate x in [0, 1) periodic\ncoordinate t in [0, 1] time\n"

static void a_frame_moves_where_it_helps(void **state) {
  (void)state;
  ans_context *context = new_context();
  const char *two = PLANE "field u, v\nequation u: 2*u_t + 6*u_x + u_x - u*v = 0\nequation v: v_t - v_xx = u\n"
                          "initial u = sin(2*pi*x)\ninitial v = 0\n";
  field_chart chart = chart_of_text(context, two, (chart_options){.moving = true});
  assert_true(chart.moves && chart.motion[0].time == 1 && chart.motion[0].speed[0] == 3.5);
  assert_int_equal(chart.motion[1].time, -1);
  assert_false(chart_of_text(context, two, (chart_options){.moving = true, .common = true})
                   .moves); /* one stream cannot follow two motions */
  static const char *const at_rest[] = {
      PLANE "field u\nequation u: u_t + u_x = inside(x, 0.4, 0.5)\ninitial u = 0\n", /* the source stands still */
      PLANE "field u\nequation u: u_t + x*u_x = 0\ninitial u = 1\n",                 /* no constant speed */
      PLANE "field u\nequation u: u_t + u*u_x = 0.1*u_xx\ninitial u = 1\n",          /* speed of the solution */
      PLANE "field u\nequation u: u_tt + u_x = u_xx\ninitial u = sin(2*pi*x)\ninitial u_t = 0\n", /* a wave */
      PLANE "field u, v\nequation u: u_t + 2*v_x = 0\nequation v: v_t + 2*u_x = 0\ninitial u = 1\ninitial v = 0\n",
      "coordinate x in [0, 1]\ncoordinate t in [0, 1] time\nfield u\nequation u: u_t + u_x = 0.1*u_xx\ninitial u = 0\n"
      "boundary u at x = 0: u = 0 soft\nboundary u at x = 1: u = 0 soft\n", /* walls stand still */
  };
  for (size_t i = 0; i < sizeof at_rest / sizeof *at_rest; i++) {
    if (chart_of_text(context, at_rest[i], (chart_options){.moving = true}).moves) fail_msg("problem %zu moves", i);
  }
  ans_context_free(context);
}

/* A scaled chart moves with the mean of what a product carries along, where that is a way worth going. */
static void a_mean_carries_a_field_along(void **state) {
  (void)state;
  static const struct {
    const char *equations;
    double speed;
  } cases[] = {
      {"field u\nequation u: u_t + u*u_x = 0.1*u_xx\ninitial u = 2\n", 2},
      {"field u\nequation u: 2*u_t + u_x + 3*u^2*u_x = 0.1*u_xx\ninitial u = 2\n", 6.5},
      {"field u, v\nequation u: u_t + v*u_x = 0\nequation v: v_t = 0\ninitial u = 0\ninitial v = 0.5\n", 0.5},
      {"field u\nequation u: u_t + u*u_x = 0.1*u_xx\ninitial u = 0.01\n", 0}, /* hardly moves */
      {"field u\nequation u: u_t + u_x^2 = 0.1*u_xx\ninitial u = 2\n", 0},    /* no mean of a slope */
      {"field u\nequation u: u_t + u*u_xx = 0.1*u_x^2\ninitial u = 2\n", 0},  /* no transport */
      {"field u, v\nequation u: u_t + u*v_x = 0\nequation v: v_t = 0\ninitial u = 2\ninitial v = 1\n", 0},
  };
  ans_context *context = new_context();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[512];
    snprintf(text, sizeof text, "%s%s", PLANE, cases[i].equations);
    field_chart chart = chart_of_text(context, text, (chart_options){.moving = true, .scaled = true});
    assert_int_equal(chart.moves, cases[i].speed != 0);
    assert_near(chart.motion[0].speed[0], cases[i].speed, 1e-9);
    assert_int_equal(chart_of_text(context, text, (chart_options){.moving = true}).moves, i == 1);
  }
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(transport_disappears),
      cmocka_unit_test(channels_change_nothing_in_a_moving_frame),
      cmocka_unit_test(a_frame_moves_where_it_helps),
      cmocka_unit_test(a_mean_carries_a_field_along),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
