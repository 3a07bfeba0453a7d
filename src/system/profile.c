/* SPDX-License-Identifier: Apache-2.0 */
#include "system/profile.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

/* ---- Derivatives ------------------------------------------------------------------------------------- */

static void differentiate_waves(int count, double rate, const double *from, double *to) {
  to[0] = 0;
  for (int i = 1; i + 1 < count; i += 2) {
    double k = rate * (i + 1) / 2;
    to[i] = k * from[i + 1];
    to[i + 1] = -k * from[i];
  }
}

/* c'_{k-1} = c'_{k+1} + 2 k c_k, the first one halved. */
static void differentiate_polynomial(int count, double rate, const double *from, double *to) {
  memset(to, 0, (size_t)count * sizeof *to);
  for (int k = count - 1; k >= 1; k--) to[k - 1] = (k + 1 < count ? to[k + 1] : 0) + 2 * k * from[k];
  to[0] /= 2;
  for (int k = 0; k < count; k++) to[k] *= rate;
}

ans_status profile_new(ans_context *context, arena *arena, bool periodic, double low, double high, int count,
                       const double *coefficients, const system_profile **result) {
  FAIL_IF(count < 1 || count > PROFILE_MAX_COUNT || (periodic && count % 2 == 0), context, ANS_MODEL,
          "a profile cannot have %d coefficients", count);
  for (int i = 0; i < count; i++)
    FAIL_IF(!isfinite(coefficients[i]), context, ANS_MODEL, "a profile has a coefficient that is not finite");
  system_profile *made = arena_take(arena, sizeof *made);
  double *all = arena_array(arena, double, (size_t)count *PROFILE_ORDERS);
  if (!made || !all) return context_no_memory(context);
  *made = (system_profile){.periodic = periodic, .low = low, .high = high, .count = count};
  memcpy(all, coefficients, (size_t)count * sizeof *all);
  for (int order = 0; order < PROFILE_ORDERS; order++, all += count) {
    made->coefficients[order] = all;
    if (order + 1 == PROFILE_ORDERS) break;
    if (periodic)
      differentiate_waves(count, 2 * PI / (high - low), all, all + count);
    else
      differentiate_polynomial(count, 2 / (high - low), all, all + count);
  }
  *result = made;
  return ANS_OK;
}

/* ---- Fitting ----------------------------------------------------------------------------------------- */

double profile_node(bool periodic, double low, double high, int intervals, int node) {
  if (periodic) return low + (high - low) * node / intervals;
  if (node == 0) return low;
  if (node == intervals) return high;
  return low + (high - low) * (1 - cos(PI * node / intervals)) / 2;
}

/* The highest wave of an even number of nodes has no sine, and is left out. */
static int fit_waves(int intervals, const double *values, double *coefficients) {
  int waves = (intervals - 1) / 2;
  for (int k = 0; k <= waves; k++) {
    double cosine = 0, sine = 0;
    for (int j = 0; j < intervals; j++) {
      double angle = 2 * PI * (double)(((long)k * j) % intervals) / intervals;
      cosine += values[j] * cos(angle);
      sine += values[j] * sin(angle);
    }
    if (k == 0) {
      coefficients[0] = cosine / intervals;
      continue;
    }
    coefficients[2 * k - 1] = 2 * cosine / intervals;
    coefficients[2 * k] = 2 * sine / intervals;
  }
  return 2 * waves + 1;
}

/* Node j stands at z = -cos(pi j / n), where T_k(z) = (-1)^k cos(pi j k / n). */
static int fit_polynomial(int intervals, const double *values, double *coefficients) {
  for (int k = 0; k <= intervals; k++) {
    double sum = 0;
    for (int j = 0; j <= intervals; j++) {
      double weight = j == 0 || j == intervals ? 0.5 : 1;
      sum += weight * values[j] * cos(PI * (double)(((long)k * j) % (2L * intervals)) / intervals);
    }
    coefficients[k] = (k % 2 ? -1 : 1) * sum * (k == 0 || k == intervals ? 1 : 2) / intervals;
  }
  return intervals + 1;
}

int profile_fit(bool periodic, int intervals, const double *values, double *coefficients) {
  return periodic ? fit_waves(intervals, values, coefficients) : fit_polynomial(intervals, values, coefficients);
}

int profile_length(bool periodic, int count, const double *coefficients, double noise) {
  double most = 0;
  int length = 1;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(coefficients[i]));
  for (int i = 1; i < count; i++)
    if (fabs(coefficients[i]) > noise * most) length = i + 1;
  return periodic && length % 2 == 0 ? length + 1 : length;
}

/* ---- Values ------------------------------------------------------------------------------------------ */

/* Clenshaw's recurrence in cos z, of both sums at once. */
static double sum_waves(const system_profile *p, const double *c, double x) {
  double z = 2 * PI * (x - p->low) / (p->high - p->low), twice = 2 * cos(z), a1 = 0, a2 = 0, b1 = 0, b2 = 0;
  for (int i = p->count - 2; i >= 1; i -= 2) {
    double a = c[i] + twice * a1 - a2, b = c[i + 1] + twice * b1 - b2;
    a2 = a1, a1 = a;
    b2 = b1, b1 = b;
  }
  return c[0] + a1 * twice / 2 - a2 + b1 * sin(z);
}

static double sum_polynomial(const system_profile *p, const double *c, double x) {
  double z = (2 * x - p->low - p->high) / (p->high - p->low), b1 = 0, b2 = 0;
  for (int k = p->count - 1; k >= 1; k--) {
    double b = c[k] + 2 * z * b1 - b2;
    b2 = b1, b1 = b;
  }
  return c[0] + z * b1 - b2;
}

double profile_value(const system_profile *p, double x, int order) {
  if (order >= PROFILE_ORDERS) return 0;
  const double *c = p->coefficients[order];
  return p->periodic ? sum_waves(p, c, x) : sum_polynomial(p, c, x);
}

void profile_taylor(const system_profile *p, double x, int order, int count, double *a) {
  double factorial = 1;
  for (int m = 0; m < count; m++) {
    factorial *= m > 1 ? m : 1;
    a[m] = profile_value(p, x, order + m) / factorial;
  }
}

bool profile_equal(const system_profile *a, const system_profile *b) {
  if (a == b) return true;
  if (!a || !b || a->periodic != b->periodic || a->low != b->low || a->high != b->high || a->count != b->count)
    return false;
  return memcmp(a->coefficients[0], b->coefficients[0], (size_t)a->count * sizeof(double)) == 0;
}
