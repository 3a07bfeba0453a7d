/* SPDX-License-Identifier: Apache-2.0
 *
 * jacobian_test.c - rows, their Jacobian and the products with it belong to the loss and to each other, on every
 * family, with dense and with thin layers.
 */
#include "fixture.h"

#include "residual/jacobian.h"
#include "residual/plan.h"

/* Sums of thousands of products: a few hundred units in the last place. */
#define CLOSE (300 * (double)REAL_EPSILON)

enum { DENSE_WIDTH = 12, THIN_WIDTH = 70 /* the narrowest that is made thin is 64 */, THREADS = 2 };

typedef struct setting {
  ans_context *context;
  ans_problem *problem;
  ans_instance *instance;
  small_network network;
  backbone dense; /* network.backbone may be a thin form of it */
  residual *residual;
  size_t rows;
} setting;

static setting open_setting(int problem, bool thin, int points, int threads) {
  setting it = {.context = new_context()};
  it.problem = open_problem(it.context, problem);
  it.instance = middle_instance(it.context, it.problem, it.problem->structure_count - 1);
  it.network =
      open_network(it.context, it.problem, BACKBONE_FACTORIZED, thin ? THIN_WIDTH : DENSE_WIDTH, ACTIVATION_TANH);
  it.dense = it.network.backbone;
  network_shape thickest = backbone_thickest(&it.dense);
  residual_options options = {.points = points,
                              .initial_points = 11,
                              .period_points = 9,
                              .boundary_points = 7,
                              .threads = threads,
                              .tangents = true,
                              .spare = &thickest};
  assert_ok(it.context, residual_new(it.context, it.instance, &it.dense.shape, &options, &it.residual));
  residual_sample(it.residual, 3, RANDOM_TEST, 1, 0);
  it.rows = (size_t)residual_row_count(it.residual);
  return it;
}

/* Three codes of four at zero, not the same ones in each field and layer. */
static void make_thin(setting *it) {
  for (size_t i = 0; i < it->network.codes_count; i++)
    if ((i + i / THIN_WIDTH) % 4 != 0) it->network.codes[i] = 0;
  backbone_thin(&it->dense, it->network.codes, &it->network.backbone);
  assert_true(it->network.backbone.rank[0] > 0);
  assert_true(it->network.backbone.shape.layer_count > it->dense.shape.layer_count);
  residual_set_shape(it->residual, &it->network.backbone.shape);
}

static void close_setting(setting *it) {
  residual_free(it->residual);
  close_network(&it->network);
  system_instance_free(it->instance);
  system_free(it->problem);
  ans_context_free(it->context);
}

static real *fill_jacobian(setting *it, residual_subset subset) {
  jacobian *jacobian = NULL;
  size_t columns = jacobian_columns(&it->dense, subset);
  real *matrix = memory_take(it->rows * columns * sizeof *matrix);
  network_shape present = it->network.backbone.shape;
  residual_set_shape(it->residual, &it->dense.shape);
  assert_ok(it->context, jacobian_new(it->context, it->residual, &it->dense, subset, &jacobian));
  residual_set_shape(it->residual, &present);
  long before = memory_taken();
  jacobian_fill(jacobian, &it->network.backbone, it->network.parameters, it->network.codes, it->network.formed, matrix,
                columns);
  assert_int_equal(memory_taken(), before);
  jacobian_free(jacobian);
  return matrix;
}

static double largest(const real *values, size_t count) {
  double result = 0;
  for (size_t i = 0; i < count; i++) result = fmax(result, fabs((double)values[i]));
  return result;
}

