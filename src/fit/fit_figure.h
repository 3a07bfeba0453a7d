/* SPDX-License-Identifier: Apache-2.0
 *
 * fit_figure.h - a fitted field with the data that it was fitted to.
 */
#ifndef FIT_FIT_FIGURE_H
#define FIT_FIT_FIGURE_H

#include "ansatz_tools.h"
#include "fit/fit.h"
#include "solution/solution.h"

/* Two coordinates: maps of the measured fields, with a disc of the measured value's colour at every point and a white
 * diamond at every next place. One: lines and dots. More: measured over fitted values. */
ans_status fit_figure_draw(ans_context *context, const ans_fit *fit, const ans_solution *solution,
                           const ans_fit_place *next, size_t next_count, ans_figure figure);

#endif
