/* SPDX-License-Identifier: Apache-2.0 */
#include "solution/axis.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

/* 1, 2 or 5 times a power of ten, so that about `wanted` steps fit in the span. */
static double round_step(double span, int wanted) {
  assert(span > 0 && wanted > 0);
  double raw = span / wanted, power = pow(10, floor(log10(raw))), part = raw / power;
  return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

static void linear_ticks(axis *axis, int wanted) {
  double step = round_step(axis->high - axis->low, wanted), slack = 1e-9 * step;
  int decimals = (int)fmax(0, -floor(log10(step) + 1e-9));
  double largest = fmax(fabs(axis->low), fabs(axis->high));
  bool scientific = largest >= 1e5 || largest < 1e-3;
  for (double k = ceil((axis->low - slack) / step); k * step <= axis->high + slack && axis->tick_count < AXIS_MAX_TICKS;
       k++) {
    double value = k * step;
    axis->ticks[axis->tick_count] = value;
    char *label = axis->labels[axis->tick_count++];
    snprintf(label, sizeof axis->labels[0], scientific ? "%.*g" : "%.*f", scientific ? 3 : decimals,
             k == 0 ? 0.0 : value);
  }
}

/* Powers of ten; where fewer than two fit, also 2 and 5 times them. */
static void logarithmic_ticks(axis *axis, int wanted) {
  int first = (int)floor(log10(axis->low)), last = (int)ceil(log10(axis->high));
  int stride = (last - first) / (wanted + 1) + 1;
  const double fine[] = {1, 2, 5};
  int parts = log10(axis->high / axis->low) < 2 ? 3 : 1;
  for (int k = first; k <= last; k += stride)
    for (int part = 0; part < parts; part++) {
      double value = fine[part] * pow(10, k);
      if (value < axis->low * (1 - 1e-9) || value > axis->high * (1 + 1e-9) || axis->tick_count == AXIS_MAX_TICKS)
        continue;
      axis->ticks[axis->tick_count] = value;
      char *label = axis->labels[axis->tick_count++];
      if (part == 0)
        snprintf(label, sizeof axis->labels[0], "10^{%d}", k);
      else
        snprintf(label, sizeof axis->labels[0], "%g·10^{%d}", fine[part], k);
    }
}

axis axis_new(double low, double high, bool logarithmic, double start, double end, int wanted) {
  if (!(high > low)) {
    double width = low != 0 ? 0.05 * fabs(low) : 0.5;
    low -= width;
    high += width;
  }
  axis result = {.low = low, .high = high, .start = start, .end = end, .logarithmic = logarithmic};
  if (logarithmic)
    logarithmic_ticks(&result, wanted);
  else
    linear_ticks(&result, wanted);
  return result;
}

double axis_place(const axis *axis, double value) {
  assert(axis->high > axis->low);
  double part = axis->logarithmic ? log(value / axis->low) / log(axis->high / axis->low)
                                  : (value - axis->low) / (axis->high - axis->low);
  return axis->start + part * (axis->end - axis->start);
}

static const canvas_pen tick_pen = {.colour = {0.25, 0.25, 0.25, 1}, .width = 0.6};

static canvas_type label_type(canvas_anchor anchor) {
  return (canvas_type){.size = 7.5, .anchor = anchor, .colour = colour_grey(0.15), .marks = true};
}

void axis_draw_below(canvas *canvas, const axis *axis, double at, const char *title) {
  for (int i = 0; i < axis->tick_count; i++) {
    double x = axis_place(axis, axis->ticks[i]);
    canvas_line(canvas, x, at, x, at + 3, tick_pen);
    canvas_text(canvas, x, at + 9, axis->labels[i], label_type(CANVAS_CENTRE));
  }
  canvas_type type = label_type(CANVAS_CENTRE);
  type.size = 9;
  canvas_text(canvas, 0.5 * (axis->start + axis->end), at + 21, title, type);
}

/* Shared by both vertical sides: side is -1 on the left, 1 on the right. */
static void draw_beside(canvas *canvas, const axis *axis, double at, int side, const char *title) {
  double widest = 0;
  canvas_type type = label_type(side < 0 ? CANVAS_RIGHT : CANVAS_LEFT);
  for (int i = 0; i < axis->tick_count; i++) {
    double y = axis_place(axis, axis->ticks[i]);
    canvas_line(canvas, at, y, at + 3 * side, y, tick_pen);
    canvas_text(canvas, at + 5 * side, y, axis->labels[i], type);
    widest = fmax(widest, canvas_text_width(canvas, axis->labels[i], type));
  }
  type.size = 9;
  type.anchor = CANVAS_CENTRE;
  type.rotation = 90;
  canvas_text(canvas, at + side * (13 + widest), 0.5 * (axis->start + axis->end), title, type);
}

void axis_draw_left(canvas *canvas, const axis *axis, double at, const char *title) {
  draw_beside(canvas, axis, at, -1, title);
}

void axis_draw_right(canvas *canvas, const axis *axis, double at, const char *title) {
  draw_beside(canvas, axis, at, 1, title);
}
