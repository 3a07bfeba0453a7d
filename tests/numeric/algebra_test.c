/* SPDX-License-Identifier: Apache-2.0
 *
 * algebra_test.c - products of channel sets against Leibniz' rule on polynomials whose derivatives are known.
 */
#include "check.h"

#include "numeric/algebra.h"

enum { X = 0, T = 1 };

/* d^a/dx^a d^b/dt^b of x^m t^n */
static double monomial(int m, int n, int a, int b, double x, double t) {
  double value = 1;
  if (a > m || b > n) return 0;
  for (int i = 0; i < a; i++) value *= m - i;
  for (int i = 0; i < b; i++) value *= n - i;
  return value * pow(x, m - a) * pow(t, n - b);
}

static double derivative_of(int m, int n, const uint8_t *index, double x, double t) {
  return monomial(m, n, index[X], index[T], x, t);
}

static double channel_of(const algebra *algebra, int channel, int m, int n, double x, double t) {
  if (channel != algebra->operator_channel)
    return derivative_of(m, n, algebra->index[channel], x, t) / algebra_factorial(algebra, channel);
  double sum = 0;
  for (int i = 0; i < 2; i++) {
    uint8_t one[4] = {0};
    one[i]++;
    sum += algebra->first[i] * derivative_of(m, n, one, x, t);
    for (int j = 0; j < 2; j++) {
      uint8_t two[4] = {0};
      two[i]++, two[j]++;
      sum += algebra->second[i][j] * derivative_of(m, n, two, x, t);
    }
  }
  return sum;
}

/* x^2 t^3 times x^3 t^1 is x^5 t^4, channel by channel. */
static void check_products(const algebra *algebra) {
  double x = 1.3, t = 0.7, product[ALGEBRA_MAX_CHANNELS] = {0};
  for (int p = 0; p < algebra->product_count; p++) {
    algebra_product it = algebra->products[p];
    product[it.result] +=
        it.factor * channel_of(algebra, it.left, 2, 3, x, t) * channel_of(algebra, it.right, 3, 1, x, t);
  }
  for (int c = 0; c < algebra->channels; c++) {
    double expected = channel_of(algebra, c, 5, 4, x, t);
    assert_near(product[c], expected, 1e-12 * (1 + fabs(expected)));
  }
}

static void test_taylor(void **state) {
  (void)state;
  algebra algebra;
  const uint8_t fisher[2][4] = {{2, 0}, {0, 1}}, mixed[2][4] = {{4, 0}, {2, 2}};
  assert_true(algebra_taylor(2, 2, fisher, &algebra));
  assert_int_equal(algebra.channels, 4);
  assert_int_equal(algebra.degree, 2);
  assert_int_equal(algebra_channel(&algebra, fisher[0]), 3);
  assert_near(algebra_factorial(&algebra, 3), 2, 0);
  check_products(&algebra);
  assert_true(algebra_taylor(2, 2, mixed, &algebra));
  assert_int_equal(algebra.channels, 11);
  assert_int_equal(algebra.degree, 4);
  check_products(&algebra);
  assert_true(algebra_taylor(2, 0, NULL, &algebra));
  assert_int_equal(algebra.channels, 1);
  assert_int_equal(algebra.degree, 0);
}

/* The largest set there is: order 4 in four coordinates; and one that does not fit. */
static void test_largest(void **state) {
  (void)state;
  algebra algebra;
  uint8_t all[35][4];
  int count = 0;
  for (uint8_t a = 0; a <= 4; a++)
    for (uint8_t b = 0; a + b <= 4; b++)
      for (uint8_t c = 0; a + b + c <= 4; c++) {
        uint8_t index[4] = {a, b, c, (uint8_t)(4 - a - b - c)};
        memcpy(all[count++], index, 4);
      }
  assert_true(algebra_taylor(4, count, (const uint8_t(*)[4])all, &algebra));
  assert_int_equal(algebra.channels, 70);
  const uint8_t beyond[1][4] = {{4, 4, 4, 4}};
  assert_false(algebra_taylor(4, 1, beyond, &algebra));
}

static void test_operator(void **state) {
  (void)state;
  algebra algebra;
  const double first[2] = {0.4, 1}, second[2][4] = {{-0.01, 0}, {0, 0}}, mixed[2][4] = {{0.3, 0.2}, {0.2, -0.7}};
  const double none[2][4] = {{0}};
  const bool nothing[2] = {false, false}, want_t[2] = {false, true};
  assert_true(algebra_operator(2, first, second, nothing, &algebra));
  assert_int_equal(algebra.channels, 3);
  assert_int_equal(algebra.operator_channel, 2);
  check_products(&algebra);
  assert_true(algebra_operator(2, first, mixed, nothing, &algebra));
  assert_int_equal(algebra.channels, 4);
  check_products(&algebra);
  assert_true(algebra_operator(2, first, none, nothing, &algebra));
  assert_int_equal(algebra.channels, 2);
  assert_int_equal(algebra.degree, 1);
  check_products(&algebra);
  assert_true(algebra_operator(2, first, second, want_t, &algebra));
  assert_int_equal(algebra.channels, 4);
  check_products(&algebra);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_taylor),
      cmocka_unit_test(test_largest),
      cmocka_unit_test(test_operator),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
