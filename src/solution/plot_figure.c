/* SPDX-License-Identifier: Apache-2.0 */
#include "solution/plot_figure.h"

#include <math.h>
#include <string.h>

#include "solution/axis.h"

enum { WIDTH = 400, HEIGHT = 270, LEFT = 62, RIGHT = 14, TOP = 34, BOTTOM = 44 };

/* The range of all finite numbers (positive ones on a logarithmic axis), a little widened. */
typedef struct range {
  double low, high;
} range;

static void include(range *range, double value, bool logarithmic) {
  if (!isfinite(value) || (logarithmic && !(value > 0))) return;
  range->low = fmin(range->low, value);
  range->high = fmax(range->high, value);
}

static range range_of(const ans_plot *plot, bool horizontal) {
  bool logarithmic = horizontal ? plot->log_x : plot->log_y;
  range range = {INFINITY, -INFINITY};
  for (size_t s = 0; s < plot->series_count; s++) {
    const ans_series *series = &plot->series[s];
    for (size_t i = 0; i < series->count; i++) {
      double spread = !horizontal && series->spread && isfinite(series->spread[i]) ? series->spread[i] : 0;
      double value = horizontal ? series->x[i] : series->y[i];
      include(&range, value - spread, logarithmic);
      include(&range, value + spread, logarithmic);
    }
  }
  if (!(range.low <= range.high)) range.low = logarithmic ? 0.1 : 0, range.high = 1;
  if (logarithmic) {
    double margin = pow(range.high / range.low, 0.04);
    range.low /= margin > 1 ? margin : 1.2;
    range.high *= margin > 1 ? margin : 1.2;
  } else if (range.high > range.low) {
    double margin = 0.05 * (range.high - range.low);
    range.low -= margin;
    range.high += margin;
  }
  return range;
}

/* Named places along the horizontal axis instead of numbers: 0, 1, 2, ... */
static void name_ticks(axis *axis, const ans_plot *plot) {
  axis->tick_count = 0;
  for (size_t i = 0; i < plot->category_count && i < AXIS_MAX_TICKS; i++) {
    axis->ticks[axis->tick_count] = (double)i;
    strncpy(axis->labels[axis->tick_count], plot->categories[i], sizeof axis->labels[0] - 1);
    axis->labels[axis->tick_count++][sizeof axis->labels[0] - 1] = '\0';
  }
}

static void draw_spread(canvas *canvas, const ans_series *series, size_t i, const axis *x, const axis *y,
                        canvas_pen pen) {
  double at = axis_place(x, series->x[i]), low = series->y[i] - series->spread[i],
         high = series->y[i] + series->spread[i];
  if (!isfinite(low + high) || (y->logarithmic && !(low > 0))) return;
  double bottom = axis_place(y, low), top = axis_place(y, high);
  canvas_line(canvas, at, bottom, at, top, pen);
  canvas_line(canvas, at - 3, bottom, at + 3, bottom, pen);
  canvas_line(canvas, at - 3, top, at + 3, top, pen);
}

static void draw_line(canvas *canvas, const ans_series *series, const axis *x, const axis *y, canvas_pen pen) {
  for (size_t i = 1; i < series->count; i++) {
    double points[2][2] = {{axis_place(x, series->x[i - 1]), axis_place(y, series->y[i - 1])},
                           {axis_place(x, series->x[i]), axis_place(y, series->y[i])}};
    canvas_polyline(canvas, 2, (const double(*)[2])points, pen);
  }
}

static void draw_series(canvas *canvas, const ans_series *series, colour tint, const axis *x, const axis *y) {
  canvas_pen pen = {tint, series->bold ? 1.8 : 0.9, 0};
  if (series->line) draw_line(canvas, series, x, y, pen);
  for (size_t i = 0; i < series->count; i++) {
    double px = axis_place(x, series->x[i]), py = axis_place(y, series->y[i]);
    if (!isfinite(px + py)) continue;
    if (series->spread) draw_spread(canvas, series, i, x, y, pen);
    if (series->dots)
      canvas_circle(canvas, px, py, series->bold ? 3.6 : 2.2, tint, (canvas_pen){colour_grey(1), 0.5, 0});
  }
}

static void draw_legend(canvas *canvas, const ans_plot *plot) {
  canvas_type type = {.size = 7.5, .anchor = CANVAS_LEFT, .colour = colour_grey(0.15), .marks = true};
  double y = TOP + 10;
  for (size_t s = 0; s < plot->series_count; s++) {
    if (!plot->series[s].label) continue;
    double width = canvas_text_width(canvas, plot->series[s].label, type), x = WIDTH - RIGHT - 10 - width;
    canvas_line(canvas, x - 18, y, x - 5, y, (canvas_pen){colour_category(plot->series[s].colour), 1.8, 0});
    canvas_text(canvas, x, y, plot->series[s].label, type);
    y += 11;
  }
}

static void draw_grid(canvas *canvas, const axis *x, const axis *y) {
  canvas_pen pen = {colour_grey(0.9), 0.5, 0};
  for (int i = 0; i < y->tick_count; i++) {
    double at = axis_place(y, y->ticks[i]);
    canvas_line(canvas, x->start, at, x->end, at, pen);
  }
  canvas_box(canvas, x->start, y->end, x->end - x->start, y->start - y->end, 0, (colour){0},
             (canvas_pen){colour_grey(0.35), 0.7, 0});
}

ans_status plot_figure_draw(ans_context *context, const ans_plot *plot, const char *path) {
  canvas *canvas;
  TRY(canvas_new(context, path, WIDTH, HEIGHT, &canvas));
  range across = range_of(plot, true), up = range_of(plot, false);
  if (plot->category_count) across = (range){-0.5, (double)plot->category_count - 0.5};
  axis x = axis_new(across.low, across.high, plot->log_x, LEFT, WIDTH - RIGHT, 6);
  axis y = axis_new(up.low, up.high, plot->log_y, HEIGHT - BOTTOM, TOP, 5);
  if (plot->category_count) name_ticks(&x, plot);
  draw_grid(canvas, &x, &y);
  canvas_clip(canvas, LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
  for (size_t s = 0; s < plot->series_count; s++)
    draw_series(canvas, &plot->series[s], colour_category(plot->series[s].colour), &x, &y);
  canvas_unclip(canvas);
  axis_draw_below(canvas, &x, HEIGHT - BOTTOM, plot->x_title);
  axis_draw_left(canvas, &y, LEFT, plot->y_title);
  draw_legend(canvas, plot);
  canvas_text(canvas, 0.5 * WIDTH, 16, plot->title,
              (canvas_type){.size = 10.5, .anchor = CANVAS_CENTRE, .colour = colour_grey(0.1), .bold = true});
  return canvas_finish(context, canvas);
}
