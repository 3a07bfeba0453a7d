/* SPDX-License-Identifier: Apache-2.0
 *
 * terms.h - what all descriptors share: the instance's terms in canonical order, and their names.
 *
 * The order does not depend on how the text was written: by equation, arity, factors, source, coefficient. Terms that
 * differ in their source only, c s1 F + c s2 F with the same expression c, are one term with the source s1 + s2.
 * Factors are ordered by field, total order, then the coordinates in turn: u, u_x, u_t, u_xx, u_xt, u_tt, v, ...
 */
#ifndef GRAPH_TERMS_H
#define GRAPH_TERMS_H

#include "graph/graph.h"

/* A term of the instance with its factors in canonical order. */
typedef struct ordered_term {
  int index; /* into instance->terms; the first of several that became one */
  int equation, arity, factor_count;
  double coefficient;
  const expression *source; /* NULL: 1 */
  system_factor factors[SYSTEM_MAX_ARITY];
} ordered_term;

/* [count], at most instance->term_count, in the arena; NULL when memory is exhausted. */
ordered_term *terms_in_order(arena *arena, const ans_instance *instance, int *count);

int factor_compare(const system_factor *a, const system_factor *b); /* canonical order; ignores powers */
void factors_sort(system_factor *factors, int count);               /* into it */
bool factor_is_field(const system_factor *factor);                  /* no derivative */
int term_order(const ordered_term *term, int coordinate);           /* sum of the factors' orders, with multiplicity */

/* Where a coordinate-dependent source acts. */
typedef struct source_span {
  int coordinate;
  double low, high;
} source_span;

/* The indicator intervals inside(coordinate, low, high) in a source, whose bounds may be any expression of symbols;
 * lowest first, at most `room` of them. Returns how many there are. *only: the source is their sum and nothing else. */
int source_spans(const ans_instance *instance, const expression *source, int room, source_span *spans, bool *only);

void term_label(buffer *label, const ans_instance *instance, const ordered_term *term); /* "-0.008 u_xx" */

#endif
