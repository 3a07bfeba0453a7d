/* SPDX-License-Identifier: Apache-2.0
 *
 * evolution.h - initial value problems in at most one space dimension by the method of lines and BDF, on given nodes.
 */
#ifndef REFERENCE_EVOLUTION_H
#define REFERENCE_EVOLUTION_H

#include "reference/space.h"
#include "solution/solution.h"

typedef struct evolution_settings {
  int points;     /* output nodes along the space coordinate */
  int resolution; /* nodes the method works on; the output is interpolated from them when they differ */
  int times;      /* stored levels, first and last included */
  double relative, absolute;
  double max_step;              /* of the integrator; 0: the distance of the levels */
  double max_work;              /* about as many multiplications, after which it gives up */
  bool steady;                  /* a state of rest at all times instead of the evolution: Newton's method */
  const space_density *density; /* between walls: graded nodes; NULL: Chebyshev's */
} evolution_settings;

typedef struct evolution_outcome {
  long steps;
  double work;
  bool unresolved;       /* why it failed: more nodes may help */
  double difference;     /* largest relative difference of a smooth initial value or source from the text (alias.h) */
  space_density *needed; /* given by the caller or NULL: where the solution asks for nodes */
} evolution_outcome;

/* What the problem asks for, completed by defaults; points and times: 0 keeps the problem's. */
evolution_settings evolution_defaults(const ans_problem *problem, int points, int times);

/* The space coordinate of an initial value problem, or -1. */
int evolution_coordinate(const ans_problem *problem);

/* The highest derivative along the coordinate. */
int evolution_order(const ans_problem *problem, int coordinate);

/* "Fourier-BDF", "Chebyshev-BDF", "difference-BDF" or, without space, "BDF"; with -Newton for states of rest. */
const char *evolution_method(const ans_problem *problem, evolution_settings settings);

/* ANS_TOLERANCE with outcome.unresolved: the nodes are too few; the solution is there unless they do not even represent
 * what is given. */
ans_status evolution_solve(ans_context *context, const ans_instance *instance, evolution_settings settings,
                           ans_solution **result, evolution_outcome *outcome);

#endif
