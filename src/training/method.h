/* SPDX-License-Identifier: Apache-2.0
 *
 * method.h - how one equation is adapted: what the caller says, else what the text says, else what the equation needs.
 */
#ifndef TRAINING_METHOD_H
#define TRAINING_METHOD_H

#include "ansatz.h"
#include "training/engine.h"

enum { METHOD_POINTS = 2048, METHOD_LINE_POINTS = 1024, METHOD_MOST_POINTS = 8192 };

typedef struct method_choice {
  optimiser_kind optimiser;
  solver_mode mode;
  bool smooth, moving, scaled; /* seams; the charts of the fields */
  double time_weight;
  bool eases; /* the time weight was chosen here, for the start, and is let go later */
  int points; /* of Gauss-Newton: METHOD_POINTS (along one coordinate METHOD_LINE_POINTS), or more where fronts are thin
               (from scratch) */
  int most_points; /* the same while no start is found (from scratch) */
  long steps;      /* planned: the text's for Adam; the most that Gauss-Newton takes */
} method_choice;

/* `known`: there is a start that is better than chance, a model or a file. */
method_choice method_choose(const ans_instance *instance, const ans_solver_options *options, bool decoder, bool known);

ans_mode method_public_mode(solver_mode mode);

/* A field that has a time derivative and no initial value; -1: none. */
int method_undetermined(const ans_problem *problem);

long method_steps(const ans_problem *problem, const ans_solver_options *options, bool decoder);

/* Points at which a Jacobian of so many columns stays below METHOD_JACOBIAN_BYTES. */
enum { METHOD_JACOBIAN_BYTES = 256 << 20 };
int method_points(const ans_instance *instance, int points, size_t columns, int bits);

#endif
