/* SPDX-License-Identifier: Apache-2.0
 *
 * reader.h - a problem while it is being read, and what the files that read it share.
 */
#ifndef SYSTEM_READER_H
#define SYSTEM_READER_H

#include "system/formula.h"
#include "system/polynomial.h"
#include "system/system.h"
#include "text/text.h"

enum { READER_MAX_TERMS = 256 /* of one equation */, READER_MAX_CONDITIONS = 128 };

typedef struct reader {
  ans_context *context;
  arena *scratch; /* given back when reading ends */
  arena *kept;    /* the problem's own */
  formula_builder builder;
  int statement_count;
  text_place beginning;
  const syntax_statement **statements; /* after includes, overrides and drops */
  ans_problem *problem;
  const system_variation *variation; /* NULL: the text as it is */
  /* Growing parts; the problem's counts say how much is filled. */
  system_coordinate coordinates[SYSTEM_MAX_COORDINATES];
  system_field fields[SYSTEM_MAX_FIELDS];
  system_symbol symbols[SYSTEM_MAX_SYMBOLS];
  system_equation equations[SYSTEM_MAX_FIELDS];
  system_condition conditions[READER_MAX_CONDITIONS];
  system_structure structures[SYSTEM_MAX_STRUCTURES];
  const syntax_statement *symbol_statements[SYSTEM_MAX_SYMBOLS];
  const syntax_statement *field_statements[SYSTEM_MAX_FIELDS];
  const syntax_statement *equation_statements[SYSTEM_MAX_FIELDS];
  const syntax_statement *condition_statements[READER_MAX_CONDITIONS];
  double centre[SYSTEM_MAX_SYMBOLS]; /* every symbol at the centre of the ranges, for checks */
  bool varies[SYSTEM_MAX_SYMBOLS];   /* sampled, or derived from something sampled */
  polynomial_work work;
} reader;

/* Overrides and drops applied: each thing is declared once. */
ans_status reader_assemble(reader *reader, const syntax_statement *statements);

/* In this order. */
ans_status reader_coordinates(reader *reader);
ans_status reader_fields(reader *reader);
ans_status reader_symbols(reader *reader);
ans_status reader_transforms(reader *reader);
ans_status reader_equations(reader *reader);
ans_status reader_conditions(reader *reader);
ans_status reader_build_transforms(reader *reader); /* hard conditions become part of their fields */
ans_status reader_structures(reader *reader);
ans_status reader_cases(reader *reader);
ans_status reader_settings(reader *reader);
ans_status reader_check(reader *reader); /* conditions fit the equations; every coefficient has a value */

/* ---- Names (names.c) ------------------------------------------------------------------------------------- */

bool reader_is_reserved(const char *name); /* pi, d and the functions */
void reader_offer_functions(suggestion *suggestion);
int reader_coordinate(const reader *reader, const char *name); /* -1: none */
int reader_field(const reader *reader, const char *name);
int reader_symbol(const reader *reader, const char *name);
/* u, u_x, N_xixi */
bool reader_factor(const reader *reader, const char *name, system_factor *factor);
ans_status reader_check_names(reader *reader);                                 /* no name can be read in two ways */
ans_status reader_unknown(reader *reader, const char *name, text_place place); /* the message, with a suggestion */

/* ---- Expressions (resolve.c) ------------------------------------------------------------------------------- */

/* `allowed`: USES_ bits. `what` completes "... stand in". Symbols must be declared before symbol_limit. */
typedef struct reader_scope {
  unsigned allowed;
  int symbol_limit;
  const char *what;
} reader_scope;

ans_status reader_resolve(reader *reader, const syntax_node *node, reader_scope scope, const formula **result);
/* A number that is known while reading: no symbols, no coordinates. */
ans_status reader_constant(reader *reader, const syntax_node *node, const char *what, double *result);

/* What the condition of statement s, the i-th, says: the text's formula, or in a later window of time what came before.
 */
ans_status reader_condition_value(reader *reader, const syntax_statement *s, int i, const char *what,
                                  const formula **result);

/* The weight of a soft condition; 1 when none is given. */
ans_status reader_weight(reader *reader, const syntax_strictness *strictness, double *weight);

/* equation = sum of monomials (expand.c) */
ans_status reader_expand(reader *reader, const formula *formula, polynomial **result);
ans_status reader_open_sums(reader *reader, text_place place, polynomial **p); /* at the end; see expand.c */
ans_status reader_differentiate(reader *reader, const polynomial *p, int coordinate, text_place place,
                                polynomial **result);

/* Points inside the domain and values inside the ranges, for checks by trial. */
void reader_sample_point(const reader *reader, int sample, double *point);
void reader_sample_values(const reader *reader, double fraction, double *values);

/* The last statement of a kind, for faults that come of several; the beginning of the text when there is none. */
text_place reader_place(const reader *reader, statement_kind kind);

#define READER_FAIL(reader, status, place, ...)                                                                        \
  return context_fail_at((reader)->context, (status), (place), __VA_ARGS__)

#endif
