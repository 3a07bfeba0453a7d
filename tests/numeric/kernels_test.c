/* SPDX-License-Identifier: Apache-2.0
 *
 * kernels_test.c - every instruction set against the baseline and against plain loops, adjoint identities of
 * every operation, and the accuracy of the elementary functions.
 */
#include "check.h"

#include "base/random.h"
#include "numeric/kernels/isa.h"
#include "numeric/kernels/kernels.h"

#define CLOSE (40 * (double)REAL_EPSILON)

static const char *const names[] = {"baseline", "avx2", "avx512"};
enum { NAMES = 3, MOST = 160 };

static real *filled(size_t count, uint32_t part) {
  real *values = aligned_alloc(64, (count * sizeof(real) + 63) / 64 * 64);
  assert_non_null(values);
  random_stream stream = random_open(2, RANDOM_TEST, 0, part);
  for (size_t i = 0; i < count; i++) values[i] = (real)random_between(&stream, -1, 1);
  return values;
}

/* Rows of n numbers, zero beyond them. */
static real *filled_rows(int rows, int n, uint32_t part) {
  int stride = kernel_stride(n);
  real *values = filled((size_t)rows * (size_t)stride, part);
  for (int r = 0; r < rows; r++)
    for (int i = n; i < stride; i++) values[r * stride + i] = 0;
  return values;
}

static double inner(int rows, int n, int lda, const real *a, int ldb, const real *b) {
  double sum = 0;
  for (int r = 0; r < rows; r++)
    for (int i = 0; i < n; i++) sum += (double)a[r * lda + i] * (double)b[r * ldb + i];
  return sum;
}

static const struct {
  int rows, k, n;
} sizes[] = {{1, 1, 1}, {6, 9, 16}, {48, 96, 96}, {13, 13, 45}, {24, 37, 128}, {7, 82, 82}, {64, 100, 150}};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* C = A B and its two adjoints: <A B, G> = <A, G B^T> = <B, A^T G>. */
static void products(void **state) {
  (void)state;
  for (int t = 0; t < NAMES; t++) {
    const kernel_table *table = kernels_by_name(names[t]);
    if (!table) continue;
    for (int s = 0; s < SIZES; s++) {
      int rows = sizes[s].rows, k = sizes[s].k, n = sizes[s].n, lk = kernel_stride(k), ln = kernel_stride(n);
      real *a = filled_rows(rows, k, 1), *w = filled((size_t)n * (size_t)k, 2), *g = filled_rows(rows, n, 3);
      real *c = filled_rows(rows, n, 4), *da = filled_rows(rows, k, 5), *db = filled_rows(n, k, 6);
      real *packed = filled((size_t)k * (size_t)kernel_padded(n), 7),
           *packed_back = filled((size_t)n * (size_t)kernel_padded(k), 8);
      table->pack(w, k, true, k, n, packed);
      table->pack(w, k, false, n, k, packed_back);
      table->product(rows, k, n, a, lk, packed, false, c, ln);
      for (int r = 0; r < rows; r++)
        for (int i = 0; i < n; i++) {
          double sum = 0;
          for (int j = 0; j < k; j++) sum += (double)a[r * lk + j] * (double)w[i * k + j];
          assert_near((double)c[r * ln + i], sum, CLOSE * sqrt(k));
        }
      table->product(rows, n, k, g, ln, packed_back, false, da, lk);
      table->outer(rows, n, k, g, ln, a, lk, false, db, lk);
      double forward = inner(rows, n, ln, c, ln, g), size = sqrt((double)rows * n * k);
      assert_near(inner(rows, k, lk, a, lk, da), forward, CLOSE * size);
      assert_near(inner(n, k, k, w, lk, db), forward, CLOSE * size);
      table->outer(rows, n, k, g, ln, a, lk, true, db, lk);
      assert_near(inner(n, k, k, w, lk, db), 2 * forward, 2 * CLOSE * size);
      table->product(rows, k, n, a, lk, packed, true, c, ln);
      assert_near(inner(rows, n, ln, c, ln, g), 2 * forward, 2 * CLOSE * size);
      free(a), free(w), free(g), free(c), free(da), free(db), free(packed), free(packed_back);
    }
  }
}

