/* SPDX-License-Identifier: Apache-2.0
 *
 * report_figure_test.c - what a report's figure shows: every seed, the mean and the deviation of every arm, and a
 * legend that names each kind once. The source is compiled here and hands its plot to this test instead of drawing it.
 */
#include "check.h"

#include "ansatz_tools.h"

static void look_at(const ans_plot *plot);

static ans_status look(ans_context *context, const ans_plot *plot, const char *path) {
  (void)context, (void)path;
  look_at(plot);
  return ANS_OK;
}

#define ans_plot_draw look
#include "lab/report_figure.c"

/* Two arms: three seeds of the first, two of the second. */
static const cell cells[] = {{.over = {.count = 3, .mean = 2, .deviation = 1}, .seeds = {1, 2, 3}},
                             {.over = {.count = 2, .mean = 5, .deviation = 0.5}, .seeds = {4.5, 5.5}}};
static experiment_table table = {.title = "a title", .unit = 0.001};
static int looks;

cell table_cell(const experiment_records *records, size_t arm, const experiment_table *asked) {
  assert_null(records);
  assert_ptr_equal(asked, &table);
  return cells[arm];
}

static void look_at(const ans_plot *plot) {
  looks++;
  assert_string_equal(plot->title, "a title");
  assert_string_equal(plot->y_title, table.unit == 1 ? "error" : "error / 0.001");
  assert_int_equal(plot->category_count, 2);
  assert_string_equal(plot->categories[1], "second");
  assert_int_equal(plot->series_count, 4);
  assert_string_equal(plot->series[0].label, "mean and deviation");
  assert_string_equal(plot->series[1].label, "seeds");
  for (size_t s = 2; s < 4; s++) assert_null(plot->series[s].label);
  for (size_t s = 0; s < 4; s++) {
    const ans_series *series = &plot->series[s];
    assert_int_equal(series->count, 2);
    assert_true(series->dots && series->bold == (s == 0) && (series->spread != NULL) == (s == 0));
    assert_int_equal(series->line, table.joined);
    for (size_t arm = 0; arm < 2; arm++) {
      assert_near(series->x[arm], (double)arm, 0);
      if (s > cells[arm].over.count)
        assert_true(isnan(series->y[arm]));
      else
        assert_near(series->y[arm], s ? cells[arm].seeds[s - 1] : cells[arm].over.mean, 0);
    }
  }
  assert_near(plot->series[0].spread[0], 1, 0);
  assert_near(plot->series[0].spread[1], 0.5, 0);
}

static void a_figure_shows_every_seed(void **state) {
  (void)state;
  static experiment two;
  two.arm_count = 2;
  two.arms[0].name = "first";
  two.arms[1].name = "second";
  assert_int_equal(report_figure(NULL, &two, NULL, &table, "unused"), ANS_OK);
  table.unit = 1;
  table.joined = true;
  assert_int_equal(report_figure(NULL, &two, NULL, &table, "unused"), ANS_OK);
  assert_int_equal(looks, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_figure_shows_every_seed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
