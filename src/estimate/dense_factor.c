/* SPDX-License-Identifier: Apache-2.0 */
#include "estimate/dense_factor.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

static bool scale_rows(int n, double *matrix, double *scales) {
  for (int i = 0; i < n; i++) {
    double *row = matrix + (size_t)i * n, most = 0;
    for (int j = 0; j < n; j++) {
      if (!isfinite(row[j])) return false;
      most = fmax(most, fabs(row[j]));
    }
    if (!(most > 0) || !isfinite(1 / most)) return false;
    scales[i] = 1 / most;
    for (int j = 0; j < n; j++) row[j] *= scales[i];
  }
  return true;
}

static int choose_pivot(int n, const double *matrix, int k) {
  assert(k >= 0 && k < n);
  int best = k;
  for (int i = k + 1; i < n; i++)
    if (fabs(matrix[(size_t)i * n + k]) > fabs(matrix[(size_t)best * n + k])) best = i;
  return best;
}

static void exchange(int n, double *a, double *b) {
  for (int j = 0; j < n; j++) {
    double kept = a[j];
    a[j] = b[j];
    b[j] = kept;
  }
}

bool dense_factor(int n, double *matrix, int *rows, double *scales) {
  const double least = 1e-13 * n; /* derivatives' matrices carry rounding that grows with their size */
  if (!scale_rows(n, matrix, scales)) return false;
  for (int k = 0; k < n; k++) {
    int pivot = choose_pivot(n, matrix, k);
    assert(pivot >= k && pivot < n);
    double *top = matrix + (size_t)k * n;
    rows[k] = pivot;
    if (pivot != k) exchange(n, top, matrix + (size_t)pivot * n);
    if (!(fabs(top[k]) > least)) return false;
    for (int i = k + 1; i < n; i++) {
      double *row = matrix + (size_t)i * n, factor = row[k] / top[k];
      row[k] = factor;
      if (factor == 0) continue;
      for (int j = k + 1; j < n; j++) row[j] -= factor * top[j];
    }
  }
  return true;
}

void dense_solve_factored(int n, const double *factors, const int *rows, const double *scales, double *right) {
  for (int k = 0; k < n; k++) right[k] *= scales[k];
  for (int k = 0; k < n; k++) {
    double kept = right[rows[k]];
    assert(rows[k] >= k && rows[k] < n);
    right[rows[k]] = right[k];
    right[k] = kept;
  }
  for (int i = 1; i < n; i++) {
    double sum = right[i];
    for (int j = 0; j < i; j++) sum -= factors[(size_t)i * n + j] * right[j];
    right[i] = sum;
  }
  for (int i = n; i-- > 0;) {
    double sum = right[i];
    for (int j = i + 1; j < n; j++) sum -= factors[(size_t)i * n + j] * right[j];
    right[i] = sum / factors[(size_t)i * n + i];
  }
}
