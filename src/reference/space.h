/* SPDX-License-Identifier: Apache-2.0
 *
 * space.h - one space coordinate as nodes, with derivatives of functions known at the nodes.
 *
 *   Fourier    x_j = low + j (high - low)/n, endpoint excluded; exact for trigonometric polynomials
 *   Chebyshev  x_j = middle - half cos(pi j/(n-1)), both ends included; exact for polynomials of degree n-1
 *   graded     nodes as dense as asked for, both ends included; exact for polynomials of degree 8
 *   point      a problem without space: one node, no derivatives
 */
#ifndef REFERENCE_SPACE_H
#define REFERENCE_SPACE_H

#include "base/base.h"

enum { SPACE_MAX_ORDER = 4, SPACE_DENSITY_CELLS = 2048 };

/* The derivative at one node: the sum of weights[k] times the value at node first + k. */
typedef struct space_row {
  const double *weights;
  int first, count;
} space_row;

/* How many nodes a function needs, over even cells of the interval; positive, and only the ratios matter. */
typedef struct space_density {
  double cells[SPACE_DENSITY_CELLS];
} space_density;

typedef struct space {
  arena *arena;
  int node_count;
  double low, high;
  const double *places; /* [nodes] */
  void *data;

  /* results[i] = the derivative of order orders[i], 0 .. SPACE_MAX_ORDER, at the nodes. */
  void (*differentiate)(struct space *space, const double *values, int count, const int *orders,
                        double *const *results);
  /* The interpolant through the nodes, at other places. */
  void (*evaluate)(struct space *space, const double *values, int count, const double *places, double *results);
  /* Share of the norm in the highest third of the modes, or (graded) apart from what the neighbouring nodes say: small
   * when the nodes resolve the function. */
  double (*tail)(struct space *space, const double *values);
  /* NULL in a space that has only transforms. */
  space_row (*row)(struct space *space, int order, int node);
  int reach;                            /* nodes between the farthest entries of a row */
  void (*release)(struct space *space); /* what the arena does not hold; may be NULL */
} space;

ans_status space_fourier(ans_context *context, double low, double high, int nodes, space **result);
ans_status space_chebyshev(ans_context *context, double low, double high, int nodes, space **result);
ans_status space_graded(ans_context *context, double low, double high, int nodes, const space_density *density,
                        space **result);
ans_status space_point(ans_context *context, space **result);
void space_free(space *space); /* accepts NULL */

/* For the makers: an empty space with an arena. */
ans_status space_new(ans_context *context, double low, double high, int nodes, space **result, double **places);

#endif
