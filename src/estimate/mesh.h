/* SPDX-License-Identifier: Apache-2.0
 *
 * mesh.h - one coordinate as a few nodes: places, derivatives, interpolation and sums over an even grid.
 *
 *   periodic   n even nodes, the far end left out; trigonometric polynomials
 *   walls      n + 1 Chebyshev nodes, both ends among them; polynomials
 *   point      one node, for problems without space
 *
 * Meshes of n and 2n nest: node j of the coarse one is node 2j of the fine one.
 */
#ifndef ESTIMATE_MESH_H
#define ESTIMATE_MESH_H

#include "base/base.h"

enum { MESH_MAX_ORDER = 4 };

typedef enum mesh_kind { MESH_POINT, MESH_PERIODIC, MESH_WALLS } mesh_kind;

typedef struct mesh {
  mesh_kind kind;
  int intervals, nodes;
  double low, high;
  double *places;                       /* [nodes] */
  double *matrices[MESH_MAX_ORDER + 1]; /* [nodes][nodes] of each derivative; NULL until mesh_differentiable */
} mesh;

ans_status mesh_new(ans_context *context, arena *arena, mesh_kind kind, double low, double high, int intervals,
                    mesh **result);

/* Makes the matrices. */
ans_status mesh_differentiable(ans_context *context, arena *arena, mesh *mesh);

/* Weights of the nodes whose sum of products with node values is the interpolant at `place`: [nodes]. */
void mesh_interpolation(const mesh *mesh, double place, double *weights);

/* Weights of the nodes whose sum of products is, but for interpolation, the mean over `count` even points, as a field's
 * default grid has them: both ends included unless periodic. [nodes]. */
void mesh_mean(const mesh *mesh, int count, double *weights);

#endif
