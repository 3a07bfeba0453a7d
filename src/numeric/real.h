/* SPDX-License-Identifier: Apache-2.0
 *
 * real.h - the one place that knows the precision.
 *
 * numeric, codes, field, residual and training are written once in `real` and compiled twice, float and
 * double, into the same library. A name that the linker sees carries its precision: the header that
 * declares f has a line   #define f REAL_NAME(f).   Text, coefficients, coordinates, reductions and
 * references are double in both.
 */
#ifndef NUMERIC_REAL_H
#define NUMERIC_REAL_H

#include <float.h>
#include <math.h>
#include <stddef.h>

#if ANS_PRECISION == 32
typedef float real;
#define REAL(literal)   literal##f
#define REAL_NAME(name) name##_f32
#define REAL_EPSILON    FLT_EPSILON
#elif ANS_PRECISION == 64
typedef double real;
#define REAL(literal)   literal
#define REAL_NAME(name) name##_f64
#define REAL_EPSILON    DBL_EPSILON
#else
#error "ANS_PRECISION is 32 or 64"
#endif

/* Eight partial sums in a fixed order, which a compiler can keep in one register. */
static inline real real_dot(const real *a, const real *b, size_t count) {
  real sum[8] = {0};
  size_t i = 0;
  for (; i + 8 <= count; i += 8)
    for (size_t k = 0; k < 8; k++) sum[k] += a[i + k] * b[i + k];
  for (; i < count; i++) sum[0] += a[i] * b[i];
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

#endif
