/* SPDX-License-Identifier: Apache-2.0
 *
 * manufactured_test.c - known fields in five shipped families, with derivatives up to the fourth: the residual that the
 * engine finds from their exact jets is the one worked out by hand, so the difference is zero to rounding. Soft
 * conditions with a loss worked out by hand. And float against double.
 */
#include "fixture.h"

#include "single.h"

#define PI 3.14159265358979323846

/* The family with its field declarations replaced. */
static ans_problem *open_with_fields(ans_context *context, const char *name, const char *declarations) {
  char path[512], text[8192] = "", *bytes = NULL;
  size_t size = 0;
  snprintf(path, sizeof path, "%s/%s", FAMILIES, name);
  assert_ok(context, file_read(context, path, sizeof text / 2, &bytes, &size));
  bool done = false;
  for (char *line = strtok(bytes, "\n"); line; line = strtok(NULL, "\n")) {
    bool field = strncmp(line, "field", 5) == 0;
    if (!field || !done) {
      strcat(text, field ? declarations : line);
      strcat(text, "\n");
    }
    done = done || field;
  }
  memory_give(bytes);
  ans_problem *problem = NULL;
  assert_ok(context, system_parse(context, name, NULL, text, strlen(text), &problem));
  return problem;
}

typedef void exact_rows(const ans_problem *problem, const double *values, const double *point, double *rows);

static double symbol(const ans_problem *problem, const double *values, const char *name) {
  int index = system_find_symbol(problem, name);
  assert_true(index >= 0);
  return values[index];
}

/* u = u0(x) + t sin(2 pi x), v = v0(x) + t cos(2 pi x) */
static void fisher_rows(const ans_problem *problem, const double *values, const double *point, double *rows) {
  double x = point[0], t = point[1], w = 2 * PI;
  double u = 0.35 + 0.20 * sin(w * x) + 0.08 * cos(2 * w * x + 0.3) + t * sin(w * x);
  double u_x = (0.20 + t) * w * cos(w * x) - 0.08 * 2 * w * sin(2 * w * x + 0.3);
  double u_xx = -(0.20 + t) * w * w * sin(w * x) - 0.08 * 4 * w * w * cos(2 * w * x + 0.3);
  double v = 0.30 + 0.18 * cos(w * x + 0.4) - 0.06 * sin(3 * w * x) + t * cos(w * x);
  double v_x = -0.18 * w * sin(w * x + 0.4) - 0.06 * 3 * w * cos(3 * w * x) - t * w * sin(w * x);
  double v_xx = -0.18 * w * w * cos(w * x + 0.4) + 0.06 * 9 * w * w * sin(3 * w * x) - t * w * w * cos(w * x);
  const double *s = values;
  rows[0] = sin(w * x) - symbol(problem, s, "eps_u") * u_xx + symbol(problem, s, "a_u") * u_x -
            symbol(problem, s, "rho_u") * u * (1 - u) - symbol(problem, s, "k_uv") * v;
  rows[1] = cos(w * x) - symbol(problem, s, "eps_v") * v_xx + symbol(problem, s, "a_v") * v_x -
            symbol(problem, s, "rho_v") * v * (1 - v) - symbol(problem, s, "k_vu") * u;
}

/* u = exp(-t) sin(2 pi x) */
static void cdr_rows(const ans_problem *problem, const double *values, const double *point, double *rows) {
  double x = point[0], t = point[1], w = 2 * PI, u = exp(-t) * sin(w * x), u_x = w * exp(-t) * cos(w * x);
  rows[0] = -u + symbol(problem, values, "a") * u_x + symbol(problem, values, "D") * w * w * u -
            symbol(problem, values, "r") * u * (1 - u);
}

/* N = xi (1-xi) (2 + sin 2 pi tau), Phi = xi sin(2 pi tau) + xi (1-xi) cos(2 pi tau) */
static void ccp_rows(const ans_problem *problem, const double *values, const double *point, double *rows) {
  double x = point[0], t = point[1], w = 2 * PI, s = sin(w * t), c = cos(w * t), bump = x * (1 - x), slope = 1 - 2 * x;
  double n = bump * (2 + s), n_x = slope * (2 + s), n_xx = -2 * (2 + s), n_t = bump * w * c;
  double phi_x = s + slope * c, phi_xx = -2 * c;
  double inside = (x >= 0.2 && x <= 0.4) + (x >= 0.6 && x <= 0.8);
  rows[0] = n_t - symbol(problem, values, "a_D") * n_xx + symbol(problem, values, "a_mu") * (n_x * phi_x + n * phi_xx) -
            symbol(problem, values, "S0") * inside;
  rows[1] = phi_xx - symbol(problem, values, "beta") * (n - 1);
}

