/* SPDX-License-Identifier: Apache-2.0
 *
 * field_figure.h - a solution to look at: maps of the fields, and a prediction beside its reference.
 *
 * SVG, PDF or PNG by the path's extension; the file appears whole or not at all. Over one coordinate fields are
 * lines; over two, maps with time to the right; over more, maps of the last two coordinates at the end of the others.
 */
#ifndef SOLUTION_FIELD_FIGURE_H
#define SOLUTION_FIELD_FIGURE_H

#include "ansatz_tools.h"
#include "solution/solution.h"

ans_status field_figure_draw(ans_context *context, const ans_solution *solution, ans_figure figure);

/* One row per field: prediction, reference, absolute error with its relative L2 norm. The grids must agree. */
ans_status comparison_figure_draw(ans_context *context, const ans_solution *prediction, const ans_solution *reference,
                                  ans_figure figure);

/* One row per field, one column per answer. */
ans_status error_maps_draw(ans_context *context, const ans_error_maps *maps, ans_figure figure);

#endif
