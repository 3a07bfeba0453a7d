/* SPDX-License-Identifier: Apache-2.0
 *
 * graded.c - functions on an interval through as many nodes as they need where they need them, differentiated by
 * finite differences.
 *
 * A derivative at a node is that of the polynomial through the nine nodes around it (nine from the wall where there are
 * fewer on one side): order eight for smooth functions, and a matrix with few entries in a row. The nodes are spread by
 * a density over the interval. Towards the walls the last few move together as Chebyshev's do, which keeps the
 * one-sided differences there from amplifying rounding errors: s = asin(a cos theta)/asin(a) (Kosloff, Tal-Ezer, 1993).
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "numeric/differences.h"
#include "reference/space.h"

enum { STENCIL = DIFFERENCE_NODES, ORDERS = DIFFERENCE_ORDERS, WALL_NODES = 4 };
_Static_assert(ORDERS == SPACE_MAX_ORDER + 1, "weights for every derivative");

typedef struct graded {
  int *firsts;     /* [nodes]: the first node of the stencil */
  double *weights; /* [nodes][orders][STENCIL] */
  double *others;  /* [nodes][STENCIL]: the node's value from the others of its stencil, 0 at itself */
} graded;

/* ---- Nodes ------------------------------------------------------------------------------------------- */

/* Where the running integral of the density has the given part of the whole. */
static void spread(const space_density *density, double low, double high, int nodes, double *places) {
  assert(density && high > low && nodes >= STENCIL);
  double sum[SPACE_DENSITY_CELLS + 1] = {0}, width = (high - low) / SPACE_DENSITY_CELLS;
  for (int i = 0; i < SPACE_DENSITY_CELLS; i++) sum[i + 1] = sum[i] + density->cells[i];
  double beta = fmin(0.9, WALL_NODES * M_PI / (nodes - 1)), a = sqrt(1 - beta * beta);
  for (int j = 1, cell = 0; j < nodes - 1; j++) {
    double s = 0.5 + 0.5 * asin(a * sin(M_PI * (2 * j - nodes + 1) / (2.0 * (nodes - 1)))) / asin(a);
    double aim = s * sum[SPACE_DENSITY_CELLS];
    while (cell < SPACE_DENSITY_CELLS - 1 && sum[cell + 1] < aim) cell++;
    assert(density->cells[cell] > 0);
    places[j] = low + width * (cell + (aim - sum[cell]) / density->cells[cell]);
  }
  places[0] = low;
  places[nodes - 1] = high;
}

static bool fill(space *space) {
  size_t n = (size_t)space->node_count;
  graded *g = arena_take(space->arena, sizeof *g);
  if (!g) return false;
  space->data = g;
  g->firsts = arena_array(space->arena, int, n);
  g->weights = arena_array(space->arena, double, n *ORDERS *STENCIL);
  g->others = arena_array(space->arena, double, n *STENCIL);
  if (!g->firsts || !g->weights || !g->others) return false;
  for (int j = 0; j < space->node_count; j++) {
    double weights[ORDERS][STENCIL], nodes[STENCIL];
    int first = j - STENCIL / 2, last = space->node_count - STENCIL, kept = 0;
    g->firsts[j] = first = first < 0 ? 0 : first > last ? last : first;
    difference_weights(space->places[j], STENCIL, space->places + first, weights);
    memcpy(g->weights + (size_t)j * ORDERS * STENCIL, weights, sizeof weights);
    for (int k = 0; k < STENCIL; k++)
      if (first + k != j) nodes[kept++] = space->places[first + k];
    difference_weights(space->places[j], kept, nodes, weights);
    for (int k = 0, from = 0; k < STENCIL; k++)
      g->others[(size_t)j * STENCIL + (size_t)k] = first + k == j ? 0 : weights[0][from++];
  }
  return true;
}

/* ---- The space --------------------------------------------------------------------------------------- */

static space_row row(space *space, int order, int node) {
  assert(order >= 0 && order < ORDERS && node >= 0 && node < space->node_count);
  const graded *g = space->data;
  return (space_row){g->weights + ((size_t)node * ORDERS + (size_t)order) * STENCIL, g->firsts[node], STENCIL};
}

static double dot(const double *weights, const double *values) {
  double sum = 0;
  for (int k = 0; k < STENCIL; k++) sum += weights[k] * values[k];
  return sum;
}

static void differentiate(space *space, const double *values, int count, const int *orders, double *const *results) {
  const graded *g = space->data;
  for (int i = 0; i < count; i++)
    for (int j = 0; j < space->node_count; j++)
      results[i][j] = orders[i] == 0 ? values[j] : dot(row(space, orders[i], j).weights, values + g->firsts[j]);
}

static void evaluate(space *space, const double *values, int count, const double *places, double *results) {
  double weights[ORDERS][STENCIL];
  for (int i = 0; i < count; i++) {
    int low = 0, high = space->node_count - 1, last = space->node_count - STENCIL;
    while (high - low > 1) *(space->places[(low + high) / 2] <= places[i] ? &low : &high) = (low + high) / 2;
    int first = low - STENCIL / 2 + 1;
    first = first < 0 ? 0 : first > last ? last : first;
    difference_weights(places[i], STENCIL, space->places + first, weights);
    results[i] = dot(weights[0], values + first);
  }
}

/* How far the values are from what their neighbours say, against their size. */
static double tail(space *space, const double *values) {
  const graded *g = space->data;
  double apart = 0, all = 0;
  for (int j = 0; j < space->node_count; j++) {
    double left = space->places[j > 0 ? j - 1 : 0], width = space->places[j < space->node_count - 1 ? j + 1 : j] - left;
    double change = values[j] - dot(g->others + (size_t)j * STENCIL, values + g->firsts[j]);
    apart += width * change * change;
    all += width * values[j] * values[j];
  }
  return all > 0 ? sqrt(apart / all) : 0;
}

ans_status space_graded(ans_context *context, double low, double high, int nodes, const space_density *density,
                        space **result) {
  double *places;
  TRY(space_new(context, low, high, nodes, result, &places));
  space *space = *result;
  spread(density, low, high, nodes, places);
  space->differentiate = differentiate;
  space->evaluate = evaluate;
  space->tail = tail;
  space->row = row;
  space->reach = STENCIL - 1;
  if (fill(space)) return ANS_OK;
  space_free(space);
  *result = NULL;
  return context_no_memory(context);
}
