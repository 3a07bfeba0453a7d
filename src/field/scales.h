/* SPDX-License-Identifier: Apache-2.0
 *
 * scales.h - how large the numbers of an instance are, from its text alone.
 *
 * A network and an optimiser work on numbers near one; equations come in metres, kelvins and years. What is estimated
 * here divides the units out: the same problem in other units has the same scaled problem, to rounding.
 *
 *   size of a field    how much its known part (conditions that are built in, values of soft ones) varies, or, where
 *                      that is more, the least size at which a term that the field stands in balances what drives it
 *                      (sources, other fields); its mean, where it begins constant and does not stay so
 *   size of a term     |coefficient| * largest source * product of the sizes of its factors, where a derivative
 *                      divides by the length of its coordinate
 *   size of an equation   that of its largest term
 */
#ifndef FIELD_SCALES_H
#define FIELD_SCALES_H

#include "system/system.h"

typedef struct field_scales {
  double mean[SYSTEM_MAX_FIELDS]; /* of the known part */
  double size[SYSTEM_MAX_FIELDS]; /* of what varies; positive */
  double gain[SYSTEM_MAX_FIELDS]; /* most that the transform multiplies the raw output by; 0: it is not linear in it */
  double row[SYSTEM_MAX_FIELDS];  /* of the equations; positive */
} field_scales;

field_scales scales_of(const ans_instance *instance);

/* The largest value of a term's source; 1 without one. */
double scales_source(const ans_instance *instance, const instance_term *term);

/* The size of a derivative of a field. */
double scales_derivative(const ans_problem *problem, const field_scales *scales, int field, const uint8_t *order);

#endif
