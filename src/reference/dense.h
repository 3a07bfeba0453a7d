/* SPDX-License-Identifier: Apache-2.0
 *
 * dense.h - small dense linear systems, row by row in memory.
 */
#ifndef REFERENCE_DENSE_H
#define REFERENCE_DENSE_H

#include <stdbool.h>

/* P A = L U in place with row exchanges; false when a pivot vanishes or is not finite. */
bool dense_factorise(int size, double *matrix, int *pivots);

/* Overwrites the right side with the solution. */
void dense_solve(int size, const double *factors, const int *pivots, double *right);

#endif
