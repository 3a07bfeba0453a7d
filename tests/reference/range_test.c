/* SPDX-License-Identifier: Apache-2.0
 *
 * Bounds of expressions: every operation over random intervals against many samples. No sample lies outside; for one
 * operation the bounds are those of the samples, or there are none where the function has a pole.
 */
#include "check.h"

#include "base/random.h"
#include "reference/range.h"

enum { SAMPLES = 401, TRIES = 60 };

static range range_of(expression_op op, int count, const range *box) {
  expression_step steps[4] = {{.op = EXPRESSION_COORDINATE, .index = 0},
                              {.op = EXPRESSION_COORDINATE, .index = 1},
                              {.op = EXPRESSION_COORDINATE, .index = 2}};
  steps[count].op = op;
  expression whole = {.count = (size_t)count + 1, .depth = count, .steps = steps};
  return expression_range(&whole, NULL, box);
}

/* Least and largest value over the box, ends and zero included; NaN where there is none. */
static range sampled(expression_op op, int count, const range *box) {
  range r = {INFINITY, -INFINITY};
  for (int i = 0; i < SAMPLES; i++)
    for (int j = 0; j < (count > 1 ? SAMPLES / 8 : 1); j++) {
      double a[3] = {box[0].low + (box[0].high - box[0].low) * i / (SAMPLES - 1),
                     box[1].low + (box[1].high - box[1].low) * j / (SAMPLES / 8 - 1), 0};
      double value = expression_operate(op, a);
      r.low = fmin(r.low, value);
      r.high = fmax(r.high, value);
    }
  return r;
}

static range drawn(random_stream *stream, double low, double high) {
  double a = low + (high - low) * random_uniform(stream), b = low + (high - low) * random_uniform(stream);
  return (range){fmin(a, b), fmax(a, b)};
}

static void check(expression_op op, int count, double low, double high, double tolerance) {
  for (int i = 0; i < TRIES; i++) {
    random_stream stream = random_open(5, RANDOM_TEST, (uint64_t)i, (uint32_t)op);
    range box[3] = {drawn(&stream, low, high), drawn(&stream, low, high)};
    range bounds = range_of(op, count, box), seen = sampled(op, count, box);
    double whole = 1 + fmax(fabs(seen.low), fabs(seen.high)), size = tolerance * whole;
    if (!(bounds.low <= seen.low + 1e-14 * whole && bounds.high >= seen.high - 1e-14 * whole))
      fail_msg("operation %d over [%g, %g]: %g to %g, but [%g, %g]", (int)op, box[0].low, box[0].high, seen.low,
               seen.high, bounds.low, bounds.high);
    if (!(bounds.low >= seen.low - size && bounds.high <= seen.high + size))
      fail_msg("operation %d over [%g, %g]: [%g, %g] is wider than %g to %g", (int)op, box[0].low, box[0].high,
               bounds.low, bounds.high, seen.low, seen.high);
  }
}

static void bounds_are_those_of_the_samples(void **state) {
  (void)state;
  static const expression_op smooth[] = {EXPRESSION_SIN,  EXPRESSION_COS, EXPRESSION_SINH,  EXPRESSION_COSH,
                                         EXPRESSION_TANH, EXPRESSION_EXP, EXPRESSION_NEGATE};
  static const expression_op positive[] = {EXPRESSION_LOG, EXPRESSION_LOG10, EXPRESSION_SQRT};
  static const expression_op pairs[] = {EXPRESSION_ADD, EXPRESSION_SUBTRACT, EXPRESSION_MULTIPLY};
  for (size_t i = 0; i < sizeof smooth / sizeof *smooth; i++) check(smooth[i], 1, -7, 7, 1e-3);
  for (size_t i = 0; i < sizeof positive / sizeof *positive; i++) check(positive[i], 1, 0.01, 7, 1e-9);
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) check(pairs[i], 2, -3, 3, 1e-9);
  check(EXPRESSION_ABS, 1, -7, 7, 1e-2); /* the samples may miss zero by half their distance */
  check(EXPRESSION_DIVIDE, 2, 0.1, 3, 1e-9);
  check(EXPRESSION_POWER, 2, 0.1, 3, 1e-9);
  check(EXPRESSION_TAN, 1, -1.5, 1.5, 1e-9);
  check(EXPRESSION_TAN, 1, 1.6, 4.7, 1e-9);
}

static void no_bound_where_there_is_none(void **state) {
  (void)state;
  static const struct {
    expression_op op;
    int count;
    range box[3];
  } open[] = {{EXPRESSION_TAN, 1, {{1.5, 1.6}}},
              {EXPRESSION_TAN, 1, {{-1.6, -1.5}}},
              {EXPRESSION_DIVIDE, 2, {{1, 2}, {-1, 1}}},
              {EXPRESSION_DIVIDE, 2, {{1, 2}, {0, 1}}},
              {EXPRESSION_DIVIDE, 2, {{1, 2}, {-1, 0}}},
              {EXPRESSION_POWER, 2, {{-1, 2}, {-2, -2}}},
              {EXPRESSION_POWER, 2, {{-1, 2}, {0.5, 0.5}}},
              {EXPRESSION_POWER, 2, {{-1, 2}, {1, 2}}}};
  for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
    range bounds = range_of(open[i].op, open[i].count, open[i].box);
    assert_true(bounds.low == -(double)INFINITY && bounds.high == (double)INFINITY);
  }
}

static void assert_range(range actual, double low, double high) {
  assert_near(actual.low, low, 1e-14);
  assert_near(actual.high, high, 1e-14);
}

static void whole_powers_and_intervals_are_exact(void **state) {
  (void)state;
  assert_range(range_of(EXPRESSION_POWER, 2, (range[3]){{-2, 1}, {2, 2}}), 0, 4);
  assert_range(range_of(EXPRESSION_POWER, 2, (range[3]){{-2, 1}, {3, 3}}), -8, 1);
  assert_range(range_of(EXPRESSION_POWER, 2, (range[3]){{-4, -2}, {-2, -2}}), 1. / 16, 1. / 4);
  assert_range(range_of(EXPRESSION_POWER, 2, (range[3]){{0, 4}, {0.5, 0.5}}), 0, 2);
  assert_range(range_of(EXPRESSION_INSIDE, 3, (range[3]){{2, 3}, {1, 2}, {3, 4}}), 1, 1);
  assert_range(range_of(EXPRESSION_INSIDE, 3, (range[3]){{2, 3}, {1, 2.5}, {3, 4}}), 0, 1);
  assert_range(range_of(EXPRESSION_INSIDE, 3, (range[3]){{2, 3}, {1, 2}, {2.5, 4}}), 0, 1);
  assert_range(range_of(EXPRESSION_INSIDE, 3, (range[3]){{0, 0.5}, {1, 2}, {3, 4}}), 0, 0);
  assert_range(range_of(EXPRESSION_INSIDE, 3, (range[3]){{5, 6}, {1, 2}, {3, 4}}), 0, 0);
  assert_range(range_of(EXPRESSION_COS, 1, (range[3]){{0, 1}}), cos(1), 1);
  assert_range(range_of(EXPRESSION_COS, 1, (range[3]){{-20, 20}}), -1, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_are_those_of_the_samples),
                                     cmocka_unit_test(no_bound_where_there_is_none),
                                     cmocka_unit_test(whole_powers_and_intervals_are_exact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
