/* SPDX-License-Identifier: Apache-2.0
 *
 * complex_number.h - a complex number from its two parts. C11's CMPLX does this, but some compilers have none (clang
 * with glibc), and re + I*im is not the same where a part is infinite or a signed zero.
 */
#ifndef NUMERIC_COMPLEX_NUMBER_H
#define NUMERIC_COMPLEX_NUMBER_H

#include <complex.h>
#include <string.h>

/* A complex number lies in memory as an array of its two parts (C11, 6.2.5). */
static inline double complex complex_number(double re, double im) {
  double parts[2] = {re, im};
  double complex result;
  memcpy(&result, parts, sizeof result);
  return result;
}

#endif
