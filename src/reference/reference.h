/* SPDX-License-Identifier: Apache-2.0
 *
 * reference.h - the door of reference/: a classical solution of the same instance, for evaluation only.
 */
#ifndef REFERENCE_REFERENCE_H
#define REFERENCE_REFERENCE_H

#include "base/base.h"
#include "solution/solution.h"
#include "system/system.h"

typedef struct reference_report {
  double seconds;
  long steps;             /* of the time integrator */
  double self_difference; /* relative L2 difference against half the resolution, worst field; NaN unless asked */
  double periodicity;     /* time-periodic problems: change over the last period; else NaN */
  const char *method;     /* "Fourier-BDF", "Chebyshev-BDF", "drift-diffusion" */
} reference_report;

/* Settings come from the problem; points = 0 and times = 0 keep them. */
ans_status reference_solve(ans_context *context, const ans_instance *instance, int points, int times, bool self_check,
                           ans_solution **result, reference_report *report);

/* The same through a cache directory (NULL: none): keyed by instance hash, settings and version. */
ans_status reference_cached(ans_context *context, const ans_instance *instance, const char *directory, ans_solution **result,
                            reference_report *report);

#endif
