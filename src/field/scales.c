/* SPDX-License-Identifier: Apache-2.0 */
#include "field/scales.h"

#include <math.h>

enum { SAMPLES = 257 };

static double length_of(const system_coordinate *coordinate) { return coordinate->high - coordinate->low; }

/* Points spread over the domain: an additive recurrence with irrational steps, ends included now and then. */
static void sample_point(const ans_problem *problem, int sample, double *point) {
  static const double steps[SYSTEM_MAX_COORDINATES] = {0.7548776662466927, 0.5698402909980532, 0.8191725133961645,
                                                       0.6710436067037893};
  for (int d = 0; d < problem->coordinate_count; d++) {
    double place = fmod(0.5 + sample * steps[d], 1);
    if (sample % 8 == 7) place = place < 0.5 ? 0 : 1;
    point[d] = problem->coordinates[d].low + place * length_of(&problem->coordinates[d]);
  }
}

/* ---- The known part of a field ---------------------------------------------------------------------------- */

typedef struct spread {
  int count;
  double first, sum, low, high; /* sum: less the first; equal values then have exactly their mean */
} spread;

static void spread_add(spread *values, double value) {
  if (!isfinite(value)) return;
  values->low = values->count ? fmin(values->low, value) : value;
  values->high = values->count ? fmax(values->high, value) : value;
  if (values->count == 0) values->first = value;
  values->sum += value - values->first;
  values->count++;
}

static bool gives_value(const system_condition *condition) {
  for (int d = 0; d < SYSTEM_MAX_COORDINATES; d++)
    if (condition->order[d]) return false;
  return true;
}

/* With a transform: its value without the network. Without one: the values that soft conditions give. */
static void known_values(const ans_instance *instance, int field, const double *point, spread *values) {
  const ans_problem *problem = instance->problem;
  const expression *transform = problem->fields[field].transform;
  if (transform) spread_add(values, expression_value(transform, instance->values, point, 0));
  for (int c = 0; c < problem->condition_count; c++) {
    const system_condition *condition = &problem->conditions[c];
    if (condition->field == field && gives_value(condition) && condition->value)
      spread_add(values, expression_value(condition->value, instance->values, point, 0));
  }
}

/* The slope of a transform in the raw output at one point; false when it is not linear. The output is made so large
 * that it is not lost in the rounding of the known part. */
static bool slope_at(const expression *transform, const double *values, const double *point, double *slope) {
  const double LARGEST = 1e60;
  double known = expression_value(transform, values, point, 0), step = 0, raw = 1;
  for (; raw < LARGEST; raw *= 1e3) {
    step = expression_value(transform, values, point, raw) - known;
    double bend = expression_value(transform, values, point, 2 * raw) - known - 2 * step;
    if (!isfinite(step) || !(fabs(bend) <= 1e-9 * (fabs(known) + fabs(step)))) return false;
    if (fabs(step) >= fabs(known)) break;
  }
  *slope = step / raw;
  return true;
}

static double gain_of(const ans_instance *instance, int field) {
  const ans_problem *problem = instance->problem;
  const expression *transform = problem->fields[field].transform;
  double most = 0, point[SYSTEM_MAX_COORDINATES];
  if (!transform) return 1;
  for (int i = 0; i < SAMPLES; i++) {
    double slope;
    sample_point(problem, i, point);
    if (!slope_at(transform, instance->values, point, &slope)) return 0;
    most = fmax(most, fabs(slope));
  }
  return most;
}

static void measure_known(const ans_instance *instance, field_scales *scales) {
  double point[SYSTEM_MAX_COORDINATES];
  for (int f = 0; f < instance->problem->field_count; f++) {
    spread values = {0};
    for (int i = 0; i < SAMPLES; i++) {
      sample_point(instance->problem, i, point);
      known_values(instance, f, point, &values);
    }
    double mean = values.count ? values.first + values.sum / values.count : 0, varies = (values.high - values.low) / 2;
    scales->mean[f] = mean;
    scales->size[f] = varies > 1e-9 * fabs(mean) ? varies : 0;
    scales->gain[f] = gain_of(instance, f);
  }
}

/* ---- Terms -------------------------------------------------------------------------------------------------- */

double scales_derivative(const ans_problem *problem, const field_scales *scales, int field, const uint8_t *order) {
  double size = scales->size[field];
  bool value = true;
  for (int d = 0; d < problem->coordinate_count; d++)
    for (int k = 0; k < order[d]; k++) size /= length_of(&problem->coordinates[d]), value = false;
  return value ? fmax(size, fabs(scales->mean[field])) : size;
}

