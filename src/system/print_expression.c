/* SPDX-License-Identifier: Apache-2.0
 *
 * print_expression.c - postfix back to infix, with just the parentheses that keep the tree.
 *
 * Recursion follows the expression's tree, whose depth the parser has bounded.
 */
#include <math.h>
#include <string.h>

#include "system/print.h"
#include "text/syntax.h"

/* How tightly a piece of text holds together, and what each position asks for. */
enum { SUM = 1, PRODUCT = 2, SIGN = 3, POWER = 4, PRIMARY = 5 };

static const double pi = 3.14159265358979323846;

/* The whole multiple of pi that the number is exactly, or 0. */
static int multiple_of_pi(double number) {
  double multiple = round(number / pi);
  return multiple != 0 && fabs(multiple) <= 64 && multiple * pi == number ? (int)multiple : 0;
}

static int number_binding(double number) {
  int multiple = multiple_of_pi(number);
  if (multiple && multiple != 1) return multiple == -1 ? SIGN : PRODUCT;
  return number < 0 ? SIGN : PRIMARY;
}

/* 30000 rather than 3e+04 */
void print_plain(buffer *out, double number) {
  if (number == floor(number) && fabs(number) < 1e15)
    buffer_add(out, "%.0f", number);
  else
    buffer_number(out, number);
}

void print_number(buffer *out, double number) {
  int multiple = multiple_of_pi(number);
  if (!multiple)
    print_plain(out, number);
  else if (multiple == 1 || multiple == -1)
    buffer_add(out, "%spi", multiple < 0 ? "-" : "");
  else
    buffer_add(out, "%d*pi", multiple);
}

/* ---- Trees in postfix ------------------------------------------------------------------------------------ */

/* The first step of the operand whose last step is `end`. */
static size_t operand_start(const expression *e, size_t end) {
  int missing = 1;
  for (size_t i = end;; i--) {
    missing += expression_operands(e->steps[i].op) - 1;
    if (missing == 0) return i;
  }
}

static int binding(const expression_step *step) {
  switch (step->op) {
  case EXPRESSION_NUMBER: return number_binding(step->number);
  case EXPRESSION_ADD:
  case EXPRESSION_SUBTRACT: return SUM;
  case EXPRESSION_MULTIPLY:
  case EXPRESSION_DIVIDE: return PRODUCT;
  case EXPRESSION_NEGATE: return SIGN;
  case EXPRESSION_POWER: return POWER;
  default: return PRIMARY;
  }
}

static void print_operand(buffer *out, const ans_problem *problem, const expression *e, size_t end, int wanted);

static void print_binary(buffer *out, const ans_problem *problem, const expression *e, size_t end, const char *between,
                         int left, int right) {
  size_t cut = operand_start(e, end - 1);
  print_operand(out, problem, e, cut - 1, left);
  buffer_add(out, "%s", between);
  print_operand(out, problem, e, end - 1, right);
}

static void print_call(buffer *out, const ans_problem *problem, const expression *e, size_t end) {
  size_t ends[3];
  int count = expression_operands(e->steps[end].op);
  ends[count - 1] = end - 1;
  for (int i = count - 1; i > 0; i--) ends[i - 1] = operand_start(e, ends[i]) - 1;
  buffer_add(out, "%s(", expression_function(e->steps[end].op));
  for (int i = 0; i < count; i++) {
    if (i) buffer_add(out, ", ");
    print_operand(out, problem, e, ends[i], SUM);
  }
  buffer_add(out, ")");
}

