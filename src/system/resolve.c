/* SPDX-License-Identifier: Apache-2.0
 *
 * resolve.c - the text's tree to a formula: names looked up, functions known, constants folded.
 *
 * Recursion follows the text's tree, whose depth the parser has bounded.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "system/reader.h"

static const double pi = 3.14159265358979323846;

/* The function of this name; EXPRESSION_OPS: none. */
static expression_op find_function(const char *name) {
  for (int op = 0; op < EXPRESSION_OPS; op++) {
    const char *function = expression_function((expression_op)op);
    if (function && strcmp(function, name) == 0) return (expression_op)op;
  }
  return EXPRESSION_OPS;
}

bool reader_is_reserved(const char *name) {
  return strcmp(name, "pi") == 0 || strcmp(name, "d") == 0 || find_function(name) != EXPRESSION_OPS;
}

void reader_offer_functions(suggestion *suggestion) {
  for (int op = 0; op < EXPRESSION_OPS; op++)
    if (expression_function((expression_op)op)) suggest_offer(suggestion, expression_function((expression_op)op));
}

/* ---- Names ----------------------------------------------------------------------------------------------- */

static ans_status resolve_symbol(reader *reader, const syntax_node *node, reader_scope scope, int symbol,
                                 const formula **result) {
  if (!(scope.allowed & USES_SYMBOL))
    READER_FAIL(reader, ANS_MEANING, node->place, "'%s' cannot be used in %s, which is made of numbers only",
                node->word, scope.what);
  if (symbol == scope.symbol_limit)
    READER_FAIL(reader, ANS_MEANING, node->place, "'%s' cannot be derived from itself", node->word);
  if (symbol > scope.symbol_limit)
    READER_FAIL(reader, ANS_MEANING, node->place, "'%s' is declared below; %s may use only what is declared before it",
                node->word, scope.what);
  return formula_leaf(&reader->builder, node->place, EXPRESSION_SYMBOL, symbol, result);
}

static ans_status resolve_field(reader *reader, const syntax_node *node, reader_scope scope, const formula **result) {
  system_factor factor;
  if (!reader_factor(reader, node->word, &factor)) return reader_unknown(reader, node->word, node->place);
  if (!(scope.allowed & USES_FIELD))
    READER_FAIL(reader, ANS_MEANING, node->place, "'%s' is unknown before solving and cannot be used in %s", node->word,
                scope.what);
  if (factor_order(&factor) > SYSTEM_MAX_ORDER)
    READER_FAIL(reader, ANS_UNSUPPORTED, node->place, "'%s' is a derivative of order %d; orders up to %d are supported",
                node->word, factor_order(&factor), SYSTEM_MAX_ORDER);
  return formula_field(&reader->builder, node->place, factor, result);
}

static ans_status resolve_name(reader *reader, const syntax_node *node, reader_scope scope, const formula **result) {
  if (strcmp(node->word, "_") == 0) {
    if (!(scope.allowed & USES_RAW))
      READER_FAIL(reader, ANS_MEANING, node->place,
                  "'_' is the raw network output and can be used only in the transform of a field");
    return formula_leaf(&reader->builder, node->place, EXPRESSION_RAW, 0, result);
  }
  if (strcmp(node->word, "pi") == 0) return formula_number(&reader->builder, node->place, pi, result);
  if (reader_is_reserved(node->word))
    READER_FAIL(reader, ANS_MEANING, node->place, "'%s' is a function and needs its arguments in parentheses",
                node->word);
  int symbol = reader_symbol(reader, node->word);
  if (symbol >= 0) return resolve_symbol(reader, node, scope, symbol, result);
  int coordinate = reader_coordinate(reader, node->word);
  if (coordinate < 0) return resolve_field(reader, node, scope, result);
  if (!(scope.allowed & USES_COORDINATE))
    READER_FAIL(reader, ANS_MEANING, node->place, "'%s' is a coordinate and cannot be used in %s", node->word,
                scope.what);
  return formula_leaf(&reader->builder, node->place, EXPRESSION_COORDINATE, coordinate, result);
}

/* ---- Operations -------------------------------------------------------------------------------------------- */

