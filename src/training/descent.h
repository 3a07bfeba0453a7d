/* SPDX-License-Identifier: Apache-2.0
 *
 * descent.h - a parameter block with its gradient, Adam's moments and a copy to return to.
 */
#ifndef TRAINING_DESCENT_H
#define TRAINING_DESCENT_H

#include "numeric/real.h"
#include "training/precision.h"

struct descent {
  size_t count;
  real *parameters, *gradient, *first, *second; /* [count] each, in one block */
  long updates;                                 /* Adam's t */
  real *kept;                                   /* [3][count]: parameters, first, second */
  long kept_updates;
};

#define descent_new         REAL_NAME(descent_new)
#define descent_free        REAL_NAME(descent_free)
#define descent_norm        REAL_NAME(descent_norm)
#define descent_update      REAL_NAME(descent_update)
#define descent_keep        REAL_NAME(descent_keep)
#define descent_return      REAL_NAME(descent_return)
#define descent_export      REAL_NAME(descent_export)
#define descent_export_kept REAL_NAME(descent_export_kept)
#define descent_import      REAL_NAME(descent_import)

ans_status descent_new(ans_context *context, size_t count, descent **result);
void descent_free(descent *descent);
double descent_norm(const descent *descent);
void descent_update(descent *descent, double rate, double scale);
void descent_keep(descent *descent);
void descent_return(descent *descent);
void descent_export(const descent *descent, descent_state *state);
void descent_export_kept(const descent *descent, descent_state *state);
void descent_import(descent *descent, const descent_state *state);

#endif
