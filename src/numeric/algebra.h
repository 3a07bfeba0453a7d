/* SPDX-License-Identifier: Apache-2.0
 *
 * algebra.h - derivatives as a truncated commutative algebra.
 *
 * A *channel set* is a small vector that travels through the network in place of a number: the value in
 * channel 0 and derivatives in the others. Channels multiply by a table
 *
 *   (f g)_k = sum over products (i, j, k, factor) of  factor * f_i * g_j
 *
 * and everything else follows. An analytic function of f = f_0 + n (n without channel 0, nilpotent) is
 *   phi(f) = sum_m phi^(m)(f_0)/m! n^m,
 * and its differential is multiplication by phi'(f), an element of the same algebra, so reverse mode needs
 * only the transposed product. Linear layers act on every channel alike. Two kinds of channel set exist:
 *
 *   Taylor    a downward-closed set of multi-indices; channel = derivative / alpha! (no factorials in rules)
 *   operator  value, first derivatives d_i, and L = sum c_i d_i + sum q_ij d_i d_j:
 *             (f g)_L = f_L g + f g_L + 2 sum q_ij f_i g_j.  Fewer channels, the same numbers (numerics.md).
 */
#ifndef NUMERIC_ALGEBRA_H
#define NUMERIC_ALGEBRA_H

#include <stdbool.h>
#include <stdint.h>

enum { ALGEBRA_MAX_COORDINATES = 4, ALGEBRA_MAX_CHANNELS = 70, ALGEBRA_MAX_PRODUCTS = 1024, ALGEBRA_MAX_DEGREE = 4 };

typedef struct algebra_product {
  uint8_t left, right, result;
  double factor;
} algebra_product;

typedef struct algebra {
  int coordinates;
  int channels;
  int degree;           /* n^m = 0 for m > degree; 0 when there is only the value */
  int operator_channel; /* the channel that holds L, or -1 */
  uint8_t index[ALGEBRA_MAX_CHANNELS][ALGEBRA_MAX_COORDINATES];    /* multi-index of a channel; unused for L */
  double first[ALGEBRA_MAX_COORDINATES];                           /* c_i of L */
  double second[ALGEBRA_MAX_COORDINATES][ALGEBRA_MAX_COORDINATES]; /* q_ij of L, symmetric */
  int product_count;
  algebra_product products[ALGEBRA_MAX_PRODUCTS]; /* sorted by result, those with channel 0 first */
} algebra;

/* The downward closure of the given multi-indices. False when it needs more channels than there are, or a higher
 * degree. */
bool algebra_taylor(int coordinates, int count, const uint8_t (*indices)[ALGEBRA_MAX_COORDINATES], algebra *result);

/* Value, the first derivatives that are wanted or that q needs, and L. */
bool algebra_operator(int coordinates, const double *first, const double (*second)[ALGEBRA_MAX_COORDINATES],
                      const bool *wanted_first, algebra *result);

int algebra_channel(const algebra *algebra, const uint8_t *multi_index); /* -1: not in the set */
double algebra_factorial(const algebra *algebra, int channel);           /* derivative = factorial * channel */

#endif
