/* SPDX-License-Identifier: Apache-2.0
 *
 * An adaptation as least squares: rows and their Jacobian, in double, for every choice of unknowns.
 */
#include "small.h"

#include "training/adaptation.h"
#include "training/meta.h"

typedef struct bench {
  ans_context *context;
  ans_problem *problem;
  ans_instance *instance;
  objective *objective;
  size_t rows, free;
  real *start, *direction, *jacobian;
  double *r, *plus, *minus;
} bench;

/* At values off the beginning; one code in three is cut off by its ReLU. */
static void open_bench(bench *b, solver_mode mode, int width) {
  b->context = new_context();
  b->problem = small_problem(b->context);
  b->problem->protocol.network.width = width;
  b->instance = small_instance(b->context, b->problem);
  adaptation_options options = {.mode = mode, .seed = 3, .threads = 2, .fixed_points = 64};
  assert_ok(b->context, adaptation_new(b->context, b->instance, &options, &b->objective));
  objective *o = b->objective;
  size_t reached = 0;
  assert_ok(b->context, o->class->grow(b->context, o, 32, &reached));
  assert_int_equal(reached, 32);
  b->rows = o->class->row_count(o);
  b->free = unknown_free_count(&o->unknowns);
  random_stream stream = random_open(5, RANDOM_TEST, 0, 0);
  for (size_t i = 0; i < o->unknowns.size; i++) o->values[i] += 0.05 * random_normal(&stream);
  for (size_t i = 0; i < (size_t)(2 * width); i += 3) o->values[i] = -0.2;
  b->start = memory_take(o->unknowns.size * sizeof *b->start);
  memcpy(b->start, o->values, o->unknowns.size * sizeof *b->start);
  b->direction = memory_take(b->free * sizeof *b->direction);
  for (size_t i = 0; i < b->free; i++) b->direction[i] = random_normal(&stream);
  b->jacobian = memory_take(b->rows * b->free * sizeof *b->jacobian);
  b->r = memory_take(b->rows * sizeof *b->r);
  b->plus = memory_take(b->rows * sizeof *b->plus);
  b->minus = memory_take(b->rows * sizeof *b->minus);
}

static void close_bench(bench *b) {
  memory_give(b->minus), memory_give(b->plus), memory_give(b->r), memory_give(b->jacobian);
  memory_give(b->direction), memory_give(b->start);
  objective_drop(b->objective);
  system_instance_free(b->instance);
  system_free(b->problem);
  ans_context_free(b->context);
}

static void rows_at(bench *b, real factor, double *rows) {
  objective_scatter(b->objective, b->start, factor, b->direction, b->objective->values);
  assert_ok(b->context, b->objective->class->rows(b->context, b->objective, rows));
}

/* Widths with dense layers, and with layers that few codes make thin. */
static const int widths[] = {16, 72};

/* More points leave those there are: the same rows, but that the mean is over more. */
static void points_grow(void **state) {
  (void)state;
  bench b;
  open_bench(&b, SOLVER_FULL, 16);
  objective *o = b.objective;
  size_t reached = 0;
  assert_ok(b.context, o->class->rows(b.context, o, b.r));
  assert_ok(b.context, o->class->grow(b.context, o, 7, &reached)); /* never fewer */
  assert_int_equal(reached, 32);
  assert_ok(b.context, o->class->grow(b.context, o, 1000, &reached)); /* never more than planned */
  assert_int_equal(reached, 64);
  assert_int_equal(o->class->row_count(o), 2 * b.rows);
  double *grown = memory_take(2 * b.rows * sizeof *grown);
  assert_ok(b.context, o->class->rows(b.context, o, grown));
  for (size_t i = 0; i < 32; i++) assert_near(grown[i], b.r[i] / sqrt(2), 1e-14 * fabs(b.r[i]));
  memory_give(grown);
  close_bench(&b);
}

static void the_jacobian_matches_differences(void **state) {
  (void)state;
  const double h = 1e-5;
  for (int mode = SOLVER_FULL; mode <= SOLVER_WEIGHTS; mode++)
    for (size_t w = 0; w < 2; w++) {
      bench b;
      open_bench(&b, (solver_mode)mode, widths[w]);
      objective *o = b.objective;
      assert_ok(b.context, o->class->jacobian(b.context, o, b.jacobian));
      rows_at(&b, h, b.plus);
      rows_at(&b, -h, b.minus);
      double largest = 0;
      for (size_t i = 0; i < b.rows; i++) largest = fmax(largest, fabs(b.plus[i] - b.minus[i]) / (2 * h));
      assert_true(largest > 0);
      for (size_t i = 0; i < b.rows; i++) {
        double slope = 0;
        for (size_t k = 0; k < b.free; k++) slope += b.jacobian[i * b.free + k] * b.direction[k];
        assert_near(slope, (b.plus[i] - b.minus[i]) / (2 * h), 1e-5 * largest);
      }
      close_bench(&b);
    }
}

static void what_is_frozen_has_no_column(void **state) {
  (void)state;
  bench all, codes, tangent, weights;
  open_bench(&all, SOLVER_FULL, 16);
  open_bench(&codes, SOLVER_CODES, 16);
  open_bench(&tangent, SOLVER_FROZEN_BASES, 16);
  open_bench(&weights, SOLVER_WEIGHTS, 16);
  assert_int_equal(codes.free, 2 * 16);
  assert_int_equal(all.free, all.objective->unknowns.size);
  assert_int_equal(all.free - tangent.free, 2 * 2 * 16 * 16);
  assert_int_equal(weights.free - tangent.free, 2 * 16 * 16);
  rows_at(&codes, 1, codes.r);
  for (size_t i = codes.free; i < codes.objective->unknowns.size; i++)
    assert_true(codes.objective->values[i] == codes.start[i]);
  close_bench(&all), close_bench(&codes), close_bench(&tangent), close_bench(&weights);
}

/* Points that judge do not disturb those of the rows. */
static void judging_changes_nothing(void **state) {
  (void)state;
  bench b;
  open_bench(&b, SOLVER_FROZEN_BASES, 16);
  objective *o = b.objective;
  assert_ok(b.context, o->class->rows(b.context, o, b.r));
  double judged = o->class->judge(o);
  assert_true(judged > 0 && judged == o->class->judge(o));
  assert_ok(b.context, o->class->rows(b.context, o, b.plus));
  assert_memory_equal(b.r, b.plus, b.rows * sizeof *b.r);
  close_bench(&b);
}

static void what_is_not_offered_is_null(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = small_problem(context);
  ans_instance *instance = small_instance(context, problem);
  objective *meta, *decoder;
  adaptation_options options = {.seed = 3, .threads = 1, .decoder = true};
  assert_ok(context, meta_new(context, problem, DESCRIPTOR_GRAPH, 0, 3, 1, &meta));
  assert_ok(context, adaptation_new(context, instance, &options, &decoder));
  assert_true(!meta->class->rows && !meta->class->jacobian && !meta->class->judge);
  assert_true(!decoder->class->rows && !decoder->class->jacobian && decoder->class->judge);
  objective_drop(decoder);
  objective_drop(meta);
  objective_drop(NULL);
  system_instance_free(instance);
  system_free(problem);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_grow),
      cmocka_unit_test(the_jacobian_matches_differences),
      cmocka_unit_test(what_is_frozen_has_no_column),
      cmocka_unit_test(judging_changes_nothing),
      cmocka_unit_test(what_is_not_offered_is_null),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
