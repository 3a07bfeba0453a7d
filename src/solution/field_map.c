/* SPDX-License-Identifier: Apache-2.0 */
#include "solution/field_map.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { MAP_PIXELS_PER_POINT = 2 };

field_map field_map_of(const ans_solution *solution, int field) {
  assert(solution->coordinate_count >= 2 && field >= 0 && field < solution->field_count);
  int first = solution->coordinate_count - 2, second = first + 1;
  size_t slice = (size_t)solution->axis_sizes[first] * (size_t)solution->axis_sizes[second];
  return (field_map){.values = solution->values[field] + solution->point_count - slice,
                     .first_size = solution->axis_sizes[first],
                     .second_size = solution->axis_sizes[second],
                     .first = solution->axes[first],
                     .second = solution->axes[second],
                     .first_name = solution->coordinate_names[first],
                     .second_name = solution->coordinate_names[second]};
}

/* A name that spells a Greek letter is drawn as one. */
const char *field_map_name(const char *name) {
  static const char *const letters[][2] = {
      {"alpha", "α"}, {"beta", "β"},   {"gamma", "γ"}, {"delta", "δ"}, {"eps", "ε"},    {"epsilon", "ε"},
      {"zeta", "ζ"},  {"eta", "η"},    {"theta", "θ"}, {"kappa", "κ"}, {"lambda", "λ"}, {"mu", "μ"},
      {"nu", "ν"},    {"xi", "ξ"},     {"pi", "π"},    {"rho", "ρ"},   {"sigma", "σ"},  {"tau", "τ"},
      {"phi", "φ"},   {"chi", "χ"},    {"psi", "ψ"},   {"omega", "ω"}, {"Gamma", "Γ"},  {"Delta", "Δ"},
      {"Theta", "Θ"}, {"Lambda", "Λ"}, {"Xi", "Ξ"},    {"Sigma", "Σ"}, {"Phi", "Φ"},    {"Psi", "Ψ"},
      {"Omega", "Ω"}};
  for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
    if (strcmp(name, letters[i][0]) == 0) return letters[i][1];
  return name;
}

static double value_at(const field_map *map, int i, int j) {
  assert(i >= 0 && i < map->first_size && j >= 0 && j < map->second_size);
  size_t index = (size_t)i * (size_t)map->second_size + (size_t)j;
  return map->subtract ? fabs(map->values[index] - map->subtract[index]) : map->values[index];
}

static void widen(const field_map *map, double *low, double *high) {
  for (int i = 0; i < map->first_size; i++)
    for (int j = 0; j < map->second_size; j++) {
      double value = value_at(map, i, j);
      if (!isfinite(value)) continue;
      *low = fmin(*low, value);
      *high = fmax(*high, value);
    }
}

map_scale field_map_scale(const field_map *map, const field_map *second, bool rainbow) {
  double low = INFINITY, high = -INFINITY;
  widen(map, &low, &high);
  if (second) widen(second, &low, &high);
  if (!(high >= low)) low = high = 0;
  if (map->subtract) return (map_scale){rainbow ? COLOUR_RAINBOW : COLOUR_HEAT, 0, high > 0 ? high : 1};
  if (high - low <= 1e-12 * fmax(fabs(low), fabs(high))) high = low + fmax(1e-12, 0.1 * fabs(low));
  if (rainbow) return (map_scale){COLOUR_RAINBOW, low, high};
  double least = fmin(-low, high), most = fmax(-low, high);
  if (least > 0.2 * most) return (map_scale){COLOUR_DIVERGING, -most, most};
  return (map_scale){COLOUR_PERCEPTUAL, low, high};
}

/* Index i and part p with value = (1-p) nodes[i] + p nodes[i+1]. */
static int find_cell(const double *nodes, int count, double value, double *part) {
  assert(count > 0);
  int low = 0, high = count - 1;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    *(nodes[middle] <= value ? &low : &high) = middle;
  }
  *part = high > low ? fmin(fmax((value - nodes[low]) / (nodes[high] - nodes[low]), 0), 1) : 0;
  return low;
}

static double interpolate(const field_map *map, double first, double second) {
  double p, q;
  int i = find_cell(map->first, map->first_size, first, &p), j = find_cell(map->second, map->second_size, second, &q);
  int i1 = i + 1 < map->first_size ? i + 1 : i, j1 = j + 1 < map->second_size ? j + 1 : j;
  return (1 - p) * ((1 - q) * value_at(map, i, j) + q * value_at(map, i, j1)) +
         p * ((1 - q) * value_at(map, i1, j) + q * value_at(map, i1, j1));
}

static void fill_pixels(const field_map *map, map_scale scale, int columns, int rows, uint8_t *rgb) {
  double first_span = map->first[map->first_size - 1] - map->first[0];
  double second_span = map->second[map->second_size - 1] - map->second[0];
  for (int row = 0; row < rows; row++)
    for (int column = 0; column < columns; column++) {
      double value = interpolate(map, map->first[0] + first_span * (column + 0.5) / columns,
                                 map->second[0] + second_span * (1 - (row + 0.5) / rows));
      colour_bytes(colour_at(scale.colours, (value - scale.low) / (scale.high - scale.low)),
                   rgb + 3 * ((size_t)row * columns + column));
    }
}

static const canvas_pen frame = {.colour = {0.25, 0.25, 0.25, 1}, .width = 0.6};
static const colour nothing = {0, 0, 0, 0};

ans_status field_map_draw(ans_context *context, canvas *canvas, const field_map *map, map_scale scale, double x,
                          double y, double width, double height, const char *title, bool second_title) {
  int columns = (int)(MAP_PIXELS_PER_POINT * width), rows = (int)(MAP_PIXELS_PER_POINT * height);
  uint8_t *rgb = memory_take(3 * (size_t)columns * (size_t)rows);
  if (!rgb) return context_no_memory(context);
  fill_pixels(map, scale, columns, rows, rgb);
  canvas_image(canvas, x, y, width, height, columns, rows, rgb, true);
  memory_give(rgb);
  canvas_box(canvas, x, y, width, height, 0, nothing, frame);
  axis below = axis_new(map->first[0], map->first[map->first_size - 1], false, x, x + width, 4);
  axis left = axis_new(map->second[0], map->second[map->second_size - 1], false, y + height, y, 4);
  axis_draw_below(canvas, &below, y + height, field_map_name(map->first_name));
  axis_draw_left(canvas, &left, x, second_title ? field_map_name(map->second_name) : "");
  canvas_type type = {.size = 9, .anchor = CANVAS_CENTRE, .colour = colour_grey(0.1), .marks = true};
  canvas_text(canvas, x + width / 2, y - 8, title, type);
  return ANS_OK;
}

void field_map_bar(canvas *canvas, map_scale scale, double x, double y, double width, double height) {
  enum { STEPS = 256 };
  uint8_t rgb[3 * STEPS];
  for (int i = 0; i < STEPS; i++) colour_bytes(colour_at(scale.colours, 1 - (i + 0.5) / STEPS), rgb + 3 * i);
  canvas_image(canvas, x, y, width, height, 1, STEPS, rgb, true);
  canvas_box(canvas, x, y, width, height, 0, nothing, frame);
  axis right = axis_new(scale.low, scale.high, false, y + height, y, 4);
  axis_draw_right(canvas, &right, x + width, "");
}
