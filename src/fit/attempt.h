/* SPDX-License-Identifier: Apache-2.0
 *
 * attempt.h - one search with a network, from one start; and where a trained model would start.
 */
#ifndef FIT_ATTEMPT_H
#define FIT_ATTEMPT_H

#include "fit/fit.h"

typedef struct attempt {
  noise noise;
  search search; /* refers to the noise above and to the fit's unknowns */
  network_forward *network;
} attempt;

/* With a light network whose estimated error is taken away; where that cannot be trusted, once more with a better
 * network. hint NULL: none. The attempt must not be moved while it runs. */
ans_status attempt_run(ans_context *context, const ans_fit *fit, const ans_model *model, const fit_hint *hint,
                       const double *z, attempt *a);
void attempt_drop(attempt *a);

/* Minus twice the logarithm of the likelihood: the less, the better. */
double attempt_score(const attempt *a);

/* The index-th place of an even spread through the ranges: [unknowns]. */
void attempt_spread(int unknowns, int index, double *z);

/* z <- where the guesses of the model, which cost next to nothing, fit best. */
ans_status attempt_guess(ans_context *context, const ans_fit *fit, const ans_model *model, double *z);

#endif
