/* SPDX-License-Identifier: Apache-2.0 */
#include "solution/field_figure.h"

#include <math.h>
#include <stdio.h>

#include "solution/field_map.h"
#include "solution/plot_figure.h"

/* Lengths in points: a comparison of three maps is as wide as a page's text, one map as a column of two-column paper.
 */
enum {
  LEFT = 40,
  TOP = 38,
  PANEL_WIDTH = 112,
  PANEL_HEIGHT = 86,
  GAP = 26,
  BELOW = 30,
  BAR_GAP = 5,
  BAR_WIDTH = 7,
  BAR_LABELS = 30
};
enum { MAPS_PER_ROW = 3, CLOSER = 8 /* a bar's labels leave part of the gap free */ };
static const double bar_room = BAR_GAP + BAR_WIDTH + BAR_LABELS;

/* A long title is set smaller, so that it stays on the page. */
static void draw_title(canvas *canvas, double width, const char *title) {
  canvas_type type = {.size = 10, .anchor = CANVAS_CENTRE, .colour = colour_grey(0), .bold = true};
  double length = canvas_text_width(canvas, title, type), room = width - 8;
  if (length > room) type.size *= room / length;
  canvas_text(canvas, width / 2, 13, title, type);
}

/* Draws through `draw` and leaves the file only when all went well. */
typedef ans_status page_drawer(ans_context *context, canvas *canvas, const void *what);

static ans_status draw_page(ans_context *context, ans_figure figure, double width, double height, page_drawer *draw,
                            const void *what) {
  canvas *canvas;
  TRY(canvas_new(context, figure.path, width, height, &canvas));
  draw_title(canvas, width, figure.title);
  ans_status status = draw(context, canvas, what);
  if (status == ANS_OK) return canvas_finish(context, canvas);
  canvas_drop(canvas);
  return status;
}

/* A map shows the last two axes; the others are at their last node, which the title tells. */
static void tell_slice(const ans_solution *solution, const char *title, char *text, size_t room) {
  int used = snprintf(text, room, "%s", title);
  for (int axis = 0; axis + 2 < solution->coordinate_count && used >= 0 && (size_t)used < room; axis++)
    used += snprintf(text + used, room - (size_t)used, "%s%s = %.4g", axis ? ", " : " at ",
                     solution->coordinate_names[axis], solution->axes[axis][solution->axis_sizes[axis] - 1]);
}

/* ---- Fields alone ------------------------------------------------------------------------------------ */

static ans_status draw_lines(ans_context *context, const ans_solution *solution, ans_figure figure) {
  ans_series series[SYSTEM_MAX_FIELDS];
  for (int f = 0; f < solution->field_count; f++)
    series[f] = (ans_series){.label = solution->field_names[f],
                             .count = solution->point_count,
                             .x = solution->axes[0],
                             .y = solution->values[f],
                             .colour = f,
                             .line = true};
  ans_plot plot = {.title = figure.title,
                   .x_title = solution->coordinate_names[0],
                   .y_title = solution->field_count == 1 ? solution->field_names[0] : "",
                   .series_count = (size_t)solution->field_count,
                   .series = series};
  return plot_figure_draw(context, &plot, figure.path);
}

/* A single map is as wide as a column; several share the page. */
typedef struct map_layout {
  int columns, rows;
  double panel_width, panel_height, pitch, row_height;
} map_layout;

static map_layout layout_of(int fields) {
  map_layout layout = {.columns = fields < MAPS_PER_ROW ? fields : MAPS_PER_ROW,
                       .rows = (fields + MAPS_PER_ROW - 1) / MAPS_PER_ROW,
                       .panel_width = fields == 1 ? 1.4 * PANEL_WIDTH : PANEL_WIDTH,
                       .panel_height = fields == 1 ? 1.3 * PANEL_HEIGHT : PANEL_HEIGHT};
  layout.pitch = LEFT + layout.panel_width + bar_room;
  layout.row_height = layout.panel_height + TOP + BELOW;
  return layout;
}

typedef struct maps {
  const ans_solution *solution;
  bool rainbow;
} maps;

