/* SPDX-License-Identifier: Apache-2.0
 *
 * moments.h - one step of Adam over a parameter block (Kingma & Ba, 2015), and the norm that clipping needs.
 */
#ifndef NUMERIC_MOMENTS_H
#define NUMERIC_MOMENTS_H

#include <stddef.h>

#include "numeric/real.h"

#define adam_step           REAL_NAME(adam_step)
#define numeric_square_norm REAL_NAME(numeric_square_norm)

/* g = scale * gradient;  m <- beta1 m + (1 - beta1) g;  v <- beta2 v + (1 - beta2) g^2;
 * p <- p - rate * (m / (1 - beta1^step)) / (sqrt(v / (1 - beta2^step)) + epsilon).   step counts from 1. */
void adam_step(real *parameters, const real *gradient, real *m, real *v, size_t count, long step, double rate,
               double beta1, double beta2, double epsilon, double scale);

/* Sum of squares in double, added in an order that depends on `count` alone. */
double numeric_square_norm(const real *values, size_t count);

#endif