static void print_piece(buffer *out, const ans_problem *problem, const expression *e, size_t end) {
  const expression_step *step = &e->steps[end];
  switch (step->op) {
  case EXPRESSION_NUMBER: print_number(out, step->number); break;
  case EXPRESSION_SYMBOL: buffer_add(out, "%s", problem->symbols[step->index].name); break;
  case EXPRESSION_COORDINATE: buffer_add(out, "%s", problem->coordinates[step->index].name); break;
  case EXPRESSION_RAW: buffer_add(out, "_"); break;
  case EXPRESSION_ADD: print_binary(out, problem, e, end, " + ", SUM, PRODUCT); break;
  case EXPRESSION_SUBTRACT: print_binary(out, problem, e, end, " - ", SUM, PRODUCT); break;
  case EXPRESSION_MULTIPLY: print_binary(out, problem, e, end, "*", PRODUCT, SIGN); break;
  case EXPRESSION_DIVIDE: print_binary(out, problem, e, end, "/", PRODUCT, SIGN); break;
  case EXPRESSION_POWER: print_binary(out, problem, e, end, "^", PRIMARY, SIGN); break;
  case EXPRESSION_NEGATE:
    buffer_add(out, "-");
    print_operand(out, problem, e, end - 1, SIGN);
    break;
  default: print_call(out, problem, e, end);
  }
}

static void print_operand(buffer *out, const ans_problem *problem, const expression *e, size_t end, int wanted) {
  bool group = binding(&e->steps[end]) < wanted;
  if (group) buffer_add(out, "(");
  print_piece(out, problem, e, end);
  if (group) buffer_add(out, ")");
}

void print_expression(buffer *out, const ans_problem *problem, const expression *e) {
  print_operand(out, problem, e, e->count - 1, SUM);
}

/* ---- Terms ------------------------------------------------------------------------------------------------- */

void print_derivative(buffer *out, const ans_problem *problem, int field, const uint8_t *order) {
  const char *name = problem->fields[field].name;
  size_t letters = 0;
  for (int c = 0; c < problem->coordinate_count; c++) letters += order[c] * strlen(problem->coordinates[c].name);
  bool first = true, call = letters > 0 && strlen(name) + 1 + letters > TEXT_MAX_NAME;
  buffer_add(out, "%s%s", call ? "d(" : "", name);
  for (int c = 0; c < problem->coordinate_count; c++)
    for (int k = 0; k < order[c]; k++, first = false)
      buffer_add(out, "%s%s", call ? ", " : first ? "_" : "", problem->coordinates[c].name);
  if (call) buffer_add(out, ")");
}

void print_factor(buffer *out, const ans_problem *problem, const system_factor *factor) {
  print_derivative(out, problem, factor->field, factor->order);
  if (factor->power > 1) buffer_add(out, "^%d", factor->power);
}

static void print_factors(buffer *out, const ans_problem *problem, const system_term *term, bool alone) {
  for (int i = 0; i < term->factor_count; i++) {
    if (!alone || i) buffer_add(out, "*");
    print_factor(out, problem, &term->factors[i]);
  }
}

/* The coefficient without its sign; nothing for one. Returns whether anything was written. */
static bool print_coefficient(buffer *out, const ans_problem *problem, const expression *c, bool needed) {
  const expression_step *last = &c->steps[c->count - 1];
  if (last->op == EXPRESSION_NUMBER) {
    if (fabs(last->number) == 1 && !needed) return false;
    print_number(out, fabs(last->number));
  } else
    print_operand(out, problem, c, c->count - (last->op == EXPRESSION_NEGATE ? 2 : 1), PRODUCT);
  return true;
}

static bool is_negative(const expression *c) {
  const expression_step *last = &c->steps[c->count - 1];
  return last->op == EXPRESSION_NEGATE || (last->op == EXPRESSION_NUMBER && last->number < 0);
}

void print_terms(buffer *out, const ans_problem *problem, int equation) {
  bool first = true;
  for (int i = 0; i < problem->term_count; i++) {
    const system_term *term = &problem->terms[i];
    if (term->equation != equation) continue;
    bool negative = is_negative(term->coefficient);
    buffer_add(out, "%s", first ? (negative ? "-" : "") : negative ? " - " : " + ");
    bool alone = !print_coefficient(out, problem, term->coefficient, !term->source && !term->factor_count);
    if (term->source) {
      if (!alone) buffer_add(out, "*");
      print_operand(out, problem, term->source, term->source->count - 1, PRODUCT);
      alone = false;
    }
    print_factors(out, problem, term, alone);
    first = false;
  }
}
