/* SPDX-License-Identifier: Apache-2.0
 *
 * ansatz_tools.h - what the program has beyond the library: references, field files, figures, benchmarks.
 *
 * These functions need FFTW, SUNDIALS, netCDF and cairo. They are linked into the program and not installed with the
 * library, so that a program that embeds libansatz needs none of them. The rules of ansatz.h hold here too.
 */
#ifndef ANSATZ_TOOLS_H
#define ANSATZ_TOOLS_H

#include <stdbool.h>

#include "ansatz.h"

/* ---- Files ------------------------------------------------------------------------------------------ */

/* Writes a file whole or not at all. */
ANS_MUST_USE ans_status ans_file_write(ans_context *context, const char *path, const void *bytes, size_t size);

/* ---- Spelling --------------------------------------------------------------------------------------- */

enum { ANS_SUGGESTION_BYTES = 96 };

/* "; did you mean 'show'?" with the name nearest to `word`, or "" when none is near. Returns `text`. */
const char *ans_suggestion(const char *word, const char *const *names, size_t count, char text[ANS_SUGGESTION_BYTES]);

/* ---- Graphs ----------------------------------------------------------------------------------------- */

/* The operator graph in four columns: fields, derivatives, terms, residuals. SVG, PDF or PNG by the extension. */
ANS_MUST_USE ans_status ans_graph_figure(ans_context *context, const ans_graph *graph, const ans_instance *instance,
                                         const char *path);

/* ---- Plots ------------------------------------------------------------------------------------------ */

/* One line or one row of dots. Points that are not finite are left out. */
typedef struct ans_series {
  const char *label; /* NULL: not in the legend */
  size_t count;
  const double *x, *y;
  const double *spread; /* half length of the whisker at each point; NULL: none */
  int colour;           /* of the colour-blind-safe palette, 0 to 7 */
  bool line, dots, bold;
} ans_series;

typedef struct ans_plot {
  const char *title, *x_title, *y_title;
  bool log_x, log_y;
  size_t category_count; /* when not 0, x = 0, 1, ... stand for these names */
  const char *const *categories;
  size_t series_count;
  const ans_series *series;
} ans_plot;

/* SVG, PDF or PNG by the path's extension; the file appears whole or not at all. */
ANS_MUST_USE ans_status ans_plot_draw(ans_context *context, const ans_plot *plot, const char *path);

#endif
