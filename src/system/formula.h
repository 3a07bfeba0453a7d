/* SPDX-License-Identifier: Apache-2.0
 *
 * formula.h - an expression whose names have been looked up: the tree between the text's and the postfix
 * program. Constants are folded while it is built, so an undefined constant is found at its place.
 */
#ifndef SYSTEM_FORMULA_H
#define SYSTEM_FORMULA_H

#include "system/system.h"
#include "text/text.h"

/* Beside the operations of expression.h, an equation has fields and derivatives. */
enum { FORMULA_FIELD = 100, FORMULA_DERIVATIVE = 101 };

enum { FORMULA_MAX_ATOM_DEPTH = 300 };

enum { USES_SYMBOL = 1, USES_COORDINATE = 2, USES_RAW = 4, USES_FIELD = 8, USES_DERIVATIVE = 16 };

/* The bit of one coordinate, beside USES_COORDINATE for any. */
#define USES_THIS(coordinate) (32u << (coordinate))

typedef struct formula {
  int op;    /* expression_op, FORMULA_FIELD or FORMULA_DERIVATIVE */
  int index; /* symbol, coordinate; of a derivative: the coordinate */
  double number;
  const system_profile *profile; /* EXPRESSION_PROFILE, with its order in `index` */
  unsigned uses;                 /* USES_ bits of the whole tree */
  system_factor factor;          /* FORMULA_FIELD */
  text_place place;
  int depth;   /* of the tree */
  int nesting; /* of parentheses, signs and powers when it is printed, or a little more */
  int count;
  const struct formula *arguments[3];
} formula;

/* What a folder-wide builder needs; every formula lives in the arena. */
typedef struct formula_builder {
  ans_context *context;
  arena *arena;
} formula_builder;

ans_status formula_number(formula_builder *builder, text_place place, double number, const formula **result);
ans_status formula_leaf(formula_builder *builder, text_place place, int op, int index, const formula **result);
ans_status formula_field(formula_builder *builder, text_place place, system_factor factor, const formula **result);
ans_status formula_derivative(formula_builder *builder, text_place place, const formula *inner, int coordinate,
                              const formula **result);
/* A derivative of a profile at what the argument says. */
ans_status formula_profile(formula_builder *builder, const system_profile *profile, int order, const formula *argument,
                           const formula **result);
/* Folds constants; fails where a constant has no finite value. */
ans_status formula_apply(formula_builder *builder, text_place place, int op, const formula *const *arguments,
                         const formula **result);
ans_status formula_binary(formula_builder *builder, int op, const formula *left, const formula *right,
                          const formula **result); /* placed at left */

/* With 0 and 1 simplified (calculus.c). */
ans_status formula_sum(formula_builder *builder, const formula *a, const formula *b, const formula **result);
ans_status formula_difference(formula_builder *builder, const formula *a, const formula *b, const formula **result);
ans_status formula_product(formula_builder *builder, const formula *a, const formula *b, const formula **result);

/* The formula where a coordinate has one value; its derivative by a coordinate. No fields, no derivatives inside. */
ans_status formula_at(formula_builder *builder, const formula *f, int coordinate, double place, const formula **result);
ans_status formula_slope(formula_builder *builder, const formula *f, int coordinate, const formula **result);

int formula_compare(const formula *a, const formula *b); /* a total order by structure; places do not count */

/* The postfix program, in the arena `kept`. The formula has no fields and no derivatives. */
ans_status formula_flatten(ans_context *context, arena *kept, const formula *formula, const expression **result);

#endif
