/* SPDX-License-Identifier: Apache-2.0 */
#include "estimate/grading.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Pieces of an interval between two places, so that the spacing can change inside it. */
enum { PIECES = 8 };
/* Change of the spacing per length, in units of the spacing of one node: 0.1 per node for a mesh of about 250. */
static const double CHANGE = 25;
/* Intervals next to a wall that crowd. */
enum { CROWDED = 8 };

struct grading {
  mesh_kind kind;
  int nodes, intervals;
  double low, high;
  const double *places; /* [intervals + 1] */
  double *steepness;    /* [intervals] */
  double *spacing;      /* [intervals * PIECES] */
};

ans_status grading_new(ans_context *context, arena *arena, mesh_kind kind, double low, double high,
                       const double *places, int nodes, grading **result) {
  assert(kind != MESH_POINT && nodes > (kind == MESH_WALLS) && high > low);
  grading *g = arena_take(arena, sizeof *g);
  if (!g) return context_no_memory(context);
  int intervals = kind == MESH_PERIODIC ? nodes : nodes - 1;
  *g = (grading){.kind = kind, .nodes = nodes, .intervals = intervals, .low = low, .high = high};
  double *copy = arena_array(arena, double, (size_t)intervals + 1);
  g->steepness = arena_array(arena, double, (size_t)intervals);
  g->spacing = arena_array(arena, double, (size_t)intervals *PIECES);
  if (!copy || !g->steepness || !g->spacing) return context_no_memory(context);
  memcpy(copy, places, (size_t)nodes * sizeof *copy);
  copy[intervals] = high;
  g->places = copy;
  *result = g;
  return ANS_OK;
}

void grading_add(grading *g, const double *values, double range) {
  if (!(range > 0) || !isfinite(range)) return;
  for (int i = 0; i < g->intervals; i++) {
    double step = values[(i + 1) % g->nodes] - values[i], length = g->places[i + 1] - g->places[i];
    double slope = fabs(step) / range / length;
    if (isfinite(slope)) g->steepness[i] = fmax(g->steepness[i], slope);
  }
}

static double piece_length(const grading *g, int piece) {
  int i = piece / PIECES;
  return (g->places[i + 1] - g->places[i]) / PIECES;
}

/* One sweep along the pieces, up or down: none is wider than its neighbour allows. Around the period it goes twice. */
static void limit(grading *g, int direction) {
  int count = g->intervals * PIECES, rounds = g->kind == MESH_PERIODIC ? 2 : 1;
  double most = INFINITY, before = 0;
  for (int step = 0; step < rounds * count; step++) {
    int piece = direction > 0 ? step % count : count - 1 - step % count;
    double length = piece_length(g, piece);
    g->spacing[piece] = fmin(g->spacing[piece], most + CHANGE * (before + length) / 2);
    most = g->spacing[piece];
    before = length;
  }
}

/* Numbers near the ends of the coordinate must tell neighbours apart. */
static double least_spacing(const grading *g, int nodes) {
  return nodes * fmax(1e-12 * (g->high - g->low), 1e-13 * fmax(fabs(g->low), fabs(g->high)));
}

static void fill_spacing(grading *g, int nodes) {
  double whole = g->high - g->low, least = least_spacing(g, nodes), sum = 0;
  for (int i = 0; i < g->intervals; i++) sum += g->steepness[i] * (g->places[i + 1] - g->places[i]);
  for (int p = 0; p < g->intervals * PIECES; p++) {
    double steep = sum > 0 ? g->steepness[p / PIECES] / sum : 1 / whole;
    g->spacing[p] = fmax(2 / (1 / whole + steep), least);
  }
  limit(g, 1);
  limit(g, -1);
}

/* The position of node j in units of the even spacing: between walls the first CROWDED intervals are those of a
 * Chebyshev mesh whose widest interval is one. */
static double from_wall(int j) {
  const double quarter = 2 * CROWDED / 3.14159265358979323846;
  return j < CROWDED ? quarter * (1 - cos(j / quarter)) : quarter + (j - CROWDED);
}

static double share(const grading *g, int nodes, int j) {
  int n = nodes - 1;
  if (g->kind == MESH_PERIODIC) return (double)j / nodes;
  double whole = 2 * from_wall(n / 2) + (n % 2);
  return (2 * j <= n ? from_wall(j) : whole - from_wall(n - j)) / whole;
}

void grading_places(grading *g, int nodes, double *places) {
  assert(nodes > 2 * CROWDED);
  fill_spacing(g, nodes);
  int count = g->intervals * PIECES, piece = 0;
  double all = 0, begin = g->low, passed = 0;
  for (int p = 0; p < count; p++) all += piece_length(g, p) / g->spacing[p];
  for (int j = 0; j < nodes; j++) {
    double target = share(g, nodes, j) * all;
    while (piece + 1 < count && passed + piece_length(g, piece) / g->spacing[piece] < target) {
      passed += piece_length(g, piece) / g->spacing[piece];
      begin += piece_length(g, piece);
      piece++;
    }
    places[j] = begin + (target - passed) * g->spacing[piece];
  }
  places[0] = g->low;
  if (g->kind == MESH_WALLS) places[nodes - 1] = g->high;
}
