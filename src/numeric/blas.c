/* SPDX-License-Identifier: Apache-2.0
 *
 * blas.c - matrix products by OpenBLAS, see blas.h.
 */
#include "numeric/blas.h"

#include <cblas.h>
#include <stdio.h>

#include "numeric/blas_room.h"
#include "numeric/denormal.h"

#if ANS_PRECISION == 32
#define GEMM cblas_sgemm
#define GEMV cblas_sgemv
#else
#define GEMM cblas_dgemm
#define GEMV cblas_dgemv
#endif

/* OpenBLAS would start a thread per core. A product of this kind takes a buffer, however small it is. */
static bool first_call(void) {
  double a = 0, c = 0;
  openblas_set_num_threads(1);
  cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, 1, 1, 1, &a, 1, 0, &c, 1);
  return openblas_get_parallel() != OPENBLAS_SEQUENTIAL;
}

bool blas_ready(void) { return blas_room_begin(first_call); }

static CBLAS_TRANSPOSE transposed(bool transpose) { return transpose ? CblasTrans : CblasNoTrans; }

void blas_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, real alpha, const real *a, int lda,
               const real *b, int ldb, real beta, real *c, int ldc) {
  blas_room_enter(first_call);
  unsigned before = denormals_off();
  GEMM(CblasRowMajor, transposed(transpose_a), transposed(transpose_b), m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  denormals_restore(before);
  blas_room_leave();
}

void blas_gemv(bool transpose, int m, int n, real alpha, const real *a, int lda, const real *x, real beta, real *y) {
  blas_room_enter(first_call);
  unsigned before = denormals_off();
  GEMV(CblasRowMajor, transposed(transpose), transpose ? n : m, transpose ? m : n, alpha, a, lda, x, 1, beta, y, 1);
  denormals_restore(before);
  blas_room_leave();
}

const char *blas_description(void) {
  static char text[160];
  snprintf(text, sizeof text, "%s, core %s", openblas_get_config(), openblas_get_corename());
  return text;
}
