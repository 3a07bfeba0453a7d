/* SPDX-License-Identifier: Apache-2.0 */
#include "solution/graph_figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solution/canvas.h"
#include "solution/field_map.h"
#include "solution/graph_layout.h"

enum { COLUMNS = 4 };

static const char *const headings[COLUMNS] = {"fields", "derivatives", "terms", "residuals"};

static const double margin = 28, row = 25, gap = 11, padding = 11, least_width = 46, heading = 30, line = 14;

typedef struct figure {
  const ans_graph *graph;
  const ans_instance *instance;
  const ans_graph *lettered; /* the same graph, Greek names as Greek letters */
  graph_layout *layout;
  buffer values; /* the instance's numbers, one line */
  canvas *canvas;
  double left[COLUMNS], width[COLUMNS];
  double top, page_width, page_height;
} figure;

/* ---- Greek letters --------------------------------------------------------------------------------------- */

/* Labels are made from names, so the same system with other names gives the labels; the order of nodes stays. */
static ans_status build_lettered(ans_context *context, const ans_instance *instance, ans_graph **result) {
  ans_problem problem = *instance->problem;
  ans_instance twin = *instance;
  system_field fields[SYSTEM_MAX_FIELDS] = {0};
  system_coordinate coordinates[SYSTEM_MAX_COORDINATES] = {0};
  memcpy(fields, problem.fields, (size_t)problem.field_count * sizeof *fields);
  memcpy(coordinates, problem.coordinates, (size_t)problem.coordinate_count * sizeof *coordinates);
  for (int f = 0; f < problem.field_count; f++) fields[f].name = field_map_name(fields[f].name);
  for (int c = 0; c < problem.coordinate_count; c++) coordinates[c].name = field_map_name(coordinates[c].name);
  problem.fields = fields;
  problem.coordinates = coordinates;
  twin.problem = &problem;
  return graph_build(context, &twin, result);
}

/* ---- Sizes ----------------------------------------------------------------------------------------------- */

static canvas_type label_type(void) {
  return (canvas_type){.size = 11, .anchor = CANVAS_CENTRE, .colour = colour_grey(0.1), .marks = true};
}

static canvas_type small_type(void) {
  return (canvas_type){.size = 8.5, .anchor = CANVAS_LEFT, .colour = colour_grey(0.35)};
}

static canvas_type heading_type(void) { return (canvas_type){.size = 10, .anchor = CANVAS_CENTRE, .bold = true}; }

static canvas_type title_type(void) {
  return (canvas_type){.size = 14, .anchor = CANVAS_LEFT, .colour = colour_grey(0), .bold = true};
}

/* Where a number's exponent begins ("e-05" of "1e-05 u"), or NULL. */
static const char *find_exponent(const char *label) {
  size_t digits = strspn(label, "-.0123456789");
  bool marked = digits > 0 && label[digits] == 'e' && (label[digits + 1] == '-' || label[digits + 1] == '+');
  return marked ? label + digits : NULL;
}

/* The label with a true minus sign and powers of ten. */
static void copy_label(const figure *f, int node, char text[256]) {
  const char *label = f->lettered->nodes[node].label, *exponent = find_exponent(label);
  bool negative = label[0] == '-';
  const char *minus = negative ? "\u2212" : "";
  label += negative;
  if (!exponent) {
    snprintf(text, 256, "%s%s", minus, label);
    return;
  }
  char *rest;
  long power = strtol(exponent + 1, &rest, 10);
  snprintf(text, 256, "%s%.*s\u00b710^{%s%ld}%s", minus, (int)(exponent - label), label, power < 0 ? "\u2212" : "",
           labs(power), rest);
}

static void copy_title(const figure *f, char text[512]) {
  const ans_problem *problem = f->instance->problem;
  bool structured = f->instance->structure < problem->structure_count;
  snprintf(text, 512, "%s%s%s", problem->name, structured ? ": " : "",
           structured ? problem->structures[f->instance->structure].name : "");
}

static void measure_columns(figure *f) {
  double between = 64 + 1.1 * sqrt(f->layout->height); /* tall graphs need flatter curves */
  for (int c = 0; c < COLUMNS; c++) f->width[c] = fmax(least_width, canvas_type_width(headings[c], heading_type()));
  for (int n = 0; n < f->graph->node_count; n++) {
    char text[256];
    copy_label(f, n, text);
    int column = (int)f->graph->nodes[n].kind;
    f->width[column] = fmax(f->width[column], canvas_type_width(text, label_type()) + 2 * padding);
  }
  for (int c = 0; c < COLUMNS; c++) f->left[c] = c ? f->left[c - 1] + f->width[c - 1] + between : margin;
  char title[512];
  copy_title(f, title);
  double right = f->left[COLUMNS - 1] + f->width[COLUMNS - 1];
  f->page_width = fmax(right, margin + canvas_type_width(title, title_type())) + margin;
}

/* Cuts the line of values at a comma before it leaves the page. Returns where the next line begins. */
static const char *fitting_part(const figure *f, const char *text, char part[512]) {
  size_t length = 0;
  const char *end = text;
  for (const char *next = text; *next;) {
    next += strcspn(next, ",");
    if (*next) next++;
    length = (size_t)(next - text);
    if (length >= 512) break;
    snprintf(part, 512, "%.*s", (int)length, text);
    if (end != text && canvas_type_width(part, small_type()) > f->page_width - 2 * margin) break;
    end = next;
  }
  snprintf(part, 512, "%.*s", (int)(end - text), text);
  while (*end == ' ') end++;
  return end;
}

