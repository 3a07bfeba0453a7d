/* SPDX-License-Identifier: Apache-2.0
 *
 * check_scan.c - a search for singularities of a function of one variable.
 *
 * The interval is sampled evenly; then the search closes in on the largest magnitude, by the factor 8 each round. Near
 * a pole |x - x0|^-p the largest magnitude grows by 8^p each round, without end; near a maximum it settles.
 */
#include <math.h>

#include "check.h"

enum { FIRST_INTERVALS = 128, ROUND_INTERVALS = 16, ROUNDS = 12, LAST_ROUNDS = 4 };

/* The largest magnitude over even nodes. False: there is no finite value at *at. */
static bool largest(scanned_function function, const void *data, double low, double high, int intervals, double *at,
                    double *peak) {
  *peak = -1;
  for (int i = 0; i <= intervals; i++) {
    double place = i == intervals ? high : low + (high - low) * i / intervals, value = fabs(function(data, place));
    if (!isfinite(value)) {
      *at = place;
      return false;
    }
    if (value <= *peak) continue;
    *peak = value;
    *at = place;
  }
  return true;
}

scan_result scan_function(scanned_function function, const void *data, double low, double high, double *at) {
  double peak, before = 0, step = (high - low) / FIRST_INTERVALS, near;
  if (low < 0 && high > 0 && !isfinite(function(data, 0))) {
    *at = 0;
    return SCAN_UNDEFINED;
  }
  if (!largest(function, data, low, high, FIRST_INTERVALS, at, &peak)) return SCAN_UNDEFINED;
  near = *at;
  for (int round = 0; round < ROUNDS; round++) {
    if (round == ROUNDS - LAST_ROUNDS) before = peak;
    if (!largest(function, data, fmax(low, near - step), fmin(high, near + step), ROUND_INTERVALS, at, &peak))
      return SCAN_UNDEFINED;
    near = *at;
    step *= 2.0 / ROUND_INTERVALS;
  }
  return before > 0 && peak > 4 * before ? SCAN_UNBOUNDED : SCAN_REGULAR;
}
