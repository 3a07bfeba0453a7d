/* SPDX-License-Identifier: Apache-2.0
 *
 * made.h - instances made in memory, without text: any fields, any terms.
 */
#ifndef TESTS_GRAPH_MADE_H
#define TESTS_GRAPH_MADE_H

#include "graph/graph.h"

enum { MADE_TERMS = 64 };

typedef struct made_term {
  int equation;
  double coefficient;
  const expression *source;
  int factor_count;
  system_factor factors[SYSTEM_MAX_ARITY];
} made_term;

/* The problem and its only instance, holding all arrays themselves. */
typedef struct made {
  ans_problem problem;
  ans_instance instance;
  system_coordinate coordinates[SYSTEM_MAX_COORDINATES];
  system_field fields[SYSTEM_MAX_FIELDS];
  system_equation equations[SYSTEM_MAX_FIELDS];
  system_symbol symbols[8];
  int vector[8];
  double values[8];
  bool present[8];
  made_term sketch[MADE_TERMS];
  system_term terms[MADE_TERMS];
  instance_term instance_terms[MADE_TERMS];
} made;

/* "x t", the last one being time; "u v", one equation each. No terms yet, compact layout. */
void made_begin(made *made, const char *coordinates, const char *fields);

/* factors: field letter and the numbers of derivatives, "u20 v00" = u_xx v; a repeated factor becomes a power. */
void made_add(made *made, int equation, double coefficient, const expression *source, const char *factors);

/* Joins everything; call after the last change of the sketch. */
ans_instance *made_finish(made *made);

/* The two-way Fisher system with the coefficients of H1, its eight symbols and the vector over them. */
ans_instance *made_fisher(made *made);

/* inside(x, .6, .8) + inside(x, .2, .4), x being coordinate 0; swapped: the other way round. */
const expression *made_two_zones(bool swapped);

#endif
