/* SPDX-License-Identifier: Apache-2.0
 *
 * evaluate_test.c - derivatives of the network up to order four against differences of the order below, waves
 * and expressions on channels against closed forms.
 */
#include "made_field.h"

#include "field/jet.h"
#include "field/scales.h"
#include "field/tile.h"
#include "numeric/wave.h"

static const char text[] =
    "coordinate x in [0, 2) periodic\ncoordinate y in [-1, 1]\ncoordinate t in [0, 1] time\nfield u\nfield v = "
    "exp(_)/(2 + sin(_)*x*y)\n"
    "equation u: u_t + 0.7*u_x - u_xx - u_yy = 0\nequation v: v_t - 0.4*v_x - v_xx - v_yy = 0\ninitial u = cos(pi*x)*y "
    "+ log(3 + y)\n"
    "initial v = 0 soft\nboundary u at y = -1: u = 0 soft\nboundary u at y = 1: u = 0 soft\n"
    "boundary v at y = -1: v = 0 soft\nboundary v at y = 1: v = 0 soft\n"
    "train points 16, initial 4, boundary 4\nadapt points 16, initial 4, boundary 4\n";

static made_field open_activated(const char *activation) {
  char whole[sizeof text + 64];
  snprintf(whole, sizeof whole, "%snetwork width 12, layers 2, activation %s\n", text, activation);
  return open_field(whole);
}

/* Each derivative up to order four is the derivative of one of order less: mixed ones included. */
static void derivatives_follow_one_another(void **state) {
  (void)state;
  const char *const activations[] = {"tanh", "sine", "gelu"};
  const uint8_t orders[][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 0, 0}, {1, 1, 0}, {1, 0, 1}, {3, 0, 0}, {2, 1, 0},
                               {1, 1, 1}, {4, 0, 0}, {3, 1, 0}, {2, 2, 0}, {2, 1, 1}, {0, 4, 0}, {1, 0, 3}, {0, 0, 4}};
  const double point[3] = {0.37, -0.22, 0.61}, step = 3e-4;
  for (int a = 0; a < 9; a++) {
    made_field it = open_activated(activations[a % 3]);
    if (a >= 3) it.chart = chart_of(it.instance, (chart_options){.moving = true, .scaled = a >= 6});
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
      int d = orders[i][0] ? 0 : orders[i][1] ? 1 : 2;
      uint8_t below[3] = {orders[i][0], orders[i][1], orders[i][2]};
      below[d]--;
      double exact[2], sum[2] = {0};
      field_at(&it, point, orders[i], exact);
      static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
      for (int k = 0; k < 4; k++) {
        double moved[3] = {point[0], point[1], point[2]}, near[2];
        moved[d] += at[k] * step;
        field_at(&it, moved, below, near);
        for (int f = 0; f < 2; f++) sum[f] += weight[k] * near[f] / (12 * step);
      }
      for (int f = 0; f < 2; f++) assert_near(exact[f], sum[f], 2e-7 * (1 + fabs(exact[f])));
    }
    close_field(&it);
  }
}

/* At rest in the place that the frame has carried to the point, each field has the same value. */
static void a_moving_frame_carries_values(void **state) {
  (void)state;
  made_field it = open_activated("tanh");
  const double speed[2] = {0.7, -0.4}, point[3] = {0.3, -0.22, 0.9};
  const uint8_t value[3] = {0};
  double moved[2], fixed[2];
  it.chart = chart_of(it.instance, (chart_options){.moving = true});
  assert_true(it.chart.moves);
  field_at(&it, point, value, moved);
  it.chart = chart_plain();
  for (int f = 0; f < 2; f++) {
    double x = point[0] - speed[f] * point[2], at[3] = {x < 0 ? x + 2 : x, point[1], point[2]};
    field_at(&it, at, value, fixed);
    assert_near(moved[f], fixed[f], 1e-12);
  }
  close_field(&it);
}

