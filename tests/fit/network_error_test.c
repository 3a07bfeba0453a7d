/* SPDX-License-Identifier: Apache-2.0
 *
 * network_error_test.c - whether the grid on which a network's error is kept can hold it. The source is compiled here,
 * since a network with such an error takes seconds to make.
 */
#include "check.h"

#include "fit/network_error.c"

/* The slope of a front of this width that drifts, on the lattice. */
static bool front_is_resolved(double width) {
  static double values[ERROR_TIMES * ERROR_PLACES];
  network_error e = {.values = {values}};
  e.lattice = (lattice){.axis_count = 2, .axes = {{.size = ERROR_TIMES}, {.size = ERROR_PLACES}}};
  for (int k = 0; k < ERROR_TIMES; k++)
    for (int i = 0; i < ERROR_PLACES; i++) {
      double x = (double)i / (ERROR_PLACES - 1) - 0.4 - 0.2 * k / (ERROR_TIMES - 1),
             c = cosh(fmin(fabs(x) / width, 300));
      values[k * ERROR_PLACES + i] = 1 / (c * c);
    }
  return is_resolved(&e, 0);
}

static void fronts_thinner_than_the_grid_are_not_resolved(void **state) {
  (void)state;
  assert_true(front_is_resolved(0.2));
  assert_true(front_is_resolved(0.03));
  assert_false(front_is_resolved(0.008)); /* the distance of two places */
  assert_false(front_is_resolved(0.001));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(fronts_thinner_than_the_grid_are_not_resolved)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
