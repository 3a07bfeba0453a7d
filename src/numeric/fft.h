/* SPDX-License-Identifier: Apache-2.0
 *
 * fft.h - real Fourier transforms of one length, in double precision. Fastest where the length is a power of two
 * times small primes; any other length takes n log n, too.
 */
#ifndef NUMERIC_FFT_H
#define NUMERIC_FFT_H

#include "numeric/complex_number.h"

#include "base/base.h"

typedef struct fft fft;

ans_status fft_new(ans_context *context, int length, fft **result);
void fft_free(fft *fft); /* accepts NULL */

/* modes[k] = sum over j of values[j] exp(-2 pi i j k / length), k = 0 .. length/2. Neither call changes its input. */
void fft_forward(fft *fft, const double *values, double complex *modes);

/* The inverse, divided by the length: fft_inverse(fft_forward(values)) = values. */
void fft_inverse(fft *fft, const double complex *modes, double *values);

#endif
