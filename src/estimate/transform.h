/* SPDX-License-Identifier: Apache-2.0
 *
 * transform.h - Fourier modes of real values at 2^k even nodes.
 */
#ifndef ESTIMATE_TRANSFORM_H
#define ESTIMATE_TRANSFORM_H

#include <complex.h>

#include "base/base.h"

typedef struct transform {
  int nodes;
  double complex *turns; /* [nodes / 2] */
  double complex *work;  /* [nodes] */
} transform;

ans_status transform_new(ans_context *context, arena *arena, int nodes, transform *result);

/* modes[k] = mean over nodes of value * exp(-2 pi i k j / nodes), k = 0 .. nodes/2. */
void transform_forward(transform *transform, const double *values, double complex *modes);
void transform_backward(transform *transform, const double complex *modes, double *values);

#endif
