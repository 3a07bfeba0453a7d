/* SPDX-License-Identifier: Apache-2.0
 *
 * normal.h - the damped normal equations of a Gauss-Newton step, in the smaller of two forms.
 *
 *   S = J D^-1,  D_j = |J_j| + 1e-3 max |J_j|                         (Marquardt's scaling)
 *   d = -D^-1 S^T (S S^T + damping I)^-1 r      fewer rows than unknowns: dual
 *     = -D^-1 (S^T S + damping I)^-1 S^T r      else: primal
 *
 * Both are the same step; the matrix has the order of the smaller number. Rows and steps are double, S is `real`.
 */
#ifndef TRAINING_NORMAL_H
#define TRAINING_NORMAL_H

#include "base/base.h"
#include "numeric/real.h"

#define normal         REAL_NAME(normal)
#define normal_reserve REAL_NAME(normal_reserve)
#define normal_free    REAL_NAME(normal_free)
#define normal_form    REAL_NAME(normal_form)
#define normal_factor  REAL_NAME(normal_factor)
#define normal_solve   REAL_NAME(normal_solve)
#define normal_push    REAL_NAME(normal_push)
#define normal_length  REAL_NAME(normal_length)
#define normal_work    REAL_NAME(normal_work)

typedef struct normal {
  int rows, columns, order, threads; /* order: of the matrix */
  bool dual;
  real *jacobian;                   /* [rows][columns]: J, then S */
  real *blocks;                     /* S in blocks of columns, primal only */
  real *matrix, *factor, *work;     /* [order][stride] */
  double *scale, *partial, *vector; /* D; sums of pieces; right-hand side */
  double *slopes;                   /* [rows]: for the caller, J step */
} normal;

/* Room for this many rows and columns; what was there is lost. */
ans_status normal_reserve(ans_context *context, normal *normal, int rows, int columns, int threads);
void normal_free(normal *normal);

/* normal->jacobian holds J: scale it and form the matrix. False when J is not finite. */
bool normal_form(normal *normal);

/* False when the damped matrix is not positive definite in this precision. */
bool normal_factor(normal *normal, double damping);

/* step [columns] <- the step d for these rows, with the damping of normal_factor. */
void normal_solve(normal *normal, const double *rows, double *step);

/* rows <- J step */
void normal_push(const normal *normal, const double *step, double *rows);

double normal_length(const normal *normal, const double *step); /* |D step| */

/* Operations, in float, that one step with this matrix takes: about, and the same on every machine. */
double normal_work(const normal *normal);

#endif
