/* SPDX-License-Identifier: Apache-2.0
 *
 * field_map.h - one map panel: values over two axes as colours, with frame, ticks and titles.
 */
#ifndef SOLUTION_FIELD_MAP_H
#define SOLUTION_FIELD_MAP_H

#include "solution/axis.h"
#include "solution/solution.h"

/* Values over (first axis, second axis); the first runs to the right. */
typedef struct field_map {
  const double *values;   /* [first_size][second_size] */
  const double *subtract; /* the map shows |values - subtract| when not NULL */
  int first_size, second_size;
  const double *first, *second;
  const char *first_name, *second_name;
} field_map;

typedef struct map_scale {
  colour_map colours;
  double low, high;
} map_scale;

/* The name as it is drawn: "xi" as the letter. */
const char *field_map_name(const char *name);

/* The last two coordinates of a solution, at the end of those before them. */
field_map field_map_of(const ans_solution *solution, int field);

/* Of both maps; second may be NULL. Signed values get a diverging scale with white at zero; errors start at zero. */
map_scale field_map_scale(const field_map *map, const field_map *second, bool rainbow);

ans_status field_map_draw(ans_context *context, canvas *canvas, const field_map *map, map_scale scale, double x,
                          double y, double width, double height, const char *title, bool second_title);
void field_map_bar(canvas *canvas, map_scale scale, double x, double y, double width, double height);

#endif
