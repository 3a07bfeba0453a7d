/* SPDX-License-Identifier: Apache-2.0
 *
 * structure_forecast.h - what the fit of all terms says about structures that have fewer.
 *
 * Where the coefficients k of the missing terms are held at zero, minus twice the logarithm of the likelihood rises by
 * about k^T C_kk^-1 k, with C the covariance of all unknowns, and the others move by C_rk C_kk^-1 (0 - k). Both are
 * exact for predictions that are linear in the unknowns; here they order the candidates and start their fits.
 */
#ifndef FIT_STRUCTURE_FORECAST_H
#define FIT_STRUCTURE_FORECAST_H

#include "fit/fit.h"

typedef struct structure_forecast {
  bool known;
  double bic;
  double z[FIT_MAX_UNKNOWNS];      /* of the structure's own unknowns */
  double wide_z[FIT_MAX_UNKNOWNS]; /* the same place among those of the widest */
} structure_forecast;

/* The unknowns of the structure that has every term of the others, with optional coefficients that may reach zero.
 * False: there is none. */
bool forecast_widest(const sought *all, sought *widest);

/* From the fit of the widest. Not known for a structure without a term whose coefficient is fixed in the widest. */
void forecast_structure(const ans_fit *widest, int structure, structure_forecast *forecast);

#endif
