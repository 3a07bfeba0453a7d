/* SPDX-License-Identifier: Apache-2.0
 *
 * units_test.c - units never matter: the same problem in other units of length, time and field, and its equation
 * multiplied by any number, has the same scaled loss and the same gradient: to rounding in double precision, and bit by
 * bit in single.
 */
#include "fixture.h"

static const bool SINGLE = sizeof(real) == sizeof(float);

/* Numbers of a problem in units where lengths are X, times T and the field U times larger, the equation C times. */
typedef struct units {
  double x, t, u, c;
} units;

typedef void write_problem(const units *in, char *text, size_t room);

/* u_t + a u_x = D u_xx + r u (1 - u/K) + source, periodic */
static void write_reaction(const units *in, char *text, size_t room) {
  snprintf(text, room,
           "coordinate x in [%.17g, %.17g) periodic\ncoordinate t in [0, %.17g] time\nfield u\n"
           "equation u: %.17g*u_t + %.17g*u_x = %.17g*u_xx + %.17g*u - %.17g*u^2 + %.17g*sin(%.17g*x)\n"
           "initial u = %.17g*(1 + 0.3*sin(%.17g*x))\n",
           -in->x, in->x, 2 * in->t, in->c, in->c * 0.7 * in->x / in->t, in->c * 0.02 * in->x * in->x / in->t,
           in->c * 1.5 / in->t, in->c * 1.5 / in->t / in->u, in->c * 0.2 * in->u / in->t, 3.141592653589793 / in->x,
           in->u, 3.141592653589793 / in->x);
}

/* Two fields between walls, soft conditions on values and slopes, one field at rest and driven by the other. */
static void write_walls(const units *in, char *text, size_t room) {
  snprintf(text, room,
           "coordinate x in [0, %.17g]\ncoordinate t in [%.17g, %.17g] time\nfield u, v\n"
           "equation u: %.17g*u_t = %.17g*u_xx\nequation v: %.17g*v_t = %.17g*u - %.17g*v\n"
           "initial u = %.17g*x*(%.17g - x) soft\ninitial v = 0\n"
           "boundary u at x = 0: u = 0 soft\nboundary u at x = %.17g: u_x = %.17g*t soft\n",
           in->x, in->t, 3 * in->t, in->c, in->c * 0.1 * in->x * in->x / in->t, in->c, in->c * 2 / in->t,
           in->c * 5 / in->t, in->u / in->x / in->x, in->x, in->x, 0.1 * in->u / in->x / in->t);
}

/* No time: u'' = -f with different values at the ends, built in. */
static void write_steady(const units *in, char *text, size_t room) {
  snprintf(text, room,
           "coordinate x in [%.17g, %.17g]\nfield u\nequation u: %.17g*u_xx = %.17g*sin(%.17g*x)\n"
           "boundary u at x = %.17g: u = 0\nboundary u at x = %.17g: u = %.17g\n",
           in->x, 2 * in->x, in->c, -in->c * 40 * in->u / in->x / in->x, 6.0 / in->x, in->x, 2 * in->x, in->u);
}

typedef struct scaled_problem {
  ans_problem *problem;
  ans_instance *instance;
  small_network network;
  residual *residual;
} scaled_problem;

static scaled_problem open_scaled(ans_context *context, write_problem *write, const units *in) {
  char text[2048];
  scaled_problem it = {0};
  write(in, text, sizeof text);
  assert_ok(context, system_parse(context, "made", NULL, text, strlen(text), &it.problem));
  it.network = open_network(context, it.problem, BACKBONE_FACTORIZED, 16, ACTIVATION_TANH);
  it.instance = middle_instance(context, it.problem, 0);
  residual_options options = {
      .points = 40, .initial_points = 11, .boundary_points = 7, .threads = 1, .moving = true, .scaled = true};
  assert_ok(context, residual_new(context, it.instance, &it.network.backbone.shape, &options, &it.residual));
  residual_sample(it.residual, 3, RANDOM_TEST, 1, 0);
  return it;
}

static void close_scaled(scaled_problem *it) {
  residual_free(it->residual);
  close_network(&it->network);
  system_instance_free(it->instance);
  system_free(it->problem);
}

