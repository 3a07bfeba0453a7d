/* SPDX-License-Identifier: Apache-2.0
 *
 * guess.h - what a model says of a piece's equation before any step: predicted codes, and the model's backbone.
 *
 * What does not depend on the equation (the hypernetwork in the piece's precision, the backbone's numbers) is kept for
 * the next equation of the same model.
 */
#ifndef TRAINING_GUESS_H
#define TRAINING_GUESS_H

#include "training/model.h"

struct piece;

typedef struct guess {
  uint64_t model;       /* its number; 0: none yet */
  const engine *engine; /* of the predictor */
  predictor *predictor;
  double *numbers; /* [unknowns] codes, then backbone */
} guess;

/* piece->guess.numbers <- the guess for the piece's instance: of the equation as its frame shows it, where the family
 * has that one. Where it has not, it is a guess at rest (*rests), and no more than a start in the moving frame. */
ans_status guess_take(ans_context *context, struct piece *piece, const ans_model *model, bool *rests);
void guess_drop(guess *guess);

#endif
