/* SPDX-License-Identifier: Apache-2.0
 *
 * largest.h - how large the values of a field are.
 */
#ifndef REFERENCE_LARGEST_H
#define REFERENCE_LARGEST_H

#include <math.h>

/* Values that are not numbers do not count. */
static inline double largest(const double *values, int count) {
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(values[i]));
  return most;
}

#endif
