/* SPDX-License-Identifier: Apache-2.0
 *
 * initial.c - uniform and orthogonal beginnings.
 *
 * Orthogonal: Gram-Schmidt on the rows of a Gaussian matrix. Row i keeps a positive component along its own
 * residual, which is the QR factorization with positive diagonal, and that one is uniform (Haar). The second
 * sweep only removes the rounding errors of the first. Plain loops: the same numbers on every machine.
 */
#include "numeric/initial.h"

#include <assert.h>

void initial_linear(const unknown_part *part, int inputs, uint64_t seed, random_purpose purpose, real *block) {
  random_stream stream = unknown_stream(part, seed, purpose);
  double bound = 1.0 / sqrt((double)inputs);
  real *values = block + part->offset;
  for (size_t i = 0; i < unknown_count(part); i++) values[i] = (real)random_between(&stream, -bound, bound);
}

/* Four partial sums in a fixed order: faster than one, and the same everywhere. */
static double dot(const real *a, const real *b, int count) {
  double sum[4] = {0};
  for (int i = 0; i < count; i++) sum[i & 3] += (double)a[i] * (double)b[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void orthonormalise_rows(int width, real *rows) {
  for (int i = 0; i < width; i++) {
    real *row = rows + (size_t)i * (size_t)width;
    double scale = 1.0 / sqrt(dot(row, row, width));
    for (int k = 0; k < width; k++) row[k] = (real)((double)row[k] * scale);
    for (int j = i + 1; j < width; j++) {
      real *later = rows + (size_t)j * (size_t)width;
      double shared = dot(row, later, width);
      for (int k = 0; k < width; k++) later[k] = (real)((double)later[k] - shared * (double)row[k]);
    }
  }
}

void initial_orthogonal(const unknown_part *part, uint64_t seed, random_purpose purpose, real *block) {
  assert(part->rows == part->columns);
  random_stream stream = unknown_stream(part, seed, purpose);
  real *values = block + part->offset;
  for (size_t i = 0; i < unknown_count(part); i++) values[i] = (real)random_normal(&stream);
  orthonormalise_rows(part->rows, values);
  orthonormalise_rows(part->rows, values);
}
