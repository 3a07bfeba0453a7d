/* SPDX-License-Identifier: Apache-2.0
 *
 * jet_function.c - see jet_function.h. Each rule comes from the equation the function satisfies:
 * y' = 1 - y^2 for tanh, x y' = p y for powers, y'' = -y for sine.
 */
#include "field/jet_function.h"

#include <math.h>

#include "numeric/wave.h"

/* Two values that repeat with a sign: y'' = sign * y. */
static void second_order(double value, double slope, double sign, int count, double *a) {
  a[0] = value;
  if (count > 1) a[1] = slope;
  for (int m = 2; m < count; m++) a[m] = sign * a[m - 2] / (m * (m - 1));
}

/* y' = 1 + sign * y^2 */
static void riccati(double value, double sign, int count, double *a) {
  a[0] = value;
  for (int m = 0; m + 1 < count; m++) {
    double sum = m == 0 ? 1 : 0;
    for (int i = 0; i <= m; i++) sum += sign * a[i] * a[m - i];
    a[m + 1] = sum / (m + 1);
  }
}

/* binomial(p, m) z^(p-m); a binomial that is zero wins over an infinite power. */
static void power(double z, double p, int count, double *a) {
  double binomial = 1;
  for (int m = 0; m < count; m++) {
    a[m] = binomial == 0 ? 0 : binomial * pow(z, p - m);
    binomial *= (p - m) / (m + 1);
  }
}

static void logarithm(double z, double unit, int count, double *a) {
  double slope = unit / z;
  a[0] = unit * log(z);
  for (int m = 1; m < count; m++) {
    a[m] = slope / m;
    slope *= -1 / z;
  }
}

static void first_order(double value, double slope, int count, double *a) {
  a[0] = value;
  for (int m = 1; m < count; m++) a[m] = m == 1 ? slope : 0;
}

static void coefficients_at(jet_function function, double exponent, double z, int count, double *a) {
  switch (function) {
  case JET_SINH: second_order(sinh(z), cosh(z), 1, count, a); break;
  case JET_COSH: second_order(cosh(z), sinh(z), 1, count, a); break;
  case JET_EXP: second_order(exp(z), exp(z), 1, count, a); break;
  case JET_TAN: riccati(tan(z), 1, count, a); break;
  case JET_TANH: riccati(tanh(z), -1, count, a); break;
  case JET_LOG: logarithm(z, 1, count, a); break;
  case JET_LOG10: logarithm(z, 0.43429448190325182765, count, a); break;
  case JET_SQRT: power(z, 0.5, count, a); break;
  case JET_RECIPROCAL: power(z, -1, count, a); break;
  case JET_POWER: power(z, exponent, count, a); break;
  case JET_ABS: first_order(fabs(z), z < 0 ? -1 : 1, count, a); break;
  case JET_NEGATE:
  default: first_order(-z, -1, count, a); break;
  }
}

/* All points at once: these two are in most initial values. */
static void wave_coefficients(bool cosine, int count, int points, const double *z, double (*a)[JET_MAX_POINTS]) {
  double other[JET_MAX_POINTS];
  wave_fill(points, z, cosine ? other : a[0], cosine ? a[0] : other);
  for (int p = 0; count > 1 && p < points; p++) a[1][p] = cosine ? -other[p] : other[p];
  for (int m = 2; m < count; m++)
    for (int p = 0; p < points; p++) a[m][p] = -a[m - 2][p] / (m * (m - 1));
}

void jet_coefficients(jet_function function, double exponent, int count, int points, const double *z,
                      double (*a)[JET_MAX_POINTS]) {
  if (function == JET_SIN || function == JET_COS) {
    wave_coefficients(function == JET_COS, count, points, z, a);
    return;
  }
  for (int p = 0; p < points; p++) {
    double at[ALGEBRA_MAX_DEGREE + 2] = {0};
    coefficients_at(function, exponent, z[p], count, at);
    for (int m = 0; m < count; m++) a[m][p] = at[m];
  }
}
