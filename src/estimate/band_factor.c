/* SPDX-License-Identifier: Apache-2.0 */
#include "estimate/band_factor.h"

#include <assert.h>
#include <math.h>

/* Entry (i, j), also of the room for exchanges: j <= i + 2 * band. */
static double *entry(int band, double *entries, int i, int j) {
  return entries + (size_t)i * band_stride(band) + (j - i + band);
}

static const double *factor_at(int band, const double *factors, int i, int j) {
  return factors + (size_t)i * band_stride(band) + (j - i + band);
}

static int first_of(int band, int i) { return i > band ? i - band : 0; }

static int last_of(int n, int i, int band) { return i + band < n ? i + band : n - 1; }

static bool scale_rows(int n, int band, double *entries, int *ends, double *scales) {
  for (int i = 0; i < n; i++) {
    double most = 0;
    ends[i] = i;
    for (int j = first_of(band, i); j <= last_of(n, i, band); j++) {
      double value = *entry(band, entries, i, j);
      if (!isfinite(value)) return false;
      most = fmax(most, fabs(value));
      if (value != 0 && j > ends[i]) ends[i] = j;
    }
    if (!(most > 0) || !isfinite(1 / most)) return false;
    scales[i] = 1 / most;
    for (int j = first_of(band, i); j <= ends[i]; j++) *entry(band, entries, i, j) *= scales[i];
  }
  return true;
}

/* Rows k and `pivot` from column k on; what stands left of it are multipliers and stays. */
static void exchange(int band, double *entries, int *ends, int k, int pivot) {
  int end = ends[k] > ends[pivot] ? ends[k] : ends[pivot], kept = ends[k];
  assert(end <= k + 2 * band);
  for (int j = k; j <= end; j++) {
    double *a = entry(band, entries, k, j), *b = entry(band, entries, pivot, j), value = *a;
    *a = *b;
    *b = value;
  }
  ends[k] = ends[pivot];
  ends[pivot] = kept;
}

static void eliminate(int band, double *entries, const band_pivots *p, int k, int i) {
  double *row = entry(band, entries, i, k), *top = entry(band, entries, k, k);
  double factor = row[0] / top[0];
  row[0] = factor;
  if (factor == 0) return;
  int count = p->ends[k] - k;
  for (int j = 1; j <= count; j++) row[j] -= factor * top[j];
  if (p->ends[k] > p->ends[i]) p->ends[i] = p->ends[k];
  p->depths[k] = i;
}

bool band_factor(int n, int band, double *entries, const band_pivots *p) {
  const double least = 1e-15; /* a fourth derivative on a fine mesh is as ill-conditioned as doubles allow */
  if (!scale_rows(n, band, entries, p->ends, p->scales)) return false;
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i <= last_of(n, k, band); i++)
      if (fabs(*entry(band, entries, i, k)) > fabs(*entry(band, entries, pivot, k))) pivot = i;
    p->rows[k] = pivot;
    p->depths[k] = k;
    if (pivot != k) exchange(band, entries, p->ends, k, pivot);
    if (!(fabs(*entry(band, entries, k, k)) > least)) return false;
    for (int i = k + 1; i <= last_of(n, k, band); i++) eliminate(band, entries, p, k, i);
  }
  return true;
}

void band_solve_factored(int n, int band, const double *factors, const band_pivots *p, double *right) {
  for (int k = 0; k < n; k++) right[k] *= p->scales[k];
  for (int k = 0; k < n; k++) {
    double value = right[p->rows[k]];
    right[p->rows[k]] = right[k];
    right[k] = value;
    for (int i = k + 1; i <= p->depths[k]; i++) right[i] -= *factor_at(band, factors, i, k) * value;
  }
  for (int i = n; i-- > 0;) {
    const double *row = factor_at(band, factors, i, i);
    double sum = right[i];
    for (int j = 1; j <= p->ends[i] - i; j++) sum -= row[j] * right[i + j];
    right[i] = sum / row[0];
  }
}
