/* SPDX-License-Identifier: Apache-2.0
 *
 * no_integrator.c - in the place of integrator.c where SUNDIALS is missing.
 */
#include "reference/integrator.h"

ans_status integrate(ans_context *context, const integrator_system *system, integrator_settings settings,
                     const double *start, int count, const double *times, double *levels, long *steps) {
  (void)system, (void)settings, (void)start, (void)count, (void)times, (void)levels;
  *steps = 0;
  FAIL(context, ANS_UNSUPPORTED, "this program was built without references: they need SUNDIALS when it is built");
}
