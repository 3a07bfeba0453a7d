/* SPDX-License-Identifier: Apache-2.0
 *
 * piece.h - one network for one instance: codes and a backbone of its own, adapted to the instance's physics alone.
 *
 * A solver is one piece, or several that follow each other in time (windows.h).
 */
#ifndef TRAINING_PIECE_H
#define TRAINING_PIECE_H

#include "training/best.h"
#include "training/goal.h"
#include "training/guess.h"
#include "training/method.h"
#include "training/model.h"
#include "training/run.h"

typedef struct piece {
  ans_problem *problem; /* shared */
  ans_instance *instance;
  arena *arena;
  unknown_table unknowns; /* codes, then backbone */
  bool decoder;
  bool guessing; /* the fields are still the model's guess, at rest: the first step will move their frames */
  method_choice choice;
  uint64_t seed;
  int threads, bits;    /* bits: to end with */
  bool single_suffices; /* double was not asked for: where float ends far away, it is not float that lacks */
  int most_points;      /* of Gauss-Newton; 0: its own number */
  int spare_points;     /* the same while no start is found */
  bool hasty;           /* a start that is not found soon is given up */
  int first_points;     /* the same to begin with; 0: few */
  const engine *engine; /* the present one */
  objective *adaptation;
  optimiser *optimiser;
  run run;
  goal goal;
  bool resumed; /* read from a file: a run does not end worse than it began */
  best best;
  guess guess; /* of a model; kept where one equation follows another */
} piece;

/* model NULL: from scratch, or with the numbers of another piece (NULL: none) where they fit. hasty: a start that is
 * not found soon is given up. */
ans_status piece_begin(ans_context *context, const ans_model *model, const piece *like, const ans_instance *instance,
                       const ans_solver_options *options, bool hasty, piece **result);
/* The same with at most so many points of Gauss-Newton (0: its own number): faster and less exact. */
ans_status piece_begin_light(ans_context *context, const ans_model *model, const ans_instance *instance,
                             const ans_solver_options *options, int most_points, piece **result);
void piece_free(piece *piece); /* accepts NULL */

/* Another equation of the same problem, from the same options, in the memory and by the plans of this one; the bits are
 * those of a new piece. Only where it is renewable; after a failure it can be freed and nothing else. */
bool piece_renewable(const piece *piece, const ans_model *model, const ans_instance *instance,
                     const ans_solver_options *options);
ans_status piece_renew(ans_context *context, piece *piece, const ans_model *model, const ans_instance *instance,
                       const ans_solver_options *options);

/* What was learned on the way counts no more, but for the unknowns: they are the start of something else. */
void piece_begin_anew(piece *piece);

/* What was adapted before: from its numbers, [unknowns], in its own chart and its own bits. `count` must be theirs:
 * ANS_MODEL. */
ans_status piece_restore(ans_context *context, const ans_instance *instance, const ans_solver_options *options,
                         int bits, bool moving, bool scaled, const double *numbers, size_t count, piece **result);

/* After piece_plan: the numbers are those of a file, in so many bits. */
void piece_resume(piece *piece, const ans_solver_options *options, int bits);

/* *bits: from the bits of a model or a file (0: none) to those that the options ask for. ANS_ARGUMENT: the tolerance
 * cannot be met with them. */
ans_status piece_bits(ans_context *context, const ans_solver_options *options, int *bits);

/* Chooses the method and the unknowns: everything that needs no memory of the network's size. `known`: not from
 * scratch. */
ans_status piece_plan(ans_context *context, piece *piece, const ans_solver_options *options, int bits, bool known);

/* From these numbers, or (NULL) from scratch, after piece_plan. */
ans_status piece_start(ans_context *context, piece *piece, const ans_solver_options *options, const double *numbers,
                       long expected_steps);

/* The goal of the rules is a number of steps from now on. */
ans_status piece_run(ans_context *context, piece *piece, run_rules rules);
void piece_settle(piece *piece); /* after the last step: to the best state that a rule saw */

ans_progress piece_progress(const piece *piece);
ans_solver_info piece_info(const piece *piece);
ans_status piece_residual(ans_context *context, piece *piece, double *held_out, double *grid);
/* order: [coordinates]; NULL: the values. */
ans_status piece_evaluate(ans_context *context, piece *piece, const double *points, size_t count, const uint8_t *order,
                          double *values);
/* values: [orders][count][fields]. */
ans_status piece_evaluate_all(ans_context *context, piece *piece, const double *points, size_t count,
                              const system_orders *orders, double *values);

/* Of this piece by itself, from the initial values of its own instance. rough: see estimate.h. */
ans_status piece_estimate(ans_context *context, piece *piece, bool rough, estimate **result);

/* The member of the family that a file of a solver is of. */
ans_status piece_read_instance(ans_context *context, const char *path, const safetensors *file,
                               const ans_problem *problem, ans_instance **result);

ans_status piece_save(ans_context *context, const piece *piece, const char *path);
/* Precision, rate, patience and tolerance are the options' where they are not zero, all else is the file's. */
ans_status piece_load(ans_context *context, const char *path, const safetensors *file,
                      const ans_solver_options *options, piece **result);

#endif
