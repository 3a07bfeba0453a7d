/* SPDX-License-Identifier: Apache-2.0 */
#include "solution/colour.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* OKLab (Ottosson, 2020): lightness, green-red, blue-yellow. */
typedef struct lab {
  double l, a, b;
} lab;

typedef struct table {
  const char *name;
  int count;
  lab entries[5];
} table;

static const table tables[] = {
    [COLOUR_PERCEPTUAL] = {"perceptual",
                           5,
                           {{0.26, 0.065, -0.105},
                            {0.44, 0.000, -0.105},
                            {0.60, -0.085, -0.030},
                            {0.76, -0.125, 0.085},
                            {0.93, -0.045, 0.175}}},
    [COLOUR_DIVERGING] =
        {"diverging",
         5,
         {{0.38, -0.020, -0.140}, {0.68, -0.030, -0.095}, {0.97, 0, 0}, {0.68, 0.110, 0.055}, {0.40, 0.140, 0.065}}},
    [COLOUR_HEAT] = {"heat", 4, {{0.985, 0, 0}, {0.82, 0.055, 0.085}, {0.58, 0.150, 0.085}, {0.28, 0.085, 0.040}}},
    [COLOUR_RAINBOW] = {"rainbow", 0, {{0, 0, 0}}},
};

enum { MAP_COUNT = sizeof tables / sizeof tables[0] };

static double clamp(double value, double low, double high) { return value < low ? low : value > high ? high : value; }

static double to_linear(double s) { return s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4); }

static double from_linear(double x) {
  x = clamp(x, 0, 1);
  return x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
}

static lab lab_from_colour(colour c) {
  double r = to_linear(c.red), g = to_linear(c.green), b = to_linear(c.blue);
  double l = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  double m = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  double s = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return (lab){0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
               1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
               0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

static colour colour_from_lab(lab c, double alpha) {
  double l = c.l + 0.3963377774 * c.a + 0.2158037573 * c.b;
  double m = c.l - 0.1055613458 * c.a - 0.0638541728 * c.b;
  double s = c.l - 0.0894841775 * c.a - 1.2914855480 * c.b;
  l *= l * l, m *= m * m, s *= s * s;
  return (colour){from_linear(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                  from_linear(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                  from_linear(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s), alpha};
}

static lab lab_mix(lab x, lab y, double part) {
  return (lab){x.l + part * (y.l - x.l), x.a + part * (y.a - x.a), x.b + part * (y.b - x.b)};
}

colour colour_mix(colour x, colour y, double part) {
  return colour_from_lab(lab_mix(lab_from_colour(x), lab_from_colour(y), part), x.alpha + part * (y.alpha - x.alpha));
}

/* A trapezium of height 1 and half width 3/8 with flanks of 1/4, about `centre`. */
static double trapezium(double value, double centre) { return clamp(1.5 - 4 * fabs(value - centre), 0, 1); }

colour colour_at(colour_map map, double value) {
  if (isnan(value)) return colour_grey(0.6);
  value = clamp(value, 0, 1);
  const table *t = &tables[map];
  if (t->count == 0) return (colour){trapezium(value, 0.75), trapezium(value, 0.5), trapezium(value, 0.25), 1};
  double place = value * (t->count - 1);
  int below = place >= t->count - 1 ? t->count - 2 : (int)place;
  assert(below >= 0 && below + 1 < t->count);
  return colour_from_lab(lab_mix(t->entries[below], t->entries[below + 1], place - below), 1);
}

void colour_bytes(colour c, uint8_t rgb[3]) {
  const double parts[3] = {c.red, c.green, c.blue};
  for (int i = 0; i < 3; i++) rgb[i] = (uint8_t)lround(clamp(parts[i], 0, 1) * 255);
}

const char *colour_map_name(colour_map map) { return tables[map].name; }

bool colour_map_parse(const char *name, colour_map *map) {
  for (int i = 0; i < MAP_COUNT; i++) {
    if (strcmp(name, tables[i].name) != 0) continue;
    *map = (colour_map)i;
    return true;
  }
  return false;
}

colour colour_category(int index) {
  static const uint8_t palette[8][3] = {{0, 114, 178}, {213, 94, 0},   {0, 158, 115},  {204, 121, 167},
                                        {230, 159, 0}, {86, 180, 233}, {240, 228, 66}, {0, 0, 0}};
  const uint8_t *entry = palette[(index % 8 + 8) % 8];
  return (colour){entry[0] / 255.0, entry[1] / 255.0, entry[2] / 255.0, 1};
}

colour colour_grey(double lightness) { return (colour){lightness, lightness, lightness, 1}; }
