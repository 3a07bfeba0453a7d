/* SPDX-License-Identifier: Apache-2.0
 *
 * tokens.c - an equation as a set of terms.
 *
 *   set        sign, log10|c|, sum of orders in each coordinate, arity, and unless grouped: constant source
 *   ownership  the six of the set, one indicator per equation, and how often each factor stands in the term;
 *              the factors are those that occur anywhere in the family, in canonical order
 */
#include <math.h>

#include "graph/rows.h"

/* ---- The family's factors -------------------------------------------------------------------------------- */

static size_t factor_occurrences(const ans_problem *problem) {
  size_t count = 0;
  for (int t = 0; t < problem->term_count; t++) count += (size_t)problem->terms[t].factor_count;
  return count;
}

/* Whether this occurrence is the first of its factor. */
static bool is_new(const ans_problem *problem, int term, int place) {
  const system_factor *factor = &problem->terms[term].factors[place];
  for (int t = 0; t <= term; t++)
    for (int i = 0; i < (t == term ? place : problem->terms[t].factor_count); i++)
      if (factor_compare(factor, &problem->terms[t].factors[i]) == 0) return false;
  return true;
}

/* The distinct factors of the family; factors may be NULL to count them only. */
static int distinct_factors(const ans_problem *problem, system_factor *factors) {
  int count = 0;
  for (int t = 0; t < problem->term_count; t++)
    for (int i = 0; i < problem->terms[t].factor_count; i++) {
      if (!is_new(problem, t, i)) continue;
      if (factors) factors[count] = problem->terms[t].factors[i];
      count++;
    }
  if (factors) factors_sort(factors, count);
  return count;
}

/* ---- Tokens ---------------------------------------------------------------------------------------------- */

/* sign, log10|c|, arity and constant source, besides the orders */
enum { PLAIN_ATTRIBUTES = 4 };

static bool has_source_flag(const ans_problem *problem, descriptor_kind kind) {
  return kind == DESCRIPTOR_OWNERSHIP || !problem->protocol.descriptor.grouped_set;
}

int tokens_columns(const ans_problem *problem, descriptor_kind kind) {
  int columns = PLAIN_ATTRIBUTES - !has_source_flag(problem, kind) + problem->coordinate_count;
  if (kind == DESCRIPTOR_OWNERSHIP) columns += problem->equation_count + distinct_factors(problem, NULL);
  return columns;
}

/* Returns the place behind the attributes. */
static double *fill_attributes(const ans_problem *problem, descriptor_kind kind, const ordered_term *term,
                               double *row) {
  *row++ = term->coefficient < 0 ? -1 : 1;
  *row++ = log10(fabs(term->coefficient));
  for (int c = 0; c < problem->coordinate_count; c++) *row++ = term_order(term, c);
  *row++ = term->arity;
  if (has_source_flag(problem, kind)) *row++ = term->arity == 0;
  return row;
}

static void fill_ownership(const ans_problem *problem, const ordered_term *term, const system_factor *factors,
                           int factor_count, double *row) {
  row[term->equation] = 1;
  row += problem->equation_count;
  for (int i = 0; i < term->factor_count; i++)
    for (int f = 0; f < factor_count; f++)
      if (factor_compare(&factors[f], &term->factors[i]) == 0) row[f] = term->factors[i].power;
}

ans_status tokens_fill(ans_context *context, const ans_instance *instance, descriptor *descriptor, double *values) {
  const ans_problem *problem = instance->problem;
  ordered_term *terms = terms_in_order(descriptor->arena, instance, &descriptor->rows);
  int *group = arena_array(descriptor->arena, int, (size_t)descriptor->rows);
  system_factor *factors = arena_array(descriptor->arena, system_factor, factor_occurrences(problem));
  if (!terms || !group || !factors) return context_no_memory(context);
  int factor_count = distinct_factors(problem, factors);
  for (int t = 0; t < descriptor->rows; t++) {
    double *rest =
        fill_attributes(problem, descriptor->kind, &terms[t], values + (size_t)t * (size_t)descriptor->columns);
    if (descriptor->kind == DESCRIPTOR_OWNERSHIP) fill_ownership(problem, &terms[t], factors, factor_count, rest);
    group[t] = terms[t].equation;
  }
  descriptor->group = group;
  return ANS_OK;
}