/* Every derivative in x is that of the one before. */
static void check_mirrors(const char *boundaries, uint8_t mirror) {
  char text[512];
  snprintf(text, sizeof text,
           "coordinate x in [-1, 2]\ncoordinate t in [0, 1] time\nfield u\nequation u: u_t = u_xx\ninitial u = 1\n"
           "network width 12, layers 2\n%s",
           boundaries);
  made_field it = open_field(text);
  assert_int_equal(it.problem->fields[0].mirror[0], mirror);
  const double step = 1e-3;
  for (uint8_t order = 1; order <= 4; order++) {
    const double point[2] = {0.37, 0.6};
    double exact, sum = 0;
    field_at(&it, point, (const uint8_t[]){order, 0}, &exact);
    static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    for (int k = 0; k < 4; k++) {
      double near;
      field_at(&it, (const double[]){point[0] + at[k] * step, point[1]}, (const uint8_t[]){(uint8_t)(order - 1), 0},
               &near);
      sum += weight[k] * near / (12 * step);
    }
    assert_near(exact, sum, 1e-8 * (1 + fabs(exact)));
  }
  close_field(&it);
}

/* Between two mirrors a cosine stands in the coordinate's place, beside one a square; derivatives up to the fourth are
 * needed. */
static void mirrors_have_every_derivative(void **state) {
  (void)state;
  check_mirrors("boundary u at x = -1: u_x = 0\nboundary u at x = 2: u_x = 0\n", MIRROR_LOW | MIRROR_HIGH);
  check_mirrors("boundary u at x = -1: u_x = 0\nboundary u at x = 2: u = 1\n", MIRROR_LOW);
  check_mirrors("boundary u at x = -1: u = 1\nboundary u at x = 2: u_x = 0\n", MIRROR_HIGH);
}

/* What a transform fixes holds in any units: 300 at the ends and more between them, whatever the network gives. */
static void transforms_hold_in_a_scaled_chart(void **state) {
  (void)state;
  made_field it = open_field("coordinate x in [0, 2]\nfield u = 300 + 40*x*(2 - x)*exp(_)\nequation u: u_xx = -1\n"
                             "boundary u at x = 0: u = 300 soft\nboundary u at x = 2: u = 300 soft\n"
                             "network width 8, layers 1\n");
  it.chart = chart_of(it.instance, (chart_options){.scaled = true});
  assert_true(it.chart.field_unit[0] > 2);
  for (int i = 0; i <= 4; i++) {
    double x = 0.5 * i, value;
    field_at(&it, &x, (const uint8_t[]){0}, &value);
    if (i % 4 == 0)
      assert_near(value, 300, 1e-10);
    else
      assert_true(value > 300);
  }
  close_field(&it);
}

/* A field at rest that 300 drives and 5 holds back: 60, whatever else is slower. */
static void a_driven_field_has_the_size_of_its_source(void **state) {
  (void)state;
  made_field it = open_field("coordinate x in [0, 10) periodic\ncoordinate t in [0, 100] time\nfield u\n"
                             "equation u: u_t + 5*u + 0.1*u_x = 300 + 20*cos(2*pi*x/10)\ninitial u = 0\n"
                             "network width 8, layers 1\n");
  field_scales scales = scales_of(it.instance);
  assert_near(scales.size[0], 60, 1e-9);
  assert_near(scales.row[0], 300, 1e-9);
  close_field(&it);
}

static field_scales scales_of_text(const char *text) {
  made_field it = open_field(text);
  field_scales scales = scales_of(it.instance);
  close_field(&it);
  return scales;
}

/* The same where the source is small: exp(-8) at most. */
static void a_small_source_makes_a_small_field(void **state) {
  (void)state;
  field_scales scales = scales_of_text("coordinate x in [0, 10) periodic\ncoordinate t in [0, 100] time\nfield u\n"
                                       "equation u: u_t + 5*u + 0.1*u_x = exp(-9 - cos(2*pi*x/10))\ninitial u = 0\n"
                                       "network width 8, layers 1\n");
  assert_near(scales.size[0], exp(-8) / 5, 1e-2 * exp(-8) / 5);
  assert_near(scales.row[0], exp(-8), 1e-2 * exp(-8));
}

/* A field that begins constant, at 300, and is raised by 2 in a unit of time: the 300 count where they are what falls,
 * and do not where they stay. */
