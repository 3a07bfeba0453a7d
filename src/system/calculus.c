/* SPDX-License-Identifier: Apache-2.0
 *
 * calculus.c - a formula of coordinates and symbols at one place of a coordinate, and its slope along one.
 *
 * Used for conditions that are built into a field. (Equations are differentiated as polynomials: differentiate.c.)
 * Sums and products with 0 and 1 are simplified, since slopes are full of them.
 */
#include <assert.h>
#include <math.h>

#include "system/reader.h"

ans_status formula_at(formula_builder *builder, const formula *f, int coordinate, double place,
                      const formula **result) {
  if (!(f->uses & USES_THIS(coordinate))) {
    *result = f;
    return ANS_OK;
  }
  if (f->op == EXPRESSION_COORDINATE) return formula_number(builder, f->place, place, result);
  const formula *arguments[3];
  assert(f->count > 0); /* what uses a coordinate and is none has it in an argument */
  for (int i = 0; i < f->count; i++) TRY(formula_at(builder, f->arguments[i], coordinate, place, &arguments[i]));
  if (f->op == EXPRESSION_PROFILE) return formula_profile(builder, f->profile, f->index, arguments[0], result);
  return formula_apply(builder, f->place, f->op, arguments, result);
}

static bool is_number(const formula *f, double number) {
  assert(f);
  return f->op == EXPRESSION_NUMBER && f->number == number;
}

ans_status formula_sum(formula_builder *builder, const formula *a, const formula *b, const formula **result) {
  if (is_number(a, 0) || is_number(b, 0)) {
    *result = is_number(a, 0) ? b : a;
    return ANS_OK;
  }
  return formula_binary(builder, EXPRESSION_ADD, a, b, result);
}

ans_status formula_product(formula_builder *builder, const formula *a, const formula *b, const formula **result) {
  assert(a && b);
  if (is_number(a, 0) || is_number(b, 0)) return formula_number(builder, a->place, 0, result);
  if (is_number(a, 1) || is_number(b, 1)) {
    *result = is_number(a, 1) ? b : a;
    return ANS_OK;
  }
  return formula_binary(builder, EXPRESSION_MULTIPLY, a, b, result);
}

static ans_status times(formula_builder *builder, double factor, const formula *f, const formula **result) {
  assert(f);
  const formula *number;
  TRY(formula_number(builder, f->place, factor, &number));
  return formula_product(builder, number, f, result);
}

ans_status formula_difference(formula_builder *builder, const formula *a, const formula *b, const formula **result) {
  if (is_number(a, 0)) return times(builder, -1, b, result);
  if (is_number(b, 0)) {
    *result = a;
    return ANS_OK;
  }
  return formula_binary(builder, EXPRESSION_SUBTRACT, a, b, result);
}

/* f(g)^power */
static ans_status raised(formula_builder *builder, const formula *f, double power, const formula **result) {
  const formula *exponent;
  TRY(formula_number(builder, f->place, power, &exponent));
  return formula_binary(builder, EXPRESSION_POWER, f, exponent, result);
}

/* d(a b) or d(a / b) */
static ans_status product_slope(formula_builder *builder, const formula *f, int coordinate, const formula **result) {
  const formula *a = f->arguments[0], *b = f->arguments[1], *da = NULL, *db = NULL, *left = NULL, *right = NULL,
                *square = NULL;
  TRY(formula_slope(builder, a, coordinate, &da));
  TRY(formula_slope(builder, b, coordinate, &db));
  TRY(formula_product(builder, da, b, &left));
  TRY(formula_product(builder, a, db, &right));
  if (f->op == EXPRESSION_MULTIPLY) return formula_sum(builder, left, right, result);
  TRY(formula_difference(builder, left, right, &left));
  TRY(raised(builder, b, 2, &square));
  return formula_binary(builder, EXPRESSION_DIVIDE, left, square, result);
}

