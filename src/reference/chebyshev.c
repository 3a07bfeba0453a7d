/* SPDX-License-Identifier: Apache-2.0
 *
 * chebyshev.c - functions on an interval as polynomials through Chebyshev's nodes, differentiated by matrices.
 *
 * With nodes x_j and barycentric weights w_j = (-1)^j, halved at the ends,
 *   D_ij = (w_j / w_i) / (x_i - x_j),   D_ii = - sum over j != i of D_ij.
 * Node differences come from sines of sums and halves of angles, and each higher order has its diagonal set by
 * the row sum (a constant has no derivative): both keep the rounding error near its lower limit.
 */
#include <assert.h>
#include <math.h>

#include "reference/space.h"

typedef struct chebyshev {
  double *weights;                       /* barycentric, [nodes] */
  double *matrices[SPACE_MAX_ORDER + 1]; /* [nodes][nodes] */
} chebyshev;

/* x_i - x_j on [-1, 1] for x_j = -cos(pi j / last). */
static double node_difference(int i, int j, int last) {
  assert(i != j && last > 0);
  return 2 * sin(M_PI * (i + j) / (2.0 * last)) * sin(M_PI * (i - j) / (2.0 * last));
}

static void set_diagonal(double *matrix, int n) {
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++)
      if (j != i) sum += matrix[(size_t)i * n + j];
    matrix[(size_t)i * n + i] = -sum;
  }
}

/* Welfert's recurrence: D^(m)_ij = m/(x_i - x_j) * (w_j/w_i D^(m-1)_ii - D^(m-1)_ij), off the diagonal. */
static void next_matrix(const chebyshev *c, int n, double half, int order) {
  assert(order >= 1 && order <= SPACE_MAX_ORDER && half > 0);
  const double *before = c->matrices[order - 1];
  double *matrix = c->matrices[order];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (i != j)
        matrix[(size_t)i * n + j] =
            order / (half * node_difference(i, j, n - 1)) *
            (c->weights[j] / c->weights[i] * before[(size_t)i * n + i] - before[(size_t)i * n + j]);
  set_diagonal(matrix, n);
}

static bool fill(space *space) {
  int n = space->node_count;
  chebyshev *c = arena_take(space->arena, sizeof *c);
  if (!c) return false;
  space->data = c;
  c->weights = arena_array(space->arena, double, (size_t)n);
  if (!c->weights) return false;
  for (int j = 0; j < n; j++) c->weights[j] = (j % 2 ? -1.0 : 1.0) * (j == 0 || j == n - 1 ? 0.5 : 1.0);
  for (int order = 0; order <= SPACE_MAX_ORDER; order++) {
    c->matrices[order] = arena_array(space->arena, double, size_product((size_t)n, (size_t)n));
    if (!c->matrices[order]) return false;
    if (order == 0)
      for (int i = 0; i < n; i++) c->matrices[0][(size_t)i * n + i] = 1;
    else
      next_matrix(c, n, (space->high - space->low) / 2, order);
  }
  return true;
}

static const double *matrix(space *space, int order) {
  assert(order >= 0 && order <= SPACE_MAX_ORDER);
  return ((const chebyshev *)space->data)->matrices[order];
}

static space_row row(space *space, int order, int node) {
  assert(node >= 0 && node < space->node_count);
  int n = space->node_count;
  return (space_row){matrix(space, order) + (size_t)node * n, 0, n};
}

static void differentiate(space *space, const double *values, int count, const int *orders, double *const *results) {
  int n = space->node_count;
  for (int k = 0; k < count; k++) {
    const double *d = matrix(space, orders[k]);
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int j = 0; j < n; j++) sum += d[(size_t)i * n + j] * values[j];
      results[k][i] = orders[k] == 0 ? values[i] : sum;
    }
  }
}

static double barycentric(const space *space, const double *values, double place) {
  const chebyshev *c = space->data;
  double above = 0, below = 0;
  for (int j = 0; j < space->node_count; j++) {
    double distance = place - space->places[j];
    if (distance == 0) return values[j];
    above += c->weights[j] / distance * values[j];
    below += c->weights[j] / distance;
  }
  return above / below;
}

static void evaluate(space *space, const double *values, int count, const double *places, double *results) {
  for (int i = 0; i < count; i++) results[i] = barycentric(space, values, places[i]);
}

/* Chebyshev coefficients by the cosine sum; the highest third against all. */
static double tail(space *space, const double *values) {
  int last = space->node_count - 1;
  double high = 0, all = 0;
  for (int k = 0; k <= last; k++) {
    double sum = 0;
    for (int j = 0; j <= last; j++)
      sum += values[j] * cos(M_PI * (k * (last - j) % (2 * last)) / last) * (j == 0 || j == last ? 0.5 : 1);
    sum *= k == 0 || k == last ? 1.0 / last : 2.0 / last;
    all += sum * sum;
    if (3 * k > 2 * last) high += sum * sum;
  }
  return all > 0 ? sqrt(high / all) : 0;
}

ans_status space_chebyshev(ans_context *context, double low, double high, int nodes, space **result) {
  assert(nodes > 1 && high > low);
  double *places;
  TRY(space_new(context, low, high, nodes, result, &places));
  space *space = *result;
  for (int j = 0; j < nodes; j++)
    places[j] = (low + high) / 2 + (high - low) / 2 * sin(M_PI * (2 * j - nodes + 1) / (2.0 * (nodes - 1)));
  places[0] = low;
  places[nodes - 1] = high;
  space->differentiate = differentiate;
  space->evaluate = evaluate;
  space->tail = tail;
  space->row = row;
  space->reach = nodes - 1;
  if (fill(space)) return ANS_OK;
  space_free(space);
  *result = NULL;
  return context_no_memory(context);
}
