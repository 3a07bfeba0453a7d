/* SPDX-License-Identifier: Apache-2.0
 *
 * read_equations.c - one equation per field, multiplied out and grouped into canonical terms.
 *
 * Monomials that share their fields and their coordinate-dependent part are one term; what is left of each,
 * a number times coefficients, adds up to the term's coefficient.
 */
#include <math.h>
#include <string.h>

#include "system/reader.h"

typedef struct term_group {
  const monomial *first;      /* its factors and coordinate-dependent atoms are the group's */
  const formula *coefficient; /* so far */
} term_group;

static bool depends_on_place(const polynomial_atom *atom) { return (atom->base->uses & USES_COORDINATE) != 0; }

/* ---- Products back to formulas ----------------------------------------------------------------------------- */

static ans_status raise(reader *reader, const polynomial_atom *atom, const formula **result) {
  *result = atom->base;
  int power = atom->power < 0 ? -atom->power : atom->power;
  if (power == 1) return ANS_OK;
  const formula *exponent;
  TRY(formula_number(&reader->builder, atom->base->place, power, &exponent));
  return formula_binary(&reader->builder, EXPRESSION_POWER, atom->base, exponent, result);
}

/* number * atoms with positive power / atoms with negative power, for the atoms that depend on place or not. */
static ans_status product_formula(reader *reader, const monomial *m, double number, bool placed, text_place place,
                                  const formula **result) {
  const formula *product = NULL, *factor;
  for (int sign = 1; sign >= -1; sign -= 2) {
    if (!product && (sign < 0 || number != 1)) TRY(formula_number(&reader->builder, place, number, &product));
    for (int i = 0; i < m->atom_count; i++) {
      if (depends_on_place(&m->atoms[i]) != placed || (m->atoms[i].power > 0) != (sign > 0)) continue;
      TRY(raise(reader, &m->atoms[i], &factor));
      if (!product)
        product = factor;
      else
        TRY(formula_binary(&reader->builder, sign > 0 ? EXPRESSION_MULTIPLY : EXPRESSION_DIVIDE, product, factor,
                           &product));
    }
  }
  *result = product;
  return ANS_OK;
}

/* sum <- sum + number * atoms; a negative product is subtracted. */
static ans_status add_product(reader *reader, const monomial *m, text_place place, const formula **sum) {
  const formula *product;
  double size = fabs(m->number);
  TRY(product_formula(reader, m, size, false, place, &product));
  bool negative = m->number < 0;
  if (*sum)
    return formula_binary(&reader->builder, negative ? EXPRESSION_SUBTRACT : EXPRESSION_ADD, *sum, product, sum);
  *sum = product;
  return negative ? formula_apply(&reader->builder, place, EXPRESSION_NEGATE, &product, sum) : ANS_OK;
}

/* ---- Groups ---------------------------------------------------------------------------------------------------- */

static const polynomial_atom *next_placed(const monomial *m, int *i) {
  while (*i < m->atom_count && !depends_on_place(&m->atoms[*i])) (*i)++;
  return *i < m->atom_count ? &m->atoms[(*i)++] : NULL;
}

static bool same_source(const monomial *a, const monomial *b) {
  for (int i = 0, j = 0;;) {
    const polynomial_atom *x = next_placed(a, &i), *y = next_placed(b, &j);
    if (!x || !y) return x == y;
    if (x->power != y->power || formula_compare(x->base, y->base) != 0) return false;
  }
}

static bool same_group(const monomial *a, const monomial *b) {
  return a->factor_count == b->factor_count &&
         memcmp(a->factors, b->factors, (size_t)a->factor_count * sizeof *a->factors) == 0 && same_source(a, b);
}

static ans_status group_terms(reader *reader, const polynomial *p, const syntax_statement *s, term_group *groups,
                              int *count) {
  *count = 0;
  for (const monomial *m = p->first; m; m = m->next) {
    int g = 0;
    while (g < *count && !same_group(groups[g].first, m)) g++;
    if (g == READER_MAX_TERMS)
      READER_FAIL(reader, ANS_UNSUPPORTED, s->equation.left->place,
                  "multiplied out, the equation has more than %d terms", READER_MAX_TERMS);
    if (g == *count) groups[(*count)++] = (term_group){.first = m};
    TRY(add_product(reader, m, s->equation.left->place, &groups[g].coefficient));
  }
  return ANS_OK;
}

