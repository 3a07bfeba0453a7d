/* SPDX-License-Identifier: Apache-2.0 */
#include "fit/interpolate.h"

#include <math.h>

enum { NODES = 6 };

typedef struct stencil {
  int count, index[NODES];
  double weight[NODES];
} stencil;

/* The node at or before x; -1: before the first. */
static int locate(const lattice_axis *axis, double x) {
  int low = -1, high = axis->size;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    *(axis->nodes[middle] <= x ? &low : &high) = middle;
  }
  return low;
}

/* Node `index`, which may lie in another period. */
static double node_at(const lattice_axis *axis, int index) {
  int turns = index >= 0 ? index / axis->size : -((axis->size - 1 - index) / axis->size);
  return axis->nodes[index - turns * axis->size] + turns * axis->period;
}

static stencil stencil_at(const lattice_axis *axis, double x) {
  stencil s = {.count = axis->size < NODES ? axis->size : NODES};
  bool periodic = axis->period > 0;
  double places[NODES] = {0};
  if (periodic) x -= axis->period * floor((x - axis->nodes[0]) / axis->period);
  int first = locate(axis, x) - s.count / 2 + 1;
  if (!periodic && first < 0) first = 0;
  if (!periodic && first + s.count > axis->size) first = axis->size - s.count;
  for (int i = 0; i < s.count; i++) {
    places[i] = periodic ? node_at(axis, first + i) : axis->nodes[first + i];
    s.index[i] = periodic ? ((first + i) % axis->size + axis->size) % axis->size : first + i;
  }
  for (int i = 0; i < s.count; i++) {
    s.weight[i] = 1;
    for (int k = 0; k < s.count; k++)
      if (k != i) s.weight[i] *= (x - places[k]) / (places[i] - places[k]);
  }
  return s;
}

double lattice_value(const lattice *lattice, const double *values, const double *point) {
  stencil stencils[SYSTEM_MAX_COORDINATES];
  int at[SYSTEM_MAX_COORDINATES] = {0}, last = lattice->axis_count - 1;
  double sum = 0;
  for (int a = 0; a <= last; a++) stencils[a] = stencil_at(&lattice->axes[a], point[lattice->axes[a].coordinate]);
  for (;;) {
    size_t place = 0;
    double weight = 1;
    for (int a = 0; a <= last; a++) {
      place = place * (size_t)lattice->axes[a].size + (size_t)stencils[a].index[at[a]];
      weight *= stencils[a].weight[at[a]];
    }
    sum += weight * values[place];
    int a = last;
    while (a >= 0 && ++at[a] == stencils[a].count) at[a--] = 0;
    if (a < 0) return sum;
  }
}
