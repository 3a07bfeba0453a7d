/* SPDX-License-Identifier: Apache-2.0
 *
 * adam.c - see adam.h. The bias corrections are folded into two numbers, so that the loop over parameters
 * has one square root and one division.
 */
#include "numeric/adam.h"

enum { NORM_LANES = 16 };

void adam_step(real *restrict parameters, const real *restrict gradient, real *restrict m, real *restrict v, size_t count,
               long step, double rate, double beta1, double beta2, double epsilon, double scale) {
  double correction = sqrt(1.0 - pow(beta2, (double)step));
  real length = (real)(rate * correction / (1.0 - pow(beta1, (double)step))), floor = (real)(epsilon * correction);
  real keep1 = (real)beta1, keep2 = (real)beta2, add1 = (real)(1.0 - beta1), add2 = (real)(1.0 - beta2), factor = (real)scale;
  for (size_t i = 0; i < count; i++) {
    real g = factor * gradient[i];
    real first = keep1 * m[i] + add1 * g, second = keep2 * v[i] + add2 * g * g;
    m[i] = first;
    v[i] = second;
    parameters[i] -= length * first / ((real)sqrt((double)second) + floor);
  }
}

double numeric_square_norm(const real *values, size_t count) {
  double sum[NORM_LANES] = {0}, total = 0;
  size_t i = 0;
  for (; i + NORM_LANES <= count; i += NORM_LANES)
    for (int lane = 0; lane < NORM_LANES; lane++) sum[lane] += (double)values[i + lane] * (double)values[i + lane];
  for (int lane = 0; i < count; i++, lane++) sum[lane] += (double)values[i] * (double)values[i];
  for (int lane = 0; lane < NORM_LANES; lane++) total += sum[lane];
  return total;
}
