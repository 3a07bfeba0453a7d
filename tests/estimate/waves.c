/* SPDX-License-Identifier: Apache-2.0 */
#include "waves.h"

#include <assert.h>

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

/* The derivative of tanh: a polynomial P of tanh itself, and the next one is P' (1 - tanh^2). */
static double tanh_derivative(double s, int order) {
  double p[16] = {0, 1}, y = tanh(s), sum = 0;
  assert(order <= 8);
  for (int n = 0; n < order; n++) {
    double next[16] = {0};
    for (int k = 1; k <= n + 1; k++) {
      next[k - 1] += k * p[k];
      next[k + 1] -= k * p[k];
    }
    memcpy(p, next, sizeof p);
  }
  for (int k = order + 1; k >= 0; k--) sum = sum * y + p[k];
  return sum;
}

static double complex shape(const wave *w, double x, double t, int order) {
  double complex argument = w->along * x + w->through * t + w->shift;
  return w->front ? tanh_derivative(creal(argument), order) : cexp(argument);
}

static double value(const waves *waves, int from, int to, int field, double x, double t, int along, int through) {
  double sum = 0;
  for (int i = from; i < to; i++) {
    const wave *w = &waves->list[i];
    if (w->field != field) continue;
    sum += creal(w->amplitude * power(w->along, along) * power(w->through, through) * shape(w, x, t, along + through));
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
  double t[TIMES] = {0}, x[PLACES] = {0}, room[SYSTEM_MAX_FIELDS][TIMES * PLACES + 1], most = 0,
         *values[SYSTEM_MAX_FIELDS];
  for (int k = 0; time >= 0 && k < times; k++) t[k] = even(&problem->coordinates[time], k, times);
  for (int j = 0; space >= 0 && j < places; j++) x[j] = even(&problem->coordinates[space], j, places);
  for (int f = 0; f < problem->field_count; f++) {
    values[f] = room[f];
    room[f][times * places] = 42; /* of someone else */
    for (int i = 0; i < times * places; i++)
      room[f][i] = value(waves, 0, waves->count, f, x[i % places], t[i / places], 0, 0) + waves->jump * x[i % places];
  }
  assert_ok(context, estimate_correct(context, estimate, t, times, space < 0 ? NULL : x, places, values));
  for (int f = 0; f < problem->field_count; f++) assert_true(room[f][times * places] == 42);
  for (int f = 0; f < problem->field_count; f++)
    for (int i = 0; i < times * places; i++)
      most = fmax(most, fabs(room[f][i] - value(waves, 0, waves->exact, f, x[i % places], t[i / places], 0, 0)));
  return most;
}

estimate_summary summary_of(const char *text, waves waves, double *error) {
  posed posed = pose(text);
  estimate *estimate;
  waves.problem = posed.problem;
  estimate_network network = network_of(&waves);
  assert_ok(posed.context, estimate_new(posed.context, posed.instance, &network, &estimate));
  estimate_summary summary = *estimate_result(estimate);
  if (error) *error = true_error(&waves, 0);
  estimate_free(estimate);
  drop(&posed);
  return summary;
}

void check(const char *text, waves waves, double tolerance) {
  posed posed = pose(text);
  estimate *estimate;
  waves.problem = posed.problem;
  estimate_network network = network_of(&waves);
  assert_ok(posed.context, estimate_new(posed.context, posed.instance, &network, &estimate));
  const estimate_summary *summary = estimate_result(estimate);
  if (!summary->available || !summary->trusted) fail_msg("%s\n%s", text, summary->reason);
  double mean = 0;
  for (int f = 0; f < posed.problem->field_count; f++) {
    double expected = true_error(&waves, f);
    mean += expected / posed.problem->field_count;
    if (!(fabs(summary->errors[f] - expected) <= tolerance * expected))
      fail_msg("%s\nfield %d: %.8g instead of %.8g", text, f, summary->errors[f], expected);
    assert_true(summary->differences[f] <= 0.2 * expected);
  }
  assert_near(summary->mean, mean, tolerance * mean);
  double left = corrected_error(posed.context, estimate, &waves);
  if (!(left < 2e-5)) fail_msg("%s\nthe corrected field is off by %.3g", text, left);
  estimate_free(estimate);
  drop(&posed);
}