static void narrow_products(void **state) {
  (void)state;
  for (int t = 0; t < NAMES; t++) {
    const kernel_table *table = kernels_by_name(names[t]);
    if (!table) continue;
    for (int outputs = 1; outputs <= 3; outputs++) {
      enum { ROWS = 14, N = 90 };
      int stride = kernel_stride(N);
      real *a = filled_rows(ROWS, N, 1), *w = filled_rows(outputs, N, 2), *g = filled((size_t)(ROWS * outputs), 3),
           z[ROWS * 3];
      real *da = filled_rows(ROWS, N, 4), *dw = filled_rows(outputs, N, 5);
      table->narrow(ROWS, outputs, N, a, stride, w, stride, z);
      for (int r = 0; r < ROWS; r++)
        for (int o = 0; o < outputs; o++) {
          double sum = 0;
          for (int j = 0; j < N; j++) sum += (double)a[r * stride + j] * (double)w[o * stride + j];
          assert_near((double)z[r * outputs + o], sum, CLOSE * sqrt(N));
        }
      table->narrow_backward(ROWS, outputs, N, g, a, stride, w, stride, false, da, stride, dw);
      double forward = inner(ROWS, outputs, outputs, z, outputs, g);
      assert_near(inner(ROWS, N, stride, a, stride, da), forward, CLOSE * 40);
      assert_near(inner(outputs, N, stride, w, stride, dw), forward, CLOSE * 40);
      free(a), free(w), free(g), free(da), free(dw);
    }
  }
}

/* Algebras of one, two, three and four channels that go the quick way, and two that do not. */
static int make_algebras(algebra *list) {
  const double first[2] = {0.4, 1}, second[2][4] = {{-0.3, 0}, {0, 0}}, both[2][4] = {{-0.3, 0.1}, {0.1, 0.2}},
               none[2][4] = {{0}};
  const bool nothing[2] = {false, false};
  const uint8_t fisher[2][4] = {{2, 0}, {0, 1}}, mixed[2][4] = {{3, 0}, {1, 1}}, fourth[1][4] = {{4, 0}};
  int count = 0;
  assert_true(algebra_taylor(2, 0, NULL, &list[count++]));
  assert_true(algebra_operator(2, first, none, nothing, &list[count++]));
  assert_true(algebra_operator(2, first, second, nothing, &list[count++]));
  assert_true(algebra_operator(2, first, both, nothing, &list[count++]));
  assert_true(algebra_taylor(2, 2, fisher, &list[count++]));
  assert_true(algebra_taylor(2, 2, mixed, &list[count++]));
  assert_true(algebra_taylor(2, 1, fourth, &list[count++]));
  return count;
}

enum { POINTS = 5, WIDTH = 21 };

#if ANS_PRECISION == 64
/* y for z moved by step * v. */
static void moved(const kernel_table *table, kernel_activation activation, const kernel_rule *rule, const real *z,
                  const real *v, double step, const real *bias, const real *skip, real *y) {
  int stride = kernel_stride(WIDTH), count = POINTS * rule->channels * stride;
  real *work = filled((size_t)count, 9);
  for (int i = 0; i < count; i++) work[i] = (real)((double)z[i] + step * (double)v[i]);
  table->activate(activation, rule, POINTS, kernel_padded(WIDTH), work, bias, skip, y, stride);
  free(work);
}
#endif

