/* SPDX-License-Identifier: Apache-2.0 */
#include "fit/measurements.h"

#include <math.h>
#include <string.h>

ans_status measurements_new(ans_context *context, const ans_problem *problem, measurements **result) {
  *result = memory_take(sizeof **result);
  if (!*result) return context_no_memory(context);
  **result = (measurements){.coordinate_count = problem->coordinate_count, .field_count = problem->field_count};
  return ANS_OK;
}

void measurements_free(measurements *m) {
  if (!m) return;
  memory_give(m->points);
  memory_give(m->values);
  memory_give(m);
}

static bool reserve(void **block, size_t *room, size_t count, size_t size) {
  if (count <= *room) return true;
  size_t wanted = *room < 64 ? 64 : 2 * *room;
  while (wanted < count) wanted *= 2;
  void *larger = memory_resize(*block, size_product(*room, size), size_product(wanted, size));
  if (!larger) return false;
  *block = larger;
  *room = wanted;
  return true;
}

static ans_status check_point(ans_context *context, const ans_problem *problem, const double *point) {
  for (int d = 0; d < problem->coordinate_count; d++) {
    const system_coordinate *c = &problem->coordinates[d];
    double slack = 1e-9 * (c->high - c->low); /* a bound that was computed is still the bound */
    FAIL_IF(!isfinite(point[d]), context, ANS_ARGUMENT, "%s is not a finite number", c->name);
    FAIL_IF(!c->periodic && (point[d] < c->low - slack || point[d] > c->high + slack), context, ANS_ARGUMENT,
            "%s = %g is outside the domain [%g, %g]", c->name, point[d], c->low, c->high);
  }
  return ANS_OK;
}

static ans_status check_value(ans_context *context, const ans_problem *problem, int field, double value, double sigma) {
  const char *name = problem->fields[field].name;
  FAIL_IF(!isfinite(value), context, ANS_ARGUMENT, "%s is not a finite number", name);
  FAIL_IF(fabs(value) > MEASUREMENTS_LARGEST, context, ANS_ARGUMENT,
          "%s = %g is too large: a measured value is at most %g", name, value, MEASUREMENTS_LARGEST);
  FAIL_IF(!isnan(sigma) && !(sigma > 0 && isfinite(sigma)), context, ANS_ARGUMENT,
          "sigma_%s = %g: a standard deviation is a positive number", name, sigma);
  return ANS_OK;
}

ans_status measurements_add(ans_context *context, measurements *m, const ans_problem *problem, const double *point,
                            const double *values, const double *sigmas) {
  size_t measured = 0, dimensions = (size_t)m->coordinate_count;
  TRY(check_point(context, problem, point));
  for (int f = 0; f < m->field_count; f++) {
    if (isnan(values[f])) continue;
    TRY(check_value(context, problem, f, values[f], sigmas ? sigmas[f] : (double)NAN));
    measured++;
  }
  if (measured == 0) return ANS_OK;
  FAIL_IF(m->point_count >= MEASUREMENTS_MOST, context, ANS_UNSUPPORTED, "there are more than %d points",
          MEASUREMENTS_MOST);
  size_t points = m->point_room * dimensions;
  if (!reserve((void **)&m->points, &points, (m->point_count + 1) * dimensions, sizeof(double)) ||
      !reserve((void **)&m->values, &m->value_room, m->value_count + measured, sizeof *m->values))
    return context_no_memory(context);
  m->point_room = points / dimensions;
  memcpy(m->points + m->point_count * dimensions, point, dimensions * sizeof *point);
  for (int f = 0; f < m->field_count; f++)
    if (!isnan(values[f]))
      m->values[m->value_count++] = (measured_value){.point = (uint32_t)m->point_count,
                                                     .field = (uint32_t)f,
                                                     .value = values[f],
                                                     .sigma = sigmas ? sigmas[f] : (double)NAN};
  m->point_count++;
  return ANS_OK;
}

ans_status measurements_copy(ans_context *context, const measurements *from, measurements **result) {
  measurements *m = memory_take(sizeof *m);
  *result = NULL;
  if (!m) return context_no_memory(context);
  size_t points = from->point_count * (size_t)from->coordinate_count;
  *m = *from;
  m->point_room = m->point_count;
  m->value_room = m->value_count;
  m->points = memory_take(size_product(points, sizeof *m->points));
  m->values = memory_take(size_product(m->value_count, sizeof *m->values));
  if (!m->points || !m->values) {
    measurements_free(m);
    return context_no_memory(context);
  }
  if (points) memcpy(m->points, from->points, points * sizeof *m->points);
  if (m->value_count) memcpy(m->values, from->values, m->value_count * sizeof *m->values);
  *result = m;
  return ANS_OK;
}

size_t measurements_of(const measurements *m, int field) {
  size_t count = 0;
  for (size_t i = 0; i < m->value_count; i++) count += m->values[i].field == (uint32_t)field;
  return count;
}
