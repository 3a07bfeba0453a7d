/* SPDX-License-Identifier: Apache-2.0
 *
 * formula.c - recursion below follows trees no deeper than SYNTAX_MAX_DEPTH and a small constant.
 */
#include "system/formula.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static formula *new_formula(formula_builder *builder, text_place place, int op) {
  assert(op >= 0);
  formula *result = arena_take(builder->arena, sizeof *result);
  if (!result) return NULL;
  result->op = op;
  result->place = place;
  return result;
}

static bool is_sum(const formula *f) { return f->op == EXPRESSION_ADD || f->op == EXPRESSION_SUBTRACT; }

static int larger(int a, int b) { return a > b ? a : b; }

static void measure(formula *f) {
  assert(f->count > 0 && f->count <= 3 && f->arguments[0]);
  int nesting[3] = {0};
  for (int i = 0; i < f->count; i++) {
    const formula *argument = f->arguments[i];
    f->depth = larger(f->depth, argument->depth + 1);
    nesting[i] = argument->nesting + (argument->op == EXPRESSION_NUMBER ? 2 : 1);
  }
  bool left_to_right = is_sum(f) || f->op == EXPRESSION_MULTIPLY || f->op == EXPRESSION_DIVIDE;
  if (left_to_right && (is_sum(f) || !is_sum(f->arguments[0]))) nesting[0]--; /* needs no parentheses */
  if (f->op == EXPRESSION_POWER || f->op == EXPRESSION_NEGATE) nesting[0]++, nesting[1]++;
  f->nesting = larger(nesting[0], larger(nesting[1], nesting[2]));
}

ans_status formula_number(formula_builder *builder, text_place place, double number, const formula **result) {
  assert(isfinite(number));
  formula *made = new_formula(builder, place, EXPRESSION_NUMBER);
  if (!made) return context_no_memory(builder->context);
  made->number = number == 0 ? 0 : number; /* no negative zero */
  *result = made;
  return ANS_OK;
}

ans_status formula_leaf(formula_builder *builder, text_place place, int op, int index, const formula **result) {
  assert(op == EXPRESSION_SYMBOL || op == EXPRESSION_COORDINATE || op == EXPRESSION_RAW);
  formula *made = new_formula(builder, place, op);
  if (!made) return context_no_memory(builder->context);
  made->index = index;
  made->uses = op == EXPRESSION_SYMBOL       ? USES_SYMBOL
               : op == EXPRESSION_COORDINATE ? USES_COORDINATE | USES_THIS(index)
                                             : USES_RAW;
  *result = made;
  return ANS_OK;
}

ans_status formula_field(formula_builder *builder, text_place place, system_factor factor, const formula **result) {
  assert(factor.power == 1);
  formula *made = new_formula(builder, place, FORMULA_FIELD);
  if (!made) return context_no_memory(builder->context);
  made->factor = factor;
  made->uses = USES_FIELD;
  *result = made;
  return ANS_OK;
}

ans_status formula_derivative(formula_builder *builder, text_place place, const formula *inner, int coordinate,
                              const formula **result) {
  formula *made = new_formula(builder, place, FORMULA_DERIVATIVE);
  if (!made) return context_no_memory(builder->context);
  made->index = coordinate;
  made->uses = inner->uses | USES_DERIVATIVE;
  made->count = 1;
  made->arguments[0] = inner;
  measure(made);
  *result = made;
  return ANS_OK;
}

ans_status formula_profile(formula_builder *builder, const system_profile *profile, int order, const formula *argument,
                           const formula **result) {
  if (argument->op == EXPRESSION_NUMBER)
    return formula_number(builder, argument->place, profile_value(profile, argument->number, order), result);
  formula *made = new_formula(builder, argument->place, EXPRESSION_PROFILE);
  if (!made) return context_no_memory(builder->context);
  made->index = order;
  made->profile = profile;
  made->uses = argument->uses;
  made->count = 1;
  made->arguments[0] = argument;
  measure(made);
  *result = made;
  return ANS_OK;
}

