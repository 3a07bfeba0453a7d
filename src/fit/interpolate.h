/* SPDX-License-Identifier: Apache-2.0
 *
 * interpolate.h - values on a tensor grid, read between its nodes by polynomials of degree five along every axis.
 */
#ifndef FIT_INTERPOLATE_H
#define FIT_INTERPOLATE_H

#include "system/system.h"

typedef struct lattice_axis {
  const double *nodes; /* increasing */
  int size;
  double period;  /* 0: none; else the last node is one step before the first one's image */
  int coordinate; /* of the problem */
} lattice_axis;

typedef struct lattice {
  int axis_count;
  lattice_axis axes[SYSTEM_MAX_COORDINATES]; /* values run over the last one fastest */
} lattice;

/* values: [product of sizes]. Beyond the ends of an axis without a period it extrapolates. */
double lattice_value(const lattice *lattice, const double *values, const double *point);

#endif
