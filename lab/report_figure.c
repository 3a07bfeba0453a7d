/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "ansatz_tools.h"
#include "report.h"

/* Every arm's seeds as dots, joined by seed where asked, and the mean with its deviation. */
ans_status report_figure(ans_context *context, const experiment *experiment, const experiment_records *records,
                         const experiment_table *table, const char *path) {
  static double xs[EXPERIMENT_MAX_SEEDS + 1][EXPERIMENT_MAX_ARMS], ys[EXPERIMENT_MAX_SEEDS + 1][EXPERIMENT_MAX_ARMS];
  double spread[EXPERIMENT_MAX_ARMS];
  ans_series series[EXPERIMENT_MAX_SEEDS + 1] = {0};
  const char *names[EXPERIMENT_MAX_ARMS];
  size_t rows = 0;
  for (size_t arm = 0; arm < experiment->arm_count; arm++) {
    cell cell = table_cell(records, arm, table);
    names[arm] = experiment->arms[arm].name;
    for (size_t s = 0; s <= EXPERIMENT_MAX_SEEDS; s++) {
      xs[s][arm] = (double)arm;
      ys[s][arm] = s == 0                 ? (cell.over.count ? cell.over.mean : nan(""))
                   : s <= cell.over.count ? cell.seeds[s - 1]
                                          : nan("");
    }
    spread[arm] = cell.over.count ? cell.over.deviation : nan("");
    if (cell.over.count > rows) rows = cell.over.count;
  }
  for (size_t s = 0; s <= rows; s++)
    series[s] = (ans_series){.label = s == 0   ? "mean and deviation"
                                      : s == 1 ? "seeds"
                                               : NULL,
                             .count = experiment->arm_count,
                             .x = xs[s],
                             .y = ys[s],
                             .spread = s == 0 ? spread : NULL,
                             .colour = s == 0 ? 1 : 0,
                             .line = table->joined,
                             .dots = true,
                             .bold = s == 0};
  char title[64];
  snprintf(title, sizeof title, table->unit == 1 ? "error" : "error / %g", table->unit);
  ans_plot plot = {.title = table->title,
                   .x_title = "",
                   .y_title = title,
                   .category_count = experiment->arm_count,
                   .categories = names,
                   .series_count = rows + 1,
                   .series = series};
  return ans_plot_draw(context, &plot, path);
}
