/* SPDX-License-Identifier: Apache-2.0
 *
 * differences.h - derivatives from values at nodes that are spread at will.
 */
#ifndef NUMERIC_DIFFERENCES_H
#define NUMERIC_DIFFERENCES_H

enum { DIFFERENCE_NODES = 9, DIFFERENCE_ORDERS = 5 };

/* Weights of `count` nodes, at most DIFFERENCE_NODES, in the derivatives of orders 0 ... 4 at `place` of the polynomial
 * through them. */
void difference_weights(double place, int count, const double *nodes,
                        double weights[DIFFERENCE_ORDERS][DIFFERENCE_NODES]);

#endif
