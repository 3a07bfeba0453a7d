/* SPDX-License-Identifier: Apache-2.0
 *
 * parts_test.c - meshes, gradings, exponential functions and linear systems by themselves.
 */
#include <complex.h>

#include "check.h"
#include "estimate/dense_factor.h"
#include "estimate/grading.h"
#include "estimate/matrix.h"
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

/* ---- Graded meshes ----------------------------------------------------------------------------------- */

/* A profile with a front of this width at `place`, on the nodes of an even mesh. */
static mesh *make_graded(ground *ground, mesh_kind kind, double low, double high, double place, double width,
                         int nodes) {
  enum { KNOWN = 400 };
  double known[KNOWN], values[KNOWN], places[600];
  grading *grading;
  mesh *mesh;
  assert_true(nodes <= 600);
  for (int i = 0; i < KNOWN; i++) {
    known[i] = low + (high - low) * i / (kind == MESH_PERIODIC ? KNOWN : KNOWN - 1);
    double s = (known[i] - place) / width;
    values[i] = kind == MESH_PERIODIC ? exp(-s * s) : tanh(s);
  }
  known[KNOWN - 1] = kind == MESH_PERIODIC ? known[KNOWN - 1] : high;
  assert_ok(ground->context, grading_new(ground->context, ground->arena, kind, low, high, known, KNOWN, &grading));
  grading_add(grading, values, 2);
  grading_add(grading, values, 0); /* counts for nothing */
  grading_add(grading, values, NAN);
  grading_places(grading, nodes, places);
  assert_ok(ground->context, mesh_graded_new(ground->context, ground->arena, kind, low, high, places, nodes, &mesh));
  return mesh;
}

static void gradings_put_nodes_into_fronts(void **state) {
  (void)state;
  for (int kind = MESH_PERIODIC; kind <= MESH_WALLS; kind++)
    for (double width = 0.1; width > 0.004; width /= 2) {
      ground ground = begin();
      const int nodes = 257;
      mesh *mesh = make_graded(&ground, (mesh_kind)kind, 0, 1, 0.9, width, nodes);
      int inside = 0;
      double most = 0;
      for (int j = 1; j < nodes; j++) {
        double here = mesh->places[j] - mesh->places[j - 1];
        assert_true(here > 0);
        inside += fabs(mesh->places[j] - 0.9) < width;
        if (j > 10 && j + 10 < nodes) {
          double before = mesh->places[j - 1] - mesh->places[j - 2];
          most = fmax(most, fmax(here / before, before / here));
        }
      }
      assert_true(mesh->places[0] == 0);
      assert_true(kind == MESH_PERIODIC ? mesh->places[nodes - 1] < 1 : mesh->places[nodes - 1] == 1);
      if (inside < 25) fail_msg("only %d nodes in a front of width %g", inside, width);
      if (most > 1.5) fail_msg("neighbours differ by a factor of %g at width %g", most, width);
      end(&ground);
    }
}

/* Also across the seam of a period, and with one-sided formulas at walls. */
static void graded_meshes_differentiate(void **state) {
  (void)state;
  static const double tolerances[] = {1e-14, 1e-8, 1e-5, 1e-3, 1e-1};
  for (int kind = MESH_PERIODIC; kind <= MESH_WALLS; kind++) {
    ground ground = begin();
    double k = 2 * PI / 3;
    mesh *mesh = make_graded(&ground, (mesh_kind)kind, -1, 2, 0.4, 0.05, 300);
    double values[300], derivative[300], weights[MESH_REACH];
    assert_true(mesh_graded(mesh));
    for (int j = 0; j < 300; j++) values[j] = sine(k, mesh->places[j], 0);
    for (int order = 0; order <= MESH_MAX_ORDER; order++) {
      mesh_derivative(mesh, order, values, derivative);
      for (int j = 0; j < 300; j++)
        assert_near(derivative[j], sine(k, mesh->places[j], order), tolerances[order] * pow(k, order));
    }
    for (double place = -1; place < 2; place += 0.0171) {
      double sum = 0;
      int first = mesh_local(mesh, place, weights);
      for (int i = 0; i < MESH_REACH; i++) sum += weights[i] * values[(first + i + 300) % 300];
      assert_near(sum, sine(k, place, 0), 1e-12);
    }
    end(&ground);
  }
}

/* Bands against dense matrices: fields interleaved, a period folded, rows exchanged. */
static void matrices_with_a_band(void **state) {
  (void)state;
  enum { NODES = 40, FIELDS = 3, SIZE = NODES * FIELDS };
  for (int kind = MESH_PERIODIC; kind <= MESH_WALLS; kind++) {
    ground ground = begin();
    matrix matrix;
    mesh *mesh = make_graded(&ground, (mesh_kind)kind, 0, 1, 0.5, 0.1, NODES);
    assert_ok(ground.context, matrix_new(ground.context, ground.arena, mesh, FIELDS, &matrix));
    double *dense = arena_array(ground.arena, double, (size_t)SIZE *SIZE), right[SIZE] = {0};
    assert_true(matrix.band > 0 && dense);
    for (int i = 0; i < SIZE; i++)
      for (int c = 0; c < FIELDS; c++)
        for (int l = 0; l < MESH_REACH; l++) {
          int column = c * NODES + mesh_column(mesh, i % NODES, l);
          double value = sin(1.3 * i * i + (2.7 * c + 1) * (l + 3) * (i + 1)) * (i % 2 == 0 ? 1e6 : 1e-3);
          *matrix_entry(&matrix, i, column) = value;
          dense[i * SIZE + column] = value;
        }
    for (int i = 0; i < SIZE; i++)
      for (int j = 0; j < SIZE; j++) right[i] += dense[i * SIZE + j] * (j % 7 - 3);
    assert_true(matrix_factor(&matrix));
    matrix_solve(&matrix, right);
    for (int j = 0; j < SIZE; j++) assert_near(right[j], j % 7 - 3, 1e-9);
    matrix_clear(&matrix);
    for (int i = 0; i < SIZE; i++) *matrix_entry(&matrix, i, i) = 1;
    matrix_clear_row(&matrix, 17);
    assert_false(matrix_factor(&matrix));
    matrix_clear(&matrix);
    for (int i = 0; i < SIZE; i++) *matrix_entry(&matrix, i, i) = i == 5 ? NAN : 1;
    assert_false(matrix_factor(&matrix));
    end(&ground);
  }
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
      cmocka_unit_test(gradings_put_nodes_into_fronts),
      cmocka_unit_test(graded_meshes_differentiate),
      cmocka_unit_test(matrices_with_a_band),
      cmocka_unit_test(means_are_those_of_even_grids),
      cmocka_unit_test(phi_functions_of_numbers_and_matrices),
      cmocka_unit_test(linear_systems_are_solved_or_called_singular),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