/* u = cos(pi x) + t sin(pi x) */
static void kdv_rows(const ans_problem *problem, const double *values, const double *point, double *rows) {
  double t = point[1], s = sin(PI * point[0]), c = cos(PI * point[0]);
  double u = c + t * s, u_x = PI * (-s + t * c), u_xxx = PI * PI * PI * (s - t * c);
  rows[0] = s + u * u_x + symbol(problem, values, "mu") * u_xxx;
}

/* u = sin x + 0.3 cos(2 x + 0.4) + t cos x */
static void kuramoto_sivashinsky_rows(const ans_problem *problem, const double *values, const double *point,
                                      double *rows) {
  double x = point[0], t = point[1], s = sin(x), c = cos(x), a = 2 * x + 0.4;
  double u = s + 0.3 * cos(a) + t * c, u_x = c - 0.6 * sin(a) - t * s;
  double u_xx = -s - 1.2 * cos(a) - t * c, u_xxxx = s + 4.8 * cos(a) + t * c;
  rows[0] = c + u * u_x + u_xx + symbol(problem, values, "nu") * u_xxxx;
}

/* weights: of the equations in the loss, from the family's text. */
static void check_family(const char *name, const char *declarations, exact_rows *exact, const double *weights,
                         bool plain) {
  enum { POINTS = 40 };
  ans_context *context = new_context();
  ans_problem *problem = open_with_fields(context, name, declarations);
  ans_instance *instance = middle_instance(context, problem, problem->structure_count - 1);
  small_network network = open_network(context, problem, BACKBONE_FACTORIZED, 8, ACTIVATION_TANH);
  residual *residual = open_residual(context, instance, &network, POINTS, 1, plain);
  double points[POINTS][2], *rows = memory_take((size_t)residual_row_count(residual) * sizeof *rows);
  random_stream stream = random_open(9, RANDOM_TEST, 0, 0);
  for (int p = 0; p < POINTS; p++)
    for (int d = 0; d < 2; d++) points[p][d] = random_uniform(&stream);
  residual_set_points(residual, points[0], POINTS);
  residual_rows(residual, network.formed, rows);
  for (int p = 0; p < POINTS; p++) {
    double expected[2];
    exact(problem, instance->values, points[p], expected);
    for (int e = 0; e < problem->equation_count; e++) {
      double factor = sqrt(weights[e] / POINTS);
      assert_near(rows[p * problem->equation_count + e], factor * expected[e],
                  1e-12 * factor * (10 + fabs(expected[e])));
    }
  }
  memory_give(rows);
  residual_free(residual);
  close_network(&network);
  system_instance_free(instance);
  system_free(problem);
  ans_context_free(context);
}

static void residuals_are_those_by_hand(void **state) {
  (void)state;
  const double one[] = {1}, half[] = {0.5, 0.5}, plasma[] = {0.003, 0.997};
  for (int plain = 0; plain < 2; plain++) {
    check_family("fisher.pde",
                 "field u = 0.35 + 0.20*sin(2*pi*x) + 0.08*cos(4*pi*x + 0.3) + t*sin(2*pi*x) + t*0*_\n"
                 "field v = 0.30 + 0.18*cos(2*pi*x + 0.4) - 0.06*sin(6*pi*x) + t*cos(2*pi*x) + t*0*_",
                 fisher_rows, half, plain);
    check_family("cdr.pde", "field u = exp(-t)*sin(2*pi*x) + 0*_", cdr_rows, one, plain);
    check_family("ccp.pde",
                 "field N = xi*(1-xi)*(2 + sin(2*pi*tau)) + 0*xi*(1-xi)*_\n"
                 "field Phi = xi*sin(2*pi*tau) + xi*(1-xi)*cos(2*pi*tau) + 0*xi*(1-xi)*_",
                 ccp_rows, plasma, plain);
    check_family("kdv.pde", "field u = cos(pi*x) + t*sin(pi*x) + t*0*_", kdv_rows, one, plain);
    check_family("kuramoto-sivashinsky.pde", "field u = sin(x) + 0.3*cos(2*x + 0.4) + t*cos(x) + t*0*_",
                 kuramoto_sivashinsky_rows, one, plain);
  }
}

