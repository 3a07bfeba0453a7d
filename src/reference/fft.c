/* SPDX-License-Identifier: Apache-2.0 */
#include "reference/fft.h"

#include <fftw3.h>
#include <pthread.h>
#include <string.h>

struct fft {
  int length, mode_count;
  double *values; /* FFTW's own aligned arrays: plans are bound to them */
  fftw_complex *modes;
  fftw_plan forward, inverse;
};

/* FFTW's planner is the one part of it that threads may not share. */
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

ans_status fft_new(ans_context *context, int length, fft **result) {
  *result = NULL;
  fft *fft = memory_take(sizeof *fft);
  if (!fft) return context_no_memory(context);
  fft->length = length;
  fft->mode_count = length / 2 + 1;
  pthread_mutex_lock(&planner);
  fft->values = fftw_alloc_real((size_t)length);
  fft->modes = fftw_alloc_complex((size_t)fft->mode_count);
  if (fft->values && fft->modes) {
    /* ESTIMATE: the measured plans differ from run to run, and so would the last bits of the reference. */
    fft->forward = fftw_plan_dft_r2c_1d(length, fft->values, fft->modes, FFTW_ESTIMATE);
    fft->inverse = fftw_plan_dft_c2r_1d(length, fft->modes, fft->values, FFTW_ESTIMATE);
  }
  pthread_mutex_unlock(&planner);
  if (!fft->forward || !fft->inverse) {
    fft_free(fft);
    return context_no_memory(context);
  }
  *result = fft;
  return ANS_OK;
}

void fft_free(fft *fft) {
  if (!fft) return;
  pthread_mutex_lock(&planner);
  if (fft->forward) fftw_destroy_plan(fft->forward);
  if (fft->inverse) fftw_destroy_plan(fft->inverse);
  fftw_free(fft->values);
  fftw_free(fft->modes);
  pthread_mutex_unlock(&planner);
  memory_give(fft);
}

void fft_forward(fft *fft, const double *values, double complex *modes) {
  memcpy(fft->values, values, (size_t)fft->length * sizeof *values);
  fftw_execute(fft->forward);
  memcpy(modes, fft->modes, (size_t)fft->mode_count * sizeof *modes);
}

void fft_inverse(fft *fft, const double complex *modes, double *values) {
  memcpy(fft->modes, modes, (size_t)fft->mode_count * sizeof *modes);
  fftw_execute(fft->inverse);
  double scale = 1.0 / fft->length;
  for (int j = 0; j < fft->length; j++) values[j] = scale * fft->values[j];
}
