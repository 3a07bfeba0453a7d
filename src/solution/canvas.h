/* SPDX-License-Identifier: Apache-2.0
 *
 * canvas.h - a page to draw on: SVG, PDF or PNG by the path's extension. The only door to cairo.
 *
 * Lengths are points (1/72 inch), the origin is the top left corner, y grows downward. Drawing calls cannot fail;
 * canvas_finish reports what went wrong. The file appears whole when canvas_finish succeeds, else not at all.
 */
#ifndef SOLUTION_CANVAS_H
#define SOLUTION_CANVAS_H

#include "base/base.h"
#include "solution/colour.h"

typedef struct canvas canvas;

/* A white page. PNG has two pixels per point. */
ans_status canvas_new(ans_context *context, const char *path, double width, double height, canvas **result);
ans_status canvas_finish(ans_context *context, canvas *canvas); /* writes the file and frees the canvas either way */
void canvas_drop(canvas *canvas);                               /* frees, writes nothing; accepts NULL */

/* How a line looks. Width 0: no line. dash: length of strokes and gaps, 0: solid. */
typedef struct canvas_pen {
  colour colour;
  double width, dash;
} canvas_pen;

void canvas_line(canvas *canvas, double x0, double y0, double x1, double y1, canvas_pen pen);
/* points: [count][2]; a point that is not finite interrupts the line. */
void canvas_polyline(canvas *canvas, int count, const double (*points)[2], canvas_pen pen);
/* From (x0, y0) to (x1, y1), leaving and arriving horizontally, with an arrow head of the given length (0: none). */
void canvas_curve(canvas *canvas, double x0, double y0, double x1, double y1, double head, canvas_pen pen);
void canvas_arrow(canvas *canvas, double x0, double y0, double x1, double y1, double head, canvas_pen pen);

/* Filled (alpha 0: not) and outlined (width 0: not). radius: of the corners. */
void canvas_box(canvas *canvas, double x, double y, double width, double height, double radius, colour fill,
                canvas_pen pen);
void canvas_circle(canvas *canvas, double x, double y, double radius, colour fill, canvas_pen pen);
void canvas_polygon(canvas *canvas, int count, const double (*points)[2], colour fill, canvas_pen pen);

/* Pixels (RGB, row 0 at the top) stretched over a rectangle; smooth: interpolated, else sharp squares. */
void canvas_image(canvas *canvas, double x, double y, double width, double height, int columns, int rows,
                  const uint8_t *rgb, bool smooth);

/* Drawing outside the rectangle has no effect until the matching canvas_unclip. Nests. */
void canvas_clip(canvas *canvas, double x, double y, double width, double height);
void canvas_unclip(canvas *canvas);

typedef enum canvas_anchor { CANVAS_LEFT, CANVAS_CENTRE, CANVAS_RIGHT } canvas_anchor;

/* How text looks. UTF-8, one line. With `marks`, u_xx and u^2 and 10^{-3} are set as sub- and superscripts:
 * a mark takes the letters and digits that follow, or what stands in braces. */
typedef struct canvas_type {
  double size; /* of the letters, in points */
  canvas_anchor anchor;
  double rotation; /* degrees, counter-clockwise */
  colour colour;
  bool bold, italic, marks;
} canvas_type;

/* (x, y) is the anchor on the middle line of the letters: a label beside a tick needs no shift. */
void canvas_text(canvas *canvas, double x, double y, const char *text, canvas_type type);
double canvas_text_width(canvas *canvas, const char *text, canvas_type type);
double canvas_type_width(const char *text, canvas_type type); /* before there is a page, to choose its size */

#endif
