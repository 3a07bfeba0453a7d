/* SPDX-License-Identifier: Apache-2.0
 *
 * features.c - see features.h. A feature depends on one coordinate, so its channels are pure derivatives in
 * it. One sine and cosine per point; the higher frequencies follow by adding angles.
 */
#include "field/features.h"

#include <string.h>

#include "numeric/wave.h"

#define TURN 6.28318530717958647692

enum { PURE = ALGEBRA_MAX_DEGREE + 1 };

/* The channels that see coordinate d: where the m-th pure derivative goes, and with which factor. */
typedef struct pure_channels {
  int channel[PURE];
  double first, second; /* of L, in channel `last` */
  int last;
} pure_channels;

static pure_channels pure_of(const algebra *algebra, int d) {
  pure_channels pure = {.last = algebra->operator_channel, .first = algebra->first[d], .second = algebra->second[d][d]};
  for (int m = 0; m < PURE; m++) {
    uint8_t index[ALGEBRA_MAX_COORDINATES] = {0};
    index[d] = (uint8_t)m;
    pure.channel[m] = algebra_channel(algebra, index);
  }
  return pure;
}

/* One feature with derivatives f, f', f'', ... (not divided by factorials). */
static void put(const pure_channels *pure, const double *f, int stride, real *to) {
  double factorial = 1;
  for (int m = 0; m < PURE; m++) {
    factorial *= m > 1 ? m : 1;
    if (pure->channel[m] >= 0) to[pure->channel[m] * stride] = (real)(f[m] / factorial);
  }
  if (pure->last > 0) to[pure->last * stride] = (real)(pure->first * f[1] + pure->second * f[2]);
}

/* The waves of one point from the sine and cosine of the slowest; each next by adding the angle. */
static void put_waves(const pure_channels *pure, const system_coordinate *coordinate, double sine1, double cosine1,
                      int stride, real *to) {
  double unit = TURN / (coordinate->high - coordinate->low), sine = 0, cosine = 1;
  for (int k = 1; k <= coordinate->fourier_high; k++) {
    double next = sine * cosine1 + cosine * sine1;
    cosine = cosine * cosine1 - sine * sine1;
    sine = next;
    if (k < coordinate->fourier_low) continue;
    double w = unit * k, w2 = w * w;
    put(pure, (double[PURE]){sine, w * cosine, -w2 * sine, -w2 * w * cosine, w2 * w2 * sine}, stride, to);
    put(pure, (double[PURE]){cosine, -w * sine, -w2 * cosine, w2 * w * sine, w2 * w2 * cosine}, stride, to + 1);
    to += 2;
  }
}

static void fill_waves(const pure_channels *pure, const system_coordinate *coordinate, int points, const double *x,
                       int stride, size_t point_size, real *to) {
  double angle[FEATURES_MAX_POINTS] = {0}, sine[FEATURES_MAX_POINTS], cosine[FEATURES_MAX_POINTS];
  double unit = TURN / (coordinate->high - coordinate->low);
  for (int p = 0; p < points; p++) angle[p] = unit * (x[p] - coordinate->low);
  wave_fill(points, angle, sine, cosine);
  for (int p = 0; p < points; p++) put_waves(pure, coordinate, sine[p], cosine[p], stride, to + (size_t)p * point_size);
}

void features_fill(const ans_problem *problem, const algebra *algebra, int points, const double *coordinates,
                   int stride, real *rows) {
  size_t point_size = (size_t)algebra->channels * (size_t)stride;
  int first = 0;
  memset(rows, 0, (size_t)points * point_size * sizeof *rows);
  for (int d = 0; d < problem->coordinate_count; d++) {
    const system_coordinate *coordinate = &problem->coordinates[d];
    pure_channels pure = pure_of(algebra, d);
    bool waves = coordinate->fourier_high > 0;
    const double *x = coordinates + (size_t)d * (size_t)points;
    if (waves) fill_waves(&pure, coordinate, points, x, stride, point_size, rows + first);
    for (int p = 0; !waves && p < points; p++)
      put(&pure, (double[PURE]){x[p], 1}, stride, rows + (size_t)p * point_size + first);
    first += waves ? 2 * (coordinate->fourier_high - coordinate->fourier_low + 1) : 1;
  }
}
