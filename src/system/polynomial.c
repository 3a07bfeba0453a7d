/* SPDX-License-Identifier: Apache-2.0 */
#include "system/polynomial.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

ans_status polynomial_new(polynomial_work *work, polynomial **result) {
  *result = arena_take(work->arena, sizeof **result);
  if (!*result) return context_no_memory(work->context);
  (*result)->end = &(*result)->first;
  return ANS_OK;
}

bool monomial_has_factors(const polynomial *p) {
  assert(p);
  for (const monomial *m = p->first; m; m = m->next)
    if (m->factor_count) return true;
  return false;
}

/* ---- Monomials --------------------------------------------------------------------------------------- */

ans_status monomial_times_atom(polynomial_work *work, monomial *m, const formula *base, int power, text_place place) {
  assert(base && m->atom_count >= 0 && m->atom_count <= POLYNOMIAL_MAX_ATOMS);
  int i = 0, order = 1;
  while (i < m->atom_count && (order = formula_compare(m->atoms[i].base, base)) < 0) i++;
  if (i < m->atom_count && order == 0) power += m->atoms[i].power;
  if (power > POLYNOMIAL_MAX_POWER || power < -POLYNOMIAL_MAX_POWER)
    return context_fail_at(work->context, ANS_UNSUPPORTED, place, "powers go up to %d", POLYNOMIAL_MAX_POWER);
  if (i < m->atom_count && order == 0) {
    m->atoms[i].power = power;
    if (power == 0) memmove(&m->atoms[i], &m->atoms[i + 1], (size_t)(--m->atom_count - i) * sizeof *m->atoms);
    return ANS_OK;
  }
  if (power == 0) return ANS_OK;
  if (m->atom_count == POLYNOMIAL_MAX_ATOMS)
    return context_fail_at(work->context, ANS_UNSUPPORTED, place,
                           "a term has at most %d different coefficients and functions", POLYNOMIAL_MAX_ATOMS);
  memmove(&m->atoms[i + 1], &m->atoms[i], (size_t)(m->atom_count++ - i) * sizeof *m->atoms);
  m->atoms[i] = (polynomial_atom){base, power};
  return ANS_OK;
}

static int compare_factors(const system_factor *a, const system_factor *b) {
  return a->field != b->field ? a->field - b->field : memcmp(a->order, b->order, sizeof a->order);
}

ans_status monomial_times_factor(polynomial_work *work, monomial *m, system_factor factor, text_place place) {
  assert(factor.power > 0 && m->factor_count >= 0 && m->factor_count <= m->arity);
  m->arity += factor.power;
  if (m->arity > SYSTEM_MAX_ARITY)
    return context_fail_at(work->context, ANS_UNSUPPORTED, place, "a term multiplies at most %d fields and derivatives",
                           SYSTEM_MAX_ARITY);
  int i = 0, order = 1;
  while (i < m->factor_count && (order = compare_factors(&m->factors[i], &factor)) < 0) i++;
  if (i < m->factor_count && order == 0) {
    m->factors[i].power += factor.power;
    return ANS_OK;
  }
  memmove(&m->factors[i + 1], &m->factors[i], (size_t)(m->factor_count++ - i) * sizeof *m->factors);
  m->factors[i] = factor;
  return ANS_OK;
}

static ans_status monomial_times(polynomial_work *work, monomial *m, const monomial *by, text_place place) {
  m->number *= by->number;
  for (int i = 0; i < by->atom_count; i++)
    TRY(monomial_times_atom(work, m, by->atoms[i].base, by->atoms[i].power, place));
  for (int i = 0; i < by->factor_count; i++) TRY(monomial_times_factor(work, m, by->factors[i], place));
  return ANS_OK;
}

