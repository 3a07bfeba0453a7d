/* SPDX-License-Identifier: Apache-2.0
 *
 * clock.h - elapsed time, for reports and limits; no number depends on it.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <time.h>

/* Seconds since some moment. */
static inline double clock_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

#endif
