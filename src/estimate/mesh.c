/* SPDX-License-Identifier: Apache-2.0 */
#include "estimate/mesh.h"

#include <assert.h>
#include <math.h>

static const double PI = 3.14159265358979323846;

ans_status mesh_new(ans_context *context, arena *arena, mesh_kind kind, double low, double high, int intervals,
                    mesh **result) {
  assert(kind == MESH_POINT || (intervals > 0 && high > low));
  mesh *mesh = arena_take(arena, sizeof *mesh);
  if (!mesh) return context_no_memory(context);
  int nodes = kind == MESH_POINT ? 1 : kind == MESH_PERIODIC ? intervals : intervals + 1;
  *mesh = (struct mesh){.kind = kind, .intervals = intervals, .nodes = nodes, .low = low, .high = high, .reach = nodes};
  mesh->places = arena_array(arena, double, (size_t)nodes);
  if (!mesh->places) return context_no_memory(context);
  double middle = low + (high - low) / 2, half = (high - low) / 2;
  for (int j = 0; j < nodes; j++)
    mesh->places[j] = kind == MESH_POINT      ? low
                      : kind == MESH_PERIODIC ? low + (high - low) * j / intervals
                      : j == 0                ? low
                      : j == intervals        ? high
                                              : middle - half * cos(PI * j / intervals);
  *result = mesh;
  return ANS_OK;
}

/* ---- Derivatives ------------------------------------------------------------------------------------- */

/* x_i - x_j of Chebyshev nodes without cancellation. */
static double distance(const mesh *mesh, int i, int j) {
  int n = mesh->intervals;
  assert(i != j);
  return (mesh->high - mesh->low) * sin(PI * (i + j) / (2.0 * n)) * sin(PI * (i - j) / (2.0 * n));
}

/* Barycentric weight of a Chebyshev node. */
static double barycentric(const mesh *mesh, int j) {
  assert(j >= 0 && j <= mesh->intervals);
  double weight = j == 0 || j == mesh->intervals ? 0.5 : 1;
  return j % 2 == 0 ? weight : -weight;
}

/* From the matrix of one order to the next; the diagonal makes the rows sum to zero. */
static void chebyshev_order(const mesh *mesh, int order) {
  assert(order > 0 && order <= MESH_MAX_ORDER);
  int n = mesh->nodes;
  const double *before = mesh->matrices[order - 1];
  double *now = mesh->matrices[order];
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) {
      if (j == i) continue;
      double ratio = barycentric(mesh, j) / barycentric(mesh, i);
      double entry = order / distance(mesh, i, j) * (ratio * before[i * n + i] - before[i * n + j]);
      now[i * n + j] = entry;
      sum += entry;
    }
    now[i * n + i] = -sum;
  }
}

/* The derivative of the periodic delta: a matrix of which every row is the one before, shifted. */
static void fourier_order(const mesh *mesh, int order) {
  assert(order > 0 && order <= MESH_MAX_ORDER);
  int n = mesh->nodes;
  double base = 2 * PI / (mesh->high - mesh->low);
  for (int shift = 0; shift < n; shift++) {
    double sum = 0;
    for (int k = 1; k <= n / 2; k++) {
      double angle = 2 * PI * (double)((long)k * shift % n) / n + order * PI / 2, share = 2 * k == n ? 1 : 2;
      if (2 * k < n || order % 2 == 0) sum += share * pow(base * k, order) * cos(angle);
    }
    for (int i = 0; i < n; i++) mesh->matrices[order][(size_t)i * n + (i - shift + n) % n] = sum / n;
  }
}

