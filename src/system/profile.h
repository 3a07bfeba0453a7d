/* SPDX-License-Identifier: Apache-2.0
 *
 * profile.h - a function of one coordinate that is known by numbers, not by a formula: what a field is where one
 * window of time ends and the next begins.
 *
 *   periodic   c0 + sum_k a_k cos(k z) + b_k sin(k z),   z = 2 pi (x - low)/(high - low); coefficients c0, a1, b1, ...
 *   walls      sum_k c_k T_k(z),   z = (2 x - low - high)/(high - low)
 *
 * It is fitted to values at a few nodes (even ones; Chebyshev's, both ends among them) and cut where its coefficients
 * have become noise, so that its derivatives, which the equations ask for, are those of the function.
 */
#ifndef SYSTEM_PROFILE_H
#define SYSTEM_PROFILE_H

#include "base/base.h"

enum { PROFILE_ORDERS = 7, PROFILE_MAX_COUNT = 513 };

typedef struct system_profile {
  bool periodic;
  double low, high;
  int count;                                  /* of coefficients */
  const double *coefficients[PROFILE_ORDERS]; /* [count] of the function and of its derivatives by x */
} system_profile;

/* From coefficients, which are copied. ANS_MODEL where the numbers are none of a profile. */
ans_status profile_new(ans_context *context, arena *arena, bool periodic, double low, double high, int count,
                       const double *coefficients, const system_profile **result);

/* The place of a node, of `intervals` even intervals (periodic) or between intervals + 1 Chebyshev nodes. */
double profile_node(bool periodic, double low, double high, int intervals, int node);

/* coefficients <- those of the interpolant of values at the nodes; their number. [intervals + 1] has room. */
int profile_fit(bool periodic, int intervals, const double *values, double *coefficients);

/* How many of them stand above `noise` times the largest: the rest may be cut. */
int profile_length(bool periodic, int count, const double *coefficients, double noise);

/* a[m] <- the derivative of order + m over m!, m < count; 0 beyond what is known. */
void profile_taylor(const system_profile *profile, double x, int order, int count, double *a);
double profile_value(const system_profile *profile, double x, int order);

bool profile_equal(const system_profile *a, const system_profile *b);

#endif