/* pulled [columns] against the gradients that network_gradient left, in the subset's order. */
static void compare_gradient(const setting *it, residual_subset subset, const double *pulled) {
  size_t at = it->network.codes_count;
  double scale = largest(it->network.code_gradient, at);
  for (size_t j = 0; j < at; j++) assert_near(pulled[j], (double)it->network.code_gradient[j], CLOSE * scale);
  if (subset == SUBSET_CODES) return;
  scale = largest(it->network.parameter_gradient, it->dense.size);
  for (int p = 0; p < it->dense.part_count; p++) {
    const unknown_part *part = &it->dense.parts[p];
    if (subset == SUBSET_TANGENT && unknown_is_basis(part)) continue;
    if (subset == SUBSET_WEIGHTS && part->role == UNKNOWN_LEFT_BASIS) continue;
    size_t size = (size_t)part->rows * (size_t)(part->columns ? part->columns : 1);
    for (size_t j = 0; j < size; j++, at++)
      assert_near(pulled[at], (double)it->network.parameter_gradient[part->offset + j], CLOSE * scale);
  }
  assert_int_equal(at, jacobian_columns(&it->dense, subset));
}

/* loss = sum of rows^2 and gradient = 2 J^T rows. */
static void jacobian_belongs_to_loss(void **state) {
  (void)state;
  for (int problem = 0; problem < problem_count(); problem++)
    for (int thin = 0; thin < 2; thin++) {
      setting it = open_setting(problem, thin, thin ? 21 : 53, THREADS);
      if (thin) make_thin(&it);
      double *rows = memory_take(it.rows * sizeof *rows), sum = 0, loss = network_gradient(&it.network, it.residual);
      residual_rows(it.residual, it.network.formed, rows);
      for (size_t i = 0; i < it.rows; i++) sum += rows[i] * rows[i];
      assert_near(sum, loss, CLOSE * loss);
      for (residual_subset subset = SUBSET_CODES; subset <= SUBSET_ALL; subset++) {
        size_t columns = jacobian_columns(&it.dense, subset);
        double *pulled = memory_take(columns * sizeof *pulled);
        real *matrix = fill_jacobian(&it, subset);
        for (size_t i = 0; i < it.rows; i++)
          for (size_t j = 0; j < columns; j++) pulled[j] += 2 * rows[i] * (double)matrix[i * columns + j];
        compare_gradient(&it, subset, pulled);
        memory_give(pulled), memory_give(matrix);
      }
      memory_give(rows);
      close_setting(&it);
    }
}

/* Adds factor * v to codes and parameters, or to one group of them: 0 codes and plain layers, 1 left bases, 2 right. */
static void move(setting *it, int group, double factor, const double *v) {
  for (size_t i = 0; group == 0 && i < it->network.codes_count; i++)
    if (it->network.codes[i] != 0 || it->dense.shape.layer_count == it->network.backbone.shape.layer_count)
      it->network.codes[i] += (real)(factor * v[i]);
  for (int p = 0; p < it->dense.part_count; p++) {
    const unknown_part *part = &it->dense.parts[p];
    size_t size = (size_t)part->rows * (size_t)(part->columns ? part->columns : 1);
    int own = part->role == UNKNOWN_LEFT_BASIS ? 1 : part->role == UNKNOWN_RIGHT_BASIS ? 2 : 0;
    for (size_t j = part->offset; own == group && j < part->offset + size; j++)
      it->network.parameters[j] += (real)(factor * v[it->network.codes_count + j]);
  }
}

/* The network is linear in each group: its tangent along v is a sum of differences. */
static void formed_tangent(setting *it, const double *v, real *tangent) {
  size_t size = network_size(&it->network.backbone.shape);
  real *moved = memory_take(size * sizeof *moved);
  memset(tangent, 0, size * sizeof *tangent);
  for (int group = 0; group < 3; group++)
    for (int side = -1; side <= 1; side += 2) {
      move(it, group, side, v);
      backbone_form(&it->network.backbone, it->network.parameters, it->network.codes, it->network.workspace, moved);
      move(it, group, -side, v);
      for (size_t i = 0; i < size; i++) tangent[i] += (real)(side * 0.5) * moved[i];
    }
  memory_give(moved);
}