static void a_constant_counts_where_it_does_not_stay(void **state) {
  (void)state;
  static const char head[] = "coordinate x in [0, 10) periodic\ncoordinate t in [0, 1] time\nfield u\ninitial u = 300\n"
                             "network width 8, layers 1\n";
  char text[512];
  snprintf(text, sizeof text, "%sequation u: u_t = 0.1*u_xx + 2\n", head);
  field_scales stays = scales_of_text(text);
  assert_near(stays.size[0], 2, 1e-9);
  assert_near(stays.mean[0], 300, 1e-9);
  snprintf(text, sizeof text, "%sequation u: u_t = 0.1*u_xx + 2 - 0.01*u\n", head);
  assert_near(scales_of_text(text).size[0], 300, 1e-9);
}

/* Products feed each other: none may raise a size that it has raised before. */
static void sizes_do_not_run_away(void **state) {
  (void)state;
  field_scales lorenz = scales_of_text(
      "coordinate t in [0, 3] time\nfield x, y, z\nequation x: x_t = 10*(y - x)\nequation y: y_t = x*(28 - z) - y\n"
      "equation z: z_t = x*y - 2*z\ninitial x = 1\ninitial y = 1\ninitial z = 20\nnetwork width 8, layers 1\n");
  assert_near(lorenz.size[0], 1, 1e-9);
  assert_near(lorenz.size[1], 28, 1e-9);
  assert_near(lorenz.size[2], 20, 1e-9);
  /* Robertson: 0.04 feeds b and 3e7 b^2 answers, which feeds c over all the time. */
  field_scales stiff = scales_of_text(
      "coordinate t in [0, 40] time\nfield a, b, c\nequation a: a_t = -0.04*a + 1e4*b*c\n"
      "equation b: b_t = 0.04*a - 1e4*b*c - 3e7*b^2\nequation c: c_t = 3e7*b^2\ninitial a = 1\ninitial b = 0\n"
      "initial c = 0\nnetwork width 8, layers 1\n");
  assert_near(stiff.size[0], 1, 1e-9);
  assert_near(stiff.size[1], sqrt(0.04 / 3e7), 1e-12);
  assert_near(stiff.size[2], 1.6, 1e-9);
}

/* Layers that do not fit together are no network. */
static void shapes_that_do_not_fit_are_refused(void **state) {
  (void)state;
  made_field it = open_activated("tanh");
  const network_shape *good = &it.backbone.shape;
  tile_plan plan;
  assert_true(good->layer_count > 2 && tile_plan_make(good, 64, &plan));
  network_shape bad = *good;
  bad.layers[1].inputs++;
  assert_false(tile_plan_make(&bad, 64, &plan));
  bad = *good;
  bad.layers[0].skip = true;
  assert_int_not_equal(bad.layers[0].inputs, bad.layers[0].outputs);
  assert_false(tile_plan_make(&bad, 64, &plan));
  bad = *good;
  bad.layers[bad.layer_count - 1].activation = ACTIVATION_TANH;
  assert_false(tile_plan_make(&bad, 64, &plan));
  close_field(&it);
}

static void threads_and_counts_do_not_matter(void **state) {
  (void)state;
  enum { COUNT = 101 };
  made_field it = open_activated("tanh");
  double points[COUNT][3], one[COUNT][2], many[COUNT][2];
  random_stream stream = random_open(1, RANDOM_TEST, 0, 0);
  for (int p = 0; p < COUNT; p++)
    for (int d = 0; d < 3; d++) points[p][d] = random_uniform(&stream);
  const uint8_t order[3] = {1, 1, 0};
  assert_ok(it.context, field_evaluate(it.context, it.instance, &it.chart, &it.backbone.shape, it.formed, points[0],
                                       COUNT, order, 3, many[0]));
  for (int p = 0; p < COUNT; p++) field_at(&it, points[p], order, one[p]);
  assert_memory_equal(one, many, sizeof one);
  assert_ok(it.context, field_evaluate(it.context, it.instance, &it.chart, &it.backbone.shape, it.formed, points[0], 0,
                                       order, 3, many[0]));
  const uint8_t beyond[3] = {3, 2, 0};
  assert_int_equal(field_evaluate(it.context, it.instance, &it.chart, &it.backbone.shape, it.formed, points[0], 1,
                                  beyond, 1, many[0]),
                   ANS_UNSUPPORTED);
  close_field(&it);
}

