/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <unistd.h>

#include "ansatz_tools.h"
#include "solution/axis.h"

static void ticks_are_round_and_inside(void **state) {
  (void)state;
  axis linear = axis_new(0.013, 0.97, false, 0, 100, 5);
  assert_int_equal(linear.tick_count, 4);
  assert_string_equal(linear.labels[0], "0.2");
  assert_near(axis_place(&linear, 0.97), 100, 1e-12);
  axis logarithmic = axis_new(1e-4, 1, true, 100, 0, 5);
  assert_int_equal(logarithmic.tick_count, 5);
  assert_string_equal(logarithmic.labels[0], "10^{-4}");
  assert_near(axis_place(&logarithmic, 1e-2), 50, 1e-9);
  axis flat = axis_new(3, 3, false, 0, 100, 5);
  assert_true(flat.low < 3 && flat.high > 3 && flat.tick_count > 0);
}

static void plots_survive_numbers_that_are_not_finite(void **state) {
  (void)state;
  ans_context *context = new_context();
  const double x[] = {0, 1, 2}, y[] = {1e-3, NAN, -1}, none[] = {NAN, INFINITY, 0};
  const ans_series series[] = {{.label = "a", .count = 3, .x = x, .y = y, .line = true, .dots = true},
                               {.count = 3, .x = x, .y = none, .spread = y, .dots = true, .bold = true}};
  const char *names[] = {"one", "two", "three"};
  ans_plot plot = {.title = "t", .x_title = "x", .y_title = "y", .log_y = true, .series_count = 2, .series = series};
  char path[] = "plot-test.svg";
  assert_ok(context, ans_plot_draw(context, &plot, path));
  assert_int_equal(access(path, R_OK), 0);
  plot.category_count = 3;
  plot.categories = names;
  assert_ok(context, ans_plot_draw(context, &plot, path));
  assert_int_equal(unlink(path), 0);
  assert_int_equal(ans_plot_draw(context, &plot, "no/such/folder/plot.svg"), ANS_FILE);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ticks_are_round_and_inside),
      cmocka_unit_test(plots_survive_numbers_that_are_not_finite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
