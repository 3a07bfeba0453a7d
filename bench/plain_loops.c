/* SPDX-License-Identifier: Apache-2.0
 *
 * plain_loops.c - the same step with matrix products written as anybody would write them, for comparison.
 *
 * Compiled twice, with ordinary flags and for AVX2 with fma, at -O3, so that the compiler vectorises the inner
 * loops; everything but the products is the AVX2 kernels'.
 */
#include "step.h"

#include <string.h>

#include "numeric/kernels/kernels.h"

static void plain_pack(const real *w, int ldw, bool transpose, int k, int n, real *packed) {
  int padded = kernel_padded(n);
  memset(packed, 0, (size_t)k * (size_t)padded * sizeof *packed);
  for (int i = 0; i < k; i++)
    for (int j = 0; j < n; j++) packed[i * padded + j] = transpose ? w[j * ldw + i] : w[i * ldw + j];
}

static void plain_product(int rows, int k, int n, const real *restrict a, int lda, const real *restrict b, bool add,
                          real *restrict c, int ldc) {
  int padded = kernel_padded(n);
  for (int r = 0; r < rows; r++) {
    if (!add) memset(c + r * ldc, 0, (size_t)padded * sizeof *c);
    for (int i = 0; i < k; i++)
      for (int j = 0; j < padded; j++) c[r * ldc + j] += a[r * lda + i] * b[i * padded + j];
  }
}

static void plain_outer(int rows, int m, int n, const real *restrict g, int ldg, const real *restrict a, int lda,
                        bool add, real *restrict c, int ldc) {
  int padded = kernel_padded(n);
  for (int i = 0; i < m; i++) {
    if (!add) memset(c + i * ldc, 0, (size_t)padded * sizeof *c);
    for (int r = 0; r < rows; r++)
      for (int j = 0; j < padded; j++) c[i * ldc + j] += g[r * ldg + i] * a[r * lda + j];
  }
}

const kernel_table *LOOPS_FUNCTION(void) {
  static kernel_table table;
  const kernel_table *avx2 = kernels_by_name("avx2");
  if (!avx2) return NULL;
  table = *avx2;
  table.name = LOOPS_NAME;
  table.pack = plain_pack;
  table.product = plain_product;
  table.outer = plain_outer;
  return &table;
}
