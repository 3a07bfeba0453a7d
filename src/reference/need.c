/* SPDX-License-Identifier: Apache-2.0 */
#include "reference/need.h"

#include <math.h>

#include "reference/largest.h"

struct need {
  arena *arena;
  const lines *lines; /* borrowed */
  double sizes[SYSTEM_MAX_FIELDS];
  double *curvatures; /* [fields][nodes]: the largest so far */
  double *present;    /* [nodes] */
};

ans_status need_new(ans_context *context, const lines *lines, need **result) {
  *result = NULL;
  arena *arena;
  TRY(arena_new(context, &arena));
  need *need = arena_take(arena, sizeof *need);
  size_t nodes = (size_t)lines->node_count;
  double *curvatures = arena_array(arena, double, (size_t)lines->field_count *nodes);
  double *present = arena_array(arena, double, nodes);
  if (!need || !curvatures || !present) {
    arena_free(arena);
    return context_no_memory(context);
  }
  *need = (struct need){.arena = arena, .lines = lines, .curvatures = curvatures, .present = present};
  *result = need;
  return ANS_OK;
}

void need_free(need *need) {
  if (need) arena_free(need->arena);
}

void need_look(need *need, const double *nodes) {
  space *space = need->lines->space;
  const int second = 2;
  for (int f = 0; f < need->lines->field_count; f++) {
    const double *values = nodes + (size_t)f * space->node_count;
    double *most = need->curvatures + (size_t)f * space->node_count;
    need->sizes[f] = fmax(need->sizes[f], largest(values, space->node_count));
    space->differentiate(space, values, 1, &second, &need->present);
    for (int j = 0; j < space->node_count; j++) most[j] = fmax(most[j], fabs(need->present[j]));
  }
}

static double at_node(const need *need, int node) {
  double most = 0;
  for (int f = 0; f < need->lines->field_count; f++)
    if (need->sizes[f] > 0)
      most = fmax(most, sqrt(need->curvatures[(size_t)f * need->lines->node_count + node] / need->sizes[f]));
  return isfinite(most) ? most : 0;
}

/* A cell has the need of the nodes in and around it. */
static void fill_cells(const need *need, double *cells) {
  const space *space = need->lines->space;
  double width = (space->high - space->low) / SPACE_DENSITY_CELLS;
  for (int i = 0; i < SPACE_DENSITY_CELLS; i++) cells[i] = 0;
  for (int j = 0; j + 1 < space->node_count; j++) {
    double most = fmax(at_node(need, j), at_node(need, j + 1));
    int first = (int)((space->places[j] - space->low) / width),
        last = (int)((space->places[j + 1] - space->low) / width);
    for (int i = first; i <= last && i < SPACE_DENSITY_CELLS; i++) cells[i] = fmax(cells[i], most);
  }
}

/* Distances of nodes may change by a few per cent from one to the next, not by leaps. */
static void smooth(double *cells) {
  const double most = exp(-1.0 / 16);
  for (int i = 1; i < SPACE_DENSITY_CELLS; i++) cells[i] = fmax(cells[i], most * cells[i - 1]);
  for (int i = SPACE_DENSITY_CELLS - 1; i-- > 0;) cells[i] = fmax(cells[i], most * cells[i + 1]);
}

void need_density(const need *need, space_density *density) {
  double sum = 0;
  fill_cells(need, density->cells);
  smooth(density->cells);
  for (int i = 0; i < SPACE_DENSITY_CELLS; i++) sum += density->cells[i];
  double mean = sum > 0 ? sum / SPACE_DENSITY_CELLS : 1;
  for (int i = 0; i < SPACE_DENSITY_CELLS; i++) density->cells[i] += mean;
}
