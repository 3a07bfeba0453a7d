/* SPDX-License-Identifier: Apache-2.0
 *
 * statistics.h - what few numbers allow to say: Student's distribution, Welch's test, the interval of a difference.
 *
 * Everything is two-sided. What cannot be computed (one seed, no spread at all) is NaN, never a number that looks like
 * a result.
 */
#ifndef LAB_STATISTICS_H
#define LAB_STATISTICS_H

#include <stddef.h>

/* Mean and sample deviation (divided by count - 1; NaN for fewer than two). */
typedef struct sample {
  size_t count;
  double mean, deviation;
} sample;

sample sample_of(const double *values, size_t count);

/* P(|T| >= |t|) with so many degrees of freedom. */
double student_tail(double t, double freedom);

/* The t whose tail is `tail`, in (0, 1): 2.776 for 0.05 and 4 degrees of freedom. */
double student_quantile(double tail, double freedom);

/* p of two samples whose deviations may differ: how often means at least as far apart come from equal ones. */
double welch_p(sample a, sample b);

/* Mean of the differences of pairs, and the interval that covers the true one 95 times of 100. */
typedef struct interval {
  double mean, low, high; /* low and high are NaN for fewer than two */
} interval;

interval interval_of(const double *differences, size_t count);

#endif
