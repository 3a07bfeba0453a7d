/* SPDX-License-Identifier: Apache-2.0 */
#include "fit/uncertainty.h"

#include <math.h>
#include <string.h>

#include "fit/small_matrix.h"
#include "fit/student.h"

static const double PRIOR = 0.01;           /* as in the search: ten ranges, so that there is always an inverse */
static const double LEAST = 12;             /* information along a direction that is identified */
static const double CORRELATED = 0.9;       /* pairs above it are named */
static const double END = 1e-6, PART = 0.2; /* of a range; of a direction: smaller parts are not named */

static void find_loose(const search *s, uncertainty *u) {
  int n = u->count;
  double a[FIT_MAX_UNKNOWNS * FIT_MAX_UNKNOWNS], values[FIT_MAX_UNKNOWNS], vectors[FIT_MAX_UNKNOWNS * FIT_MAX_UNKNOWNS];
  memcpy(a, s->information, (size_t)(n * n) * sizeof *a);
  small_eigen(n, a, values, vectors);
  for (int i = 0; i < n && values[i] < LEAST; i++)
    memcpy(u->loose + (size_t)(u->loose_count++ * n), vectors + (size_t)(i * n), (size_t)n * sizeof *vectors);
}

static void set_number(const search *s, const uncertainty *u, int i, fit_number *number) {
  double variance = u->z_covariance[i * u->count + i], reach = u->reach * sqrt(variance), z = s->z[i];
  double slope = sought_slope(s->sought, i, z);
  *number = (fit_number){.z = z,
                         .z_error = sqrt(variance),
                         .estimate = sought_value(s->sought, i, z),
                         .error = slope * sqrt(variance),
                         .low = sought_value(s->sought, i, z - reach),
                         .high = sought_value(s->sought, i, z + reach),
                         .start = sought_value(s->sought, i, s->sought->start[i]),
                         .identified = variance < 1 / LEAST,
                         .at_end = z < END || z > 1 - END};
}

uncertainty uncertainty_of(const search *s, double freedom, const double *shift) {
  uncertainty u = {.count = s->sought->count, .reach = student_reach(freedom)};
  int n = u.count;
  double a[FIT_MAX_UNKNOWNS * FIT_MAX_UNKNOWNS];
  memcpy(a, s->information, (size_t)(n * n) * sizeof *a);
  for (int i = 0; i < n; i++) a[i * n + i] += PRIOR;
  if (!small_inverse(n, a, u.z_covariance))
    for (int i = 0; i < n * n; i++) u.z_covariance[i] = i % (n + 1) == 0 ? 1 / PRIOR : 0;
  for (int i = 0; i < n && shift; i++)
    for (int k = 0; k < n; k++) u.z_covariance[i * n + k] += shift[i] * shift[k];
  for (int i = 0; i < n; i++) set_number(s, &u, i, &u.numbers[i]);
  int named = s->sought->named;
  for (int i = 0; i < named; i++)
    for (int k = 0; k < named; k++)
      u.covariance[i * named + k] =
          u.z_covariance[i * n + k] * sought_slope(s->sought, i, s->z[i]) * sought_slope(s->sought, k, s->z[k]);
  find_loose(s, &u);
  return u;
}

/* How many names a direction has; all terms of initial values are one. */
static int count_parts(const sought *sought, const double *direction) {
  int parts = 0;
  bool terms = false;
  for (int i = 0; i < sought->count; i++) {
    bool counts = fabs(direction[i]) > PART;
    parts += counts && i < sought->named;
    terms = terms || (counts && i >= sought->named);
  }
  return parts + terms;
}

/* "a, b and c": the parts of a direction that count. */
static void name_parts(const sought *sought, const double *direction, buffer *text) {
  int parts = count_parts(sought, direction), named = 0;
  for (int i = 0; i < sought->named; i++) {
    if (!(fabs(direction[i]) > PART)) continue;
    buffer_add(text, "%s%s", named == 0 ? "" : named == parts - 1 ? " and " : ", ", sought_name(sought, i));
    named++;
  }
  if (named < parts) buffer_add(text, "%s", named ? " and an initial value" : "an initial value");
}

void uncertainty_words(const uncertainty *u, const sought *sought, buffer *unidentified, buffer *correlated) {
  int n = u->count;
  for (int d = 0; d < u->loose_count; d++) {
    const double *direction = u->loose + (size_t)(d * n);
    int parts = count_parts(sought, direction);
    buffer_add(unidentified,
               parts == 1 ? "not identified: these data say less about " : "not identified: these data do not tell ");
    name_parts(sought, direction, unidentified);
    buffer_add(unidentified, parts == 1 ? " than its range does\n" : " apart\n");
  }
  for (int i = 0; i < sought->named; i++)
    for (int k = i + 1; k < sought->named; k++) {
      double r = u->z_covariance[i * n + k] / (u->numbers[i].z_error * u->numbers[k].z_error);
      if (!(fabs(r) > CORRELATED)) continue;
      buffer_add(correlated, "correlation %s, %s %+.3f: these data hardly tell %s from %s\n", sought_name(sought, i),
                 sought_name(sought, k), r, sought_name(sought, i), sought_name(sought, k));
    }
}