static ans_status draw_maps(ans_context *context, canvas *canvas, const void *what) {
  const maps *maps = what;
  const ans_solution *solution = maps->solution;
  map_layout l = layout_of(solution->field_count);
  for (int f = 0; f < solution->field_count; f++) {
    field_map map = field_map_of(solution, f);
    map_scale scale = field_map_scale(&map, NULL, maps->rainbow);
    double x = LEFT + (f % MAPS_PER_ROW) * l.pitch, y = TOP + (f / MAPS_PER_ROW) * l.row_height;
    TRY(field_map_draw(context, canvas, &map, scale, x, y, l.panel_width, l.panel_height,
                       field_map_name(solution->field_names[f]), true));
    field_map_bar(canvas, scale, x + l.panel_width + BAR_GAP, y, BAR_WIDTH, l.panel_height);
  }
  return ANS_OK;
}

ans_status field_figure_draw(ans_context *context, const ans_solution *solution, ans_figure figure) {
  if (solution->coordinate_count == 1) return draw_lines(context, solution, figure);
  char title[512];
  tell_slice(solution, figure.title, title, sizeof title);
  figure.title = title;
  map_layout l = layout_of(solution->field_count);
  maps maps = {solution, figure.rainbow};
  return draw_page(context, figure, l.columns * l.pitch, l.rows * l.row_height, draw_maps, &maps);
}

/* ---- A prediction beside its reference --------------------------------------------------------------- */

typedef struct comparison {
  const ans_solution *prediction, *reference;
  double errors[SYSTEM_MAX_FIELDS];
  bool rainbow, estimated;
} comparison;

static ans_status draw_row(ans_context *context, canvas *canvas, const comparison *c, int field) {
  field_map prediction = field_map_of(c->prediction, field), reference = field_map_of(c->reference, field),
            error = prediction;
  error.subtract = reference.values;
  map_scale scale = field_map_scale(&reference, &prediction, c->rainbow);
  map_scale error_scale = field_map_scale(&error, NULL, c->rainbow);
  double y = TOP + field * (PANEL_HEIGHT + TOP + BELOW - 14), x = LEFT;
  const char *name = field_map_name(c->reference->field_names[field]);
  char title[160];
  snprintf(title, sizeof title, "%s, prediction", name);
  TRY(field_map_draw(context, canvas, &prediction, scale, x, y, PANEL_WIDTH, PANEL_HEIGHT, title, true));
  x += PANEL_WIDTH + GAP;
  snprintf(title, sizeof title, "%s, %s", name, c->estimated ? "corrected" : "reference");
  TRY(field_map_draw(context, canvas, &reference, scale, x, y, PANEL_WIDTH, PANEL_HEIGHT, title, false));
  field_map_bar(canvas, scale, x + PANEL_WIDTH + BAR_GAP, y, BAR_WIDTH, PANEL_HEIGHT);
  x += PANEL_WIDTH + bar_room + GAP - CLOSER;
  snprintf(title, sizeof title, "|%serror|, relative L2 %.2g", c->estimated ? "estimated " : "", c->errors[field]);
  TRY(field_map_draw(context, canvas, &error, error_scale, x, y, PANEL_WIDTH, PANEL_HEIGHT, title, false));
  field_map_bar(canvas, error_scale, x + PANEL_WIDTH + BAR_GAP, y, BAR_WIDTH, PANEL_HEIGHT);
  return ANS_OK;
}

static ans_status draw_rows(ans_context *context, canvas *canvas, const void *what) {
  const comparison *c = what;
  for (int f = 0; f < c->reference->field_count; f++) TRY(draw_row(context, canvas, c, f));
  return ANS_OK;
}