ans_status mesh_differentiable(ans_context *context, arena *arena, mesh *mesh) {
  size_t n = (size_t)mesh->nodes;
  if (mesh->matrices[0]) return ANS_OK;
  assert(!mesh_graded(mesh)); /* it has them from the beginning */
  for (int order = 0; order <= MESH_MAX_ORDER; order++) {
    mesh->matrices[order] = arena_array(arena, double, n *n);
    if (!mesh->matrices[order]) return context_no_memory(context);
    if (order == 0) {
      for (size_t i = 0; i < n; i++) mesh->matrices[0][i * n + i] = 1;
    } else if (mesh->kind == MESH_WALLS) {
      chebyshev_order(mesh, order);
    } else if (mesh->kind == MESH_PERIODIC) {
      fourier_order(mesh, order);
    }
  }
  return ANS_OK;
}

void mesh_derivative(const mesh *mesh, int order, const double *from, double *to) {
  const double *row = mesh->matrices[order];
  for (int i = 0; i < mesh->nodes; i++, row += mesh->reach) {
    int first = mesh->firsts ? mesh->firsts[i] : 0;
    double sum = 0;
    if (first >= 0 && first + mesh->reach <= mesh->nodes)
      for (int j = 0; j < mesh->reach; j++) sum += row[j] * from[first + j];
    else
      for (int j = 0; j < mesh->reach; j++) sum += row[j] * from[mesh_column(mesh, i, j)];
    to[i] = sum;
  }
}

/* ---- Between the nodes ------------------------------------------------------------------------------- */

static void fourier_interpolation(const mesh *mesh, double place, double *weights) {
  int n = mesh->nodes;
  for (int j = 0; j < n; j++) {
    double angle = PI * (place - mesh->places[j]) / (mesh->high - mesh->low), turn = tan(angle);
    weights[j] = fabs(sin(angle)) < 1e-14 ? 1 : sin(n * angle) / (n * turn);
  }
}

static void chebyshev_interpolation(const mesh *mesh, double place, double *weights) {
  double sum = 0;
  for (int j = 0; j < mesh->nodes; j++) {
    if (place == mesh->places[j]) {
      for (int i = 0; i < mesh->nodes; i++) weights[i] = i == j;
      return;
    }
    weights[j] = barycentric(mesh, j) / (place - mesh->places[j]);
    sum += weights[j];
  }
  for (int j = 0; j < mesh->nodes; j++) weights[j] /= sum;
}

static void graded_interpolation(const mesh *mesh, double place, double *weights) {
  double local[MESH_REACH];
  int first = mesh_local(mesh, place, local), n = mesh->nodes;
  for (int j = 0; j < n; j++) weights[j] = 0;
  for (int k = 0; k < MESH_REACH; k++) weights[(first + k + n) % n] += local[k];
}

void mesh_interpolation(const mesh *mesh, double place, double *weights) {
  if (mesh->kind == MESH_POINT)
    weights[0] = 1;
  else if (mesh_graded(mesh))
    graded_interpolation(mesh, place, weights);
  else if (mesh->kind == MESH_PERIODIC)
    fourier_interpolation(mesh, place, weights);
  else
    chebyshev_interpolation(mesh, place, weights);
}

/* Weights of Clenshaw and Curtis, which sum to one. */
static double clenshaw_curtis(int n, int j) {
  assert(n > 0 && j >= 0 && j <= n);
  double sum = 0.5;
  for (int k = 1; 2 * k <= n; k++) {
    double share = 2 * k == n ? 0.5 : 1;
    sum -= share * cos(2 * PI * k * j / n) / (4.0 * k * k - 1);
  }
  return (j == 0 || j == n ? 1.0 : 2.0) * sum / n;
}

void mesh_mean(const mesh *mesh, int count, double *weights) {
  assert(count > 1 && !mesh_graded(mesh));
  for (int j = 0; j < mesh->nodes; j++) {
    weights[j] = 1.0 / mesh->nodes;
    if (mesh->kind != MESH_WALLS) continue;
    /* count even points: (count - 1) intervals' integral, and half a value more at either end. */
    double end = j == 0 || j == mesh->intervals ? 0.5 : 0;
    weights[j] = ((count - 1) * clenshaw_curtis(mesh->intervals, j) + end) / count;
  }
}
