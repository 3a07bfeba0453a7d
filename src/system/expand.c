/* SPDX-License-Identifier: Apache-2.0
 *
 * expand.c - a formula multiplied out into monomials, derivatives taken by the product and chain rules.
 *
 *   d(N*Phi_x, x)  ->  N_x*Phi_x + N*Phi_xx          d(u^3, x)  ->  3*u^2*u_x
 *
 * What has no fields is not torn apart needlessly: functions, and powers and reciprocals of sums, stay whole.
 * Recursion follows the formula, whose depth the parser has bounded.
 */
#include <assert.h>
#include <math.h>

#include "system/reader.h"

enum { WITH_FIELDS = USES_FIELD | USES_DERIVATIVE };

static ans_status from_monomial(reader *reader, const monomial *m, text_place place, polynomial **result) {
  TRY(polynomial_new(&reader->work, result));
  return polynomial_add_monomial(&reader->work, *result, m, place);
}

static ans_status from_number(reader *reader, double number, text_place place, polynomial **result) {
  return from_monomial(reader, &(monomial){.number = number}, place, result);
}

/* base^power as one atom */
static ans_status from_atom(reader *reader, const formula *base, int power, polynomial **result) {
  if (base->depth > FORMULA_MAX_ATOM_DEPTH)
    READER_FAIL(reader, ANS_UNSUPPORTED, base->place, "this part of the equation is too long: more than %d operations",
                FORMULA_MAX_ATOM_DEPTH);
  monomial m = {.number = 1};
  TRY(monomial_times_atom(&reader->work, &m, base, power, base->place));
  return from_monomial(reader, &m, base->place, result);
}

static ans_status from_field(reader *reader, const formula *f, polynomial **result) {
  monomial m = {.number = 1};
  TRY(monomial_times_factor(&reader->work, &m, f->factor, f->place));
  return from_monomial(reader, &m, f->place, result);
}

static ans_status expand_sum(reader *reader, const formula *f, double sign, polynomial **result) {
  polynomial *right = NULL;
  TRY(reader_expand(reader, f->arguments[0], result));
  TRY(reader_expand(reader, f->arguments[1], &right));
  return polynomial_add(&reader->work, *result, right, sign, f->place);
}

static ans_status expand_product(reader *reader, const formula *f, polynomial **result) {
  polynomial *left = NULL, *right = NULL;
  TRY(reader_expand(reader, f->arguments[0], &left));
  TRY(reader_expand(reader, f->arguments[1], &right));
  return polynomial_multiply(&reader->work, left, right, f->place, result);
}

static ans_status expand_negative(reader *reader, const formula *f, polynomial **result) {
  polynomial *inner = NULL;
  TRY(reader_expand(reader, f->arguments[0], &inner));
  TRY(polynomial_new(&reader->work, result));
  return polynomial_add(&reader->work, *result, inner, -1, f->place);
}

/* m^power for any sign of the power; the monomial has no fields. */
static ans_status monomial_power(reader *reader, const monomial *m, int power, text_place place, polynomial **result) {
  monomial raised = {.number = power == -1 ? 1 / m->number : pow(m->number, power)};
  for (int i = 0; i < m->atom_count; i++)
    TRY(monomial_times_atom(&reader->work, &raised, m->atoms[i].base, m->atoms[i].power * power, place));
  return from_monomial(reader, &raised, place, result);
}

/* base^power where base has no fields: one monomial is raised, a sum stays whole. */
static ans_status expand_scalar_power(reader *reader, const formula *base, int power, text_place place,
                                      polynomial **result) {
  polynomial *p;
  TRY(reader_expand(reader, base, &p));
  if (p->count == 0 && power <= 0) READER_FAIL(reader, ANS_MEANING, place, "division by zero: this is always zero");
  if (p->count == 1) return monomial_power(reader, p->first, power, place, result);
  if (p->count == 0 || power == 1) {
    *result = p;
    return ANS_OK;
  }
  if (base->uses & USES_DERIVATIVE)
    READER_FAIL(reader, ANS_UNSUPPORTED, place, "a derivative in a denominator or under a power must be written out");
  return from_atom(reader, base, power, result);
}

static ans_status expand_quotient(reader *reader, const formula *f, polynomial **result) {
  const formula *divisor = f->arguments[1];
  if (divisor->uses & USES_FIELD)
    READER_FAIL(reader, ANS_UNSUPPORTED, divisor->place,
                "an equation is a polynomial in its fields: none can stand in a denominator");
  polynomial *left = NULL, *inverse = NULL;
  TRY(reader_expand(reader, f->arguments[0], &left));
  if (divisor->op == EXPRESSION_NUMBER) { /* u/3 is exactly that, not u times a rounded third */
    if (divisor->number == 0) READER_FAIL(reader, ANS_MEANING, divisor->place, "division by zero");
    TRY(polynomial_new(&reader->work, result));
    assert(left);
    for (monomial *m = left->first; m; m = m->next) {
      monomial divided = *m;
      divided.number /= divisor->number;
      TRY(polynomial_add_monomial(&reader->work, *result, &divided, f->place));
    }
    return ANS_OK;
  }
  TRY(expand_scalar_power(reader, divisor, -1, divisor->place, &inverse));
  return polynomial_multiply(&reader->work, left, inverse, f->place, result);
}