static ans_status compare_lines(ans_context *context, const comparison *c, ans_figure figure) {
  ans_series series[2 * SYSTEM_MAX_FIELDS];
  char labels[2 * SYSTEM_MAX_FIELDS][80];
  int count = 0;
  for (int f = 0; f < c->reference->field_count; f++)
    for (int which = 0; which < 2; which++, count++) {
      const ans_solution *s = which ? c->prediction : c->reference;
      snprintf(labels[count], sizeof labels[count], "%s, %s", s->field_names[f],
               which          ? "prediction"
               : c->estimated ? "corrected"
                              : "reference");
      series[count] = (ans_series){.label = labels[count],
                                   .count = s->point_count,
                                   .x = s->axes[0],
                                   .y = s->values[f],
                                   .colour = count,
                                   .line = true,
                                   .bold = which == 0};
    }
  ans_plot plot = {.title = figure.title,
                   .x_title = c->reference->coordinate_names[0],
                   .y_title = "",
                   .series_count = (size_t)count,
                   .series = series};
  return plot_figure_draw(context, &plot, figure.path);
}

ans_status comparison_figure_draw(ans_context *context, const ans_solution *prediction, const ans_solution *reference,
                                  ans_figure figure) {
  comparison c = {
      .prediction = prediction, .reference = reference, .rainbow = figure.rainbow, .estimated = figure.estimated};
  TRY(solution_compare(context, prediction, reference, c.errors));
  if (reference->coordinate_count == 1) return compare_lines(context, &c, figure);
  char title[512];
  tell_slice(reference, figure.title, title, sizeof title);
  figure.title = title;
  double width = LEFT + 3 * PANEL_WIDTH + 2 * GAP - CLOSER + 2 * bar_room + 4;
  double height = reference->field_count * (PANEL_HEIGHT + TOP + BELOW - 14) + 14;
  return draw_page(context, figure, width, height, draw_rows, &c);
}

/* ---- Errors side by side ------------------------------------------------------------------------------ */

typedef struct error_page {
  const ans_error_maps *maps;
  bool rainbow;
} error_page;

static const double error_row = PANEL_HEIGHT + TOP + BELOW - 14;

static field_map error_map_at(const ans_error_maps *maps, size_t row, size_t column) {
  return (field_map){.values = maps->values[row * maps->column_count + column],
                     .first_size = (int)maps->sizes[0],
                     .second_size = (int)maps->sizes[1],
                     .first = maps->axes[0],
                     .second = maps->axes[1],
                     .first_name = maps->axis_names[0],
                     .second_name = maps->axis_names[1]};
}

/* From zero to the largest of the row. */
static map_scale error_scale_of(const error_page *page, size_t row) {
  size_t points = page->maps->sizes[0] * page->maps->sizes[1];
  double high = 0;
  for (size_t column = 0; column < page->maps->column_count; column++)
    for (size_t i = 0; i < points; i++)
      high = fmax(high, page->maps->values[row * page->maps->column_count + column][i]);
  return (map_scale){page->rainbow ? COLOUR_RAINBOW : COLOUR_HEAT, 0, high > 0 ? high : 1};
}

static ans_status draw_errors(ans_context *context, canvas *canvas, const void *what) {
  const error_page *page = what;
  for (size_t row = 0; row < page->maps->row_count; row++) {
    map_scale scale = error_scale_of(page, row);
    double x = LEFT, y = TOP + (double)row * error_row;
    for (size_t column = 0; column < page->maps->column_count; column++, x += PANEL_WIDTH + GAP) {
      field_map map = error_map_at(page->maps, row, column);
      char title[160];
      snprintf(title, sizeof title, "%s, %s", field_map_name(page->maps->rows[row]), page->maps->columns[column]);
      TRY(field_map_draw(context, canvas, &map, scale, x, y, PANEL_WIDTH, PANEL_HEIGHT, title, column == 0));
    }
    field_map_bar(canvas, scale, x - GAP + BAR_GAP, y, BAR_WIDTH, PANEL_HEIGHT);
  }
  return ANS_OK;
}

ans_status error_maps_draw(ans_context *context, const ans_error_maps *maps, ans_figure figure) {
  FAIL_IF(maps->row_count == 0 || maps->column_count == 0 || maps->sizes[0] == 0 || maps->sizes[1] == 0, context,
          ANS_MEANING, "a figure of errors needs a field, an answer and a grid");
  error_page page = {maps, figure.rainbow};
  double width = LEFT + (double)maps->column_count * (PANEL_WIDTH + GAP) - GAP + bar_room + 4;
  return draw_page(context, figure, width, (double)maps->row_count * error_row + 14, draw_errors, &page);
}
