/* SPDX-License-Identifier: Apache-2.0
 *
 * optimiser.h - how an objective is minimised: one file per method, each with its own state.
 *
 * A step has two halves. `look` takes the loss at the present unknowns; whoever runs the optimiser (run.h) may then
 * accept it, keep it or go back. `step` moves on from there. A method that cannot go on from a point says so in
 * `exhausted`; what it needs beside the unknowns it stores and loads under names of its own.
 */
#ifndef TRAINING_OPTIMISER_H
#define TRAINING_OPTIMISER_H

#include "base/base.h"

typedef struct objective objective;
typedef struct optimiser optimiser;

enum { OPTIMISER_MAX_BLOCKS = 4, OPTIMISER_MAX_NUMBERS = 9 };

typedef struct optimiser_settings {
  int points;  /* of Gauss-Newton to begin with; 0: few */
  int enough;  /* the same once its start is found; 0: all there are */
  bool hasty;  /* Gauss-Newton: a start that is not found soon is given up */
  double rate; /* how far a step goes: Adam's learning rate; 0: the method's own */
  double clip; /* bound of the gradient's norm; 0: none */
  int threads; /* of the method's own work; 0: one */
} optimiser_settings;

/* All that a run needs to go on with the same bits, on its way into a file or out of one. */
typedef struct optimiser_state {
  double *unknowns;                     /* [size] */
  double *blocks[OPTIMISER_MAX_BLOCKS]; /* [size] each: the class's blocks; NULL: left out, or zero when loaded */
  double numbers[OPTIMISER_MAX_NUMBERS];
  long updates; /* steps taken */
} optimiser_state;

typedef struct optimiser_class {
  const char *name; /* as files and the command line have it */
  const char *blocks[OPTIMISER_MAX_BLOCKS + 1], *numbers[OPTIMISER_MAX_NUMBERS + 1]; /* names, ended by NULL */

  /* The objective outlives the optimiser. */
  ans_status (*begin)(ans_context *context, objective *objective, const optimiser_settings *settings,
                      optimiser **result);
  void (*end)(optimiser *optimiser);

  /* As `begin` would give it for the same objective, which has been renewed, in the memory there is; may be NULL. */
  ans_status (*restart)(ans_context *context, optimiser *optimiser, const optimiser_settings *settings);

  ans_status (*look)(ans_context *context, optimiser *optimiser, long step, double *loss);
  ans_status (*step)(ans_context *context, optimiser *optimiser);
  void (*soften)(optimiser *optimiser); /* after a bad step: be more careful */

  void (*refresh)(
      optimiser *optimiser); /* what ended it no longer holds, as after a change of precision; may be NULL */

  void (*keep)(optimiser *optimiser); /* the present state, to go back to */
  void (*back)(optimiser *optimiser);

  void (*store)(const optimiser *optimiser, bool kept, optimiser_state *state); /* the kept or the present state */
  void (*load)(optimiser *optimiser, const optimiser_state *state);
} optimiser_class;

/* What every method has; its own state follows. */
struct optimiser {
  const optimiser_class *class;
  objective *objective;
  double rate;       /* the present one: what soften changes */
  double norm;       /* of the last gradient, before clipping; not finite when an entry is not */
  double judged;     /* loss at the points that judge, where the method asks for it; else NaN */
  const char *worst; /* equation with the largest share in the last loss */
  bool exhausted;    /* no step from here improves */
  double work;       /* operations so far, where the method counts them: the same on every machine */
};

#endif
