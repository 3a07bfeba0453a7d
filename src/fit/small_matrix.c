/* SPDX-License-Identifier: Apache-2.0 */
#include "fit/small_matrix.h"

#include <math.h>
#include <string.h>

#include "fit/sought.h"

/* A = L L^T in the lower triangle. */
static bool factor(int n, double *a) {
  for (int j = 0; j < n; j++) {
    double pivot = a[j * n + j];
    for (int k = 0; k < j; k++) pivot -= a[j * n + k] * a[j * n + k];
    if (!(pivot > 0) || !isfinite(pivot)) return false;
    a[j * n + j] = sqrt(pivot);
    for (int i = j + 1; i < n; i++) {
      double sum = a[i * n + j];
      for (int k = 0; k < j; k++) sum -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = sum / a[j * n + j];
    }
  }
  return true;
}

static void substitute(int n, const double *a, double *b) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  for (int i = n; i-- > 0;) {
    for (int k = i + 1; k < n; k++) b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
}

bool small_solve(int n, double *a, double *b) {
  if (!factor(n, a)) return false;
  substitute(n, a, b);
  return true;
}

bool small_inverse(int n, const double *a, double *inverse) {
  double l[FIT_MAX_UNKNOWNS * FIT_MAX_UNKNOWNS];
  memcpy(l, a, (size_t)(n * n) * sizeof *l);
  if (!factor(n, l)) return false;
  memset(inverse, 0, (size_t)(n * n) * sizeof *inverse);
  for (int j = 0; j < n; j++) {
    inverse[j * n + j] = 1;
    substitute(n, l, inverse + j * n); /* symmetric: rows are columns */
  }
  return true;
}

/* The rotation in the plane (p, q) that makes a_pq vanish. */
static void rotate(int n, double *a, double *vectors, int p, int q) {
  double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
  double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
  for (int k = 0; k < n; k++) {
    double kp = a[k * n + p], kq = a[k * n + q];
    a[k * n + p] = c * kp - s * kq;
    a[k * n + q] = s * kp + c * kq;
  }
  for (int k = 0; k < n; k++) {
    double pk = a[p * n + k], qk = a[q * n + k], vp = vectors[p * n + k], vq = vectors[q * n + k];
    a[p * n + k] = c * pk - s * qk;
    a[q * n + k] = s * pk + c * qk;
    vectors[p * n + k] = c * vp - s * vq;
    vectors[q * n + k] = s * vp + c * vq;
  }
}

static void sort(int n, double *values, double *vectors) {
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      if (values[j] >= values[i]) continue;
      double kept = values[i];
      values[i] = values[j];
      values[j] = kept;
      for (int k = 0; k < n; k++) {
        kept = vectors[i * n + k];
        vectors[i * n + k] = vectors[j * n + k];
        vectors[j * n + k] = kept;
      }
    }
}

void small_eigen(int n, double *a, double *values, double *vectors) {
  enum { SWEEPS = 60 };
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) vectors[i * n + k] = i == k;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    bool done = true;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        if (!(fabs(a[p * n + q]) > 1e-15 * sqrt(fabs(a[p * n + p] * a[q * n + q])))) continue;
        rotate(n, a, vectors, p, q);
        done = false;
      }
    if (done) break;
  }
  for (int i = 0; i < n; i++) values[i] = a[i * n + i];
  sort(n, values, vectors);
}