/* <J v, w> = <v, J^T w>, with J v by differences in double; all tables agree with the baseline in both precisions. */
static void activations(void **state) {
  (void)state;
  static algebra list[7];
  int count = make_algebras(list);
  for (int a = 0; a < count; a++)
    for (int kind = KERNEL_IDENTITY; kind <= KERNEL_RELU; kind++)
      for (int with_skip = 0; with_skip < 2; with_skip++) {
        kernel_rule rule = kernel_rule_of(&list[a]);
        int rows = POINTS * rule.channels, stride = kernel_stride(WIDTH);
        real *z = filled_rows(rows, WIDTH, 1), *v = filled_rows(rows, WIDTH, 2), *w = filled_rows(rows, WIDTH, 3);
        real *bias = filled_rows(1, WIDTH, 4), *skip = with_skip ? filled_rows(rows, WIDTH, 5) : NULL;
        real *base_y = filled_rows(rows, WIDTH, 6), *base_g = filled_rows(rows, WIDTH, 7);
        for (int t = 0; t < NAMES; t++) {
          const kernel_table *table = kernels_by_name(names[t]);
          if (!table) continue;
          real *y = filled_rows(rows, WIDTH, 8), *g = filled_rows(rows, WIDTH, 9), *kept = filled_rows(rows, WIDTH, 1);
          real *bias_gradient = filled_rows(1, WIDTH, 10);
          memcpy(g, w, (size_t)(rows * stride) * sizeof *g);
          table->activate((kernel_activation)kind, &rule, POINTS, kernel_padded(WIDTH), kept, bias, skip, y, stride);
          table->activate_backward((kernel_activation)kind, &rule, POINTS, kernel_padded(WIDTH), kept, y, skip, false,
                                   g, bias_gradient, stride);
          if (t == 0) {
            memcpy(base_y, y, (size_t)(rows * stride) * sizeof *y);
            memcpy(base_g, g, (size_t)(rows * stride) * sizeof *g);
          }
          for (int r = 0; r < rows; r++)
            for (int i = 0; i < WIDTH; i++) {
              assert_near((double)y[r * stride + i], (double)base_y[r * stride + i], CLOSE);
              assert_near((double)g[r * stride + i], (double)base_g[r * stride + i], 4 * CLOSE);
            }
          for (int i = 0; i < WIDTH; i++) {
            double sum = 0;
            for (int p = 0; p < POINTS; p++) sum += (double)g[p * rule.channels * stride + i];
            assert_near((double)bias_gradient[i], sum, CLOSE);
          }
#if ANS_PRECISION == 64
          real *up = filled_rows(rows, WIDTH, 11), *down = filled_rows(rows, WIDTH, 12);
          const double step = 1e-6;
          moved(table, (kernel_activation)kind, &rule, z, v, step, bias, skip, up);
          moved(table, (kernel_activation)kind, &rule, z, v, -step, bias, skip, down);
          double along =
              (inner(rows, WIDTH, stride, up, stride, w) - inner(rows, WIDTH, stride, down, stride, w)) / (2 * step);
          assert_near(inner(rows, WIDTH, stride, v, stride, g), along, 1e-8 * rows);
          free(up), free(down);
#endif
          free(y), free(g), free(kept), free(bias_gradient);
        }
        free(z), free(v), free(w), free(bias), free(skip), free(base_y), free(base_g);
      }
}

/* tanh and sine over their range, relative to the true value. */
static void functions_are_accurate(void **state) {
  (void)state;
  static algebra value;
  assert_true(algebra_taylor(1, 0, NULL, &value));
  kernel_rule rule = kernel_rule_of(&value);
  enum { COUNT = 4096 };
  real *z = filled(COUNT, 1), *y = filled(COUNT, 2);
  for (int t = 0; t < NAMES; t++) {
    const kernel_table *table = kernels_by_name(names[t]);
    if (!table) continue;
    double worst_tanh = 0, worst_sine = 0;
    for (int i = 0; i < COUNT; i++) z[i] = (real)((i % 2 ? -1 : 1) * pow(10, -6 + 10.0 * i / COUNT));
    table->activate(KERNEL_TANH, &rule, 1, COUNT, z, NULL, NULL, y, COUNT);
    for (int i = 0; i < COUNT; i++) worst_tanh = fmax(worst_tanh, fabs((double)y[i] / tanh((double)z[i]) - 1));
    real *kept = filled(COUNT, 3);
    for (int i = 0; i < COUNT; i++) z[i] = kept[i] = (real)((i - COUNT / 2) * 0.02);
    table->activate(KERNEL_SINE, &rule, 1, COUNT, z, NULL, NULL, y, COUNT);
    for (int i = 0; i < COUNT; i++)
      worst_sine =
          fmax(worst_sine, fmax(fabs((double)y[i] - sin((double)kept[i])), fabs((double)z[i] - cos((double)kept[i]))));
    free(kept);
    if (!(worst_tanh <= 2.5 * (double)REAL_EPSILON)) fail_msg("%s: tanh is off by %.3g", names[t], worst_tanh);
    if (!(worst_sine <= 1.5 * (double)REAL_EPSILON)) fail_msg("%s: sine is off by %.3g", names[t], worst_sine);
  }
  free(z), free(y);
}