static ans_status expand_power(reader *reader, const formula *f, polynomial **result) {
  const formula *base = f->arguments[0], *exponent = f->arguments[1];
  bool whole = exponent->op == EXPRESSION_NUMBER && floor(exponent->number) == exponent->number;
  bool fields = (f->uses & WITH_FIELDS) != 0;
  if (!whole || exponent->number < 0) {
    if (base->uses & WITH_FIELDS || exponent->uses & WITH_FIELDS)
      READER_FAIL(reader, ANS_UNSUPPORTED, exponent->place,
                  "an equation is a polynomial in its fields: the exponent must be a whole number, at least 0");
    if (!whole) return from_atom(reader, f, 1, result);
  }
  if (fabs(exponent->number) > (fields ? SYSTEM_MAX_ARITY : POLYNOMIAL_MAX_POWER))
    READER_FAIL(reader, ANS_UNSUPPORTED, exponent->place, "the exponent is too large; %s goes up to %d",
                fields ? "a power of fields" : "a power", fields ? (int)SYSTEM_MAX_ARITY : (int)POLYNOMIAL_MAX_POWER);
  int power = (int)exponent->number;
  if (!fields) return expand_scalar_power(reader, base, power, f->place, result);
  polynomial *p;
  TRY(reader_expand(reader, base, &p));
  return polynomial_power(&reader->work, p, power, f->place, result);
}

ans_status reader_expand(reader *reader, const formula *f, polynomial **result) {
  polynomial *inner = NULL;
  switch (f->op) {
  case EXPRESSION_NUMBER: return from_number(reader, f->number, f->place, result);
  case EXPRESSION_SYMBOL:
  case EXPRESSION_COORDINATE: return from_atom(reader, f, 1, result);
  case FORMULA_FIELD: return from_field(reader, f, result);
  case FORMULA_DERIVATIVE:
    TRY(reader_expand(reader, f->arguments[0], &inner));
    return reader_differentiate(reader, inner, f->index, f->place, result);
  case EXPRESSION_ADD: return expand_sum(reader, f, 1, result);
  case EXPRESSION_SUBTRACT: return expand_sum(reader, f, -1, result);
  case EXPRESSION_NEGATE: return expand_negative(reader, f, result);
  case EXPRESSION_MULTIPLY: return expand_product(reader, f, result);
  case EXPRESSION_DIVIDE: return expand_quotient(reader, f, result);
  case EXPRESSION_POWER: return expand_power(reader, f, result);
  default: break;
  }
  if (f->uses & WITH_FIELDS)
    READER_FAIL(reader, ANS_UNSUPPORTED, f->place,
                "an equation is a polynomial in its fields: functions take coordinates and coefficients only");
  return from_atom(reader, f, 1, result);
}

/* ---- Sums without a power ---------------------------------------------------------------------------------- */

/* The first atom that is a sum or product kept whole for a power, of which nothing is left; -1: none. */
static int open_sum(const monomial *m) {
  for (int i = 0; i < m->atom_count; i++) {
    int op = m->atoms[i].base->op;
    if (m->atoms[i].power == 1 && (op == EXPRESSION_ADD || op == EXPRESSION_SUBTRACT || op == EXPRESSION_NEGATE ||
                                   op == EXPRESSION_MULTIPLY || op == EXPRESSION_DIVIDE))
      return i;
  }
  return -1;
}

static bool has_open_sum(const polynomial *p) {
  for (const monomial *m = p->first; m; m = m->next)
    if (open_sum(m) >= 0) return true;
  return false;
}

/* result += m with its sum multiplied out */
static ans_status add_opened(reader *reader, const monomial *m, int atom, text_place place, polynomial *result) {
  const formula *base = m->atoms[atom].base;
  monomial without = *m;
  polynomial *rest = NULL, *sum = NULL, *product = NULL;
  TRY(monomial_times_atom(&reader->work, &without, base, -1, place));
  TRY(from_monomial(reader, &without, place, &rest));
  TRY(reader_expand(reader, base, &sum));
  TRY(polynomial_multiply(&reader->work, rest, sum, place, &product));
  return polynomial_add(&reader->work, result, product, 1, place);
}

/* A sum stays whole under a power only. Where its power has become one, as in (1 + x)^3/(1 + x)^2, it is multiplied
 * out like any other: the canonical text, in which it stands without a power, must mean the same terms. The result has
 * strictly smaller parts, so this terminates. */
ans_status reader_open_sums(reader *reader, text_place place, polynomial **p) {
  while (has_open_sum(*p)) {
    polynomial *opened;
    TRY(polynomial_new(&reader->work, &opened));
    for (const monomial *m = (*p)->first; m; m = m->next) {
      int atom = open_sum(m);
      TRY(atom < 0 ? polynomial_add_monomial(&reader->work, opened, m, place)
                   : add_opened(reader, m, atom, place, opened));
    }
    *p = opened;
  }
  return ANS_OK;
}
