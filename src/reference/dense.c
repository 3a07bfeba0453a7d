/* SPDX-License-Identifier: Apache-2.0 */
#include "reference/dense.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

static int largest_below(int size, const double *matrix, int column) {
  assert(column >= 0 && column < size);
  int best = column;
  for (int i = column + 1; i < size; i++)
    if (fabs(matrix[(size_t)i * size + column]) > fabs(matrix[(size_t)best * size + column])) best = i;
  return best;
}

static void exchange_rows(int size, double *matrix, int a, int b) {
  assert(a >= 0 && a < size && b >= 0 && b < size && a != b);
  for (int j = 0; j < size; j++) {
    double kept = matrix[(size_t)a * size + j];
    matrix[(size_t)a * size + j] = matrix[(size_t)b * size + j];
    matrix[(size_t)b * size + j] = kept;
  }
}

bool dense_factorise(int size, double *matrix, int *pivots) {
  for (int k = 0; k < size; k++) {
    pivots[k] = largest_below(size, matrix, k);
    if (pivots[k] != k) exchange_rows(size, matrix, k, pivots[k]);
    const double *pivot_row = matrix + (size_t)k * size;
    if (!isfinite(pivot_row[k]) || pivot_row[k] == 0) return false;
    for (int i = k + 1; i < size; i++) {
      double *row = matrix + (size_t)i * size;
      double factor = row[k] /= pivot_row[k];
      if (factor == 0) continue;
      for (int j = k + 1; j < size; j++) row[j] -= factor * pivot_row[j];
    }
  }
  return true;
}

void dense_solve(int size, const double *factors, const int *pivots, double *right) {
  for (int k = 0; k < size; k++) {
    assert(pivots[k] >= k && pivots[k] < size);
    double kept = right[k];
    right[k] = right[pivots[k]];
    right[pivots[k]] = kept;
  }
  for (int i = 0; i < size; i++)
    for (int j = 0; j < i; j++) right[i] -= factors[(size_t)i * size + j] * right[j];
  for (int i = size; i-- > 0;) {
    for (int j = i + 1; j < size; j++) right[i] -= factors[(size_t)i * size + j] * right[j];
    right[i] /= factors[(size_t)i * size + i];
  }
}
