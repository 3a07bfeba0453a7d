/* SPDX-License-Identifier: Apache-2.0 */
#include "fit/fit_figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solution/field_map.h"
#include "solution/plot_figure.h"

/* Lengths in points. */
enum { LEFT = 40, TOP = 38, WIDTH = 220, HEIGHT = 150, BELOW = 30, BAR_GAP = 5, BAR_WIDTH = 7, BAR_LABELS = 34 };
static const double PITCH = LEFT + WIDTH + BAR_GAP + BAR_WIDTH + BAR_LABELS;

/* ---- Maps ------------------------------------------------------------------------------------------------ */

typedef struct panel {
  const ans_fit *fit;
  const field_map *map;
  map_scale scale;
  double x, y;
} panel;

static double part_of(const double *nodes, int size, double at) {
  return (at - nodes[0]) / (nodes[size - 1] - nodes[0]);
}

/* Where a point lies on the panel. */
static void place_point(const panel *p, const double *point, double *x, double *y) {
  const ans_problem *problem = p->fit->problem;
  *x = p->x + WIDTH * part_of(p->map->first, p->map->first_size, point[solution_coordinate(problem, 0)]);
  *y = p->y + HEIGHT * (1 - part_of(p->map->second, p->map->second_size, point[solution_coordinate(problem, 1)]));
}

static void draw_discs(canvas *canvas, const panel *p, int field) {
  const measurements *data = p->fit->data;
  for (size_t i = 0; i < data->value_count; i++) {
    if (data->values[i].field != (uint32_t)field) continue;
    double x, y, part = (data->values[i].value - p->scale.low) / (p->scale.high - p->scale.low);
    place_point(p, data->points + (size_t)data->values[i].point * (size_t)data->coordinate_count, &x, &y);
    canvas_circle(canvas, x, y, 1.8, colour_at(p->scale.colours, part), (canvas_pen){colour_grey(0), 0.4, 0});
  }
}

static void draw_next(canvas *canvas, const panel *p, int field, const ans_fit_place *next, size_t count) {
  for (size_t i = 0; i < count; i++) {
    double x, y;
    if (next[i].field != (size_t)field) continue;
    place_point(p, next[i].point, &x, &y);
    double corners[4][2] = {{x - 3.4, y}, {x, y - 3.4}, {x + 3.4, y}, {x, y + 3.4}};
    canvas_polygon(canvas, 4, (const double(*)[2])corners, colour_grey(1), (canvas_pen){colour_grey(0), 0.8, 0});
  }
}

static ans_status draw_maps(ans_context *context, canvas *canvas, const ans_fit *fit, const ans_solution *solution,
                            const ans_fit_place *next, size_t next_count, bool rainbow) {
  int column = 0;
  for (int f = 0; f < solution->field_count; f++) {
    if (measurements_of(fit->data, f) == 0) continue;
    field_map map = field_map_of(solution, f);
    panel p = {.fit = fit, .map = &map, .x = LEFT + column++ * PITCH, .y = TOP};
    p.scale = field_map_scale(&map, NULL, rainbow);
    TRY(field_map_draw(context, canvas, &map, p.scale, p.x, p.y, WIDTH, HEIGHT,
                       field_map_name(solution->field_names[f]), true));
    field_map_bar(canvas, p.scale, p.x + WIDTH + BAR_GAP, p.y, BAR_WIDTH, HEIGHT);
    draw_discs(canvas, &p, f);
    draw_next(canvas, &p, f, next, next_count);
  }
  return ANS_OK;
}

static ans_status maps_page(ans_context *context, const ans_fit *fit, const ans_solution *solution,
                            const ans_fit_place *next, size_t next_count, ans_figure figure) {
  int columns = 0;
  canvas *canvas;
  for (int f = 0; f < solution->field_count; f++) columns += measurements_of(fit->data, f) > 0;
  TRY(canvas_new(context, figure.path, columns * PITCH, TOP + HEIGHT + BELOW, &canvas));
  canvas_text(canvas, columns * PITCH / 2, 13, figure.title,
              (canvas_type){.size = 10, .anchor = CANVAS_CENTRE, .colour = colour_grey(0), .bold = true});
  ans_status status = draw_maps(context, canvas, fit, solution, next, next_count, figure.rainbow);
  if (status == ANS_OK) return canvas_finish(context, canvas);
  canvas_drop(canvas);
  return status;
}

/* ---- Lines and dots -------------------------------------------------------------------------------------- */

/* x, y <- the measured values of a field over their coordinate, or (fitted) over the fitted ones. */
static size_t take_dots(const ans_fit *fit, int field, bool fitted, double *x, double *y) {
  size_t count = 0;
  for (size_t i = 0; i < fit->data->value_count; i++) {
    const measured_value *v = &fit->data->values[i];
    if (v->field != (uint32_t)field) continue;
    x[count] = fitted ? fit->search.predicted[i] : fit->data->points[(size_t)v->point];
    y[count++] = v->value;
  }
  return count;
}

static ans_status draw_plot(ans_context *context, const ans_fit *fit, const ans_solution *solution, ans_figure figure) {
  bool lines = solution->coordinate_count == 1;
  ans_series series[2 * SYSTEM_MAX_FIELDS];
  size_t count = 0, used = 0;
  double *room = memory_take(size_product(2 * fit->data->value_count, sizeof *room));
  if (!room) return context_no_memory(context);
  for (int f = 0; f < solution->field_count; f++) {
    double *x = room + used, *y = room + fit->data->value_count + used;
    size_t dots = take_dots(fit, f, !lines, x, y);
    used += dots;
    if (dots == 0) continue;
    if (lines)
      series[count++] = (ans_series){.label = solution->field_names[f],
                                     .count = solution->point_count,
                                     .x = solution->axes[0],
                                     .y = solution->values[f],
                                     .colour = f,
                                     .line = true};
    series[count++] = (ans_series){
        .label = lines ? NULL : solution->field_names[f], .count = dots, .x = x, .y = y, .colour = f, .dots = true};
  }
  ans_plot plot = {.title = figure.title,
                   .x_title = lines ? solution->coordinate_names[0] : "fitted",
                   .y_title = lines ? "" : "measured",
                   .series_count = count,
                   .series = series};
  ans_status status = plot_figure_draw(context, &plot, figure.path);
  memory_give(room);
  return status;
}

ans_status fit_figure_draw(ans_context *context, const ans_fit *fit, const ans_solution *solution,
                           const ans_fit_place *next, size_t next_count, ans_figure figure) {
  return solution->coordinate_count == 2 ? maps_page(context, fit, solution, next, next_count, figure)
                                         : draw_plot(context, fit, solution, figure);
}
