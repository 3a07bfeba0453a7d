/* SPDX-License-Identifier: Apache-2.0
 *
 * plot_figure.h - lines and dots over two axes: loss curves, errors by arm, depth sensitivity, cost growth.
 */
#ifndef SOLUTION_PLOT_FIGURE_H
#define SOLUTION_PLOT_FIGURE_H

#include "ansatz_tools.h"
#include "base/base.h"

/* Draws one figure; see ans_plot in ansatz_tools.h. */
ans_status plot_figure_draw(ans_context *context, const ans_plot *plot, const char *path);

#endif
