/* SPDX-License-Identifier: Apache-2.0
 *
 * differentiate.c - the derivative of a polynomial by one coordinate: product rule over atoms and factors,
 * chain rule inside atoms. The derivative of an atom is a polynomial again.
 */
#include <math.h>

#include "system/reader.h"

static ans_status differentiate_atom(reader *reader, const formula *f, int coordinate, polynomial **result);

static ans_status constant(reader *reader, double number, text_place place, polynomial **result) {
  TRY(polynomial_new(&reader->work, result));
  return polynomial_add_monomial(&reader->work, *result, &(monomial){.number = number}, place);
}

/* result <- number * base^power * inner */
static ans_status chain(reader *reader, double number, const formula *base, int power, const polynomial *inner,
                        polynomial **result) {
  monomial m = {.number = number};
  polynomial *outer;
  TRY(monomial_times_atom(&reader->work, &m, base, power, base->place));
  TRY(polynomial_new(&reader->work, &outer));
  TRY(polynomial_add_monomial(&reader->work, outer, &m, base->place));
  return polynomial_multiply(&reader->work, outer, inner, base->place, result);
}

/* number * op(g) * dg */
static ans_status chain_function(reader *reader, double number, int op, const formula *g, const polynomial *dg,
                                 polynomial **result) {
  const formula *outer;
  TRY(formula_apply(&reader->builder, g->place, op, &g, &outer));
  return chain(reader, number, outer, 1, dg, result);
}

/* (1 + sign * f^2) * dg: the derivatives of tan and tanh */
static ans_status chain_tangent(reader *reader, double sign, const formula *f, const polynomial *dg,
                                polynomial **result) {
  TRY(chain(reader, sign, f, 2, dg, result));
  return polynomial_add(&reader->work, *result, dg, 1, f->place);
}

/* dg / g, where g may be a sum or a product */
static ans_status chain_reciprocal(reader *reader, double number, const formula *g, const polynomial *dg,
                                   polynomial **result) {
  const formula *one, *inverse;
  polynomial *expanded, *scaled;
  TRY(formula_number(&reader->builder, g->place, 1, &one));
  TRY(formula_binary(&reader->builder, EXPRESSION_DIVIDE, one, g, &inverse));
  TRY(reader_expand(reader, inverse, &expanded));
  TRY(polynomial_new(&reader->work, &scaled));
  TRY(polynomial_add(&reader->work, scaled, dg, number, g->place));
  return polynomial_multiply(&reader->work, expanded, scaled, g->place, result);
}

static ans_status differentiate_function(reader *reader, const formula *f, int coordinate, polynomial **result) {
  const formula *g = f->arguments[0];
  polynomial *dg = NULL;
  if (f->op == EXPRESSION_INSIDE || f->op == EXPRESSION_ABS)
    READER_FAIL(reader, ANS_UNSUPPORTED, f->place, "'%s' has no derivative everywhere",
                f->op == EXPRESSION_ABS ? "abs" : "inside");
  TRY(differentiate_atom(reader, g, coordinate, &dg));
  switch (f->op) {
  case EXPRESSION_SIN: return chain_function(reader, 1, EXPRESSION_COS, g, dg, result);
  case EXPRESSION_COS: return chain_function(reader, -1, EXPRESSION_SIN, g, dg, result);
  case EXPRESSION_SINH: return chain_function(reader, 1, EXPRESSION_COSH, g, dg, result);
  case EXPRESSION_COSH: return chain_function(reader, 1, EXPRESSION_SINH, g, dg, result);
  case EXPRESSION_EXP: return chain_function(reader, 1, EXPRESSION_EXP, g, dg, result);
  case EXPRESSION_TAN: return chain_tangent(reader, 1, f, dg, result);
  case EXPRESSION_TANH: return chain_tangent(reader, -1, f, dg, result);
  case EXPRESSION_SQRT: return chain(reader, 0.5, f, -1, dg, result);
  case EXPRESSION_LOG: return chain_reciprocal(reader, 1, g, dg, result);
  default: return chain_reciprocal(reader, 1 / log(10), g, dg, result); /* LOG10 */
  }
}

