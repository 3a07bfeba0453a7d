/* SPDX-License-Identifier: Apache-2.0
 *
 * network_error.h - the estimated error of a solver's fields, wherever it is asked for.
 *
 * estimate/ solves the error's own equation on a small mesh; its values on an even grid are kept here and read between
 * the nodes.
 */
#ifndef FIT_NETWORK_ERROR_H
#define FIT_NETWORK_ERROR_H

#include "fit/interpolate.h"
#include "training/training.h"

enum { ERROR_TIMES = 65, ERROR_PLACES = 129 };

typedef struct network_error {
  bool available, trusted;
  char reason[200]; /* why not */
  double size;      /* the largest relative error of a field; NaN: not known */
  double left;      /* part of the error that may be wrong: how far two resolutions differ, 1 when it is not trusted */
  double times[ERROR_TIMES], places[ERROR_PLACES];
  lattice lattice;
  double *block, *values[SYSTEM_MAX_FIELDS]; /* on the lattice */
} network_error;

/* What was there is replaced. */
ans_status network_error_find(ans_context *context, ans_solver *solver, network_error *e);
void network_error_drop(network_error *e);

/* values [count][fields] -= errors, which are available, at these points. */
void network_error_subtract(const network_error *e, const ans_problem *problem, const double *points, size_t count,
                            double *values);

#endif
