/* SPDX-License-Identifier: Apache-2.0
 *
 * wave.h - sines and cosines of many angles, in double, as a loop that compilers vectorise.
 */
#ifndef NUMERIC_WAVE_H
#define NUMERIC_WAVE_H

/* Within 4e-16 of the true value plus the rounding of the angle. cosine may be NULL. */
void wave_fill(int count, const double *angle, double *sine, double *cosine);

#endif