static ans_status fold(formula_builder *builder, text_place place, int op, const formula *const *arguments, int count,
                       const formula **result) {
  double operands[3] = {0};
  for (int i = 0; i < count; i++) operands[i] = arguments[i]->number;
  if (op == EXPRESSION_DIVIDE && operands[1] == 0)
    return context_fail_at(builder->context, ANS_MEANING, arguments[1]->place, "division by zero");
  double value = expression_operate((expression_op)op, operands);
  if (!isfinite(value))
    return context_fail_at(builder->context, ANS_MEANING, place, "this constant has no finite value");
  return formula_number(builder, place, value, result);
}

static ans_status apply(formula_builder *builder, text_place place, int op, const formula *const *arguments, int count,
                        const formula **result) {
  bool constant = true;
  assert(count > 0 && count <= 3 && count == expression_operands((expression_op)op));
  for (int i = 0; i < count; i++) constant = constant && arguments[i]->op == EXPRESSION_NUMBER;
  if (constant) return fold(builder, place, op, arguments, count, result);
  formula *made = new_formula(builder, place, op);
  if (!made) return context_no_memory(builder->context);
  made->count = count;
  for (int i = 0; i < count; i++) {
    made->arguments[i] = arguments[i];
    made->uses |= arguments[i]->uses;
  }
  measure(made);
  *result = made;
  return ANS_OK;
}

ans_status formula_apply(formula_builder *builder, text_place place, int op, const formula *const *arguments,
                         const formula **result) {
  return apply(builder, place, op, arguments, expression_operands((expression_op)op), result);
}

ans_status formula_binary(formula_builder *builder, int op, const formula *left, const formula *right,
                          const formula **result) {
  const formula *arguments[2] = {left, right};
  return apply(builder, left->place, op, arguments, 2, result);
}

static int compare_numbers(double a, double b) { return (a > b) - (a < b); }

int formula_compare(const formula *a, const formula *b) {
  if (a == b) return 0;
  if (a->op != b->op) return a->op < b->op ? -1 : 1;
  if (a->index != b->index) return a->index < b->index ? -1 : 1;
  if (a->profile != b->profile) return a->profile < b->profile ? -1 : 1;
  int order = compare_numbers(a->number, b->number);
  if (!order && a->op == FORMULA_FIELD) order = memcmp(&a->factor, &b->factor, sizeof a->factor);
  for (int i = 0; !order && i < a->count; i++) order = formula_compare(a->arguments[i], b->arguments[i]);
  return order;
}

/* ---- Postfix ----------------------------------------------------------------------------------------- */

typedef struct tape {
  expression_step *steps; /* NULL while counting */
  size_t count;
  int depth, deepest;
} tape;

static void record(tape *tape, const formula *formula) {
  for (int i = 0; i < formula->count; i++) record(tape, formula->arguments[i]);
  if (tape->steps)
    tape->steps[tape->count] =
        (expression_step){(expression_op)formula->op, formula->index, formula->number, formula->profile};
  tape->count++;
  tape->depth += 1 - formula->count;
  if (tape->depth > tape->deepest) tape->deepest = tape->depth;
}

ans_status formula_flatten(ans_context *context, arena *kept, const formula *formula, const expression **result) {
  tape measured = {0};
  record(&measured, formula);
  if (formula->nesting > SYNTAX_MAX_NESTING)
    return context_fail_at(context, ANS_UNSUPPORTED, formula->place, "the expression is nested more than %d deep",
                           SYNTAX_MAX_NESTING);
  if (measured.deepest > EXPRESSION_MAX_DEPTH)
    return context_fail_at(context, ANS_UNSUPPORTED, formula->place,
                           "the expression needs more than %d intermediate values", EXPRESSION_MAX_DEPTH);
  expression *made = arena_take(kept, sizeof *made);
  tape written = {.steps = arena_array(kept, expression_step, measured.count)};
  if (!made || !written.steps) return context_no_memory(context);
  record(&written, formula);
  assert(written.count == measured.count && written.depth == 1);
  *made = (expression){.count = written.count, .depth = measured.deepest, .steps = written.steps};
  *result = made;
  return ANS_OK;
}
