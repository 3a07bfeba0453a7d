/* SPDX-License-Identifier: Apache-2.0
 *
 * plot.c - the program's door to plots.
 */
#include "ansatz_tools.h"
#include "solution/plot_figure.h"

ans_status ans_plot_draw(ans_context *context, const ans_plot *plot, const char *path) {
  return plot_figure_draw(context, plot, path);
}
