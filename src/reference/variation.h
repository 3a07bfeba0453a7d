/* SPDX-License-Identifier: Apache-2.0
 *
 * variation.h - where along one coordinate functions vary: cells on which each varies by no more than a quarter of its
 * size. Bounds decide (range.h), so that no pulse is too narrow to be found.
 */
#ifndef REFERENCE_VARIATION_H
#define REFERENCE_VARIATION_H

#include "base/base.h"
#include "system/system.h"

typedef struct variation_cell {
  double low, high;
  bool settled; /* varies little enough, or is too narrow to be halved */
} variation_cell;

/* A function, at some places along the other coordinates. */
typedef struct variation_watched {
  const expression *expression;
  int places;
  double scale; /* the largest value seen */
} variation_watched;

typedef struct variation {
  const ans_instance *instance;
  int coordinate;
  double margin; /* a cell is looked at without this much at its ends */
  int watched_count, capacity;
  variation_watched *watched; /* room for every term and condition */
  variation_cell *cells;      /* [capacity], in increasing order */
  variation_cell *next;
  long bounds; /* computed so far */
} variation;

/* capacity: of cells. */
ans_status variation_new(ans_context *context, arena *arena, const ans_instance *instance, int coordinate, int capacity,
                         variation *result);

/* Adds the function if it depends on the coordinate; NULL is none. */
void variation_watch(variation *variation, const expression *expression);

/* Halves the first `count` of the cells; how many there are then. Ends early when `most` bounds have been computed. */
int variation_halve(variation *variation, int count, long most);

/* A place on the other coordinates: 0 and 1 are the ends, the others lie between and on no lattice. */
void variation_place(const ans_problem *problem, int place, double *coordinates);

#endif
