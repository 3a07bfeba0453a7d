/* SPDX-License-Identifier: Apache-2.0
 *
 * jacobian.h - the derivative of residual_rows with respect to the parameters of a factorized network.
 *
 * Columns: codes, then (tangent) input and output layers, or (weights) all but the left bases, or (all) the whole
 * parameter block, in the order of the backbone's table. The workspace is allocated once. The same bits for any number
 * of threads.
 */
#ifndef RESIDUAL_JACOBIAN_H
#define RESIDUAL_JACOBIAN_H

#include "field/backbone.h"
#include "residual/residual.h"

typedef struct jacobian jacobian;

typedef enum residual_subset {
  SUBSET_CODES,
  SUBSET_TANGENT, /* codes, input and output layers */
  SUBSET_WEIGHTS, /* the same and R: all but C */
  SUBSET_ALL
} residual_subset;

#define jacobian_new     REAL_NAME(jacobian_new)
#define jacobian_free    REAL_NAME(jacobian_free)
#define jacobian_columns REAL_NAME(jacobian_columns)
#define jacobian_fill    REAL_NAME(jacobian_fill)

/* The residual is borrowed; it was planned for this backbone, and has room for its thin forms. */
ans_status jacobian_new(ans_context *context, residual *residual, const backbone *dense, residual_subset subset,
                        jacobian **result);
void jacobian_free(jacobian *jacobian);

size_t jacobian_columns(const backbone *dense, residual_subset subset);

/* matrix [rows][stride] <- d rows / d parameters at the current points. `present` is the dense backbone or a thin form
 * of it, the shape the residual has now; formed: its network. Columns of codes at zero are zero if it is thin. */
void jacobian_fill(jacobian *jacobian, const backbone *present, const real *parameters, const real *codes,
                   const real *formed, real *matrix, size_t stride);

#endif