/* GELU is z times the normal distribution function, ReLU the larger of z and zero; over the range where GELU bends and
 * where it is z or zero to rounding. */
static void gelu_and_relu_are_themselves(void **state) {
  (void)state;
  static algebra value;
  assert_true(algebra_taylor(1, 0, NULL, &value));
  kernel_rule rule = kernel_rule_of(&value);
  enum { COUNT = 4096 };
  real *z = filled(COUNT, 1), *kept = filled(COUNT, 2), *y = filled(COUNT, 3);
  for (int i = 0; i < COUNT; i++) kept[i] = (real)((i - COUNT / 2) * 0.005);
  for (int t = 0; t < NAMES; t++) {
    const kernel_table *table = kernels_by_name(names[t]);
    if (!table) continue;
    memcpy(z, kept, COUNT * sizeof *z);
    table->activate(KERNEL_GELU, &rule, 1, COUNT, z, NULL, NULL, y, COUNT);
    for (int i = 0; i < COUNT; i++) {
      double x = (double)kept[i];
      assert_near((double)y[i], x * 0.5 * erfc(-x / sqrt(2.0)), (double)REAL_EPSILON * fabs(x));
    }
    memcpy(z, kept, COUNT * sizeof *z);
    table->activate(KERNEL_RELU, &rule, 1, COUNT, z, NULL, NULL, y, COUNT);
    for (int i = 0; i < COUNT; i++) assert_true((double)y[i] == fmax((double)kept[i], 0));
  }
  free(z), free(kept), free(y);
}

/* Taylor coefficients of tanh along a line, against their closed forms. */
static void fourth_order_is_exact(void **state) {
  (void)state;
  static algebra line;
  const uint8_t fourth[1][4] = {{4}};
  assert_true(algebra_taylor(1, 1, fourth, &line));
  kernel_rule rule = kernel_rule_of(&line);
  int stride = kernel_stride(1);
  const double x = 0.37, y0 = tanh(x), d = 1 - y0 * y0;
  const double expected[5] = {y0, d, -y0 * d, d * (3 * y0 * y0 - 1) / 3, y0 * d * (2 - 3 * y0 * y0) / 3};
  for (int t = 0; t < NAMES; t++) {
    const kernel_table *table = kernels_by_name(names[t]);
    if (!table) continue;
    real *z = filled_rows(5, 1, 1), *y = filled_rows(5, 1, 2);
    for (int c = 0; c < 5; c++) z[c * stride] = c == 0 ? (real)x : c == 1 ? 1 : 0;
    table->activate(KERNEL_TANH, &rule, 1, kernel_padded(1), z, NULL, NULL, y, stride);
    for (int c = 0; c < 5; c++) assert_near((double)y[c * stride], expected[c], CLOSE);
    free(z), free(y);
  }
}

/* y, and the gradient of z for that of y which stands in g. */
static void there_and_back(const kernel_table *table, kernel_activation activation, const kernel_rule *rule,
                           const real *skip, real *y, real *g, real *bias_gradient) {
  int stride = kernel_stride(WIDTH), padded = kernel_padded(WIDTH);
  real *z = filled_rows(POINTS * rule->channels, WIDTH, 1), *bias = filled_rows(1, WIDTH, 4);
  table->activate(activation, rule, POINTS, padded, z, bias, skip, y, stride);
  table->activate_backward(activation, rule, POINTS, padded, z, y, skip, true, g, bias_gradient, stride);
  free(z), free(bias);
}

static void compare_chains_with_table(const kernel_table *table, kernel_activation activation, const algebra *algebra,
                                      bool with_skip) {
  kernel_rule chains = kernel_rule_of(algebra), plain = chains;
  assert_true(chains.chain_count > 0 && !chains.quick);
  plain.chain_count = 0;
  int rows = POINTS * chains.channels, stride = kernel_stride(WIDTH);
  real *skip = with_skip ? filled_rows(rows, WIDTH, 5) : NULL;
  real *y[2], *g[2], *bias[2];
  for (int i = 0; i < 2; i++) {
    y[i] = filled_rows(rows, WIDTH, 6), g[i] = filled_rows(rows, WIDTH, 3), bias[i] = filled_rows(1, WIDTH, 7);
    there_and_back(table, activation, i ? &plain : &chains, skip, y[i], g[i], bias[i]);
  }
  for (int at = 0; at < rows * stride; at++) {
    if (at % stride >= WIDTH) continue;
    assert_true(y[0][at] == y[1][at]);
    assert_true(g[0][at] == g[1][at]);
    assert_true(at >= stride || bias[0][at] == bias[1][at]);
  }
  for (int i = 0; i < 2; i++) free(y[i]), free(g[i]), free(bias[i]);
  free(skip);
}