static void check_units(write_problem *write) {
  ans_context *context = new_context();
  random_stream stream = random_open(11, RANDOM_TEST, 0, 0);
  scaled_problem plain = open_scaled(context, write, &(units){1, 1, 1, 1});
  double loss = network_gradient(&plain.network, plain.residual);
  assert_true(loss > 1e-6 && loss < 1e3);
  for (int trial = 0; trial < 12; trial++) {
    units in = {pow(10, random_between(&stream, -6, 6)), pow(10, random_between(&stream, -6, 6)),
                pow(10, random_between(&stream, -6, 6)), pow(10, random_between(&stream, -200, 200))};
    scaled_problem other = open_scaled(context, write, &in);
    double same = network_gradient(&other.network, other.residual), largest = 0;
    assert_near(same, loss, SINGLE ? 0 : 1e-11 * loss);
    for (size_t i = 0; i < plain.network.backbone.size; i++)
      largest = fmax(largest, fabs((double)plain.network.parameter_gradient[i]));
    for (size_t i = 0; i < plain.network.backbone.size; i++)
      assert_near((double)other.network.parameter_gradient[i], (double)plain.network.parameter_gradient[i],
                  SINGLE ? 0 : 1e-11 * largest);
    close_scaled(&other);
  }
  close_scaled(&plain);
  ans_context_free(context);
}

static void a_periodic_reaction(void **state) {
  (void)state;
  check_units(write_reaction);
}

static void soft_walls(void **state) {
  (void)state;
  check_units(write_walls);
}

static void no_time(void **state) {
  (void)state;
  check_units(write_steady);
}

/* The sum of an equation's terms at one point, from the fields and their derivatives in the units of the text. */
static double residual_at(ans_context *context, const scaled_problem *it, int equation, const double *point) {
  double sum = 0, values[SYSTEM_MAX_FIELDS];
  for (int t = 0; t < it->instance->term_count; t++) {
    const instance_term *term = &it->instance->terms[t];
    double product = term->coefficient;
    if (term->term->equation != equation) continue;
    if (term->term->source) product *= expression_value(term->term->source, it->instance->values, point, 0);
    for (int i = 0; i < term->term->factor_count; i++) {
      const system_factor *factor = &term->term->factors[i];
      assert_ok(context,
                field_evaluate(context, it->instance, residual_chart(it->residual), &it->network.backbone.shape,
                               it->network.formed, point, 1, factor->order, 1, values));
      product *= pow(values[factor->field], factor->power);
    }
    sum += product;
  }
  return sum;
}

/* A row is the equation in the units of the text, over the size of its terms. */
static void rows_are_the_equations(void **state) {
  (void)state;
  static write_problem *const problems[] = {write_reaction, write_walls, write_steady};
  const units in = {3e-4, 7e3, 0.6, 2e5};
  ans_context *context = new_context();
  for (size_t k = 0; k < 3; k++) {
    scaled_problem it = open_scaled(context, problems[k], &in);
    const field_scales *scales = &residual_chart(it.residual)->scales;
    double point[2] = {1.3 * in.x, 1.7 * in.t}, *rows = memory_take(sizeof *rows * 512);
    if (problems[k] == write_steady) point[1] = 0;
    if (problems[k] != write_steady) point[0] = 0.3 * in.x;
    residual_set_points(it.residual, point, 1);
    assert_true(residual_row_count(it.residual) < 512);
    residual_rows(it.residual, it.network.formed, rows);
    for (int e = 0; e < it.problem->equation_count; e++) {
      double expected = residual_at(context, &it, e, point) / scales->row[e] * sqrt(it.problem->equations[e].weight);
      assert_true(fabs(expected) > 1e-3);
      assert_near(rows[e], expected, (SINGLE ? 1e-5 : 1e-10) * (1 + fabs(expected)));
    }
    memory_give(rows);
    close_scaled(&it);
  }
  ans_context_free(context);
}

/* The sizes themselves, where they can be said beforehand. */
static void sizes_are_those_of_the_text(void **state) {
  (void)state;
  ans_context *context = new_context();
  scaled_problem it = open_scaled(context, write_walls, &(units){1, 1, 1, 1});
  const field_chart *chart = residual_chart(it.residual);
  assert_near(chart->scales.size[0], 0.125, 0.01);         /* half of 0 .. 0.25 */
  assert_near(chart->scales.size[1], 2 * 0.125 / 5, 0.05); /* driven by 2 u, answered by 5 v */
  assert_true(chart->scales.row[0] > 0.01 && chart->scales.row[0] < 1);
  assert_near(chart->unit[0], 0.5, 0);
  for (int d = it.problem->coordinate_count; d < SYSTEM_MAX_COORDINATES; d++) assert_near(chart->unit[d], 1, 0);
  close_scaled(&it);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_periodic_reaction),
      cmocka_unit_test(soft_walls),
      cmocka_unit_test(no_time),
      cmocka_unit_test(rows_are_the_equations),
      cmocka_unit_test(sizes_are_those_of_the_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