static int binary_op(char operation) {
  switch (operation) {
  case '+': return EXPRESSION_ADD;
  case '-': return EXPRESSION_SUBTRACT;
  case '*': return EXPRESSION_MULTIPLY;
  case '/': return EXPRESSION_DIVIDE;
  default: return EXPRESSION_POWER;
  }
}

/* d(expression, x, t): one derivative after the other. */
static ans_status resolve_derivative(reader *reader, const syntax_node *node, reader_scope scope,
                                     const formula **result) {
  if (!(scope.allowed & USES_FIELD))
    READER_FAIL(reader, ANS_MEANING, node->place, "'d' can be used only in equations, not in %s", scope.what);
  if (node->argument_count < 2)
    READER_FAIL(reader, ANS_MEANING, node->place, "'d' needs an expression and at least one coordinate, as in d(u, x)");
  TRY(reader_resolve(reader, node->arguments[0], scope, result));
  for (int i = 1; i < node->argument_count; i++) {
    const syntax_node *by = node->arguments[i];
    int coordinate = by->kind == SYNTAX_NAME ? reader_coordinate(reader, by->word) : -1;
    if (coordinate < 0)
      READER_FAIL(reader, ANS_MEANING, by->place, "'d' differentiates with respect to coordinates; this is not one");
    TRY(formula_derivative(&reader->builder, node->place, *result, coordinate, result));
  }
  return ANS_OK;
}

static ans_status refuse_call(reader *reader, const syntax_node *node) {
  system_factor factor;
  if (reader_symbol(reader, node->word) >= 0 || reader_coordinate(reader, node->word) >= 0 ||
      reader_factor(reader, node->word, &factor) || strcmp(node->word, "pi") == 0)
    READER_FAIL(reader, ANS_MEANING, node->place, "'%s' is not a function; a product is written with '*'", node->word);
  suggestion suggestion = suggest_for(node->word, strlen(node->word));
  reader_offer_functions(&suggestion);
  if (strcmp(node->word, "ln") == 0) strcpy(suggestion.best, "log");
  char room[SUGGEST_ROOM];
  READER_FAIL(reader, ANS_MEANING, node->place, "'%s' is not a known function%s", node->word,
              suggest_phrase(&suggestion, room));
}

static ans_status resolve_arguments(reader *reader, const syntax_node *node, reader_scope scope, int op,
                                    const formula **result) {
  const formula *arguments[3];
  int wanted = expression_operands((expression_op)op);
  if (node->argument_count != wanted)
    READER_FAIL(reader, ANS_MEANING, node->place, "'%s' has %d argument%s, not %d", node->word, wanted,
                wanted == 1 ? "" : "s", node->argument_count);
  for (int i = 0; i < wanted; i++) TRY(reader_resolve(reader, node->arguments[i], scope, &arguments[i]));
  return formula_apply(&reader->builder, node->place, op, arguments, result);
}

static ans_status resolve_call(reader *reader, const syntax_node *node, reader_scope scope, const formula **result) {
  if (strcmp(node->word, "d") == 0) return resolve_derivative(reader, node, scope, result);
  expression_op function = find_function(node->word);
  if (function == EXPRESSION_OPS) return refuse_call(reader, node);
  return resolve_arguments(reader, node, scope, (int)function, result);
}

ans_status reader_resolve(reader *reader, const syntax_node *node, reader_scope scope, const formula **result) {
  switch (node->kind) {
  case SYNTAX_NUMBER: return formula_number(&reader->builder, node->place, node->number, result);
  case SYNTAX_NAME: return resolve_name(reader, node, scope, result);
  case SYNTAX_NEGATE: return resolve_arguments(reader, node, scope, EXPRESSION_NEGATE, result);
  case SYNTAX_BINARY: return resolve_arguments(reader, node, scope, binary_op(node->operation), result);
  case SYNTAX_CALL: break;
  }
  return resolve_call(reader, node, scope, result);
}

ans_status reader_constant(reader *reader, const syntax_node *node, const char *what, double *result) {
  const formula *value = NULL;
  TRY(reader_resolve(reader, node, (reader_scope){0, 0, what}, &value));
  assert(value);
  *result = value->number;
  return ANS_OK;
}
