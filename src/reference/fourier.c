/* SPDX-License-Identifier: Apache-2.0
 *
 * fourier.c - periodic functions on an even grid, differentiated mode by mode; no dealiasing.
 */
#include "reference/fourier.h"

#include <assert.h>
#include <math.h>

typedef struct fourier {
  fft *fft;
  double complex *modes, *derived; /* [nodes/2 + 1] */
  fft *finer;                      /* of the last number of even nodes that was asked for, or NULL */
  double complex *padded;          /* its modes */
  int finer_count;
} fourier;

fft *fourier_transform(const space *space) { return ((const fourier *)space->data)->fft; }

int fourier_mode_count(const space *space) { return space->node_count / 2 + 1; }

double complex fourier_symbol(const space *space, int mode, int order) {
  assert(mode >= 0 && mode < fourier_mode_count(space) && order >= 0 && space->high > space->low);
  if (order % 2 == 1 && 2 * mode == space->node_count) return 0;
  double wave = 2 * M_PI * mode / (space->high - space->low), size = 1;
  for (int i = 0; i < order; i++) size *= wave;
  static const double complex turns[4] = {1, I, -1, -I};
  return turns[order % 4] * size;
}

static void differentiate(space *space, const double *values, int count, const int *orders, double *const *results) {
  fourier *f = space->data;
  assert(f && count >= 0);
  bool transformed = false;
  for (int i = 0; i < count; i++) {
    if (orders[i] == 0) {
      for (int j = 0; j < space->node_count; j++) results[i][j] = values[j];
      continue;
    }
    if (!transformed) fft_forward(f->fft, values, f->modes);
    transformed = true;
    for (int k = 0; k < fourier_mode_count(space); k++)
      f->derived[k] = fourier_symbol(space, k, orders[i]) * f->modes[k];
    fft_inverse(f->fft, f->derived, results[i]);
  }
}

/* How often mode k and its conjugate stand in the sum over all modes. */
static double multiplicity(const space *space, int mode) { return mode == 0 || 2 * mode == space->node_count ? 1 : 2; }

static void evaluate(space *space, const double *values, int count, const double *places, double *results) {
  fourier *f = space->data;
  fft_forward(f->fft, values, f->modes);
  for (int i = 0; i < count; i++) {
    double angle = 2 * M_PI * (places[i] - space->low) / (space->high - space->low);
    double complex step = complex_number(cos(angle), sin(angle)), wave = 1;
    double sum = 0;
    for (int k = 0; k < fourier_mode_count(space); k++, wave *= step)
      sum += multiplicity(space, k) * (creal(f->modes[k]) * creal(wave) - cimag(f->modes[k]) * cimag(wave));
    results[i] = sum / space->node_count;
  }
}

static ans_status prepare_finer(ans_context *context, fourier *f, int count) {
  assert(count > 0);
  if (f->finer_count == count) return ANS_OK;
  fft_free(f->finer);
  memory_give(f->padded);
  f->finer = NULL;
  f->finer_count = 0;
  f->padded = memory_take((size_t)(count / 2 + 1) * sizeof *f->padded);
  if (!f->padded) return context_no_memory(context);
  TRY(fft_new(context, count, &f->finer));
  f->finer_count = count;
  return ANS_OK;
}

ans_status fourier_resample(ans_context *context, space *space, const double *values, int count, double *results) {
  fourier *f = space->data;
  int n = space->node_count;
  TRY(prepare_finer(context, f, count));
  assert(f->finer && f->padded && count >= n);
  double scale = (double)count / n;
  fft_forward(f->fft, values, f->modes);
  for (int k = 0; k <= count / 2; k++) f->padded[k] = k < fourier_mode_count(space) ? scale * f->modes[k] : 0;
  /* Half of the mode at half the sampling rate belongs to its conjugate, which here has a place of its own. */
  if (n % 2 == 0 && count > n) f->padded[n / 2] = 0.5 * creal(f->padded[n / 2]);
  fft_inverse(f->finer, f->padded, results);
  return ANS_OK;
}

static double tail(space *space, const double *values) {
  fourier *f = space->data;
  fft_forward(f->fft, values, f->modes);
  double high = 0, all = 0;
  for (int k = 0; k < fourier_mode_count(space); k++) {
    double energy =
        multiplicity(space, k) * (creal(f->modes[k]) * creal(f->modes[k]) + cimag(f->modes[k]) * cimag(f->modes[k]));
    all += energy;
    if (3 * k > space->node_count) high += energy;
  }
  return all > 0 ? sqrt(high / all) : 0;
}

static void release(space *space) {
  fourier *f = space->data;
  if (!f) return;
  fft_free(f->fft);
  fft_free(f->finer);
  memory_give(f->padded);
}

static ans_status fill(ans_context *context, space *space) {
  fourier *f = arena_take(space->arena, sizeof *f);
  if (!f) return context_no_memory(context);
  space->data = f;
  size_t modes = (size_t)fourier_mode_count(space);
  f->modes = arena_array(space->arena, double complex, modes);
  f->derived = arena_array(space->arena, double complex, modes);
  if (!f->modes || !f->derived) return context_no_memory(context);
  return fft_new(context, space->node_count, &f->fft);
}

ans_status space_fourier(ans_context *context, double low, double high, int nodes, space **result) {
  double *places;
  TRY(space_new(context, low, high, nodes, result, &places));
  space *space = *result;
  for (int j = 0; j < nodes; j++) places[j] = low + (high - low) * j / nodes;
  space->differentiate = differentiate;
  space->evaluate = evaluate;
  space->tail = tail;
  space->release = release;
  ans_status status = fill(context, space);
  if (status != ANS_OK) {
    space_free(space);
    *result = NULL;
  }
  return status;
}
