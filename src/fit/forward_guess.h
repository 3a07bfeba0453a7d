/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FIT_FORWARD_GUESS_H
#define FIT_FORWARD_GUESS_H

#include "fit/forward.h"
#include "training/training.h"

typedef struct guess_forward {
  const sought *sought;
  const measurements *data;
  const ans_model *model;
  ans_solver *solver; /* begun from the model; it ends as a guess for the last z */
  double *fields;     /* [points][fields]: room */
} guess_forward;

forward guess_forward_of(guess_forward *g);

#endif
