/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <unistd.h>

#include "ansatz_tools.h"
#include "base/file.h"
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

static int strokes_of(ans_context *context, const ans_plot *plot) {
  char path[] = "plot-test.svg", *text;
  size_t size;
  int count = 0;
  assert_ok(context, ans_plot_draw(context, plot, path));
  assert_ok(context, file_read(context, path, 1 << 24, &text, &size));
  unlink(path);
  for (const char *at = text; (at = strstr(at, "stroke-width")); at++) count++;
  memory_give(text);
  return count;
}

/* A series with a name has a line of its colour in the legend; one without has none. */
static void a_legend_has_a_line_for_each_name(void **state) {
  (void)state;
  ans_context *context = new_context();
  const double x[] = {0, 1, 2}, y[] = {1, 3, 2};
  ans_series series[2] = {{.count = 3, .x = x, .y = y, .line = true}, {.count = 3, .x = y, .y = x, .line = true}};
  ans_plot plot = {.title = "t", .x_title = "x", .y_title = "y", .series_count = 2, .series = series};
  int none = strokes_of(context, &plot);
  series[1].label = "one";
  assert_int_equal(strokes_of(context, &plot), none + 1);
  series[0].label = "another";
  assert_int_equal(strokes_of(context, &plot), none + 2);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ticks_are_round_and_inside),
      cmocka_unit_test(plots_survive_numbers_that_are_not_finite),
      cmocka_unit_test(a_legend_has_a_line_for_each_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
