/* SPDX-License-Identifier: Apache-2.0
 *
 * march.h - the error's equation through time: two integrators, chosen by what the equation is.
 *
 *   exponential   periodic, constant leading coefficients: the linear part, coupled fields and second order in time
 *                 included, is exact in Fourier space (waves, dispersion, stiff diffusion); the rest by Krogstad's
 *                 exponential Runge-Kutta method of order four with fixed steps
 *   implicit      walls, algebraic rows, variable coefficients, no space: the Rosenbrock method RODAS of order four
 * with steps chosen by its embedded error; dense matrices settle        algebraic rows alone: Newton's method, for
 * problems without time and for consistent starts
 */
#ifndef ESTIMATE_MARCH_H
#define ESTIMATE_MARCH_H

#include "estimate/sample.h"

typedef enum march_outcome {
  MARCH_DONE,
  MARCH_BLOWN,    /* not finite, or larger than anything the problem knows */
  MARCH_STEPS,    /* as many steps as are allowed */
  MARCH_SINGULAR, /* the equations and conditions do not determine the unknowns */
  MARCH_STUCK     /* Newton's method does not converge */
} march_outcome;

typedef struct march {
  defect *defect;
  const sample *sample; /* NULL: direct form */
  const mesh *times;
  int steps;           /* exponential: over the whole time */
  long most_steps;     /* implicit */
  double tolerance;    /* implicit: of a step, relative to the largest error so far */
  const double *start; /* [size]: the unknowns at the first time; NULL: what the initial values say */
  double *history;     /* [times][size]: the unknowns at every time */
  long taken;
  double reached; /* time at which it ended */
} march;

ans_status march_exponential(ans_context *context, march *march, march_outcome *outcome);
ans_status march_implicit(ans_context *context, march *march, march_outcome *outcome);

/* Algebraic rows made zero at time t, the others kept. values: [size]. */
ans_status march_settle(ans_context *context, march *march, const defect_base *base, double t, double *values,
                        march_outcome *outcome);

static inline double *march_level(const march *march, int time) {
  return march->history + (size_t)time * (size_t)march->defect->size;
}

#endif
