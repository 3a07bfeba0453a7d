/* SPDX-License-Identifier: Apache-2.0
 *
 * moments.c - see moments.h. The bias corrections are folded into two numbers, so that the loop over parameters
 * has one square root and one division.
 */
#include "numeric/moments.h"

#include <assert.h>

#include "numeric/denormal.h"
#include "numeric/kernels/kernels.h"

void adam_step(real *parameters, const real *gradient, real *m, real *v, size_t count, long step, double rate,
               double beta1, double beta2, double epsilon, double scale) {
  assert(step >= 1 && beta1 < 1 && beta2 < 1 && epsilon > 0); /* else a division by zero */
  double correction = sqrt(1.0 - pow(beta2, (double)step));
  real constants[7] = {(real)beta1,
                       (real)(1.0 - beta1),
                       (real)beta2,
                       (real)(1.0 - beta2),
                       (real)(rate * correction / (1.0 - pow(beta1, (double)step))),
                       (real)(epsilon * correction),
                       (real)scale};
  unsigned before = denormals_off(); /* moments of a parameter at rest fade through the denormals */
  kernels_chosen()->adam(parameters, gradient, m, v, count, constants);
  denormals_restore(before);
}

double numeric_square_norm(const real *values, size_t count) { return kernels_chosen()->square_norm(values, count); }
