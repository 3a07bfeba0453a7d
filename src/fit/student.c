/* SPDX-License-Identifier: Apache-2.0 */
#include "fit/student.h"

#include <math.h>

static const double PI = 3.14159265358979323846, NORMAL = 1.959963984540054;

/* P(|T| < t) for whole degrees of freedom: Abramowitz & Stegun 26.7.3, 26.7.4. */
static double inside(double t, int freedom) {
  double angle = atan(t / sqrt(freedom)), c = cos(angle), s = sin(angle), sum = 0;
  int odd = freedom % 2;
  double term = odd ? c : 1;
  for (int k = odd ? 1 : 0; k <= freedom - 2; k += 2) {
    sum += term;
    term *= c * c * (k + 1) / (k + 2);
  }
  return odd ? 2 / PI * (angle + s * sum) : s * sum;
}

/* Cornish and Fisher's expansion, good for many degrees. */
static double expanded(double freedom) {
  double z = NORMAL, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
  return z + (z3 + z) / 4 / freedom + (5 * z5 + 16 * z3 + 3 * z) / 96 / (freedom * freedom) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / 384 / (freedom * freedom * freedom);
}

double student_reach(double freedom) {
  enum { FEW = 40, HALVINGS = 60 };
  if (freedom > FEW) return isfinite(freedom) ? expanded(freedom) : NORMAL;
  int whole = freedom < 1 ? 1 : (int)freedom;
  double low = 0, high = 20;
  for (int i = 0; i < HALVINGS; i++) {
    double middle = 0.5 * (low + high);
    *(inside(middle, whole) < 0.95 ? &low : &high) = middle;
  }
  return 0.5 * (low + high);
}

double chi2_excess(double chi2, double freedom) {
  double part = 2 / (9 * freedom);
  return (cbrt(chi2 / freedom) - (1 - part)) / sqrt(part);
}