/* J v as residual_push has it, as the Jacobian has it; <w, J v> = <J^T w, v> with residual_pull. */
static void products_belong_to_jacobian(void **state) {
  (void)state;
  for (int problem = 0; problem < problem_count(); problem++)
    for (int thin = 0; thin < 2; thin++) {
      setting it = open_setting(problem, thin, thin ? 21 : 30, THREADS);
      if (thin) make_thin(&it);
      size_t columns = jacobian_columns(&it.dense, SUBSET_ALL), size = network_size(&it.network.backbone.shape);
      double *v = memory_take(columns * sizeof *v), *pushed = memory_take(it.rows * sizeof *pushed);
      double *w = memory_take(it.rows * sizeof *w), scale = 0, left = 0, right = 0;
      real *tangent = memory_take(size * sizeof *tangent);
      random_stream stream = random_open(5, RANDOM_TEST, 0, 0);
      for (size_t j = 0; j < columns; j++) v[j] = random_between(&stream, -1, 1) / 16;
      for (size_t i = 0; i < it.rows; i++) w[i] = random_between(&stream, -1, 1);
      backbone_form(&it.network.backbone, it.network.parameters, it.network.codes, it.network.workspace,
                    it.network.formed);
      formed_tangent(&it, v, tangent);
      long before = memory_taken();
      residual_push(it.residual, it.network.formed, tangent, pushed);
      residual_pull(it.residual, it.network.formed, w, it.network.gradient);
      assert_int_equal(memory_taken(), before);
      real *matrix = fill_jacobian(&it, SUBSET_ALL);
      for (size_t i = 0; i < it.rows; i++) scale = fmax(scale, fabs(pushed[i]));
      for (size_t i = 0; i < it.rows; i++) {
        double along = 0;
        for (size_t j = 0; j < columns; j++) along += (double)matrix[i * columns + j] * v[j];
        assert_near(pushed[i], along, 10 * CLOSE * scale);
        left += w[i] * pushed[i];
      }
      for (size_t i = 0; i < size; i++) right += (double)it.network.gradient[i] * (double)tangent[i];
      assert_near(left, right, 10 * CLOSE * scale * (double)it.rows);
      memory_give(v), memory_give(w), memory_give(pushed), memory_give(tangent), memory_give(matrix);
      close_setting(&it);
    }
}

#if ANS_PRECISION == 64
/* Every row's J v against differences of the rows. */
static void jacobian_is_the_derivative_of_rows(void **state) {
  (void)state;
  const double step = 1e-6;
  for (int problem = 0; problem < problem_count(); problem++)
    for (int thin = 0; thin < 2; thin++) {
      setting it = open_setting(problem, thin, thin ? 12 : 30, 1);
      if (thin) make_thin(&it);
      size_t columns = jacobian_columns(&it.dense, SUBSET_ALL);
      double *v = memory_take(columns * sizeof *v), *side[2], scale = 0;
      random_stream stream = random_open(5, RANDOM_TEST, 0, 0);
      for (size_t j = 0; j < columns; j++) v[j] = random_between(&stream, -1, 1);
      for (int i = 0; i < 2; i++) {
        side[i] = memory_take(it.rows * sizeof *side[i]);
        for (int group = 0; group < 3; group++) move(&it, group, i ? step : -step, v);
        network_loss(&it.network, it.residual);
        residual_rows(it.residual, it.network.formed, side[i]);
        for (int group = 0; group < 3; group++) move(&it, group, i ? -step : step, v);
      }
      network_loss(&it.network, it.residual);
      real *matrix = fill_jacobian(&it, SUBSET_ALL);
      for (size_t i = 0; i < it.rows; i++) scale = fmax(scale, fabs(side[1][i] - side[0][i]) / (2 * step));
      for (size_t i = 0; i < it.rows; i++) {
        double along = 0;
        for (size_t j = 0; j < columns; j++) along += matrix[i * columns + j] * v[j];
        assert_near(along, (side[1][i] - side[0][i]) / (2 * step), 1e-7 * scale);
      }
      memory_give(v), memory_give(side[0]), memory_give(side[1]), memory_give(matrix);
      close_setting(&it);
    }
}
#endif