/* d(g^c) = c g^(c-1) dg, c free of the coordinate */
static ans_status power_slope(formula_builder *builder, const formula *f, int coordinate, const formula **result) {
  const formula *g = f->arguments[0], *c = f->arguments[1], *dg = NULL, *one = NULL, *less = NULL, *lower = NULL;
  if (c->uses & USES_THIS(coordinate))
    return context_fail_at(builder->context, ANS_UNSUPPORTED, c->place, "the exponent depends on a coordinate");
  TRY(formula_slope(builder, g, coordinate, &dg));
  TRY(formula_number(builder, c->place, 1, &one));
  TRY(formula_binary(builder, EXPRESSION_SUBTRACT, c, one, &less));
  TRY(formula_binary(builder, EXPRESSION_POWER, g, less, &lower));
  TRY(formula_product(builder, c, lower, &lower));
  return formula_product(builder, lower, dg, result);
}

/* The slope of the function itself at g. */
static ans_status outer_slope(formula_builder *builder, const formula *f, const formula **result) {
  const formula *g = f->arguments[0];
  switch (f->op) {
  case EXPRESSION_SIN: return formula_apply(builder, f->place, EXPRESSION_COS, &g, result);
  case EXPRESSION_COS: TRY(formula_apply(builder, f->place, EXPRESSION_SIN, &g, result)); break;
  case EXPRESSION_SINH: return formula_apply(builder, f->place, EXPRESSION_COSH, &g, result);
  case EXPRESSION_COSH: return formula_apply(builder, f->place, EXPRESSION_SINH, &g, result);
  case EXPRESSION_EXP: *result = f; return ANS_OK;
  case EXPRESSION_PROFILE: return formula_profile(builder, f->profile, f->index + 1, g, result);
  case EXPRESSION_LOG: return raised(builder, g, -1, result);
  case EXPRESSION_LOG10: TRY(raised(builder, g, -1, result)); return times(builder, 1 / log(10), *result, result);
  case EXPRESSION_SQRT: TRY(raised(builder, f, -1, result)); return times(builder, 0.5, *result, result);
  case EXPRESSION_TAN:
  case EXPRESSION_TANH: {
    const formula *one = NULL, *square = NULL;
    TRY(formula_number(builder, f->place, 1, &one));
    TRY(raised(builder, f, 2, &square));
    return formula_binary(builder, f->op == EXPRESSION_TAN ? EXPRESSION_ADD : EXPRESSION_SUBTRACT, one, square, result);
  }
  default:
    return context_fail_at(builder->context, ANS_UNSUPPORTED, f->place, "this function has no derivative everywhere");
  }
  return times(builder, -1, *result, result);
}

ans_status formula_slope(formula_builder *builder, const formula *f, int coordinate, const formula **result) {
  const formula *inner = NULL, *outer = NULL;
  if (!(f->uses & USES_THIS(coordinate))) return formula_number(builder, f->place, 0, result);
  switch (f->op) {
  case EXPRESSION_COORDINATE: return formula_number(builder, f->place, 1, result);
  case EXPRESSION_ADD:
  case EXPRESSION_SUBTRACT:
    TRY(formula_slope(builder, f->arguments[0], coordinate, &inner));
    TRY(formula_slope(builder, f->arguments[1], coordinate, &outer));
    return f->op == EXPRESSION_ADD ? formula_sum(builder, inner, outer, result)
                                   : formula_difference(builder, inner, outer, result);
  case EXPRESSION_NEGATE:
    TRY(formula_slope(builder, f->arguments[0], coordinate, &inner));
    return times(builder, -1, inner, result);
  case EXPRESSION_MULTIPLY:
  case EXPRESSION_DIVIDE: return product_slope(builder, f, coordinate, result);
  case EXPRESSION_POWER: return power_slope(builder, f, coordinate, result);
  default: break;
  }
  TRY(formula_slope(builder, f->arguments[0], coordinate, &inner));
  TRY(outer_slope(builder, f, &outer));
  return formula_product(builder, outer, inner, result);
}
