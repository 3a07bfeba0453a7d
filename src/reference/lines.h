/* SPDX-License-Identifier: Apache-2.0
 *
 * lines.h - the method of lines: an instance's term list as ordinary differential equations for node values.
 *
 * Each equation must read  c f_t + (terms without time derivatives) = 0  with a number c, f being the equation's own
 * field. Then  f_t = sum over terms of  scale * source(x, t) * product of slots,  a *slot* being one space derivative
 * of one field at all nodes. Its linearisation is  sum over couplings of  weight(x) * slot of the direction.
 *
 * The unknowns are the node values that no boundary condition determines, field after field; in a periodic space
 * they are those of the fields in their own frames (frame.h).
 */
#ifndef REFERENCE_LINES_H
#define REFERENCE_LINES_H

#include "reference/boundary.h"
#include "reference/frame.h"
#include "reference/space.h"
#include "system/system.h"

enum { LINES_MAX_SLOTS = SYSTEM_MAX_FIELDS * (SPACE_MAX_ORDER + 1) };

typedef struct lines_slot {
  int field, order;
  double *values; /* [nodes]; the slots of a field stand side by side, in increasing order */
} lines_slot;

typedef struct lines_factor {
  int slot, power;
} lines_factor;

typedef struct lines_term {
  int equation;
  double scale;
  const expression *source; /* NULL: 1 */
  bool steady;              /* the source does not use time: source_values holds for good */
  double *source_values;    /* [nodes] */
  int factor_count;
  lines_factor factors[SYSTEM_MAX_ARITY];
} lines_term;

typedef struct lines_coupling {
  int equation, slot;
  double *weight; /* [nodes] */
} lines_coupling;

typedef struct lines {
  const ans_instance *instance;
  space *space;   /* borrowed */
  int coordinate; /* of space, or -1 */
  arena *arena;
  int field_count, node_count, slot_count, term_count, coupling_count;
  int size;                     /* unknowns in all */
  int first[SYSTEM_MAX_FIELDS]; /* unknown nodes of a field: first .. first + count - 1 */
  int count[SYSTEM_MAX_FIELDS];
  int offset[SYSTEM_MAX_FIELDS]; /* where they stand among the unknowns */
  boundary boundaries[SYSTEM_MAX_FIELDS];
  frame *frame;       /* NULL when space is not periodic */
  double begin;       /* the first time */
  double linear_time; /* of the present linearisation */
  double window[2]; /* sources and boundary values are taken at times between these: no edge is seen from both sides */
  lines_slot slots[LINES_MAX_SLOTS];
  lines_term *terms;
  lines_coupling *couplings;
  double *nodes;   /* [fields][nodes] */
  double *result;  /* [fields][nodes] */
  double *scratch; /* [nodes] */
} lines;

/* ANS_UNSUPPORTED with the reason when the instance has another form. */
ans_status lines_new(ans_context *context, const ans_instance *instance, int coordinate, space *space, lines **result);
void lines_free(lines *lines); /* accepts NULL */

/* Initial values at the nodes, as unknowns. */
ans_status lines_start(ans_context *context, const lines *lines, double *unknowns);

/* All node values of all fields at time t: [fields][nodes]. */
void lines_complete(const lines *lines, double t, const double *unknowns, double *nodes);

bool lines_right_side(lines *lines, double t, const double *unknowns, double *result); /* false: not finite */
void lines_linearise(lines *lines, double t, const double *unknowns);                  /* sets the couplings' weights */
void lines_product(lines *lines, const double *direction, double *result);             /* Jacobian times direction */

#endif
