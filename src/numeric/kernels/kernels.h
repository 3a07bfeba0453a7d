/* SPDX-License-Identifier: Apache-2.0
 *
 * kernels.h - the inner loops, one table of functions per instruction set.
 *
 * Matrices are stored by rows; a row starts on a 64-byte boundary and is padded with zeros to a multiple
 * of 64 bytes (kernel_padded). Rows of a tile are ordered [point][channel]. Nothing here allocates.
 */
#ifndef NUMERIC_KERNELS_KERNELS_H
#define NUMERIC_KERNELS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

#include "numeric/algebra.h"
#include "numeric/real.h"

#define kernel_table    REAL_NAME(kernel_table)
#define kernel_rule     REAL_NAME(kernel_rule)
#define kernel_chain    REAL_NAME(kernel_chain)
#define kernels_chosen  REAL_NAME(kernels_chosen)
#define kernels_by_name REAL_NAME(kernels_by_name)
#define kernels_use     REAL_NAME(kernels_use)
#define kernel_rule_of  REAL_NAME(kernel_rule_of)

enum {
  KERNEL_ALIGN = (int)(64 / sizeof(real)), /* reals in 64 bytes */
  KERNEL_QUICK_CHANNELS = 4,
  KERNEL_CHAIN_CHANNELS = 1 + ALGEBRA_MAX_COORDINATES * ALGEBRA_MAX_DEGREE
};

typedef enum kernel_activation {
  KERNEL_IDENTITY,
  KERNEL_TANH,
  KERNEL_SINE,
  KERNEL_GELU,
  KERNEL_RELU
} kernel_activation;

/* The derivatives along one coordinate, of orders 1 to length. */
typedef struct kernel_chain {
  int length, channel[ALGEBRA_MAX_DEGREE + 1];
} kernel_chain;

/* How an activation acts on channels. `quick`: at most four channels of which only the last has products of
 * others, (f^2)_last = 2 f_0 f_last + q11 f_1^2 + q12 f_1 f_2 + q22 f_2^2. Else, in a Taylor set without mixed
 * derivatives, along its chains; everything else goes by the table. */
typedef struct kernel_rule {
  int channels;
  bool quick;
  real q11, q12, q22;
  int chain_count; /* 0: it is no such set */
  int long_chain;  /* of one chain of three or more and one of a single channel, the first channel of the long one; or 0
                    */
  kernel_chain chains[ALGEBRA_MAX_COORDINATES];
  const algebra *algebra;
} kernel_rule;

typedef struct kernel_table {
  const char *name;
  /* packed <- B [k][n], B[i][j] = transpose ? w[j*ldw + i] : w[i*ldw + j]; k * kernel_padded(n) reals. */
  void (*pack)(const real *w, int ldw, bool transpose, int k, int n, real *packed);
  /* C [rows][n] <- (add ? C : 0) + A [rows][k] B */
  void (*product)(int rows, int k, int n, const real *a, int lda, const real *packed, bool add, real *c, int ldc);
  /* C [m][n] <- (add ? C : 0) + G^T A, G [rows][m], A [rows][n] */
  void (*outer)(int rows, int m, int n, const real *g, int ldg, const real *a, int lda, bool add, real *c, int ldc);
  /* C [m][n] <- alpha op(A) B + beta C and C <- alpha A B^T + beta C on matrices as they are stored, anywhere in
   * memory, for few rows or terms. n, and for B^T k as well, must be `lanes` at least. */
  int lanes;
  void (*thin)(bool transpose_a, int m, int n, int k, real alpha, const real *a, int lda, const real *b, int ldb,
               real beta, real *c, int ldc);
  void (*thin_transposed)(int m, int n, int k, real alpha, const real *a, int lda, const real *b, int ldb, real beta,
                          real *c, int ldc);
  /* z [rows][outputs] <- A W^T, W [outputs][n] padded with stride ldw: layers with few outputs */
  void (*narrow)(int rows, int outputs, int n, const real *a, int lda, const real *w, int ldw, real *z);
  /* dA [rows][n] <- g W,  dW [outputs][n] <- (add ? dW : 0) + g^T A,  g [rows][outputs]; dW may be NULL */
  void (*narrow_backward)(int rows, int outputs, int n, const real *g, const real *a, int lda, const real *w, int ldw,
                          bool add, real *da, int ldda, real *dw);
  /* y <- activation(z + bias) + (skip ? skip : 0) over points * channels rows of n; z is left as backward wants it. */
  void (*activate)(kernel_activation activation, const kernel_rule *rule, int points, int n, real *z, const real *bias,
                   const real *skip, real *y, int ld);
  /* g (dy) <- dz in place; bias_gradient [n] <- (add ? itself : 0) + sum over points of channel 0, unless NULL. */
  void (*activate_backward)(kernel_activation activation, const kernel_rule *rule, int points, int n, const real *z,
                            const real *y, const real *skip, bool add, real *g, real *bias_gradient, int ld);
  /* See adam.h; the constants are those of the loop. */
  void (*adam)(real *parameters, const real *gradient, real *m, real *v, size_t count, const real constants[7]);
  double (*square_norm)(const real *values, size_t count);
  /* Sums in double over rows of a matrix in `real`: a . b;  to += factor * a;  to += a^2. */
  double (*mixed_dot)(size_t count, const real *a, const double *b);
  void (*add_scaled)(size_t count, double factor, const real *a, double *to);
  void (*add_squares)(size_t count, const real *a, double *to);
} kernel_table;

/* What ANSATZ_ISA names, or the widest this processor has, also when that names none; decided at the first call. */
const kernel_table *kernels_chosen(void);
const kernel_table *kernels_by_name(const char *name); /* NULL: unknown, or not for this processor */

/* For benchmarks and tests: what is planned from now on uses this table; NULL: decide again. */
void kernels_use(const kernel_table *table);

kernel_rule kernel_rule_of(const algebra *algebra);

static inline int kernel_padded(int n) { return (n + KERNEL_ALIGN - 1) / KERNEL_ALIGN * KERNEL_ALIGN; }

/* Distance of rows in memory: not a power of two, so that rows do not all fall on the same cache lines. */
static inline int kernel_stride(int n) {
  int padded = kernel_padded(n);
  return padded % (8 * KERNEL_ALIGN) == 0 ? padded + KERNEL_ALIGN : padded;
}

#endif
