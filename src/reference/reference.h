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
  double seconds;         /* of the solution, without the self-check */
  long steps;             /* of the time integrator */
  int nodes;              /* the method worked on, along the space coordinate; 0 without one */
  double self_difference; /* relative L2 difference against half the resolution, worst field; NaN unless asked */
  double time_difference; /* the same against half the largest step and ten times the tolerance */
  double periodicity;     /* time-periodic problems: relative change over the last period; else NaN */
  double balance;         /* drift-diffusion: |outflow - production| / production over the last period; else NaN */
  const char *method;     /* "Fourier-BDF", "Chebyshev-BDF", "difference-BDF", "BDF" (no space), "drift-diffusion" */
  bool unkept;            /* it was to be kept in the cache and could not be written */
  bool cached;            /* read from the cache: seconds is the reading, the rest to three digits */
} reference_report;

/* Settings come from the problem; points = 0 and times = 0 keep them. The solution's settings line states the method,
 * its settings and the report. ANS_UNSUPPORTED: no method for this form; ANS_DIVERGED, ANS_TOLERANCE: what the solver
 * said. */
ans_status reference_solve(ans_context *context, const ans_instance *instance, int points, int times, bool self_check,
                           ans_solution **result, reference_report *report);

/* The same with self-check, through a cache directory that is made when missing (NULL: no cache). A file there is named
 * by instance, settings and version, appears whole, and is computed anew when it does not read back or its numbers do
 * not have the hash that was written with them; a cache that cannot be written costs time, not the answer. */
ans_status reference_cached(ans_context *context, const ans_instance *instance, const char *directory,
                            ans_solution **result, reference_report *report);

#endif