/* What several derivatives have in common is computed once: they are the same but for rounding. */
static void derivatives_at_once_are_as_one_by_one(void **state) {
  (void)state;
  enum { COUNT = 37 };
  const char *const activations[] = {"tanh", "sine", "gelu"};
  const system_orders orders = {7, {{0}, {1}, {2}, {0, 0, 1}, {1, 1}, {4}, {0, 1, 2}}};
  for (int a = 0; a < 3; a++) {
    made_field it = open_activated(activations[a]);
    double points[COUNT][3], one[COUNT][2], all[7][COUNT][2];
    random_stream stream = random_open(2, RANDOM_TEST, 0, 0);
    for (int p = 0; p < COUNT; p++)
      for (int d = 0; d < 3; d++) points[p][d] = random_uniform(&stream);
    evaluator *evaluator;
    assert_ok(it.context,
              evaluator_new(it.context, it.instance, &it.chart, &it.backbone.shape, it.formed, &orders, 2, &evaluator));
    evaluator_run(evaluator, points[0], COUNT, all[0][0]);
    evaluator_free(evaluator);
    for (int o = 0; o < orders.count; o++) {
      assert_ok(it.context, field_evaluate(it.context, it.instance, &it.chart, &it.backbone.shape, it.formed, points[0],
                                           COUNT, orders.list[o], 1, one[0]));
      for (int p = 0; p < COUNT; p++)
        for (int f = 0; f < 2; f++) assert_near(all[o][p][f], one[p][f], 1e-12 * (1 + fabs(one[p][f])));
    }
    close_field(&it);
  }
}

static void waves_are_sines(void **state) {
  (void)state;
  enum { COUNT = 1000 };
  double angle[COUNT], sine[COUNT], cosine[COUNT];
  for (int scale = 0; scale < 7; scale++) {
    for (int i = 0; i < COUNT; i++) angle[i] = (i - COUNT / 2) * 0.0123 * pow(10, scale);
    wave_fill(COUNT, angle, sine, cosine);
    for (int i = 0; i < COUNT; i++) {
      assert_near(sine[i], sin(angle[i]), 4e-16 * (1 + 1e-2 * fabs(angle[i])));
      assert_near(cosine[i], cos(angle[i]), 4e-16 * (1 + 1e-2 * fabs(angle[i])));
    }
  }
}

/* Every function of the language on a jet along x: its Taylor coefficients by differences of the value. */
static void functions_have_exact_jets(void **state) {
  (void)state;
  static algebra line;
  const uint8_t fourth[1][4] = {{4}};
  assert_true(algebra_taylor(1, 1, fourth, &line));
  ans_context *context = new_context();
  for (int op = EXPRESSION_NEGATE; op <= EXPRESSION_ABS; op++) {
    arena *arena;
    assert_ok(context, arena_new(context, &arena));
    const expression_step steps[] = {{.op = EXPRESSION_COORDINATE}, {.op = (expression_op)op},
                                     {.op = EXPRESSION_COORDINATE}, {.op = EXPRESSION_NUMBER, .number = 2.5},
                                     {.op = EXPRESSION_POWER},      {.op = EXPRESSION_DIVIDE}};
    const expression it = {6, 3, steps};
    const jet_plan *plan;
    assert_ok(context, jet_compile(context, arena, &it, &plan));
    double *work = arena_array(arena, double, jet_workspace(plan, 5 * 5)), x[5], step = 2e-3;
    for (int p = 0; p < 5; p++) x[p] = 0.9 + (p - 2) * step;
    const double *jets = jet_forward(plan, NULL, &line, NULL, 0, 5, x, NULL, work);
    for (int p = 0; p < 5; p++)
      assert_near(jets[p], expression_value(&it, NULL, &x[p], 0), 1e-14 * (1 + fabs(jets[p])));
    for (int c = 1; c < 5; c++) { /* channel c is the derivative of channel c-1, over c */
      const double *low = jets + (c - 1) * 5;
      double slope = (low[0] - 8 * low[1] + 8 * low[3] - low[4]) / (12 * step) / c;
      assert_near(jets[c * 5 + 2], slope, 1e-8 * (1 + fabs(slope)));
    }
    arena_free(arena);
  }
  ans_context_free(context);
}

