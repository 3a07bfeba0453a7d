/* SPDX-License-Identifier: Apache-2.0
 *
 * phi.h - the functions of exponential integrators for small complex matrices:
 *   phi_0 = exp(z),  phi_{k+1}(z) = (phi_k(z) - 1/k!)/z.
 */
#ifndef ESTIMATE_PHI_H
#define ESTIMATE_PHI_H

#include "numeric/complex_number.h"

enum { PHI_COUNT = 4, PHI_MAX = 16 };

/* result[k]: [n][n], phi_k of z. n at most PHI_MAX. */
void phi_functions(int n, const double complex *z, double complex *const result[PHI_COUNT]);

/* In place: from phi_k(z) to phi_k(2 z). */
void phi_double(int n, double complex *const phi[PHI_COUNT]);

#endif
