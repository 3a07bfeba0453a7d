/* SPDX-License-Identifier: Apache-2.0
 *
 * transform.c - the radix-2 transform of Cooley and Tukey, in place. Two orders of magnitude cheaper than the network
 * at the same nodes, so it is written to be short.
 */
#include "estimate/transform.h"

#include <math.h>

ans_status transform_new(ans_context *context, arena *arena, int nodes, transform *result) {
  *result = (transform){.nodes = nodes};
  result->turns = arena_array(arena, double complex, (size_t)nodes);
  result->work = arena_array(arena, double complex, (size_t)nodes);
  if (!result->turns || !result->work) return context_no_memory(context);
  for (int k = 0; k < nodes / 2; k++) {
    double angle = -2 * 3.14159265358979323846 * k / nodes;
    result->turns[k] = CMPLX(cos(angle), sin(angle));
  }
  return ANS_OK;
}

static void bit_reverse(int n, double complex *a) {
  for (int i = 1, j = 0; i < n; i++) {
    int bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    double complex kept = a[i];
    a[i] = a[j];
    a[j] = kept;
  }
}

/* Products by parts: the operator of the language checks for infinities, which costs more than the product. */
static double complex product(double complex a, double complex b) {
  return CMPLX(creal(a) * creal(b) - cimag(a) * cimag(b), creal(a) * cimag(b) + cimag(a) * creal(b));
}

static void run(transform *t, bool backward) {
  int n = t->nodes;
  bit_reverse(n, t->work);
  for (int length = 2; length <= n; length *= 2)
    for (int first = 0; first < n; first += length)
      for (int k = 0; k < length / 2; k++) {
        double complex turn = t->turns[k * (n / length)], *low = &t->work[first + k], *high = low + length / 2;
        double complex turned = product(*high, backward ? conj(turn) : turn);
        *high = *low - turned;
        *low += turned;
      }
}

void transform_forward(transform *t, const double *values, double complex *modes) {
  for (int j = 0; j < t->nodes; j++) t->work[j] = values[j];
  run(t, false);
  for (int k = 0; k <= t->nodes / 2; k++) modes[k] = t->work[k] / t->nodes;
}

void transform_backward(transform *t, const double complex *modes, double *values) {
  int n = t->nodes;
  for (int k = 0; k <= n / 2; k++) t->work[k] = modes[k];
  for (int k = 1; k < n / 2; k++) t->work[n - k] = conj(modes[k]);
  run(t, true);
  for (int j = 0; j < n; j++) values[j] = creal(t->work[j]);
}
