/* SPDX-License-Identifier: Apache-2.0 */
#include "system/expression.h"

#include <assert.h>
#include <math.h>

int expression_operands(expression_op op) {
  assert(op >= 0 && op < EXPRESSION_OPS);
  static const int operands[] = {
#define EXPRESSION_OP_OPERANDS(name, count, function) count,
      EXPRESSION_OP_LIST(EXPRESSION_OP_OPERANDS)
#undef EXPRESSION_OP_OPERANDS
  };
  return operands[op];
}

const char *expression_function(expression_op op) {
  assert(op >= 0 && op < EXPRESSION_OPS);
  static const char *const functions[] = {
#define EXPRESSION_OP_FUNCTION(name, count, function) function,
      EXPRESSION_OP_LIST(EXPRESSION_OP_FUNCTION)
#undef EXPRESSION_OP_FUNCTION
  };
  return functions[op];
}

double expression_operate(expression_op op, const double *a) {
  switch (op) {
  case EXPRESSION_ADD: return a[0] + a[1];
  case EXPRESSION_SUBTRACT: return a[0] - a[1];
  case EXPRESSION_MULTIPLY: return a[0] * a[1];
  case EXPRESSION_DIVIDE: return a[0] / a[1];
  case EXPRESSION_POWER: return pow(a[0], a[1]);
  case EXPRESSION_NEGATE: return -a[0];
  case EXPRESSION_SIN: return sin(a[0]);
  case EXPRESSION_COS: return cos(a[0]);
  case EXPRESSION_TAN: return tan(a[0]);
  case EXPRESSION_SINH: return sinh(a[0]);
  case EXPRESSION_COSH: return cosh(a[0]);
  case EXPRESSION_TANH: return tanh(a[0]);
  case EXPRESSION_EXP: return exp(a[0]);
  case EXPRESSION_LOG: return log(a[0]);
  case EXPRESSION_LOG10: return log10(a[0]);
  case EXPRESSION_SQRT: return sqrt(a[0]);
  case EXPRESSION_ABS: return fabs(a[0]);
  case EXPRESSION_INSIDE: return a[0] >= a[1] && a[0] <= a[2] ? 1 : 0;
  case EXPRESSION_NUMBER:
  case EXPRESSION_SYMBOL:
  case EXPRESSION_COORDINATE:
  case EXPRESSION_RAW:
  case EXPRESSION_PROFILE:
  case EXPRESSION_OPS: break;
  }
  assert(!"an operand is no operation");
  return NAN;
}

double expression_value(const expression *expression, const double *values, const double *coordinates, double raw) {
  assert(expression->count > 0 && expression->depth > 0 && expression->depth <= EXPRESSION_MAX_DEPTH);
  double stack[EXPRESSION_MAX_DEPTH];
  int top = 0;
  for (size_t i = 0; i < expression->count; i++) {
    const expression_step *step = &expression->steps[i];
    switch (step->op) {
    case EXPRESSION_NUMBER: stack[top++] = step->number; break;
    case EXPRESSION_SYMBOL: stack[top++] = values[step->index]; break;
    case EXPRESSION_COORDINATE: stack[top++] = coordinates[step->index]; break;
    case EXPRESSION_RAW: stack[top++] = raw; break;
    case EXPRESSION_PROFILE:
      assert(top > 0); /* its argument */
      stack[top - 1] = profile_value(step->profile, stack[top - 1], step->index);
      break;
    default:
      top -= expression_operands(step->op);
      stack[top] = expression_operate(step->op, stack + top);
      top++;
    }
  }
  assert(top == 1); /* a postfix program leaves one value */
  return stack[0];
}

/* A product with zero is zero, whatever the other factor, which is finite where the expression has a value. */
static bool vanishes(expression_op op, const double *operands, const bool *known) {
  if (op == EXPRESSION_MULTIPLY) return (known[0] && operands[0] == 0) || (known[1] && operands[1] == 0);
  return op == EXPRESSION_DIVIDE && known[0] && operands[0] == 0 && !known[1];
}

bool expression_constant(const expression *expression, const double *values, double *number) {
  assert(expression->count > 0 && expression->depth > 0 && expression->depth <= EXPRESSION_MAX_DEPTH);
  double stack[EXPRESSION_MAX_DEPTH];
  bool known[EXPRESSION_MAX_DEPTH];
  int top = 0;
  for (size_t i = 0; i < expression->count; i++) {
    const expression_step *step = &expression->steps[i];
    int operands = expression_operands(step->op);
    top -= operands;
    assert(top >= 0 && top < EXPRESSION_MAX_DEPTH);
    bool all = step->op != EXPRESSION_COORDINATE && step->op != EXPRESSION_RAW && step->op != EXPRESSION_PROFILE;
    for (int k = 0; k < operands; k++) all = all && known[top + k];
    bool zero = operands == 2 && vanishes(step->op, stack + top, known + top);
    stack[top] = zero || !all                    ? 0
                 : step->op == EXPRESSION_NUMBER ? step->number
                 : step->op == EXPRESSION_SYMBOL ? values[step->index]
                                                 : expression_operate(step->op, stack + top);
    known[top++] = all || zero;
  }
  assert(top == 1);
  *number = stack[0];
  return known[0];
}

bool expression_uses(const expression *expression, expression_op op) {
  for (size_t i = 0; i < expression->count; i++)
    if (expression->steps[i].op == op) return true;
  return false;
}

bool expression_uses_index(const expression *expression, expression_op op, int index) {
  for (size_t i = 0; i < expression->count; i++)
    if (expression->steps[i].op == op && expression->steps[i].index == index) return true;
  return false;
}

bool expression_equal(const expression *a, const expression *b) {
  if (!a || !b) return a == b;
  if (a->count != b->count) return false;
  for (size_t i = 0; i < a->count; i++) {
    const expression_step *s = &a->steps[i], *r = &b->steps[i];
    if (s->op != r->op || s->index != r->index || s->number != r->number) return false;
    if (!profile_equal(s->profile, r->profile)) return false;
  }
  return true;
}
