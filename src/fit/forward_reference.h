/* SPDX-License-Identifier: Apache-2.0
 *
 * forward_reference.h - the classical solution of the equation at the measured points.
 *
 * It is computed on a grid and read between the nodes; the grid is made as fine as the data need once, at the first z.
 */
#ifndef FIT_FORWARD_REFERENCE_H
#define FIT_FORWARD_REFERENCE_H

#include "fit/forward.h"
#include "fit/noise.h"

typedef struct reference_forward {
  const sought *sought;
  const measurements *data;
  int points, times; /* of the grid; 0: the problem's own */
  bool fine;         /* finer grids would change nothing that the noise lets one see */
} reference_forward;

forward reference_forward_of(reference_forward *r);

/* Doubles points and times, from where they are, until values at z change by less than a hundredth of their noise.
 * room: two blocks of [values]; the first holds the values at the end. */
ans_status reference_forward_refine(ans_context *context, reference_forward *r, const noise *noise, const double *z,
                                    double *values, double *room);

#endif