/* g^c with c free of the coordinate: c * g^(c-1) * dg */
static ans_status differentiate_power(reader *reader, const formula *f, int coordinate, polynomial **result) {
  const formula *g = f->arguments[0], *c = f->arguments[1], *one, *less, *lower, *slope;
  if (c->uses & USES_THIS(coordinate))
    READER_FAIL(reader, ANS_UNSUPPORTED, c->place,
                "an exponent that depends on coordinates cannot be differentiated here; write exp(...)");
  polynomial *dg = NULL, *outer = NULL;
  TRY(formula_number(&reader->builder, c->place, 1, &one));
  TRY(formula_binary(&reader->builder, EXPRESSION_SUBTRACT, c, one, &less));
  TRY(formula_binary(&reader->builder, EXPRESSION_POWER, g, less, &lower));
  TRY(formula_binary(&reader->builder, EXPRESSION_MULTIPLY, c, lower, &slope));
  TRY(reader_expand(reader, slope, &outer));
  TRY(differentiate_atom(reader, g, coordinate, &dg));
  return polynomial_multiply(&reader->work, outer, dg, f->place, result);
}

/* Sums, products and quotients inside an atom are multiplied out and differentiated as polynomials. */
static ans_status differentiate_atom(reader *reader, const formula *f, int coordinate, polynomial **result) {
  if (!(f->uses & USES_THIS(coordinate))) return constant(reader, 0, f->place, result);
  switch (f->op) {
  case EXPRESSION_COORDINATE: return constant(reader, 1, f->place, result);
  case EXPRESSION_POWER:
    if (f->arguments[1]->op != EXPRESSION_NUMBER || floor(f->arguments[1]->number) != f->arguments[1]->number)
      return differentiate_power(reader, f, coordinate, result);
    break;
  case EXPRESSION_ADD:
  case EXPRESSION_SUBTRACT:
  case EXPRESSION_NEGATE:
  case EXPRESSION_MULTIPLY:
  case EXPRESSION_DIVIDE: break;
  default: return differentiate_function(reader, f, coordinate, result);
  }
  polynomial *expanded;
  TRY(reader_expand(reader, f, &expanded));
  return reader_differentiate(reader, expanded, coordinate, f->place, result);
}

/* ---- The product rule -------------------------------------------------------------------------------------- */

/* result += power * atom^(power-1) * d(atom) * rest */
static ans_status add_atom_part(reader *reader, const monomial *m, int i, int coordinate, text_place place,
                                polynomial *result) {
  polynomial *slope, *rest, *product;
  const polynomial_atom *atom = &m->atoms[i];
  TRY(differentiate_atom(reader, atom->base, coordinate, &slope));
  monomial without = *m;
  without.number *= atom->power;
  TRY(monomial_times_atom(&reader->work, &without, atom->base, -1, place));
  TRY(polynomial_new(&reader->work, &rest));
  TRY(polynomial_add_monomial(&reader->work, rest, &without, place));
  TRY(polynomial_multiply(&reader->work, rest, slope, place, &product));
  return polynomial_add(&reader->work, result, product, 1, place);
}

/* result += power * factor^(power-1) * d(factor) * rest */
static ans_status add_factor_part(reader *reader, const monomial *m, int i, int coordinate, text_place place,
                                  polynomial *result) {
  monomial product = *m;
  system_factor raised = m->factors[i];
  product.number *= raised.power;
  product.arity--;
  if (--product.factors[i].power == 0) {
    for (int k = i; k + 1 < product.factor_count; k++) product.factors[k] = product.factors[k + 1];
    product.factor_count--;
  }
  raised.power = 1;
  if (factor_order(&raised) == SYSTEM_MAX_ORDER)
    READER_FAIL(reader, ANS_UNSUPPORTED, place,
                "this needs a derivative of '%s' of order %d; orders up to %d are supported",
                reader->fields[raised.field].name, SYSTEM_MAX_ORDER + 1, SYSTEM_MAX_ORDER);
  raised.order[coordinate]++;
  TRY(monomial_times_factor(&reader->work, &product, raised, place));
  return polynomial_add_monomial(&reader->work, result, &product, place);
}

ans_status reader_differentiate(reader *reader, const polynomial *p, int coordinate, text_place place,
                                polynomial **result) {
  polynomial *sum;
  TRY(polynomial_new(&reader->work, &sum));
  for (const monomial *m = p->first; m; m = m->next) {
    for (int i = 0; i < m->atom_count; i++)
      if (m->atoms[i].base->uses & USES_THIS(coordinate)) TRY(add_atom_part(reader, m, i, coordinate, place, sum));
    for (int i = 0; i < m->factor_count; i++) TRY(add_factor_part(reader, m, i, coordinate, place, sum));
  }
  *result = sum;
  return ANS_OK;
}
