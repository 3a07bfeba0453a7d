/* SPDX-License-Identifier: Apache-2.0
 *
 * statistics.c - Student's tail is the regularised incomplete beta function I_x(a, b) with x = n / (n + t^2), a = n / 2
 * and b = 1 / 2, here by its continued fraction (DLMF 8.17.22), which converges fast for x < (a + 1) / (a + b + 2).
 */
#include "statistics.h"

#include <assert.h>
#include <math.h>

sample sample_of(const double *values, size_t count) {
  sample result = {.count = count, .mean = nan(""), .deviation = nan("")};
  if (count == 0) return result;
  double sum = 0, squares = 0;
  for (size_t i = 0; i < count; i++) sum += values[i];
  result.mean = sum / (double)count;
  for (size_t i = 0; i < count; i++) squares += (values[i] - result.mean) * (values[i] - result.mean);
  if (count > 1) result.deviation = sqrt(squares / (double)(count - 1));
  return result;
}

/* The m-th coefficient d_m of the fraction 1 / (1 + d_1 / (1 + d_2 / (1 + ...))). */
static double coefficient(int m, double a, double b, double x) {
  assert(m > 0 && a > 0 && b > 0);
  double k = m / 2;
  if (m % 2) return -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1));
  return k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k));
}

/* From the inside out: 400 terms are far more than any use here needs. */
static double fraction(double a, double b, double x) {
  double value = 1;
  for (int m = 400; m > 0; m--) value = 1 + coefficient(m, a, b, x) / value;
  return 1 / value;
}

static double beta_below(double a, double b, double x) {
  assert(x > 0 && x < 1);
  double log_front = a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a) - lgamma(b);
  return exp(log_front) * fraction(a, b, x) / a;
}

static double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  return x < (a + 1) / (a + b + 2) ? beta_below(a, b, x) : 1 - beta_below(b, a, 1 - x);
}

double student_tail(double t, double freedom) {
  if (isnan(t) || !(freedom > 0)) return nan("");
  return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

double student_quantile(double tail, double freedom) {
  if (!(tail > 0 && tail < 1) || !(freedom > 0)) return nan("");
  double low = 0, high = 1;
  while (student_tail(high, freedom) > tail && high < 1e150) high *= 2;
  for (int i = 0; i < 200; i++) {
    double middle = 0.5 * (low + high);
    *(student_tail(middle, freedom) > tail ? &low : &high) = middle;
  }
  return 0.5 * (low + high);
}

double welch_p(sample a, sample b) {
  if (a.count < 2 || b.count < 2) return nan("");
  double u = a.deviation * a.deviation / (double)a.count, v = b.deviation * b.deviation / (double)b.count;
  if (!(u + v > 0)) return nan("");
  double freedom = (u + v) * (u + v) / (u * u / (double)(a.count - 1) + v * v / (double)(b.count - 1));
  return student_tail((a.mean - b.mean) / sqrt(u + v), freedom);
}

interval interval_of(const double *differences, size_t count) {
  sample s = sample_of(differences, count);
  interval result = {s.mean, nan(""), nan("")};
  if (count < 2) return result;
  double reach = student_quantile(0.05, (double)(count - 1)) * s.deviation / sqrt((double)count);
  result.low = s.mean - reach;
  result.high = s.mean + reach;
  return result;
}
