/* SPDX-License-Identifier: Apache-2.0 */
#include "reference/range.h"

#include <assert.h>
#include <math.h>

static const range EVERYTHING = {-INFINITY, INFINITY};

static range hull(const double *values, int count) {
  range r = {values[0], values[0]};
  for (int i = 0; i < count; i++) {
    if (isnan(values[i])) return EVERYTHING;
    r.low = fmin(r.low, values[i]);
    r.high = fmax(r.high, values[i]);
  }
  return r;
}

static range multiply(range a, range b) {
  return hull((const double[]){a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high}, 4);
}

static range divide(range a, range b) {
  if (b.low <= 0 && b.high >= 0) return EVERYTHING;
  return multiply(a, (range){1 / b.high, 1 / b.low});
}

static range absolute(range a) {
  double least = a.low > 0 ? a.low : a.high < 0 ? -a.high : 0;
  return (range){least, fmax(fabs(a.low), fabs(a.high))};
}

/* A function that grows or falls throughout. */
static range monotone(expression_op op, range a) {
  assert(expression_operands(op) == 1);
  return hull((const double[]){expression_operate(op, &a.low), expression_operate(op, &a.high)}, 2);
}

static range power(range a, range b) {
  double n = b.low;
  if (b.low != b.high)
    return a.low > 0 ? monotone(EXPRESSION_EXP, multiply(b, monotone(EXPRESSION_LOG, a))) : EVERYTHING;
  bool even = fmod(n, 2) == 0;
  if (n != floor(n) && a.low < 0) return EVERYTHING;
  if (n < 0 && a.low <= 0 && a.high >= 0) return EVERYTHING;
  if (even) a = absolute(a);
  return hull((const double[]){pow(a.low, n), pow(a.high, n)}, 2);
}

/* cos, whose maxima stand at 2 pi k and whose minima lie half a turn away. */
static range cosine(range a) {
  const double turn = 2 * M_PI;
  if (!isfinite(a.low) || !isfinite(a.high) || a.high - a.low >= turn) return (range){-1, 1};
  range r = hull((const double[]){cos(a.low), cos(a.high)}, 2);
  if (floor(a.high / turn) != floor(a.low / turn) || a.low == 0) r.high = 1;
  if (floor(a.high / turn - 0.5) != floor(a.low / turn - 0.5)) r.low = -1;
  return r;
}

static range tangent(range a) {
  if (!(floor(a.high / M_PI - 0.5) == floor(a.low / M_PI - 0.5))) return EVERYTHING;
  return monotone(EXPRESSION_TAN, a);
}

static range inside(range value, range low, range high) {
  bool surely = value.low >= low.high && value.high <= high.low, never = value.high < low.low || value.low > high.high;
  return (range){surely ? 1 : 0, never ? 0 : 1};
}

static range operate(expression_op op, const range *a) {
  switch (op) {
  case EXPRESSION_ADD: return (range){a[0].low + a[1].low, a[0].high + a[1].high};
  case EXPRESSION_SUBTRACT: return (range){a[0].low - a[1].high, a[0].high - a[1].low};
  case EXPRESSION_MULTIPLY: return multiply(a[0], a[1]);
  case EXPRESSION_DIVIDE: return divide(a[0], a[1]);
  case EXPRESSION_POWER: return power(a[0], a[1]);
  case EXPRESSION_NEGATE: return (range){-a[0].high, -a[0].low};
  case EXPRESSION_COS: return cosine(a[0]);
  case EXPRESSION_SIN: return cosine((range){a[0].low - M_PI / 2, a[0].high - M_PI / 2});
  case EXPRESSION_TAN: return tangent(a[0]);
  case EXPRESSION_COSH: return monotone(EXPRESSION_COSH, absolute(a[0]));
  case EXPRESSION_ABS: return absolute(a[0]);
  case EXPRESSION_INSIDE: return inside(a[0], a[1], a[2]);
  default: return monotone(op, a[0]);
  }
}

range expression_range(const expression *expression, const double *values, const range *coordinates) {
  range stack[EXPRESSION_MAX_DEPTH];
  int top = 0;
  for (size_t i = 0; i < expression->count; i++) {
    const expression_step *step = &expression->steps[i];
    int operands = expression_operands(step->op);
    top -= operands;
    assert(top >= 0);
    range result;
    if (step->op == EXPRESSION_COORDINATE)
      result = coordinates[step->index];
    else if (step->op == EXPRESSION_SYMBOL)
      result = (range){values[step->index], values[step->index]};
    else if (operands == 0)
      result = (range){step->number, step->number};
    else
      result = operate(step->op, stack + top);
    stack[top++] = isnan(result.low) || isnan(result.high) ? EVERYTHING : result;
    assert(top <= EXPRESSION_MAX_DEPTH);
  }
  return stack[0];
}
