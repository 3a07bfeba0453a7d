/* SPDX-License-Identifier: Apache-2.0
 *
 * defect.h - the equation of the error, from an instance's term list.
 *
 * Every equation reads  a(x,t) d_t^m f + G(u) = 0  with f its own field and G free of time derivatives of order m. For
 * an approximation b with error y, so that u = b + y,
 *
 *   d_t^m y = -G(b + y)/a - d_t^m b,    y(0) = u0 - b(0),    B y = g - B b  at the walls,
 *
 * which is  y_t = -(G(b + y) - G(b)) - R  with the residual R = b_t + G(b): R is not needed by itself. The
 * approximation b is the network (*residual form*), or zero (*direct form*: then y is the solution, and the error is
 * what the network lacks of it).
 *
 * Unknowns are the node values of *components*: y and its time derivatives below order m. A *slot* is one space
 * derivative of one component at all nodes. An equation without time derivative is an algebraic row (m = 0), and so is
 * a condition at a wall, which stands in the place of the rows next to it.
 */
#ifndef ESTIMATE_DEFECT_H
#define ESTIMATE_DEFECT_H

#include "estimate/matrix.h"
#include "system/system.h"

enum { DEFECT_MAX_COMPONENTS = 16, DEFECT_MAX_SLOTS = 48, DEFECT_MAX_CONDITIONS = 4 * SYSTEM_MAX_FIELDS };

typedef struct defect_component {
  int field, time_order;
} defect_component;

typedef struct defect_slot {
  int component, order; /* space derivative */
} defect_slot;

typedef struct defect_factor {
  int slot, power;
} defect_factor;

typedef struct defect_term {
  int field; /* of the equation */
  double coefficient;
  const expression *source; /* NULL: 1 */
  double *source_values;    /* [nodes] at the present time */
  bool linear;              /* one factor, constant coefficient */
  int factor_count;
  defect_factor factors[SYSTEM_MAX_ARITY];
} defect_term;

typedef struct defect_condition {
  const system_condition *condition;
  int end;                     /* node at which it holds: the first or the last */
  int row;                     /* node whose equation it replaces */
  int slots[SYSTEM_MAX_ORDER]; /* what it fixes, and the same of the field's time derivatives */
} defect_condition;

/* What the approximation is at one time. */
typedef struct defect_base {
  double *slots;   /* [slots][nodes] */
  double *forcing; /* [fields][nodes]: d_t^m b */
} defect_base;

typedef struct defect {
  const ans_instance *instance;
  mesh *mesh;
  int space; /* coordinate, or -1 */
  int field_count, component_count, slot_count, term_count, condition_count;
  int size;                     /* unknowns: components * nodes */
  int order[SYSTEM_MAX_FIELDS]; /* m */
  int first[SYSTEM_MAX_FIELDS]; /* component of the field itself */
  defect_component components[DEFECT_MAX_COMPONENTS];
  defect_slot slots[DEFECT_MAX_SLOTS];
  defect_term *terms;
  defect_term *leading; /* [leading_count]: a, in the same form */
  int leading_count;
  bool constant; /* a is a number in every equation */
  double *lead;  /* [fields][nodes]: a at the present time */
  defect_condition conditions[DEFECT_MAX_CONDITIONS];
  bool *differential;             /* [size]: the row has a time derivative */
  bool algebraic;                 /* some row has none */
  double time;                    /* of source_values and lead; NaN: none yet */
  double begin, end;              /* of time */
  double *whole, *sums, *weights; /* [slots][nodes], [fields][nodes], [slots][nodes] */
} defect;

/* ANS_UNSUPPORTED with the reason when the instance has another form. */
ans_status defect_new(ans_context *context, arena *arena, const ans_instance *instance, mesh *mesh, defect **result);

/* Whether a constant-coefficient linear part can be taken out exactly: periodic, every equation an evolution, spectral
 * mesh. */
bool defect_splits(const defect *defect);

int defect_slot_of(const defect *defect, int component, int order); /* -1: none */

ans_status defect_base_new(ans_context *context, arena *arena, const defect *defect, defect_base *base);

/* Initial error: node values of all components. */
void defect_start(const defect *defect, const defect_base *base, double *values);

/* The time derivatives of the highest components (of algebraic fields the rows), [fields][nodes], from the slots of
 * b + y. `split`: linear terms act on b alone. */
void defect_right_side(defect *defect, double t, const defect_base *base, const double *whole, bool split,
                       double *result);

/* Rows of all unknowns: M y' = rows, M one where `differential`. */
void defect_rows(defect *defect, double t, const defect_base *base, const double *values, double *rows);
void defect_jacobian(defect *defect, double t, const defect_base *base, const double *values, matrix *matrix);

#endif
