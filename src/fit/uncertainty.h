/* SPDX-License-Identifier: Apache-2.0
 *
 * uncertainty.h - what the slopes at the best z say about the errors of the unknown numbers (Laplace's approximation),
 * and which combinations of them the data do not fix.
 *
 *   covariance of z = (S^T S)^-1,  S = slopes / sigma
 *
 * A direction in z along which that deviation exceeds the deviation of an even distribution over a range, 1/sqrt(12),
 * is not identified: the ranges say more about it than the data. Terms of initial values have their priors in S^T S and
 * are not named one by one.
 */
#ifndef FIT_UNCERTAINTY_H
#define FIT_UNCERTAINTY_H

#include "base/buffer.h"
#include "fit/search.h"

typedef struct fit_number {
  double z, z_error;
  double estimate, error, low, high, start; /* 95 % interval; in the symbol's own units */
  bool identified, at_end;                  /* at_end: of its range */
} fit_number;

typedef struct uncertainty {
  int count;
  double reach; /* of the interval, in errors */
  fit_number numbers[FIT_MAX_UNKNOWNS];
  double z_covariance[FIT_MAX_UNKNOWNS * FIT_MAX_UNKNOWNS];
  double covariance[FIT_MAX_NAMED * FIT_MAX_NAMED];  /* [named][named], in their units */
  int loose_count;                                   /* directions that are not identified */
  double loose[FIT_MAX_UNKNOWNS * FIT_MAX_UNKNOWNS]; /* [loose_count][count] */
} uncertainty;

/* freedom: of noise that was estimated; INFINITY: it was known. shift: [count] further deviation of z; NULL: none. */
uncertainty uncertainty_of(const search *search, double freedom, const double *shift);

/* Sentences on unidentified directions and on correlations above 0.9; one line each. */
void uncertainty_words(const uncertainty *u, const sought *sought, buffer *unidentified, buffer *correlated);

#endif
