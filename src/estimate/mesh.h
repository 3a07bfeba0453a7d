/* SPDX-License-Identifier: Apache-2.0
 *
 * mesh.h - one coordinate as a few nodes: places, derivatives, interpolation and sums over an even grid.
 *
 *   periodic   n even nodes, the far end left out; trigonometric polynomials
 *   walls      n + 1 Chebyshev nodes, both ends among them; polynomials
 *   point      one node, for problems without space
 *
 * Such meshes of n and 2n nest: node j of the coarse one is node 2j of the fine one. A *graded* mesh, periodic or
 * between walls, has its nodes where they are needed (grading.h) and local polynomials of degree eight. Its matrices
 * are banded, so it can have many more nodes.
 */
#ifndef ESTIMATE_MESH_H
#define ESTIMATE_MESH_H

#include "base/base.h"

enum { MESH_MAX_ORDER = 4, MESH_REACH = 9 /* nodes of a local polynomial */ };

typedef enum mesh_kind { MESH_POINT, MESH_PERIODIC, MESH_WALLS } mesh_kind;

typedef struct mesh {
  mesh_kind kind;
  int intervals, nodes;
  double low, high;
  double *places; /* [nodes] */
  int reach;      /* entries in a row of the matrices: all nodes, or MESH_REACH when graded */
  int *firsts;    /* [nodes], graded: node of a row's first entry; periodic ones count on past either end. NULL: 0 */
  double *matrices[MESH_MAX_ORDER + 1]; /* [nodes][reach] of each derivative; NULL until mesh_differentiable */
} mesh;

static inline bool mesh_graded(const mesh *mesh) { return mesh->firsts; }

/* The node of an entry of a matrix. */
static inline int mesh_column(const mesh *mesh, int row, int entry) {
  if (!mesh->firsts) return entry;
  int node = mesh->firsts[row] + entry;
  return node < 0 ? node + mesh->nodes : node >= mesh->nodes ? node - mesh->nodes : node;
}

ans_status mesh_new(ans_context *context, arena *arena, mesh_kind kind, double low, double high, int intervals,
                    mesh **result);

/* places: increasing nodes, with both ends, or periodic with the low one. Copied. At least MESH_REACH of them. */
ans_status mesh_graded_new(ans_context *context, arena *arena, mesh_kind kind, double low, double high,
                           const double *places, int nodes, mesh **result);

/* Makes the matrices. */
ans_status mesh_differentiable(ans_context *context, arena *arena, mesh *mesh);

/* to <- the derivative of node values. */
void mesh_derivative(const mesh *mesh, int order, const double *from, double *to);

/* Weights of the nodes whose sum of products with node values is the interpolant at `place`: [nodes]. */
void mesh_interpolation(const mesh *mesh, double place, double *weights);

/* The same of a graded mesh, without the zeros: weights: [MESH_REACH]. Returns the first node, as in `firsts`. */
int mesh_local(const mesh *mesh, double place, double *weights);

/* Not of a graded mesh: weights of the nodes whose sum of products is, but for interpolation, the mean over `count`
 * even points, as a field's default grid has them: both ends included unless periodic. [nodes]. */
void mesh_mean(const mesh *mesh, int count, double *weights);

#endif
