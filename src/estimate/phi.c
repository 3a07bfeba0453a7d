/* SPDX-License-Identifier: Apache-2.0
 *
 * phi.c - by Taylor's series for a small argument, doubled until it is the whole one:
 *   phi_0(2z) = phi_0 phi_0              phi_2(2z) = (phi_1 phi_1 + 2 phi_2)/4
 *   phi_1(2z) = (phi_0 phi_1 + phi_1)/2  phi_3(2z) = (phi_1 phi_2 + phi_2 + 2 phi_3)/8
 */
#include "estimate/phi.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { TERMS = 14 };

/* c = a b, by parts: the language's own product checks for infinities. */
static void multiply(int n, const double complex *a, const double complex *b, double complex *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double re = 0, im = 0;
      for (int k = 0; k < n; k++) {
        double complex x = a[i * n + k], y = b[k * n + j];
        re += creal(x) * creal(y) - cimag(x) * cimag(y);
        im += creal(x) * cimag(y) + cimag(x) * creal(y);
      }
      c[i * n + j] = complex_number(re, im);
    }
}

void phi_double(int n, double complex *const phi[PHI_COUNT]) {
  assert(n > 0 && n <= PHI_MAX);
  double complex p01[PHI_MAX * PHI_MAX], p11[PHI_MAX * PHI_MAX], p12[PHI_MAX * PHI_MAX], p00[PHI_MAX * PHI_MAX];
  multiply(n, phi[0], phi[0], p00);
  multiply(n, phi[0], phi[1], p01);
  multiply(n, phi[1], phi[1], p11);
  multiply(n, phi[1], phi[2], p12);
  for (int i = 0; i < n * n; i++) {
    phi[3][i] = (p12[i] + phi[2][i] + 2 * phi[3][i]) / 8;
    phi[2][i] = (p11[i] + 2 * phi[2][i]) / 4;
    phi[1][i] = (p01[i] + phi[1][i]) / 2;
    phi[0][i] = p00[i];
  }
}

/* to = z from + 1/k!. */
static void lower(int n, const double complex *z, const double complex *from, double inverse, double complex *to) {
  multiply(n, z, from, to);
  for (int i = 0; i < n; i++) to[i * n + i] += inverse;
}

void phi_functions(int n, const double complex *z, double complex *const result[PHI_COUNT]) {
  assert(n > 0 && n <= PHI_MAX);
  double complex small[PHI_MAX * PHI_MAX], sum[PHI_MAX * PHI_MAX];
  double size = 0;
  for (int i = 0; i < n; i++) {
    double row = 0;
    for (int j = 0; j < n; j++) row += cabs(z[i * n + j]);
    size = fmax(size, row);
  }
  int doublings = 0;
  while (size > 0.5 && doublings < 60) size /= 2, doublings++;
  for (int i = 0; i < n * n; i++) small[i] = z[i] * ldexp(1, -doublings);
  /* phi_3 = sum of z^m/(m+3)!. */
  double inverse = 1;
  for (int m = 2; m <= TERMS + 3; m++) inverse /= m;
  memset(result[3], 0, (size_t)(n * n) * sizeof *sum);
  for (int i = 0; i < n; i++) result[3][i * n + i] = inverse;
  for (int m = TERMS; m-- > 0;) {
    inverse *= m + 4;
    lower(n, small, result[3], inverse, sum);
    memcpy(result[3], sum, (size_t)(n * n) * sizeof *sum);
  }
  lower(n, small, result[3], 0.5, result[2]);
  lower(n, small, result[2], 1, result[1]);
  lower(n, small, result[1], 1, result[0]);
  for (int i = 0; i < doublings; i++) phi_double(n, result);
}
