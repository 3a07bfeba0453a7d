/* SPDX-License-Identifier: Apache-2.0
 *
 * fourier.h - what the Fourier space shares with the preconditioner that works on its modes.
 */
#ifndef REFERENCE_FOURIER_H
#define REFERENCE_FOURIER_H

#include "numeric/fft.h"
#include "reference/space.h"

/* The interpolant on `count` even nodes, at least as many as the space has. */
ans_status fourier_resample(ans_context *context, space *space, const double *values, int count, double *results);

fft *fourier_transform(const space *space);
int fourier_mode_count(const space *space);

/* (2 pi i k / length)^order: what differentiation does to mode k. The mode at half the sampling rate has no sine
 * part on the grid, so its odd derivatives vanish there. */
double complex fourier_symbol(const space *space, int mode, int order);

#endif
