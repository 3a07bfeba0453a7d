/* SPDX-License-Identifier: Apache-2.0
 *
 * boundary.h - boundary conditions of one field on an interval, used to eliminate its outermost nodes.
 *
 * A condition  d^k u = g(t)  at an end is one linear equation  sum_j B_j u_j = g  in the node values, B being a row
 * of the derivative matrix. As many nodes as there are conditions, counted inward from the ends where they stand,
 * follow from the others:  u_E = B_E^-1 (g - B_I u_I).  What remains evolves by the differential equation, and g
 * enters at its own time, undifferentiated.
 */
#ifndef REFERENCE_BOUNDARY_H
#define REFERENCE_BOUNDARY_H

#include "reference/space.h"
#include "system/system.h"

enum { BOUNDARY_MAX = 2 * SPACE_MAX_ORDER };

typedef struct boundary {
  int low, high; /* nodes eliminated at either end */
  int count;     /* low + high */
  const system_condition *conditions[BOUNDARY_MAX];
  double *from_nodes; /* [count][nodes]: eliminated value = sum of these times the kept values ... */
  double *from_data;  /* [count][count]: ... plus these times the conditions' values */
} boundary;

/* The conditions of `field` along `coordinate`; none in a periodic space. */
ans_status boundary_new(ans_context *context, const ans_problem *problem, int field, int coordinate, space *space,
                        arena *arena, boundary *result);

/* Sets the eliminated entries of values[nodes]; data: [count], or NULL for zero conditions. */
void boundary_fill(const boundary *boundary, int nodes, const double *data, double *values);

/* The node behind eliminated entry i. */
int boundary_node(const boundary *boundary, int nodes, int i);

#endif
