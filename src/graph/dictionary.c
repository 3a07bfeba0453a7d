/* SPDX-License-Identifier: Apache-2.0
 *
 * dictionary.c - an equation as the coefficients of a fixed list of monomials (Iwata et al., 2023).
 *
 * The variables are every field and all its derivatives up to order two, by total order and then the last coordinate
 * first: with x and t they are u, u_t, u_x, u_tt, u_xt, u_xx, v, ... For n variables each residual has one constant,
 * n linear and n (n + 1) / 2 quadratic monomials y_i y_j, i <= j, in this order; two fields over x and t give
 * 2 (1 + 12 + 78) = 182 entries.
 */
#include "graph/rows.h"

enum { HIGHEST_ORDER = 2 };

/* Multi-indices of total order up to two. */
static int variables_per_field(const ans_problem *problem) {
  int c = problem->coordinate_count;
  return (c + 1) * (c + 2) / 2;
}

static int monomials(const ans_problem *problem) {
  int n = variables_per_field(problem) * problem->field_count;
  return 1 + n + n * (n + 1) / 2;
}

int dictionary_columns(const ans_problem *problem, descriptor_kind kind) {
  (void)kind;
  return problem->equation_count * monomials(problem);
}

/* The place of a factor among its field's variables, or -1. With the coordinates counted from the last, order one in
 * the i-th is 1 + i; order two in the i-th and j-th, i <= j, follows row by row of the triangle. */
static int place_in_field(const ans_problem *problem, const system_factor *factor) {
  int count = problem->coordinate_count, found = 0, axes[HIGHEST_ORDER] = {0};
  if (factor_order(factor) > HIGHEST_ORDER) return -1;
  for (int i = 0; i < count; i++)
    for (int k = 0; k < factor->order[count - 1 - i]; k++) axes[found++] = i;
  if (found < HIGHEST_ORDER) return found == 0 ? 0 : 1 + axes[0];
  return 1 + count + axes[0] * (2 * count - axes[0] + 1) / 2 + axes[1] - axes[0];
}

/* The term's place among the monomials, or -1. */
static int place_of_term(const ans_problem *problem, const ordered_term *term) {
  int per_field = variables_per_field(problem), n = per_field * problem->field_count;
  int variables[2], count = 0;
  if (term->source || term->arity > 2) return -1;
  for (int i = 0; i < term->factor_count; i++) {
    int place = place_in_field(problem, &term->factors[i]);
    if (place < 0) return -1;
    for (int k = 0; k < term->factors[i].power; k++) variables[count++] = term->factors[i].field * per_field + place;
  }
  if (count < 2) return count == 0 ? 0 : 1 + variables[0];
  int low = variables[0] < variables[1] ? variables[0] : variables[1], high = variables[0] + variables[1] - low;
  return 1 + n + low * (2 * n - low + 1) / 2 + high - low;
}

static ans_status refuse(ans_context *context, const ans_instance *instance, const ordered_term *term) {
  const ans_problem *problem = instance->problem;
  buffer label = {0};
  term_label(&label, instance, term);
  ans_status status =
      label.failed
          ? context_no_memory(context)
          : context_fail(context, ANS_UNSUPPORTED,
                         "the term %s of the equation of %s is not in the dictionary, which holds products of at "
                         "most two fields or derivatives up to order two, with constant coefficients",
                         label.text, problem->fields[problem->equations[term->equation].field].name);
  buffer_drop(&label);
  return status;
}

ans_status dictionary_fill(ans_context *context, const ans_instance *instance, descriptor *descriptor, double *values) {
  const ans_problem *problem = instance->problem;
  int count;
  ordered_term *terms = terms_in_order(descriptor->arena, instance, &count);
  if (!terms) return context_no_memory(context);
  for (int t = 0; t < count; t++) {
    int place = place_of_term(problem, &terms[t]);
    if (place < 0) return refuse(context, instance, &terms[t]);
    values[terms[t].equation * monomials(problem) + place] += terms[t].coefficient;
  }
  return ANS_OK;
}
