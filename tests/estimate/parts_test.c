/* SPDX-License-Identifier: Apache-2.0
 *
 * parts_test.c - meshes, exponential functions and linear systems by themselves.
 */
#include <complex.h>

#include "check.h"
#include "estimate/dense_factor.h"
#include "estimate/mesh.h"
#include "estimate/phi.h"

#define J CMPLX(0, 1) /* the imaginary unit in double */

static const double PI = 3.14159265358979323846;

typedef struct ground {
  ans_context *context;
  arena *arena;
} ground;

static ground begin(void) {
  ground ground = {.context = new_context()};
  assert_ok(ground.context, arena_new(ground.context, &ground.arena));
  return ground;
}

static void end(ground *ground) {
  arena_free(ground->arena);
  ans_context_free(ground->context);
}

/* sin(k x + 1) and its derivatives. */
static double sine(double k, double x, int order) { return pow(k, order) * sin(k * x + 1 + order * PI / 2); }

static void check_derivatives(mesh_kind kind, double low, double high, int intervals, double k, double tolerance) {
  ground ground = begin();
  mesh *mesh;
  assert_ok(ground.context, mesh_new(ground.context, ground.arena, kind, low, high, intervals, &mesh));
  assert_ok(ground.context, mesh_differentiable(ground.context, ground.arena, mesh));
  for (int order = 0; order <= MESH_MAX_ORDER; order++)
    for (int i = 0; i < mesh->nodes; i++) {
      double sum = 0;
      for (int j = 0; j < mesh->nodes; j++)
        sum += mesh->matrices[order][i * mesh->nodes + j] * sine(k, mesh->places[j], 0);
      assert_near(sum, sine(k, mesh->places[i], order), tolerance * pow(k, order));
    }
  double weights[64];
  for (double share = 0; share < 1; share += 0.0371) {
    double place = low + share * (high - low), sum = 0;
    mesh_interpolation(mesh, place, weights);
    for (int j = 0; j < mesh->nodes; j++) sum += weights[j] * sine(k, mesh->places[j], 0);
    assert_near(sum, sine(k, place, 0), 1e-10);
  }
  end(&ground);
}

static void meshes_differentiate(void **state) {
  (void)state;
  check_derivatives(MESH_PERIODIC, -1, 3, 16, 2 * PI / 4 * 3, 1e-9);
  check_derivatives(MESH_PERIODIC, 0, 1e-6, 32, 2 * PI * 5e6, 1e-8);
  check_derivatives(MESH_WALLS, -1, 2, 24, 2, 2e-6);
}

/* The mean over the default grid, from few nodes. */
static void means_are_those_of_even_grids(void **state) {
  (void)state;
  ground ground = begin();
  for (int kind = MESH_PERIODIC; kind <= MESH_WALLS; kind++) {
    mesh *mesh;
    double weights[64], from_nodes = 0, direct = 0;
    int count = 41;
    bool periodic = kind == MESH_PERIODIC;
    assert_ok(ground.context, mesh_new(ground.context, ground.arena, (mesh_kind)kind, 0, 2, 32, &mesh));
    mesh_mean(mesh, count, weights);
    for (int j = 0; j < mesh->nodes; j++) from_nodes += weights[j] * exp(sin(PI * mesh->places[j]));
    for (int i = 0; i < count; i++) direct += exp(sin(PI * 2.0 * i / (periodic ? count : count - 1))) / count;
    assert_near(from_nodes, direct, 1e-10);
  }
  end(&ground);
}

static void check_scalar(double complex z) {
  double complex space[PHI_COUNT], *phi[PHI_COUNT] = {&space[0], &space[1], &space[2], &space[3]};
  double factorial = 1;
  phi_functions(1, &z, phi);
  double size = 1 + fabs(cabs(z)) * 1e-5; /* a phase is known to rounding of z itself */
  assert_near(cabs(space[0] - cexp(z)), 0, 1e-12 * (1 + cabs(cexp(z))) * size);
  for (int k = 0; k + 1 < PHI_COUNT; k++) {
    assert_near(cabs(space[k + 1] * z - (space[k] - 1 / factorial)), 0, 1e-11 * size * (1 + cabs(space[k])));
    factorial *= k + 1;
  }
}

static void phi_functions_of_numbers_and_matrices(void **state) {
  (void)state;
  check_scalar(0);
  check_scalar(1e-9);
  check_scalar(-0.7 + 0.2 * J);
  check_scalar(-3e5);
  check_scalar(2e4 * J);
  /* An oscillator: exp([[0, h], [-h, 0]]) turns by h. */
  double h = 7.3;
  double complex z[4] = {0, h, -h, 0}, space[PHI_COUNT][4], *phi[PHI_COUNT] = {space[0], space[1], space[2], space[3]};
  phi_functions(2, z, phi);
  assert_near(creal(space[0][0]), cos(h), 1e-12);
  assert_near(creal(space[0][1]), sin(h), 1e-12);
  assert_near(creal(space[1][0]), sin(h) / h, 1e-12);
  phi_double(2, phi);
  assert_near(creal(space[0][1]), sin(2 * h), 1e-12);
}

static void linear_systems_are_solved_or_called_singular(void **state) {
  (void)state;
  enum { N = 12 };
  double matrix[N * N], right[N], scales[N], kept[N * N];
  int rows[N];
  for (int i = 0; i < N * N; i++) kept[i] = matrix[i] = sin(1.7 * i * i + 1) * (i / N % 2 == 0 ? 1e9 : 1e-3);
  for (int i = 0; i < N; i++) {
    right[i] = 0;
    for (int j = 0; j < N; j++) right[i] += kept[i * N + j] * (j + 1);
  }
  assert_true(dense_factor(N, matrix, rows, scales));
  dense_solve_factored(N, matrix, rows, scales, right);
  for (int j = 0; j < N; j++) assert_near(right[j], j + 1, 1e-10);
  for (int j = 0; j < N; j++) kept[3 * N + j] = 2 * kept[7 * N + j] - kept[5 * N + j];
  assert_false(dense_factor(N, kept, rows, scales));
  double broken[4] = {1, 2, NAN, 1};
  assert_false(dense_factor(2, broken, rows, scales));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(meshes_differentiate),
      cmocka_unit_test(means_are_those_of_even_grids),
      cmocka_unit_test(phi_functions_of_numbers_and_matrices),
      cmocka_unit_test(linear_systems_are_solved_or_called_singular),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
