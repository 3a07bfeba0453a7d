/* SPDX-License-Identifier: Apache-2.0
 *
 * best.h - the best state of a run by its loss at points never trained on.
 *
 * What is resumed from a file must not end worse than it began, whatever a fresh optimiser does with it. The states
 * that are looked at compete, the first one included; when the run ends, the best of them is taken.
 */
#ifndef TRAINING_BEST_H
#define TRAINING_BEST_H

#include "training/engine.h"

typedef struct best {
  double *numbers; /* [unknowns]; NULL: nothing is kept */
  double *room;    /* [unknowns] */
  double loss;
  size_t count; /* of unknowns */
} best;

/* With the present state as the best. */
ans_status best_begin(ans_context *context, arena *arena, const engine *engine, objective *adaptation, size_t count,
                      best *best);

void best_look(best *best, const engine *engine, objective *adaptation);   /* at the present state */
void best_settle(best *best, const engine *engine, objective *adaptation); /* to the best, the present one included */

#endif
