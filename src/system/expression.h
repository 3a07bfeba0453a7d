/* SPDX-License-Identifier: Apache-2.0
 *
 * expression.h - a scalar function of symbols (coefficients, parameters, derived values), coordinates and,
 * in output transforms, of the raw network output "_". Stored as a postfix program: no recursion, no eval.
 *
 *   0.35 + 0.2*sin(2*pi*x)   ->   0.35  0.2  6.283..  x  *  sin  *  +
 */
#ifndef SYSTEM_EXPRESSION_H
#define SYSTEM_EXPRESSION_H

#include "base/base.h"
#include "system/profile.h"

/* A table of name, operands, and what the language calls it if it is a function. */
/* clang-format off */
#define EXPRESSION_OP_LIST(X)                                                                                        \
  X(NUMBER, 0, NULL) X(SYMBOL, 0, NULL) X(COORDINATE, 0, NULL) X(RAW, 0, NULL)                                       \
  X(ADD, 2, NULL) X(SUBTRACT, 2, NULL) X(MULTIPLY, 2, NULL) X(DIVIDE, 2, NULL) X(POWER, 2, NULL) X(NEGATE, 1, NULL)  \
  X(SIN, 1, "sin") X(COS, 1, "cos") X(TAN, 1, "tan") X(SINH, 1, "sinh") X(COSH, 1, "cosh") X(TANH, 1, "tanh")        \
  X(EXP, 1, "exp") X(LOG, 1, "log") X(LOG10, 1, "log10") X(SQRT, 1, "sqrt") X(ABS, 1, "abs")                         \
  X(INSIDE, 3, "inside") /* inside(value, low, high): 1 where low <= value <= high, else 0 */                        \
  X(PROFILE, 1, NULL) /* known by numbers (profile.h); no text has one */
/* clang-format on */

typedef enum expression_op {
#define EXPRESSION_OP_ENUM(name, operands, function) EXPRESSION_##name,
  EXPRESSION_OP_LIST(EXPRESSION_OP_ENUM)
#undef EXPRESSION_OP_ENUM
      EXPRESSION_OPS
} expression_op;

typedef struct expression_step {
  expression_op op;
  int index;     /* SYMBOL: into problem.symbols; COORDINATE: into problem.coordinates; PROFILE: derivative order */
  double number; /* NUMBER */
  const system_profile *profile; /* PROFILE */
} expression_step;

enum { EXPRESSION_MAX_DEPTH = 64 };

typedef struct expression {
  size_t count;
  int depth; /* largest stack needed, at most EXPRESSION_MAX_DEPTH */
  const expression_step *steps;
} expression;

/* The value; not finite where the expression has none (division by zero, log of a negative number).
 * values: [symbols], coordinates: [coordinates], raw: the network output; each may be absent when unused. */
double expression_value(const expression *expression, const double *values, const double *coordinates, double raw);

/* Whether the value is the same at all coordinates and raw outputs for these values of the symbols, as that of
 * sin(k*x) is for k = 0. */
bool expression_constant(const expression *expression, const double *values, double *number);

bool expression_uses(const expression *expression, expression_op op);
bool expression_uses_index(const expression *expression, expression_op op, int index);
bool expression_equal(const expression *a, const expression *b);
int expression_operands(expression_op op);
const char *expression_function(expression_op op);                   /* "sin"; NULL: no function */
double expression_operate(expression_op op, const double *operands); /* one operation on its operands */

#endif