static void same_bits_for_any_number_of_threads(void **state) {
  (void)state;
  for (int problem = 0; problem < NAMED; problem++) {
    real *first = NULL;
    double *first_rows = NULL;
    for (int threads = 1; threads <= 4; threads++) {
      setting it = open_setting(problem, false, 103, threads);
      size_t columns = jacobian_columns(&it.dense, SUBSET_TANGENT);
      double *rows = memory_take(2 * it.rows * sizeof *rows);
      real *matrix = fill_jacobian(&it, SUBSET_TANGENT);
      residual_rows(it.residual, it.network.formed, rows);
      residual_push(it.residual, it.network.formed, it.network.formed, rows + it.rows);
      if (threads == 1) {
        first = matrix, first_rows = rows;
      } else {
        assert_memory_equal(first, matrix, it.rows * columns * sizeof *matrix);
        assert_memory_equal(first_rows, rows, 2 * it.rows * sizeof *rows);
        memory_give(matrix), memory_give(rows);
      }
      close_setting(&it);
    }
    memory_give(first), memory_give(first_rows);
  }
}

/* Rows of the equations carry exp(-rate t), and so do loss, gradient and Jacobian; those of conditions do not. */
static void time_weight_multiplies_rows(void **state) {
  (void)state;
  setting it = open_setting(CDR, false, 40, 1);
  enum { POINTS = 40, RATE = 3 };
  double points[POINTS][2], *plain = memory_take(it.rows * sizeof *plain), *rows = memory_take(it.rows * sizeof *rows);
  for (int i = 0; i < POINTS; i++) points[i][0] = 0.5, points[i][1] = i / (double)POINTS;
  residual_set_points(it.residual, points[0], POINTS);
  residual_rows(it.residual, it.network.formed, plain);
  residual_set_time_weight(it.residual, RATE);
  double loss = network_gradient(&it.network, it.residual), sum = 0;
  residual_rows(it.residual, it.network.formed, rows);
  for (size_t i = 0; i < it.rows; i++) {
    double factor = i < POINTS ? exp(-RATE * points[i][1]) : 1;
    assert_near(rows[i], factor * plain[i], 1e-14 * fabs(plain[i]));
    sum += rows[i] * rows[i];
  }
  assert_near(sum, loss, CLOSE * loss);
  size_t columns = jacobian_columns(&it.dense, SUBSET_TANGENT);
  double *pulled = memory_take(columns * sizeof *pulled);
  real *matrix = fill_jacobian(&it, SUBSET_TANGENT);
  for (size_t i = 0; i < it.rows; i++)
    for (size_t j = 0; j < columns; j++) pulled[j] += 2 * rows[i] * (double)matrix[i * columns + j];
  compare_gradient(&it, SUBSET_TANGENT, pulled);
  memory_give(plain), memory_give(rows), memory_give(pulled), memory_give(matrix);
  close_setting(&it);
}

/* With a smooth seam the pairs of a second-order equation compare the slope as well: one more row each, which the
 * Jacobian has, too; the rows of the values stay. */