static int value_lines(const figure *f) {
  char part[512];
  int lines = 0;
  for (const char *text = f->values.text; text && *text; lines++) text = fitting_part(f, text, part);
  return lines;
}

static void write_values(figure *f) {
  const ans_problem *problem = f->instance->problem;
  for (int s = 0; s < problem->symbol_count; s++) {
    if (!f->instance->present[s] || problem->symbols[s].kind == SYMBOL_DERIVED) continue;
    buffer_add(&f->values, "%s%s = %.4g", f->values.length ? ", " : "", problem->symbols[s].name,
               f->instance->values[s]);
  }
}

/* ---- Drawing --------------------------------------------------------------------------------------------- */

static colour kind_colour(int kind) {
  static const int categories[COLUMNS] = {0, 5, 4, 2};
  return colour_category(categories[kind]);
}

static colour dark(colour c) { return colour_mix(c, colour_grey(0), 0.3); }

static void draw_box(const figure *f, int column, double y, const char *text) {
  colour base = kind_colour(column);
  double radius = column == GRAPH_TERM ? 4 : row / 2;
  canvas_box(f->canvas, f->left[column], y - row / 2, f->width[column], row, radius,
             colour_mix(base, colour_grey(1), 0.8), (canvas_pen){dark(base), 1.1, 0});
  canvas_text(f->canvas, f->left[column] + f->width[column] / 2, y, text, label_type());
}

static canvas_pen link_pen(bool coupling) {
  return coupling ? (canvas_pen){colour_category(1), 1.4, 0} : (canvas_pen){colour_grey(0.62), 1, 0};
}

static void draw_link(const figure *f, const layout_link *link) {
  const layout_item *from = &f->layout->items[link->from], *to = &f->layout->items[link->to];
  double start = f->left[from->column] + f->width[from->column], end = f->left[to->column];
  canvas_pen pen = link_pen(link->coupling);
  canvas_curve(f->canvas, start, f->top + from->y, end, f->top + to->y, to->node < 0 ? 0 : 6, pen);
  if (to->node < 0) canvas_line(f->canvas, end, f->top + to->y, end + f->width[to->column], f->top + to->y, pen);
}

static void draw_graph(const figure *f) {
  for (int pass = 0; pass < 2; pass++) /* couplings above the rest */
    for (int l = 0; l < f->layout->link_count; l++)
      if (f->layout->links[l].coupling == pass) draw_link(f, &f->layout->links[l]);
  for (int i = 0; i < f->layout->item_count; i++) {
    const layout_item *item = &f->layout->items[i];
    char text[256];
    if (item->node < 0) continue;
    copy_label(f, item->node, text);
    draw_box(f, item->column, f->top + item->y, text);
  }
  for (int c = 0; c < COLUMNS; c++) {
    canvas_type type = heading_type();
    type.colour = dark(kind_colour(c));
    canvas_text(f->canvas, f->left[c] + f->width[c] / 2, f->top - heading / 2 - 2, headings[c], type);
  }
}

static void draw_title(const figure *f) {
  char text[512];
  copy_title(f, text);
  canvas_text(f->canvas, margin, margin, text, title_type());
  double y = margin + 19;
  for (const char *rest = f->values.text; rest && *rest; y += line) {
    rest = fitting_part(f, rest, text);
    canvas_text(f->canvas, margin, y, text, small_type());
  }
}

/* Draws one entry of the legend and returns where the next begins. */
static double draw_key(const figure *f, double x, double y, bool coupling, const char *text) {
  canvas_arrow(f->canvas, x, y, x + 22, y, 6, link_pen(coupling));
  canvas_text(f->canvas, x + 27, y, text, small_type());
  return x + 27 + canvas_type_width(text, small_type()) + 18;
}

static void draw_legend(const figure *f) {
  double y = f->page_height - margin, x = margin;
  bool couples = false;
  char text[128];
  for (int l = 0; l < f->layout->link_count; l++) couples = couples || f->layout->links[l].coupling;
  x = draw_key(f, x, y, false, "is part of");
  if (couples) draw_key(f, x, y, true, "couples into another field's equation");
  snprintf(text, sizeof text, "%d nodes, %d edges", f->graph->node_count, f->graph->edge_count);
  canvas_type type = small_type();
  type.anchor = CANVAS_RIGHT;
  canvas_text(f->canvas, f->page_width - margin, y, text, type);
}

static ans_status draw(ans_context *context, figure *f, const char *path) {
  write_values(f);
  if (f->values.failed) return context_no_memory(context);
  measure_columns(f);
  f->top = margin + 16 + line * value_lines(f) + heading;
  f->page_height = f->top + f->layout->height + 30 + margin;
  TRY(canvas_new(context, path, f->page_width, f->page_height, &f->canvas));
  draw_title(f);
  draw_graph(f);
  draw_legend(f);
  return canvas_finish(context, f->canvas);
}

ans_status graph_figure_draw(ans_context *context, const ans_graph *graph, const ans_instance *instance,
                             const char *path) {
  ans_graph *lettered;
  figure f = {.graph = graph, .instance = instance};
  TRY(build_lettered(context, instance, &lettered));
  f.lettered = lettered;
  ans_status status = graph_layout_new(context, graph, instance, row, gap, &f.layout);
  if (status == ANS_OK) status = draw(context, &f, path);
  buffer_drop(&f.values);
  graph_layout_free(f.layout);
  graph_free(lettered);
  return status;
}
