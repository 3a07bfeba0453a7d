/* SPDX-License-Identifier: Apache-2.0
 *
 * drift_diffusion.h - time-periodic drift, diffusion and Poisson's equation in one space dimension.
 *
 * Accepts exactly the problems whose term list reads, for a density n and a potential p over (x, t), t periodic,
 *
 *   c n_t - d n_xx + m (n_x p_x + n p_xx) - (sources of x and t) = 0      c d > 0
 *   k p_xx + q n + (sources of x and t) = 0                               k, q not zero
 *
 * with values of n and p given at both ends; anything else is ANS_UNSUPPORTED. The density may be the first or the
 * second field. Nothing else about the problem is assumed.
 */
#ifndef REFERENCE_DRIFT_DIFFUSION_H
#define REFERENCE_DRIFT_DIFFUSION_H

#include "solution/solution.h"

enum { DRIFT_MAX_SOURCES = 16 };

/* coefficient * source(x, t); source NULL: 1 */
typedef struct drift_source {
  double coefficient;
  const expression *source;
} drift_source;

/* n_t = (diffusion n_x - mobility n p_x)_x + sum of production;   p_xx = response n + sum of background. */
typedef struct drift_model {
  const ans_instance *instance;
  int density, potential; /* fields */
  int coordinate;         /* of space */
  double diffusion, mobility, response;
  int production_count, background_count;
  drift_source production[DRIFT_MAX_SOURCES], background[DRIFT_MAX_SOURCES];
  const expression *walls[2][2]; /* [0 density, 1 potential][low, high] */
} drift_model;

typedef struct drift_settings {
  int cells; /* and one node more */
  int times; /* stored levels of the last period, at k/times of it */
  int steps; /* per period: a multiple of times */
  int periods, sweeps;
} drift_settings;

typedef struct drift_outcome {
  double periodicity; /* relative change of the state over the last period, the worse of the two fields */
  double balance;     /* |outflow through both ends - production| / production, over the last period */
  long steps;
} drift_outcome;

ans_status drift_recognise(ans_context *context, const ans_instance *instance, drift_model *result);

/* What the problem asks for, completed by defaults; points (cells) and times: 0 keeps the problem's. */
drift_settings drift_defaults(const ans_problem *problem, int points, int times);

ans_status drift_solve(ans_context *context, const drift_model *model, drift_settings settings, ans_solution **result,
                       drift_outcome *outcome);

/* Relative L2 difference of the worse field between solutions on `fine` and on every second of its nodes. */
double drift_difference(const ans_solution *fine, const ans_solution *coarse);

#endif
