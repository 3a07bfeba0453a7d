/* SPDX-License-Identifier: Apache-2.0 */
#include "waves.h"

posed pose(const char *text) {
  posed posed = {.context = new_context()};
  assert_ok(posed.context, system_parse(posed.context, "test.pde", NULL, text, strlen(text), &posed.problem));
  double none[SYSTEM_MAX_SYMBOLS];
  for (int i = 0; i < SYSTEM_MAX_SYMBOLS; i++) none[i] = NAN;
  assert_ok(posed.context, system_instance(posed.context, posed.problem, 0, none, true, &posed.instance));
  return posed;
}

void drop(posed *posed) {
  system_instance_free(posed->instance);
  system_free(posed->problem);
  ans_context_free(posed->context);
}

static int space_of(const ans_problem *problem) {
  for (int c = 0; c < problem->coordinate_count; c++)
    if (c != problem->time) return c;
  return -1;
}

static double complex power(double complex base, int exponent) {
  double complex result = 1;
  for (int i = 0; i < exponent; i++) result *= base;
  return result;
}

static double value(const waves *waves, int from, int to, int field, double x, double t, int along, int through) {
  double sum = 0;
  for (int i = from; i < to; i++) {
    const wave *w = &waves->list[i];
    if (w->field != field) continue;
    sum +=
        creal(w->amplitude * power(w->along, along) * power(w->through, through) * cexp(w->along * x + w->through * t));
  }
  return sum;
}

static void evaluate_order(const waves *waves, int span, const double *points, size_t count, const uint8_t *order,
                           double *values) {
  const ans_problem *problem = waves->problem;
  int space = space_of(problem), time = problem->time, fields = problem->field_count;
  for (size_t i = 0; i < count; i++) {
    const double *point = points + i * (size_t)problem->coordinate_count;
    double x = space < 0 ? 0 : point[space], t = time < 0 ? 0 : point[time];
    int along = space < 0 ? 0 : order[space], through = time < 0 ? 0 : order[time];
    for (int f = 0; f < fields; f++)
      values[i * (size_t)fields + (size_t)f] =
          (1 + waves->lift * span) * value(waves, 0, waves->count, f, x, t, along, through) +
          (through > 0 || along > 1 ? 0
           : along == 1             ? waves->jump
                                    : waves->jump * x);
  }
}

static ans_status evaluate(ans_context *context, void *object, int span, const double *points, size_t count,
                           const system_orders *orders, double *values) {
  (void)context;
  const waves *waves = object;
  for (int i = 0; i < orders->count; i++)
    evaluate_order(waves, span, points, count, orders->list[i],
                   values + (size_t)i * count * (size_t)waves->problem->field_count);
  return ANS_OK;
}

estimate_network network_of(waves *waves) { return (estimate_network){.evaluate = evaluate, .object = waves}; }

static double even(const system_coordinate *coordinate, int i, int count) {
  return coordinate->low + (coordinate->high - coordinate->low) * i / (coordinate->periodic ? count : count - 1);
}

double true_error(const waves *waves, int field) {
  const ans_problem *problem = waves->problem;
  int space = space_of(problem), time = problem->time;
  int points = space < 0 ? 1 : problem->protocol.reference.points,
      times = time < 0 ? 1 : problem->protocol.reference.times;
  double difference = 0, size = 0;
  for (int k = 0; k < times; k++)
    for (int j = 0; j < points; j++) {
      double x = space < 0 ? 0 : even(&problem->coordinates[space], j, points);
      double t = time < 0 ? 0 : even(&problem->coordinates[time], k, times);
      double e = value(waves, waves->exact, waves->count, field, x, t, 0, 0) + waves->jump * x;
      double u = value(waves, 0, waves->exact, field, x, t, 0, 0);
      difference += e * e;
      size += u * u;
    }
  return sqrt(difference / size);
}

double corrected_error(ans_context *context, estimate *estimate, waves *waves) {
  enum { TIMES = 7, PLACES = 9 };
  const ans_problem *problem = waves->problem;
  int space = space_of(problem), time = problem->time, times = time < 0 ? 1 : TIMES, places = space < 0 ? 1 : PLACES;
  double t[TIMES] = {0}, x[PLACES] = {0}, room[SYSTEM_MAX_FIELDS][TIMES * PLACES], most = 0, *values[SYSTEM_MAX_FIELDS];
  for (int k = 0; time >= 0 && k < times; k++) t[k] = even(&problem->coordinates[time], k, times);
  for (int j = 0; space >= 0 && j < places; j++) x[j] = even(&problem->coordinates[space], j, places);
  for (int f = 0; f < problem->field_count; f++) {
    values[f] = room[f];
    for (int i = 0; i < times * places; i++)
      room[f][i] = value(waves, 0, waves->count, f, x[i % places], t[i / places], 0, 0) + waves->jump * x[i % places];
  }
  assert_ok(context, estimate_correct(context, estimate, t, times, space < 0 ? NULL : x, places, values));
  for (int f = 0; f < problem->field_count; f++)
    for (int i = 0; i < times * places; i++)
      most = fmax(most, fabs(room[f][i] - value(waves, 0, waves->exact, f, x[i % places], t[i / places], 0, 0)));
  return most;
}
