/* SPDX-License-Identifier: Apache-2.0
 *
 * mesh_graded.c - see mesh.h. Derivatives at a node are those of the polynomial through the MESH_REACH nodes around it;
 * at a wall, through the nodes next to it.
 */
#include <assert.h>
#include <string.h>

#include "estimate/mesh.h"
#include "numeric/differences.h"

_Static_assert((int)MESH_REACH == (int)DIFFERENCE_NODES, "as many nodes as there are weights for");
_Static_assert((int)MESH_MAX_ORDER < (int)DIFFERENCE_ORDERS, "weights for every derivative");

/* The place of a node that may count on past either end. */
static double place_of(const mesh *mesh, int node) {
  double length = mesh->high - mesh->low;
  if (node < 0) return mesh->places[node + mesh->nodes] - length;
  if (node >= mesh->nodes) return mesh->places[node - mesh->nodes] + length;
  return mesh->places[node];
}

/* The first of the nodes around `middle`. */
static int first_around(const mesh *mesh, int middle) {
  int first = middle - MESH_REACH / 2, last = mesh->nodes - MESH_REACH;
  if (mesh->kind == MESH_PERIODIC) return first;
  return first < 0 ? 0 : first > last ? last : first;
}

/* In units of the stencil's length: its fourth derivatives would overflow for very small domains. */
static void fill_row(mesh *mesh, int i) {
  double nodes[MESH_REACH], weights[DIFFERENCE_ORDERS][DIFFERENCE_NODES];
  int first = mesh->firsts[i];
  double length = place_of(mesh, first + MESH_REACH - 1) - place_of(mesh, first), scale = 1;
  for (int k = 0; k < MESH_REACH; k++) nodes[k] = (place_of(mesh, first + k) - mesh->places[i]) / length;
  difference_weights(0, MESH_REACH, nodes, weights);
  for (int order = 0; order <= MESH_MAX_ORDER; order++, scale /= length)
    for (int k = 0; k < MESH_REACH; k++)
      mesh->matrices[order][(size_t)i * MESH_REACH + (size_t)k] = scale * weights[order][k];
}

ans_status mesh_graded_new(ans_context *context, arena *arena, mesh_kind kind, double low, double high,
                           const double *places, int nodes, mesh **result) {
  assert(kind != MESH_POINT && nodes >= MESH_REACH && places[0] == low);
  mesh *mesh = arena_take(arena, sizeof *mesh);
  if (!mesh) return context_no_memory(context);
  *mesh = (struct mesh){.kind = kind, .nodes = nodes, .low = low, .high = high, .reach = MESH_REACH};
  mesh->intervals = kind == MESH_PERIODIC ? nodes : nodes - 1;
  mesh->places = arena_array(arena, double, (size_t)nodes);
  mesh->firsts = arena_array(arena, int, (size_t)nodes);
  if (!mesh->places || !mesh->firsts) return context_no_memory(context);
  memcpy(mesh->places, places, (size_t)nodes * sizeof *places);
  for (int order = 0; order <= MESH_MAX_ORDER; order++) {
    mesh->matrices[order] = arena_array(arena, double, (size_t)nodes *MESH_REACH);
    if (!mesh->matrices[order]) return context_no_memory(context);
  }
  for (int i = 0; i < nodes; i++) {
    mesh->firsts[i] = first_around(mesh, i);
    fill_row(mesh, i);
  }
  *result = mesh;
  return ANS_OK;
}

int mesh_local(const mesh *mesh, double place, double *weights) {
  assert(mesh_graded(mesh));
  int low = 0, high = mesh->nodes;
  while (high - low > 1) { /* the last node that is not above the place */
    int middle = low + (high - low) / 2;
    if (mesh->places[middle] <= place)
      low = middle;
    else
      high = middle;
  }
  int first = first_around(mesh, low);
  double nodes[MESH_REACH], all[DIFFERENCE_ORDERS][DIFFERENCE_NODES], length = mesh->high - mesh->low;
  for (int k = 0; k < MESH_REACH; k++) nodes[k] = (place_of(mesh, first + k) - place) / length;
  difference_weights(0, MESH_REACH, nodes, all);
  memcpy(weights, all[0], sizeof all[0]);
  return first;
}
