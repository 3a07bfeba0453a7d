/* SPDX-License-Identifier: Apache-2.0
 *
 * wave.c - see wave.h. sin x = (-1)^n sin r with x = n pi + r, |r| <= pi/2, and cos x the same with n between
 * integers; pi is subtracted in three parts, and the sign is found without a branch.
 */
#include "numeric/wave.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define ROUNDER   6755399441055744.0 /* adding and subtracting it rounds to an integer */
#define PI_HIGH   3.1415926534682512
#define PI_MIDDLE 1.21542009963449e-10
#define PI_LOW    1.6667485837041758e-19
#define LARGEST   1e5 /* beyond, the parts of pi are not enough */

/* shift = 0: sine; 0.5: cosine */
static inline double wave(double x, double shift) {
  double n = (x * 0.31830988618379067154 + shift + ROUNDER) - ROUNDER, half = 0.5 * n, turns = n - shift;
  double odd = half - ((half + ROUNDER) - ROUNDER);
  double r = x - turns * PI_HIGH;
  r = r - turns * PI_MIDDLE;
  r = r - turns * PI_LOW;
  double q = r * r, p = 1.0 / 51090942171709440000.0;
  p = p * q - 1.0 / 121645100408832000.0;
  p = p * q + 1.0 / 355687428096000.0;
  p = p * q - 1.0 / 1307674368000.0;
  p = p * q + 1.0 / 6227020800.0;
  p = p * q - 1.0 / 39916800.0;
  p = p * q + 1.0 / 362880.0;
  p = p * q - 1.0 / 5040.0;
  p = p * q + 1.0 / 120.0;
  p = p * q - 1.0 / 6.0;
  return (1.0 - 8.0 * odd * odd) * (r + r * q * p);
}

void wave_fill(int count, const double *angle, double *sine, double *cosine) {
  bool small = true;
  for (int i = 0; i < count; i++) small &= fabs(angle[i]) < LARGEST;
  if (!small) {
    for (int i = 0; i < count; i++) sine[i] = sin(angle[i]);
    for (int i = 0; cosine && i < count; i++) cosine[i] = cos(angle[i]);
    return;
  }
  for (int i = 0; i < count; i++) sine[i] = wave(angle[i], 0);
  for (int i = 0; cosine && i < count; i++) cosine[i] = wave(angle[i], 0.5);
}
