/* SPDX-License-Identifier: Apache-2.0
 *
 * search.h - least squares over the few unknown numbers: Levenberg and Marquardt in the box of their ranges.
 *
 *   minimise  sum ((measured - predicted(z)) / sigma)^2,   0 <= z <= 1
 *
 * Noise that is not known is estimated on the way. A weak pull to the middle of the ranges, ten ranges wide, keeps
 * directions that the data say nothing about where they are. Unknowns with a prior add prior (z - 1/2)^2 to the sum.
 */
#ifndef FIT_SEARCH_H
#define FIT_SEARCH_H

#include "fit/forward.h"
#include "fit/noise.h"

typedef struct search {
  const sought *sought;
  noise *noise;
  const volatile int *interrupt; /* NULL: none */
  double deadline;               /* on the clock of clock_seconds; 0: none */
  const bool *held;              /* [unknowns]: stay where they are; NULL: none */
  int most;                      /* iterations; 0: as many as are sensible */
  bool ready;                    /* `predicted` is that of z already: for the next run */
  bool refine;                   /* the last step, which is that short, is taken without a further prediction */

  double z[FIT_MAX_UNKNOWNS];
  double *predicted;    /* [values] */
  double *slopes;       /* [unknowns][values] */
  double chi2, penalty; /* of the data; of the priors */
  double effective;     /* number of unknowns, of those with a prior the part that the data fix */
  double information[FIT_MAX_UNKNOWNS * FIT_MAX_UNKNOWNS]; /* S^T S + priors, S = slopes / sigma: [count][count] */
  double left;                                             /* the largest further step, in standard errors */
  bool converged; /* that step is small, or no step lowers the sum though one should hardly */
  bool stopped;   /* by interrupt or deadline */
  int iterations;
  double *trial; /* [values] */
} search;

/* Room for the data's values; `z` starts at sought->start. */
ans_status search_begin(ans_context *context, const sought *sought, noise *noise, search *result);
void search_end(search *search);

/* From search->z to the least sum that is found. Fails where the first prediction does. */
ans_status search_run(ans_context *context, search *search, const forward *forward);

/* What the present residuals, if they were errors of the predictions, do to z: [unknowns]. */
void search_step(const search *search, double *step);

/* Degrees of freedom: values less unknowns. */
static inline double search_freedom(const search *s) { return (double)s->noise->data->value_count - s->effective; }

#endif