/* Of x exp(x) _/2 - (1 - _) x^2: the known part -x^2 and the factor x exp(x)/2 + x^2, in every channel. */
static void affine_expressions_have_a_factor(void **state) {
  (void)state;
  static algebra line;
  const uint8_t fourth[1][4] = {{4}};
  enum { POINTS = 3, CHANNELS = 5, SIZE = POINTS * CHANNELS };
  assert_true(algebra_taylor(1, 1, fourth, &line));
  ans_context *context = new_context();
  arena *arena;
  assert_ok(context, arena_new(context, &arena));
  const expression_step x = {.op = EXPRESSION_COORDINATE}, raw = {.op = EXPRESSION_RAW},
                        one = {.op = EXPRESSION_NUMBER, .number = 1}, two = {.op = EXPRESSION_NUMBER, .number = 2},
                        times = {.op = EXPRESSION_MULTIPLY}, over = {.op = EXPRESSION_DIVIDE},
                        less = {.op = EXPRESSION_SUBTRACT}, exponential = {.op = EXPRESSION_EXP},
                        power = {.op = EXPRESSION_POWER};
  const expression_step steps[] = {x,   x,   exponential, times, raw, times, two,   over,
                                   one, raw, less,        x,     two, power, times, less},
                        bent[] = {x, raw, times, raw, times};
  const expression affine = {sizeof steps / sizeof *steps, 4, steps}, square = {5, 2, bent};
  const jet_plan *plan, *other;
  assert_ok(context, jet_compile(context, arena, &affine, &plan));
  assert_ok(context, jet_compile(context, arena, &square, &other));
  assert_true(jet_affine(plan));
  assert_false(jet_affine(other));
  double *work = arena_array(arena, double, jet_workspace(plan, SIZE)), at[POINTS] = {-0.7, 0.4, 2}, number[SIZE] = {0};
  double sum[SIZE] = {0};
  memcpy(sum, jet_forward(plan, NULL, &line, NULL, 0, POINTS, at, number, work), sizeof sum);
  const double *factor = jet_factor(plan, &line, POINTS, work);
  for (int p = 0; p < POINTS; p++) {
    assert_near(sum[p], -at[p] * at[p], 1e-14);
    assert_near(factor[p], at[p] * exp(at[p]) / 2 + at[p] * at[p], 1e-13);
  }
  for (int i = 0; i < SIZE; i++) number[i] = 0.3 + 0.1 * i;
  jet_add_product(&line, POINTS, factor, number, sum);
  const double *whole = jet_forward(plan, NULL, &line, NULL, 0, POINTS, at, number, work);
  for (int i = 0; i < SIZE; i++) assert_near(sum[i], whole[i], 1e-13 * (1 + fabs(whole[i])));
  arena_free(arena);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_follow_one_another),
      cmocka_unit_test(a_moving_frame_carries_values),
      cmocka_unit_test(mirrors_have_every_derivative),
      cmocka_unit_test(shapes_that_do_not_fit_are_refused),
      cmocka_unit_test(transforms_hold_in_a_scaled_chart),
      cmocka_unit_test(a_driven_field_has_the_size_of_its_source),
      cmocka_unit_test(a_small_source_makes_a_small_field),
      cmocka_unit_test(a_constant_counts_where_it_does_not_stay),
      cmocka_unit_test(sizes_do_not_run_away),
      cmocka_unit_test(threads_and_counts_do_not_matter),
      cmocka_unit_test(derivatives_at_once_are_as_one_by_one),
      cmocka_unit_test(waves_are_sines),
      cmocka_unit_test(functions_have_exact_jets),
      cmocka_unit_test(affine_expressions_have_a_factor),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