double scales_source(const ans_instance *instance, const instance_term *term) {
  double most = 0, point[SYSTEM_MAX_COORDINATES];
  if (!term->term->source) return 1;
  for (int i = 0; i < SAMPLES; i++) {
    sample_point(instance->problem, i, point);
    double value = fabs(expression_value(term->term->source, instance->values, point, 0));
    if (isfinite(value)) most = fmax(most, value);
  }
  return most;
}

static double term_size(const ans_instance *instance, const instance_term *term, const field_scales *scales) {
  double size = fabs(term->coefficient) * scales_source(instance, term);
  for (int i = 0; i < term->term->factor_count; i++) {
    const system_factor *factor = &term->term->factors[i];
    for (int k = 0; k < factor->power; k++)
      size *= scales_derivative(instance->problem, scales, factor->field, factor->order);
  }
  return size;
}

/* How often a field stands in a term, powers counted. */
static int power_of(const instance_term *term, int field) {
  int power = 0;
  for (int i = 0; i < term->term->factor_count; i++)
    if (term->term->factors[i].field == field) power += term->term->factors[i].power;
  return power;
}

/* The largest of the terms of a field's equation that do without the field. */
static double drive_of(const ans_instance *instance, int field, const field_scales *scales) {
  double most = 0;
  for (int t = 0; t < instance->term_count; t++)
    if (instance->terms[t].term->equation == field && power_of(&instance->terms[t], field) == 0)
      most = fmax(most, term_size(instance, &instance->terms[t], scales));
  return most;
}

/* Whether a field that is constant does not stay what it is: a term of its equation is not zero at its mean. */
static bool mean_drives(const ans_instance *instance, int field, const field_scales *scales) {
  field_scales resting = *scales;
  resting.size[field] = 0;
  for (int t = 0; t < instance->term_count; t++) {
    const instance_term *term = &instance->terms[t];
    if (term->term->equation == field && power_of(term, field) > 0 && term_size(instance, term, &resting) > 0)
      return true;
  }
  return false;
}

/* The least size of the field at which a term that it stands in is as large as the drive. Terms with other fields of
 * which nothing is known answer nothing. */
static double driven_size(const ans_instance *instance, int field, const field_scales *scales) {
  double drive = drive_of(instance, field, scales), least = (double)INFINITY;
  field_scales one = *scales;
  one.mean[field] = 0;
  one.size[field] = 1;
  for (int t = 0; t < instance->term_count; t++) {
    const instance_term *term = &instance->terms[t];
    int power = term->term->equation == field ? power_of(term, field) : 0;
    double answer = power > 0 ? term_size(instance, term, &one) : 0;
    if (answer > 0) least = fmin(least, pow(drive / answer, 1.0 / power));
  }
  return isfinite(least) ? least : 0;
}

/* Drives are taken from what the conditions say, all at once; then, from field to field, those that nothing has given a
 * size. A size is never raised by what it has itself made larger: products would send it to infinity. */
static void measure_driven(const ans_instance *instance, field_scales *scales) {
  int fields = instance->problem->field_count;
  for (int round = 0; round < fields; round++) {
    field_scales known = *scales;
    for (int f = 0; f < fields; f++)
      if (round == 0 || !(known.size[f] > 0)) {
        double mean = known.size[f] > 0 || !mean_drives(instance, f, &known) ? 0 : fabs(known.mean[f]);
        scales->size[f] = fmax(fmax(known.size[f], mean), driven_size(instance, f, &known));
      }
  }
}

field_scales scales_of(const ans_instance *instance) {
  const ans_problem *problem = instance->problem;
  field_scales scales = {0};
  measure_known(instance, &scales);
  measure_driven(instance, &scales);
  for (int f = 0; f < problem->field_count; f++) {
    if (!(scales.size[f] > 0)) scales.size[f] = fabs(scales.mean[f]);
    if (!(scales.size[f] > 0) || !isfinite(scales.size[f])) scales.size[f] = 1;
  }
  for (int t = 0; t < instance->term_count; t++) {
    int e = instance->terms[t].term->equation;
    scales.row[e] = fmax(scales.row[e], term_size(instance, &instance->terms[t], &scales));
  }
  for (int e = 0; e < problem->equation_count; e++)
    if (!(scales.row[e] > 0) || !isfinite(scales.row[e])) scales.row[e] = 1;
  return scales;
}
