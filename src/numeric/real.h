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

#if ANS_PRECISION == 32
typedef float real;
#define REAL(literal) literal##f
#define REAL_NAME(name) name##_f32
#define REAL_EPSILON FLT_EPSILON
#elif ANS_PRECISION == 64
typedef double real;
#define REAL(literal) literal
#define REAL_NAME(name) name##_f64
#define REAL_EPSILON DBL_EPSILON
#else
#error "ANS_PRECISION is 32 or 64"
#endif

#endif