/* Sets without mixed derivatives take a short cut: not one bit may differ from the product table. */
static void chains_are_the_table(void **state) {
  (void)state;
  static algebra list[5];
  const uint8_t third[2][4] = {{3}, {0, 1}}, fourth[2][4] = {{4}, {0, 1}}, late[2][4] = {{1}, {0, 3}};
  const uint8_t beam[2][4] = {{4}, {0, 2}}, plane[3][4] = {{2}, {0, 2}, {0, 0, 1}};
  assert_true(algebra_taylor(2, 2, third, &list[0]) && algebra_taylor(2, 2, fourth, &list[1]));
  assert_true(algebra_taylor(2, 2, late, &list[2]) && algebra_taylor(2, 2, beam, &list[3]));
  assert_true(algebra_taylor(3, 3, plane, &list[4]));
  for (int t = 0; t < NAMES; t++) {
    const kernel_table *table = kernels_by_name(names[t]);
    for (int a = 0; table && a < 5; a++)
      for (int with_skip = 0; with_skip < 2; with_skip++) {
        compare_chains_with_table(table, KERNEL_TANH, &list[a], with_skip);
        compare_chains_with_table(table, KERNEL_SINE, &list[a], with_skip);
      }
  }
}

/* Sums in double over rows of `real`, of lengths that no vector divides. */
static void mixed_sums(void **state) {
  (void)state;
  for (size_t count = 0; count < 70; count += 1 + count / 9)
    for (int t = 0; t < NAMES; t++) {
      const kernel_table *table = kernels_by_name(names[t]);
      if (!table) continue;
      real *a = filled(80, 1);
      double b[80], scaled[80], squares[80], sum = 0;
      for (size_t i = 0; i < 80; i++) b[i] = scaled[i] = squares[i] = 0.5 + 0.01 * (double)(i * i % 17);
      for (size_t i = 0; i < count; i++) sum += (double)a[i] * b[i];
      assert_near(table->mixed_dot(count, a, b), sum, 1e-13);
      table->add_scaled(count, -1.7, a, scaled);
      table->add_squares(count, a, squares);
      for (size_t i = 0; i < 80; i++) {
        double in = i < count ? (double)a[i] : 0;
        assert_near(scaled[i], b[i] - 1.7 * in, 1e-14);
        assert_near(squares[i], b[i] + in * in, 1e-14);
      }
      free(a);
    }
}

/* The widest first, the one that every machine has last. */
static void instruction_sets_are_those_of_the_processor(void **state) {
  (void)state;
  size_t count = 0, avx2 = 0, avx512 = 0;
  for (; isa_name(count); count++) {
    avx2 += strcmp(isa_name(count), "avx2") == 0;
    avx512 += strcmp(isa_name(count), "avx512") == 0;
  }
  assert_int_equal(count, 1 + avx2 + avx512);
  assert_string_equal(isa_name(count - 1), "baseline");
#if defined(__x86_64__)
  assert_int_equal(avx2, __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? 1 : 0);
  assert_true(avx512 <= avx2 && (avx512 == 0 || __builtin_cpu_supports("avx512f")));
  if (avx512) assert_string_equal(isa_name(0), "avx512");
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products),
      cmocka_unit_test(narrow_products),
      cmocka_unit_test(activations),
      cmocka_unit_test(functions_are_accurate),
      cmocka_unit_test(gelu_and_relu_are_themselves),
      cmocka_unit_test(fourth_order_is_exact),
      cmocka_unit_test(chains_are_the_table),
      cmocka_unit_test(mixed_sums),
      cmocka_unit_test(instruction_sets_are_those_of_the_processor),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
