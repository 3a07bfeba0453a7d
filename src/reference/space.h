/* SPDX-License-Identifier: Apache-2.0
 *
 * space.h - one space coordinate as nodes, with derivatives of functions known at the nodes.
 *
 *   Fourier    x_j = low + j (high - low)/n, endpoint excluded; exact for trigonometric polynomials
 *   Chebyshev  x_j = middle - half cos(pi j/(n-1)), both ends included; exact for polynomials of degree n-1
 *   point      a problem without space: one node, no derivatives
 */
#ifndef REFERENCE_SPACE_H
#define REFERENCE_SPACE_H

#include "base/base.h"

enum { SPACE_MAX_ORDER = 4 };

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
  /* Share of the norm in the highest third of the modes: small when the nodes resolve the function. */
  double (*tail)(struct space *space, const double *values);
  /* [nodes][nodes] of the derivative of this order, or NULL for a space that has only transforms. */
  const double *(*matrix)(struct space *space, int order);
  void (*release)(struct space *space); /* what the arena does not hold; may be NULL */
} space;

ans_status space_fourier(ans_context *context, double low, double high, int nodes, space **result);
ans_status space_chebyshev(ans_context *context, double low, double high, int nodes, space **result);
ans_status space_point(ans_context *context, space **result);
void space_free(space *space); /* accepts NULL */

/* For the makers: an empty space with an arena. */
ans_status space_new(ans_context *context, double low, double high, int nodes, space **result, double **places);

#endif