static void smooth_seams_tie_slopes(void **state) {
  (void)state;
  setting it = open_setting(CDR, false, 20, 1);
  residual_options options = {.points = 20, .initial_points = 11, .period_points = 9, .threads = 1, .smooth = true};
  residual *plain = it.residual;
  assert_ok(it.context, residual_new(it.context, it.instance, &it.dense.shape, &options, &it.residual));
  size_t before = it.rows;
  it.rows = (size_t)residual_row_count(it.residual);
  assert_int_equal(it.rows, before + 9);
  residual_lay_points(it.residual, 0.5, 1), residual_lay_points(plain, 0.5, 1);
  double *rows = memory_take(it.rows * sizeof *rows), *values = memory_take(before * sizeof *values), ends[2];
  residual_rows(it.residual, it.network.formed, rows);
  residual_rows(plain, it.network.formed, values);
  const residual_segment *pairs = &it.residual->segments[it.residual->segment_count - 1];
  const double *point = it.residual->sets[it.residual->set_count - 1].points;
  uint8_t slope[2] = {1, 0};
  assert_true(pairs->pair && pairs->row_count == 2);
  for (int end = 0; end < 2; end++) assert_true(point[2 * end] == (end ? it.problem->coordinates[0].high : 0));
  for (int i = 0; i < 9; i++) assert_near(rows[31 + 2 * i], values[31 + i], CLOSE * fabs(values[31 + i]));
  assert_ok(it.context, field_evaluate(it.context, it.instance, residual_chart(it.residual), &it.dense.shape,
                                       it.network.formed, point, 2, slope, 1, ends));
  double weight = it.problem->coordinates[0].period_weight, expected = (ends[0] - ends[1]) / (2 * acos(-1.0));
  assert_near(rows[32], sqrt(weight / 9) * expected, 100 * CLOSE * fabs(rows[32]));
  double loss = network_gradient(&it.network, it.residual), *pulled;
  size_t columns = jacobian_columns(&it.dense, SUBSET_TANGENT);
  pulled = memory_take(columns * sizeof *pulled);
  real *matrix = fill_jacobian(&it, SUBSET_TANGENT);
  for (size_t i = 0; i < it.rows; i++)
    for (size_t j = 0; j < columns; j++) pulled[j] += 2 * rows[i] * (double)matrix[i * columns + j];
  compare_gradient(&it, SUBSET_TANGENT, pulled);
  assert_true(loss > 0);
  memory_give(rows), memory_give(values), memory_give(pulled), memory_give(matrix);
  residual_free(plain);
  close_setting(&it);
}

static void wrong_networks_are_refused(void **state) {
  (void)state;
  setting it = open_setting(FISHER, false, 10, 1);
  backbone decoder;
  jacobian *jacobian = NULL;
  it.problem->protocol.network.width = 20;
  assert_ok(it.context, backbone_plan(it.context, it.problem, BACKBONE_DECODER, &decoder));
  assert_int_equal(jacobian_new(it.context, it.residual, &decoder, SUBSET_CODES, &jacobian), ANS_ARGUMENT);
  assert_null(jacobian);
  close_setting(&it);
}

static void memory_may_run_out_anywhere(void **state) {
  (void)state;
  setting it = open_setting(CDR, false, 16, THREADS);
  jacobian *jacobian = NULL;
  ans_status status = ANS_MEMORY;
  for (long n = 1; status != ANS_OK; n++) {
    memory_fail_after(n, false);
    status = jacobian_new(it.context, it.residual, &it.dense, SUBSET_ALL, &jacobian);
    assert_true(status == ANS_OK || (status == ANS_MEMORY && !jacobian && n < 1000));
  }
  memory_fail_after(0, false);
  jacobian_free(jacobian);
  close_setting(&it);
}

int main(void) {
  /* clang-format off */
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(jacobian_belongs_to_loss),
    cmocka_unit_test(products_belong_to_jacobian),
#if ANS_PRECISION == 64
    cmocka_unit_test(jacobian_is_the_derivative_of_rows),
#endif
    cmocka_unit_test(same_bits_for_any_number_of_threads),
    cmocka_unit_test(time_weight_multiplies_rows),
    cmocka_unit_test(smooth_seams_tie_slopes),
    cmocka_unit_test(wrong_networks_are_refused),
    cmocka_unit_test(memory_may_run_out_anywhere),
  };
  /* clang-format on */
  return cmocka_run_group_tests(tests, NULL, NULL);
}
