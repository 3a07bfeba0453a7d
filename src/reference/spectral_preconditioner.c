/* SPDX-License-Identifier: Apache-2.0
 *
 * spectral_preconditioner.c - I - gamma J with averaged coefficients, inverted mode by mode.
 */
#include <math.h>

#include "reference/fourier.h"
#include "reference/preconditioner.h"

typedef struct spectral {
  int mode_count;
  double complex *inverses; /* [modes][fields][fields] */
  double complex *modes;    /* [fields][modes] */
  double complex *solved;   /* [modes] */
} spectral;

static double mean(const double *values, int count) {
  double sum = 0;
  for (int j = 0; j < count; j++) sum += values[j];
  return sum / count;
}

/* Gauss-Jordan without recursion on one small matrix; `inverse` starts as anything. */
static bool invert(int n, double complex *matrix, double complex *inverse) {
  for (int i = 0; i < n * n; i++) inverse[i] = i % (n + 1) == 0;
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++)
      if (cabs(matrix[i * n + k]) > cabs(matrix[pivot * n + k])) pivot = i;
    double size = cabs(matrix[pivot * n + k]);
    if (!(size > 0) || !isfinite(size)) return false;
    for (int j = 0; j < n; j++) {
      double complex a = matrix[k * n + j], b = inverse[k * n + j];
      matrix[k * n + j] = matrix[pivot * n + j], inverse[k * n + j] = inverse[pivot * n + j];
      matrix[pivot * n + j] = a, inverse[pivot * n + j] = b;
    }
    double complex scale = 1 / matrix[k * n + k];
    for (int j = 0; j < n; j++) matrix[k * n + j] *= scale, inverse[k * n + j] *= scale;
    for (int i = 0; i < n; i++) {
      double complex factor = matrix[i * n + k];
      for (int j = 0; i != k && j < n; j++) {
        matrix[i * n + j] -= factor * matrix[k * n + j];
        inverse[i * n + j] -= factor * inverse[k * n + j];
      }
    }
  }
  return true;
}

static bool factorise(preconditioner *preconditioner, double gamma) {
  const lines *lines = preconditioner->lines;
  spectral *s = preconditioner->data;
  int n = lines->field_count;
  double means[SYSTEM_MAX_FIELDS * LINES_MAX_SLOTS];
  for (int i = 0; i < lines->coupling_count; i++)
    means[i] = gamma * mean(lines->couplings[i].weight, lines->node_count);
  for (int k = 0; k < s->mode_count; k++) {
    double complex matrix[SYSTEM_MAX_FIELDS * SYSTEM_MAX_FIELDS];
    for (int i = 0; i < n * n; i++) matrix[i] = i % (n + 1) == 0;
    for (int i = 0; i < lines->coupling_count; i++) {
      const lines_slot *slot = &lines->slots[lines->couplings[i].slot];
      matrix[lines->couplings[i].equation * n + slot->field] -= means[i] * fourier_symbol(lines->space, k, slot->order);
    }
    if (!invert(n, matrix, s->inverses + (size_t)k * (size_t)(n * n))) return false;
  }
  return true;
}

static void apply(preconditioner *preconditioner, const double *r, double *result) {
  const lines *lines = preconditioner->lines;
  spectral *s = preconditioner->data;
  int n = lines->field_count, nodes = lines->node_count;
  fft *transform = fourier_transform(lines->space);
  double time = lines->linear_time - lines->begin;
  for (int f = 0; f < n; f++) {
    double complex *modes = s->modes + (size_t)f * s->mode_count;
    fft_forward(transform, r + (size_t)f * nodes, modes);
    frame_turn_modes(lines->frame, f, time, true, modes);
  }
  for (int f = 0; f < n; f++) {
    for (int k = 0; k < s->mode_count; k++) {
      const double complex *row = s->inverses + ((size_t)k * (size_t)n + (size_t)f) * (size_t)n;
      double complex sum = 0;
      for (int g = 0; g < n; g++) sum += row[g] * s->modes[(size_t)g * s->mode_count + k];
      s->solved[k] = sum;
    }
    frame_turn_modes(lines->frame, f, time, false, s->solved);
    fft_inverse(transform, s->solved, result + (size_t)f * nodes);
  }
}

static ans_status fill(ans_context *context, preconditioner *preconditioner) {
  spectral *s = arena_take(preconditioner->arena, sizeof *s);
  if (!s) return context_no_memory(context);
  size_t fields = (size_t)preconditioner->lines->field_count,
         modes = (size_t)fourier_mode_count(preconditioner->lines->space);
  s->mode_count = (int)modes;
  s->inverses = arena_array(preconditioner->arena, double complex, modes *fields *fields);
  s->modes = arena_array(preconditioner->arena, double complex, modes *fields);
  s->solved = arena_array(preconditioner->arena, double complex, modes);
  if (!s->inverses || !s->modes || !s->solved) return context_no_memory(context);
  preconditioner->data = s;
  double count = (double)modes, systems = (double)(fields * fields * fields);
  preconditioner->factorise_work = count * (20 * systems + 20 * preconditioner->lines->coupling_count);
  preconditioner->apply_work = 2 * (double)fields * count * (3 * log2(count + 2) + 4 * (double)fields);
  preconditioner->factorise = factorise;
  preconditioner->apply = apply;
  return ANS_OK;
}

ans_status preconditioner_spectral(ans_context *context, const lines *lines, preconditioner **result) {
  TRY(preconditioner_new(context, lines, result));
  ans_status status = fill(context, *result);
  if (status != ANS_OK) {
    preconditioner_free(*result);
    *result = NULL;
  }
  return status;
}
