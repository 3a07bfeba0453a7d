/* SPDX-License-Identifier: Apache-2.0
 *
 * jet_function.h - Taylor coefficients of the language's functions of one argument.
 */
#ifndef FIELD_JET_FUNCTION_H
#define FIELD_JET_FUNCTION_H

#include "field/jet.h"

typedef enum jet_function {
  JET_NONE,
  JET_NEGATE,
  JET_RECIPROCAL,
  JET_POWER,
  JET_SIN,
  JET_COS,
  JET_TAN,
  JET_SINH,
  JET_COSH,
  JET_TANH,
  JET_EXP,
  JET_LOG,
  JET_LOG10,
  JET_SQRT,
  JET_ABS,
  JET_PROFILE /* of no text: its numbers stand in the node (jet.c) */
} jet_function;

/* a[m][p] <- phi^(m)(z[p]) / m!, m < count. exponent: of JET_POWER. */
void jet_coefficients(jet_function function, double exponent, int count, int points, const double *z,
                      double (*a)[JET_MAX_POINTS]);

#endif
