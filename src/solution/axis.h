/* SPDX-License-Identifier: Apache-2.0
 *
 * axis.h - a scale along one edge of a figure: from data to points on the page, ticks and their labels.
 */
#ifndef SOLUTION_AXIS_H
#define SOLUTION_AXIS_H

#include "solution/canvas.h"

enum { AXIS_MAX_TICKS = 16 };

typedef struct axis {
  double low, high;  /* in data; low < high */
  double start, end; /* on the page; start belongs to low (an upward axis has start > end) */
  bool logarithmic;
  int tick_count;
  double ticks[AXIS_MAX_TICKS];
  char labels[AXIS_MAX_TICKS][24]; /* with marks for canvas_text: "10^{-3}" */
} axis;

/* Chooses about `wanted` round ticks inside the range. A range without width is widened; a logarithmic range must be
 * positive. */
axis axis_new(double low, double high, bool logarithmic, double start, double end, int wanted);
double axis_place(const axis *axis, double value);

/* Ticks and labels below (horizontal) or left of (vertical) a frame, whose other coordinate is `at`. */
void axis_draw_below(canvas *canvas, const axis *axis, double at, const char *title);
void axis_draw_left(canvas *canvas, const axis *axis, double at, const char *title);
void axis_draw_right(canvas *canvas, const axis *axis, double at, const char *title);

#endif
