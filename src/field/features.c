/* SPDX-License-Identifier: Apache-2.0
 *
 * features.c - see features.h. A feature f depends on one coordinate of the chart, xi = x - a (t - t0), so
 *
 *   d^m/dx^m d^n/dt^n f = (-a)^n f^(m+n)   and   L f = (c_x - a c_t) f' + (q_xx - 2 a q_xt + a^2 q_tt) f'';
 *
 * at rest (a = 0) only the pure derivatives remain. One sine and cosine per point; the higher frequencies follow by
 * adding angles.
 */
#include "field/features.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "numeric/wave.h"

#define TURN 6.28318530717958647692

enum { PURE = ALGEBRA_MAX_DEGREE + 1 };

/* One channel that sees a feature: it gets factor * f^(order). */
typedef struct seen_channel {
  int channel, order;
  double factor, divisor;
} seen_channel;

/* All channels that see coordinate d of the chart. */
typedef struct seen_channels {
  int count;
  seen_channel list[PURE * PURE];
  double first, second; /* of L, in channel `last` */
  int last;
} seen_channels;

static void add_channel(const algebra *algebra, int d, int m, int time, int n, double factor, double divisor,
                        seen_channels *seen) {
  assert(d >= 0 && d < algebra->coordinates && (n == 0 || (time >= 0 && time < algebra->coordinates)));
  uint8_t index[ALGEBRA_MAX_COORDINATES] = {0};
  index[d] = (uint8_t)m;
  if (n > 0) index[time] = (uint8_t)n;
  int channel = algebra_channel(algebra, index);
  if (channel >= 0) seen->list[seen->count++] = (seen_channel){channel, m + n, factor, divisor};
}

static seen_channels channels_of(const algebra *algebra, const chart_motion *motion, int d) {
  assert(d >= 0 && d < algebra->coordinates);
  double speed = motion->time >= 0 && motion->time != d ? motion->speed[d] : 0;
  seen_channels seen = {.last = algebra->operator_channel, .first = algebra->first[d], .second = algebra->second[d][d]};
  double divisor = 1;
  for (int m = 0; m < PURE; m++) {
    divisor *= m > 1 ? m : 1;
    add_channel(algebra, d, m, 0, 0, 1, divisor, &seen);
    double power = 1, both = divisor;
    for (int n = 1; speed != 0 && m + n < PURE; n++)
      add_channel(algebra, d, m, motion->time, n, power *= -speed, both *= n, &seen);
  }
  if (speed != 0) {
    int t = motion->time;
    seen.first -= speed * algebra->first[t];
    seen.second += speed * (speed * algebra->second[t][t] - 2 * algebra->second[d][t]);
  }
  return seen;
}

/* One feature with derivatives f, f', f'', ... (not divided by factorials). */
static void put(const seen_channels *seen, const double *f, int stride, real *to) {
  for (int i = 0; i < seen->count; i++) {
    seen_channel it = seen->list[i];
    to[it.channel * stride] = (real)(it.factor * f[it.order] / it.divisor);
  }
  if (seen->last > 0) to[seen->last * stride] = (real)(seen->first * f[1] + seen->second * f[2]);
}

/* The waves of one point from the sine and cosine of the slowest; each next by adding the angle. */
static void put_waves(const seen_channels *seen, const system_coordinate *coordinate, double unit, double sine1,
                      double cosine1, int stride, real *to) {
  assert(coordinate->fourier_low >= 1);
  double sine = 0, cosine = 1;
  for (int k = 1; k <= coordinate->fourier_high; k++) {
    double next = sine * cosine1 + cosine * sine1;
    cosine = cosine * cosine1 - sine * sine1;
    sine = next;
    if (k < coordinate->fourier_low) continue;
    double w = unit * k, w2 = w * w;
    put(seen, (double[PURE]){sine, w * cosine, -w2 * sine, -w2 * w * cosine, w2 * w2 * sine}, stride, to);
    put(seen, (double[PURE]){cosine, -w * sine, -w2 * cosine, w2 * w * sine, w2 * w2 * cosine}, stride, to + 1);
    to += 2;
  }
}

static void fill_waves(const seen_channels *seen, const system_coordinate *coordinate, chart_interval axis, int points,
                       const double *x, int stride, size_t point_size, real *to) {
  assert(points <= FEATURES_MAX_POINTS && axis.high > axis.low);
  double angle[FEATURES_MAX_POINTS] = {0}, sine[FEATURES_MAX_POINTS], cosine[FEATURES_MAX_POINTS];
  double unit = TURN / (axis.high - axis.low);
  for (int p = 0; p < points; p++) angle[p] = unit * (x[p] - axis.low);
  wave_fill(points, angle, sine, cosine);
  for (int p = 0; p < points; p++)
    put_waves(seen, coordinate, unit, sine[p], cosine[p], stride, to + (size_t)p * point_size);
}

/* The coordinate, or in its place a function that is even about the ends that are mirrors; and derivatives. */
static void read_coordinate(chart_interval axis, uint8_t mirror, double x, double *f) {
  assert(axis.high > axis.low);
  double length = axis.high - axis.low, w = TURN / 2 / length;
  double from = x - (mirror == MIRROR_LOW ? axis.low : axis.high);
  memset(f, 0, PURE * sizeof *f);
  if (!mirror) {
    f[0] = x, f[1] = 1;
  } else if (mirror == (MIRROR_LOW | MIRROR_HIGH)) {
    double sine = sin(w * (x - axis.low)), cosine = cos(w * (x - axis.low));
    f[0] = cosine, f[1] = -w * sine, f[2] = -w * w * cosine, f[3] = w * w * w * sine, f[4] = w * w * w * w * cosine;
  } else {
    f[0] = from * from / (length * length), f[1] = 2 * from / (length * length), f[2] = 2 / (length * length);
  }
}

void features_fill(const ans_problem *problem, const field_chart *chart, int field, const algebra *algebra, int points,
                   const double *coordinates, int stride, real *rows) {
  assert(field >= 0 && points > 0 && points <= FEATURES_MAX_POINTS && stride > 0);
  size_t point_size = (size_t)algebra->channels * (size_t)stride;
  int first = 0;
  memset(rows, 0, (size_t)points * point_size * sizeof *rows);
  for (int d = 0; d < problem->coordinate_count; d++) {
    const system_coordinate *coordinate = &problem->coordinates[d];
    chart_interval axis = chart_interval_of(problem, chart, d);
    seen_channels seen = channels_of(algebra, &chart->motion[field], d);
    bool waves = coordinate->fourier_high > 0;
    const double *x = coordinates + (size_t)d * (size_t)points;
    if (waves) fill_waves(&seen, coordinate, axis, points, x, stride, point_size, rows + first);
    for (int p = 0; !waves && p < points; p++) {
      double f[PURE];
      read_coordinate(axis, problem->fields[field].mirror[d], x[p], f);
      put(&seen, f, stride, rows + (size_t)p * point_size + first);
    }
    first += waves ? 2 * (coordinate->fourier_high - coordinate->fourier_low + 1) : 1;
  }
  assert(first <= stride);
}
