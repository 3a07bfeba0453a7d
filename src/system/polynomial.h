/* SPDX-License-Identifier: Apache-2.0
 *
 * polynomial.h - sums of monomials  number * product of atoms^power * product of factors^power.
 *
 * A *factor* is a field or one of its derivatives. An *atom* is anything else that is not a number: a
 * symbol, a coordinate, or a whole sub-expression without fields that is not multiplied out, such as
 * sin(2*pi*x) or (x - 0.5)^2. Atoms may have negative powers, factors not. Within a monomial both are
 * sorted and merged; within a polynomial no two monomials have the same atoms and factors.
 */
#ifndef SYSTEM_POLYNOMIAL_H
#define SYSTEM_POLYNOMIAL_H

#include "system/formula.h"

enum {
  POLYNOMIAL_MAX_ATOMS = 24,
  POLYNOMIAL_MAX_POWER = 64,
  POLYNOMIAL_MAX_MONOMIALS = 512,
  POLYNOMIAL_MAX_WORK = 32768
};

typedef struct polynomial_atom {
  const formula *base;
  int power; /* not zero */
} polynomial_atom;

typedef struct monomial {
  double number;
  int atom_count, factor_count, arity;
  polynomial_atom atoms[POLYNOMIAL_MAX_ATOMS];
  system_factor factors[SYSTEM_MAX_ARITY];
  struct monomial *next;
} monomial;

typedef struct polynomial {
  int count;
  monomial *first, **end;
} polynomial;

/* Where memory comes from, and how much may still be multiplied and added before the equation is refused. A product of
 * two monomials costs nothing: the canonical text of an equation consists of these, and must be read again. */
typedef struct polynomial_work {
  ans_context *context;
  arena *arena;
  long left; /* monomials that may still be added to others */
} polynomial_work;

ans_status polynomial_new(polynomial_work *work, polynomial **result);
ans_status polynomial_add_monomial(polynomial_work *work, polynomial *p, const monomial *m, text_place place);
ans_status polynomial_add(polynomial_work *work, polynomial *p, const polynomial *q, double scale,
                          text_place place); /* p += scale * q */
ans_status polynomial_multiply(polynomial_work *work, const polynomial *p, const polynomial *q, text_place place,
                               polynomial **result);
ans_status polynomial_power(polynomial_work *work, const polynomial *p, int power, text_place place,
                            polynomial **result);

/* m *= base^power, m *= factor^power */
ans_status monomial_times_atom(polynomial_work *work, monomial *m, const formula *base, int power, text_place place);
ans_status monomial_times_factor(polynomial_work *work, monomial *m, system_factor factor, text_place place);

bool monomial_has_factors(const polynomial *p);

#endif
