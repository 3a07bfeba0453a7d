/* SPDX-License-Identifier: Apache-2.0
 *
 * evolution.h - initial value problems in at most one space dimension by the method of lines and BDF.
 */
#ifndef REFERENCE_EVOLUTION_H
#define REFERENCE_EVOLUTION_H

#include "solution/solution.h"

typedef struct evolution_settings {
  int points;     /* output nodes along the space coordinate */
  int resolution; /* nodes the method works on; the output is interpolated from them when they differ */
  int times;      /* stored levels, first and last included */
  double relative, absolute, max_step;
  bool check_resolution; /* refuse a solution that the nodes do not resolve */
} evolution_settings;

/* What the problem asks for, completed by defaults; points and times: 0 keeps the problem's. */
evolution_settings evolution_defaults(const ans_problem *problem, int points, int times);

const char *evolution_method(const ans_problem *problem); /* "Fourier-BDF", "Chebyshev-BDF" or, without space, "BDF" */

/* Steps of the integrator at most: 100,000 for ordinary problems, fewer where a step is much work, never below 10,000.
 * dense: a step costs the square of the unknowns. */
long evolution_step_limit(bool dense, int unknowns);

ans_status evolution_solve(ans_context *context, const ans_instance *instance, evolution_settings settings,
                           ans_solution **result, long *steps);

#endif