static bool alike(const monomial *a, const monomial *b) {
  if (a->atom_count != b->atom_count || a->factor_count != b->factor_count || a->arity != b->arity) return false;
  for (int i = 0; i < a->factor_count; i++)
    if (a->factors[i].power != b->factors[i].power || compare_factors(&a->factors[i], &b->factors[i]) != 0)
      return false;
  for (int i = 0; i < a->atom_count; i++)
    if (a->atoms[i].power != b->atoms[i].power || formula_compare(a->atoms[i].base, b->atoms[i].base) != 0)
      return false;
  return true;
}

/* ---- Polynomials ------------------------------------------------------------------------------------- */

static void unlink_monomial(polynomial *p, monomial **link) {
  assert(*link && p->count > 0);
  monomial *gone = *link;
  *link = gone->next;
  if (p->end == &gone->next) p->end = link;
  p->count--;
}

ans_status polynomial_add_monomial(polynomial_work *work, polynomial *p, const monomial *m, text_place place) {
  assert(p && p->end && !*p->end && p->count >= 0 && p->count <= POLYNOMIAL_MAX_MONOMIALS);
  if (m->number == 0) return ANS_OK;
  if (p->count > 0 && --work->left < 0)
    return context_fail_at(
        work->context, ANS_UNSUPPORTED, place,
        "multiplying the equation out takes more than %d steps; write it with fewer products of sums",
        POLYNOMIAL_MAX_WORK);
  for (monomial **link = &p->first; *link; link = &(*link)->next) {
    if (!alike(*link, m)) continue;
    double larger = fmax(fabs((*link)->number), fabs(m->number));
    (*link)->number += m->number;
    if (!isfinite((*link)->number))
      return context_fail_at(work->context, ANS_MEANING, place, "a coefficient of the expanded equation is not finite");
    if (fabs((*link)->number) <= 4 * DBL_EPSILON * larger) /* 0.1 + 0.2 - 0.3 is nothing but rounding */
      unlink_monomial(p, link);
    return ANS_OK;
  }
  if (!isfinite(m->number))
    return context_fail_at(work->context, ANS_MEANING, place, "a coefficient of the expanded equation is not finite");
  if (p->count == POLYNOMIAL_MAX_MONOMIALS)
    return context_fail_at(work->context, ANS_UNSUPPORTED, place, "multiplied out, this has more than %d terms",
                           POLYNOMIAL_MAX_MONOMIALS);
  monomial *kept = arena_take(work->arena, sizeof *kept);
  if (!kept) return context_no_memory(work->context);
  *kept = *m;
  kept->next = NULL;
  *p->end = kept;
  p->end = &kept->next;
  p->count++;
  return ANS_OK;
}

ans_status polynomial_add(polynomial_work *work, polynomial *p, const polynomial *q, double scale, text_place place) {
  assert(p && q && p != q); /* else it would read what it writes */
  for (const monomial *m = q->first; m; m = m->next) {
    monomial scaled = *m;
    scaled.number *= scale;
    TRY(polynomial_add_monomial(work, p, &scaled, place));
  }
  return ANS_OK;
}

ans_status polynomial_multiply(polynomial_work *work, const polynomial *p, const polynomial *q, text_place place,
                               polynomial **result) {
  assert(p && q);
  TRY(polynomial_new(work, result));
  for (const monomial *a = p->first; a; a = a->next)
    for (const monomial *b = q->first; b; b = b->next) {
      monomial product = *a;
      TRY(monomial_times(work, &product, b, place));
      TRY(polynomial_add_monomial(work, *result, &product, place));
    }
  return ANS_OK;
}

ans_status polynomial_power(polynomial_work *work, const polynomial *p, int power, text_place place,
                            polynomial **result) {
  assert(p && power >= 0 && power <= POLYNOMIAL_MAX_POWER);
  TRY(polynomial_new(work, result));
  TRY(polynomial_add_monomial(work, *result, &(monomial){.number = 1}, place));
  for (int i = 0; i < power; i++) TRY(polynomial_multiply(work, *result, p, place, result));
  return ANS_OK;
}