/* Functions of place before every term, the first included: with u = 3 + x t the residual is e^x x - cos(x) t. */
static void functions_may_stand_before_any_term(void **state) {
  (void)state;
  enum { POINTS = 20 };
  static const char text[] = "coordinate x in [0, 1]\ncoordinate t in [0, 1] time\nfield u = 3 + x*t + 0*_\n"
                             "equation u: exp(x)*u_t - cos(x)*u_x = 0\ninitial u = 3 soft\n"
                             "boundary u at x = 0: u = 3 soft\n";
  ans_context *context = new_context();
  ans_problem *problem = NULL;
  assert_ok(context, system_parse(context, "sources", NULL, text, strlen(text), &problem));
  ans_instance *instance = middle_instance(context, problem, 0);
  small_network network = open_network(context, problem, BACKBONE_FACTORIZED, 8, ACTIVATION_TANH);
  for (int plain = 0; plain < 2; plain++) {
    residual *residual = open_residual(context, instance, &network, POINTS, 1, plain);
    double points[POINTS][2], *rows = memory_take((size_t)residual_row_count(residual) * sizeof *rows);
    for (int p = 0; p < POINTS; p++) points[p][0] = p / (double)POINTS, points[p][1] = p * 7 % POINTS / (double)POINTS;
    residual_set_points(residual, points[0], POINTS);
    residual_rows(residual, network.formed, rows);
    for (int p = 0; p < POINTS; p++) {
      double x = points[p][0], t = points[p][1];
      assert_near(rows[p] * sqrt(POINTS), exp(x) * x - cos(x) * t, 1e-12);
    }
    memory_give(rows);
    residual_free(residual);
  }
  close_network(&network);
  system_instance_free(instance);
  system_free(problem);
  ans_context_free(context);
}

/* A field that misses each soft condition by the same amount everywhere: 5.5 at the start, 7 on one wall, 6 in the
 * slope on the other, 2 from end to end. So wherever the points are, the loss is 2*5.5^2 + 0.5*7^2 + 0.125*6^2 +
 * 0.25*2^2 = 60.5 + 24.5 + 4.5 + 1. */
static void soft_conditions_weigh_what_they_say(void **state) {
  (void)state;
  static const char text[] = "coordinate x in [0, 2) periodic soft weight 0.25\n"
                             "coordinate y in [-1, 1]\n"
                             "coordinate t in [0.5, 1] time\n"
                             "field u = 3 + x + 10*y + 5*t + 0*_\n"
                             "equation u: u_t + u_y = 15\n"
                             "initial u = x + 10*y soft weight 2\n"
                             "boundary u at y = -1: u = x + 5*t soft weight 0.5\n"
                             "boundary u at y = 1: u_y = 4 soft weight 0.125\n";
  ans_context *context = new_context();
  ans_problem *problem = NULL;
  assert_ok(context, system_parse(context, "soft", NULL, text, strlen(text), &problem));
  ans_instance *instance = middle_instance(context, problem, 0);
  small_network network = open_network(context, problem, BACKBONE_FACTORIZED, 8, ACTIVATION_TANH);
  residual *residual = open_residual(context, instance, &network, 40, 1, false);
  for (uint64_t step = 0; step < 3; step++) {
    residual_sample(residual, 3, RANDOM_TEST, step, 0);
    assert_near(residual_loss(residual, network.formed, 1, NULL), 90.5, 1e-11);
  }
  residual_free(residual);
  close_network(&network);
  system_instance_free(instance);
  system_free(problem);
  ans_context_free(context);
}

/* The same network in float: loss and gradient within a multiple of float's epsilon. */
static void float_agrees_with_double(void **state) {
  (void)state;
  for (int index = 0; index < problem_count(); index++) {
    ans_context *context = new_context();
    ans_problem *problem = open_problem(context, index);
    ans_instance *instance = middle_instance(context, problem, problem->structure_count - 1);
    small_network network = open_network(context, problem, BACKBONE_FACTORIZED, 32, ACTIVATION_TANH);
    residual *residual = open_residual(context, instance, &network, 128, 1, false);
    size_t count = network_size(&network.backbone.shape);
    double loss = residual_loss(residual, network.formed, 1, network.gradient), distance = 0, size = 0, single_loss;
    double *single = memory_take(count * sizeof *single);
    assert_ok(context,
              single_gradient(context, instance, &network.backbone.shape, network.formed, 128, &single_loss, single));
    for (size_t i = 0; i < count; i++) {
      distance += (single[i] - network.gradient[i]) * (single[i] - network.gradient[i]);
      size += network.gradient[i] * network.gradient[i];
    }
    assert_near(single_loss, loss, 32 * 1.2e-7 * loss);
    if (!(sqrt(distance) <= 64 * 1.2e-7 * sqrt(size)))
      fail_msg("problem %d: gradients differ by %.3g", index, sqrt(distance / size));
    memory_give(single);
    residual_free(residual);
    close_network(&network);
    system_instance_free(instance);
    system_free(problem);
    ans_context_free(context);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(residuals_are_those_by_hand),
      cmocka_unit_test(functions_may_stand_before_any_term),
      cmocka_unit_test(soft_conditions_weigh_what_they_say),
      cmocka_unit_test(float_agrees_with_double),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
