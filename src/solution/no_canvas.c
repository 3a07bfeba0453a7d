/* SPDX-License-Identifier: Apache-2.0
 *
 * no_canvas.c - in the place of canvas.c where cairo is missing: there is never a page, and drawing does nothing.
 */
#include "solution/canvas.h"

ans_status canvas_new(ans_context *context, const char *path, double width, double height, canvas **result) {
  (void)path, (void)width, (void)height;
  *result = NULL;
  FAIL(context, ANS_UNSUPPORTED, "this program was built without figures: they need cairo when it is built");
}

ans_status canvas_finish(ans_context *context, canvas *canvas) {
  (void)context, (void)canvas;
  return ANS_OK;
}

void canvas_drop(canvas *canvas) { (void)canvas; }

void canvas_line(canvas *canvas, double x0, double y0, double x1, double y1, canvas_pen pen) {
  (void)canvas, (void)x0, (void)y0, (void)x1, (void)y1, (void)pen;
}

void canvas_polyline(canvas *canvas, int count, const double (*points)[2], canvas_pen pen) {
  (void)canvas, (void)count, (void)points, (void)pen;
}

void canvas_curve(canvas *canvas, double x0, double y0, double x1, double y1, double head, canvas_pen pen) {
  (void)canvas, (void)x0, (void)y0, (void)x1, (void)y1, (void)head, (void)pen;
}

void canvas_arrow(canvas *canvas, double x0, double y0, double x1, double y1, double head, canvas_pen pen) {
  (void)canvas, (void)x0, (void)y0, (void)x1, (void)y1, (void)head, (void)pen;
}

void canvas_box(canvas *canvas, double x, double y, double width, double height, double radius, colour fill,
                canvas_pen pen) {
  (void)canvas, (void)x, (void)y, (void)width, (void)height, (void)radius, (void)fill, (void)pen;
}

void canvas_circle(canvas *canvas, double x, double y, double radius, colour fill, canvas_pen pen) {
  (void)canvas, (void)x, (void)y, (void)radius, (void)fill, (void)pen;
}

void canvas_polygon(canvas *canvas, int count, const double (*points)[2], colour fill, canvas_pen pen) {
  (void)canvas, (void)count, (void)points, (void)fill, (void)pen;
}

void canvas_image(canvas *canvas, double x, double y, double width, double height, int columns, int rows,
                  const uint8_t *rgb, bool smooth) {
  (void)canvas, (void)x, (void)y, (void)width, (void)height, (void)columns, (void)rows, (void)rgb, (void)smooth;
}

void canvas_clip(canvas *canvas, double x, double y, double width, double height) {
  (void)canvas, (void)x, (void)y, (void)width, (void)height;
}

void canvas_unclip(canvas *canvas) { (void)canvas; }

void canvas_text(canvas *canvas, double x, double y, const char *text, canvas_type type) {
  (void)canvas, (void)x, (void)y, (void)text, (void)type;
}

double canvas_text_width(canvas *canvas, const char *text, canvas_type type) {
  (void)canvas, (void)text, (void)type;
  return 0;
}

double canvas_type_width(const char *text, canvas_type type) {
  (void)text, (void)type;
  return 0;
}
