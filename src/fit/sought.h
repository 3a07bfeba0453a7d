/* SPDX-License-Identifier: Apache-2.0
 *
 * sought.h - the unknown numbers of a fit, as one vector z.
 *
 * Each unknown symbol has the family's range, and z = 0 at its low and 1 at its high end, evenly in the symbol or, if
 * it varies in its logarithm, in that. So every z has the same units: how far through its range a number is.
 *
 * The first ones were named by the user. Behind them may stand terms of unknown initial values (unknown_initial.h),
 * which have a prior: z is about 1/2, with the information `prior`.
 */
#ifndef FIT_SOUGHT_H
#define FIT_SOUGHT_H

#include "system/system.h"

enum { FIT_MAX_NAMED = 32, FIT_MAX_UNKNOWNS = 64 };

typedef struct sought {
  const ans_problem *problem;
  int structure, count;
  int named; /* the first of them; the others are terms of initial values */
  int symbols[FIT_MAX_UNKNOWNS];
  double start[FIT_MAX_UNKNOWNS];                             /* z */
  double lowest[FIT_MAX_UNKNOWNS], highest[FIT_MAX_UNKNOWNS]; /* z stays between them: 0 and 1, unless said otherwise */
  bool even[FIT_MAX_UNKNOWNS];      /* z goes evenly through the range even of a symbol that varies in its logarithm */
  double prior[FIT_MAX_UNKNOWNS];   /* information about z - 1/2; 0: none */
  double fixed[SYSTEM_MAX_SYMBOLS]; /* values of the others; NaN where absent, derived or sought */
} sought;

/* unknown: "nu,k=0.5", a name or a name with the value to begin at. fixed: "a=1,b=2" or NULL. Structure and values that
 * neither gives are the case's (NULL: none); without case and structure name, the structure is the one that has
 * exactly the unknown and fixed symbols, or the only one. */
typedef struct sought_request {
  const char *unknown, *fixed, *case_name, *structure;
  int terms;    /* the last symbols of the problem are terms of initial values, sought with */
  double prior; /* this information each */
} sought_request;

ans_status sought_read(ans_context *context, const ans_problem *problem, const sought_request *request, sought *result);

/* The same before a structure is chosen: for sought_in_structure. */
ans_status sought_read_any(ans_context *context, const ans_problem *problem, const sought_request *request,
                           sought *result);

/* The same unknowns in another structure: those that it does not have are not sought. False: a value that it needs is
 * neither sought nor fixed. */
bool sought_in_structure(const sought *from, int structure, sought *result);

double sought_value(const sought *sought, int index, double z);
double sought_place(const sought *sought, int index, double value); /* the inverse */
double sought_slope(const sought *sought, int index, double z);     /* d value / d z */
const char *sought_name(const sought *sought, int index);

/* values: [symbols], as system_instance takes them. */
void sought_values(const sought *sought, const double *z, double *values);

#endif
