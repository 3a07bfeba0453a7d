/* SPDX-License-Identifier: Apache-2.0 */
#include "field/settle.h"

#include <math.h>

enum { NUMBER_BITS = 36, VALUE_BITS = 28 };

/* Boundaries lie a little beside the middle between two settled numbers, in parts of their distance: the middle has few
 * bits, and points of a sequence and what is linear in them have few bits as well. */
static const double BESIDE = 0.0318309886;

double settle_number(double number) {
  int exponent;
  double part = frexp(number, &exponent);
  return isfinite(number) ? ldexp(rint(ldexp(part, NUMBER_BITS) + BESIDE), exponent - NUMBER_BITS) : number;
}

/* Adding and taking away a number in whose last place the distance stands rounds to it. The largest value is often a
 * power of two, give or take its last bit, and must not be a boundary between two distances. */
void settle_values(int count, double *values) {
  static const double OFF_POWERS_OF_TWO = 1.4, NO_SIGN_CHANGE = 1.5;
  double most = 1;
  int exponent;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(values[i]));
  if (!isfinite(most)) return;
  frexp(OFF_POWERS_OF_TWO * most, &exponent);
  double distance = ldexp(1, exponent - VALUE_BITS), shift = ldexp(NO_SIGN_CHANGE * distance, 52);
  for (int i = 0; i < count; i++) values[i] = ((values[i] + BESIDE * distance) + shift) - shift;
}
