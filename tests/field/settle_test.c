/* SPDX-License-Identifier: Apache-2.0
 *
 * settle_test.c - numbers that differ in their last bits become one, and stay what they were to many bits.
 */
#include "check.h"

#include "base/base.h"
#include "field/settle.h"

/* Whether x and its neighbours, a part `away` from it, settle to the same number near x. */
static bool is_settled(double x, double away) {
  double it = settle_number(x);
  assert_true(fabs(it - x) <= 0x1.2p-36 * fabs(x));
  assert_true(settle_number(it) == it);
  return settle_number(x * (1 + away)) == it && settle_number(x * (1 - away)) == it;
}

static void numbers_lose_their_last_bits(void **state) {
  (void)state;
  static const double round[] = {1, -0.5, 3, 1e6, 0.375, 0x1p-900, -0x1p+900};
  for (size_t i = 0; i < sizeof round / sizeof *round; i++) {
    assert_true(settle_number(round[i]) == round[i]);
    assert_true(is_settled(round[i], 1e-14));
  }
  assert_true(settle_number(0) == 0 && isinf(settle_number((double)INFINITY)) && isnan(settle_number((double)NAN)));
  random_stream stream = random_open(1, RANDOM_TEST, 0, 0);
  int apart = 0;
  for (int i = 0; i < 10000; i++) apart += !is_settled(pow(10, random_between(&stream, -300, 300)), 4e-16);
  assert_true(apart < 5); /* one in twenty thousand is expected */
}

/* The values of a known function, evaluated twice with another rounding. The third is in the middle between two
 * settled ones when the largest is 1: points of a sequence have so few bits. */
static void values_lose_what_rounding_makes(void **state) {
  (void)state;
  random_stream stream = random_open(2, RANDOM_TEST, 0, 0);
  enum { COUNT = 16, SETS = 4000 };
  int apart = 0;
  for (int set = 0; set < SETS; set++) {
    double size = set % 2 ? 1 : pow(2, set % 40), one[COUNT], other[COUNT], exact[COUNT];
    for (int i = 0; i < COUNT; i++) {
      exact[i] = i == 0 ? size : i == 1 ? 0 : i == 2 ? 0x1p-28 * (2 * set + 1) : size * random_between(&stream, -1, 1);
      one[i] = exact[i] + size * random_between(&stream, -2e-16, 2e-16);
      other[i] = exact[i] + size * random_between(&stream, -2e-16, 2e-16);
    }
    settle_values(COUNT, one);
    settle_values(COUNT, other);
    for (int i = 0; i < COUNT; i++) assert_near(one[i], exact[i], 0x1.2p-28 * size);
    assert_true(one[0] == size && one[1] == 0);
    for (int i = 0; i < COUNT; i++) assert_true(fmod(one[i], 0x1p-27 * size) == 0); /* no more bits than are said */
    apart += memcmp(one, other, sizeof one) != 0;
  }
  assert_true(apart <= 2);
}

/* Values far below the unit are nothing beside it; none is changed when one has no size. */
static void the_unit_is_the_least_size(void **state) {
  (void)state;
  double tiny[2] = {1e-12, -3e-10}, wild[2] = {0.1, (double)INFINITY};
  settle_values(2, tiny);
  assert_true(tiny[0] == 0 && tiny[1] == 0);
  settle_values(2, wild);
  assert_true(wild[0] == 0.1 && isinf(wild[1]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_lose_their_last_bits),
      cmocka_unit_test(values_lose_what_rounding_makes),
      cmocka_unit_test(the_unit_is_the_least_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