static ans_status keep_term(reader *reader, int equation, const term_group *group, text_place place,
                            system_term *term) {
  const monomial *m = group->first;
  const formula *source = NULL;
  int i = 0;
  *term = (system_term){.equation = equation, .factor_count = m->factor_count, .arity = m->arity};
  TRY(formula_flatten(reader->context, reader->kept, group->coefficient, &term->coefficient));
  if (next_placed(m, &i)) {
    TRY(product_formula(reader, m, 1, true, place, &source));
    TRY(formula_flatten(reader->context, reader->kept, source, &term->source));
  }
  system_factor *factors = arena_array(reader->kept, system_factor, (size_t)m->factor_count);
  if (!factors) return context_no_memory(reader->context);
  memcpy(factors, m->factors, (size_t)m->factor_count * sizeof *factors);
  term->factors = factors;
  return ANS_OK;
}

/* ---- Equations ----------------------------------------------------------------------------------------------------
 */

static ans_status expand_equation(reader *reader, const syntax_statement *s, polynomial **result) {
  reader_scope scope = {USES_SYMBOL | USES_COORDINATE | USES_FIELD, reader->problem->symbol_count, "an equation"};
  const formula *left, *right;
  polynomial *moved;
  TRY(reader_resolve(reader, s->equation.left, scope, &left));
  TRY(reader_resolve(reader, s->equation.right, scope, &right));
  reader->work.left = POLYNOMIAL_MAX_WORK;
  TRY(reader_expand(reader, left, result));
  TRY(reader_expand(reader, right, &moved));
  TRY(polynomial_add(&reader->work, *result, moved, -1, right->place));
  TRY(reader_open_sums(reader, left->place, result));
  if (!monomial_has_factors(*result))
    READER_FAIL(reader, ANS_MEANING, s->equation.left->place, "no field is left in the equation for '%s'",
                s->name.text);
  return ANS_OK;
}

static ans_status read_weight(reader *reader, const syntax_statement *s, double *weight) {
  *weight = 1.0 / reader->problem->field_count;
  if (!s->equation.weight) return ANS_OK;
  TRY(reader_constant(reader, s->equation.weight, "a weight", weight));
  if (!(*weight > 0)) READER_FAIL(reader, ANS_MEANING, s->equation.weight->place, "a weight must be positive");
  return ANS_OK;
}

static ans_status find_equations(reader *reader) {
  for (int i = 0; i < reader->statement_count; i++) {
    const syntax_statement *s = reader->statements[i];
    if (s->kind != STATEMENT_EQUATION) continue;
    int field = reader_field(reader, s->name.text);
    if (field < 0) {
      suggestion suggestion = suggest_for(s->name.text, strlen(s->name.text));
      for (int f = 0; f < reader->problem->field_count; f++) suggest_offer(&suggestion, reader->fields[f].name);
      char room[SUGGEST_ROOM];
      READER_FAIL(reader, ANS_MEANING, s->name.place, "'%s' is not a field%s", s->name.text,
                  suggest_phrase(&suggestion, room));
    }
    reader->equation_statements[field] = s;
  }
  for (int f = 0; f < reader->problem->field_count; f++)
    if (!reader->equation_statements[f])
      READER_FAIL(reader, ANS_MEANING, reader->field_statements[f]->name.place,
                  "the field '%s' has no equation; 'equation %s: ... = 0' states it", reader->fields[f].name,
                  reader->fields[f].name);
  return ANS_OK;
}

ans_status reader_equations(reader *reader) {
  ans_problem *problem = reader->problem;
  TRY(find_equations(reader));
  size_t room = (size_t)problem->field_count * READER_MAX_TERMS;
  system_term *terms = arena_array(reader->scratch, system_term, room);
  term_group *groups = arena_array(reader->scratch, term_group, (size_t)READER_MAX_TERMS);
  if (!terms || !groups) return context_no_memory(reader->context);
  for (int f = 0; f < problem->field_count; f++) {
    const syntax_statement *s = reader->equation_statements[f];
    polynomial *expanded;
    int count;
    reader->equations[f].field = f;
    TRY(read_weight(reader, s, &reader->equations[f].weight));
    TRY(expand_equation(reader, s, &expanded));
    TRY(group_terms(reader, expanded, s, groups, &count));
    for (int g = 0; g < count; g++)
      TRY(keep_term(reader, f, &groups[g], s->equation.left->place, &terms[problem->term_count++]));
  }
  problem->equation_count = problem->field_count;
  system_term *kept = arena_array(reader->kept, system_term, (size_t)problem->term_count);
  if (!kept) return context_no_memory(reader->context);
  memcpy(kept, terms, (size_t)problem->term_count * sizeof *kept);
  problem->terms = kept;
  return ANS_OK;
}
