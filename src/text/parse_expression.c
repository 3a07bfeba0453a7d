/* SPDX-License-Identifier: Apache-2.0
 *
 * parse_expression.c - expressions by precedence climbing.
 *
 *   sum     + -    left to right
 *   product * /    left to right
 *   sign    -      binds tighter than a product, looser than a power: -x^2 is -(x^2)
 *   power   ^      right to left, the exponent may have a sign
 *
 * Parentheses and signs are the only recursion, and they are counted.
 */
#include <assert.h>
#include <string.h>

#include "text/parser.h"

enum { SUM = 1, PRODUCT = 2 };

static ans_status parse_sum(parser *parser, int lowest, syntax_node **result);

static text_place spanning(text_place from, text_place to) {
  if (from.line == to.line && from.source == to.source && to.column + to.length > from.column)
    from.length = to.column + to.length - from.column;
  return from;
}

static ans_status new_node(parser *parser, syntax_kind kind, text_place place, syntax_node **result) {
  *result = arena_take(parser->arena, sizeof **result);
  if (!*result) return context_no_memory(parser->context);
  (*result)->kind = kind;
  (*result)->place = place;
  (*result)->depth = 1;
  return ANS_OK;
}

static ans_status adopt(parser *parser, syntax_node *node, syntax_node *child) {
  assert(node && child);
  node->arguments[node->argument_count++] = child;
  node->place = spanning(node->place, child->place);
  if (child->depth >= node->depth) node->depth = child->depth + 1;
  if (node->depth > SYNTAX_MAX_DEPTH)
    return context_fail_at(parser->context, ANS_UNSUPPORTED, child->place,
                           "the expression is too long: more than %d operations follow each other", SYNTAX_MAX_DEPTH);
  return ANS_OK;
}

static ans_status new_binary(parser *parser, char operation, syntax_node *left, syntax_node *right,
                             syntax_node **result) {
  assert(left && right);
  TRY(new_node(parser, SYNTAX_BINARY, left->place, result));
  assert(*result);
  (*result)->operation = operation;
  TRY(adopt(parser, *result, left));
  return adopt(parser, *result, right);
}

static ans_status deeper(parser *parser) {
  assert(parser->nesting >= 0);
  if (++parser->nesting <= SYNTAX_MAX_NESTING + SYNTAX_SPARE_NESTING) return ANS_OK;
  return context_fail_at(parser->context, ANS_UNSUPPORTED, parser->tokens.current.place,
                         "the expression is nested more than %d deep", SYNTAX_MAX_NESTING);
}

static ans_status parse_call(parser *parser, syntax_node *node) {
  assert(parser_at_symbol(parser, '(') && node->argument_count == 0);
  TRY(parser_advance(parser)); /* the parenthesis */
  text_place close;
  for (;;) {
    if (node->argument_count == SYNTAX_MAX_ARGUMENTS)
      return context_fail_at(parser->context, ANS_SYNTAX, parser->tokens.current.place, "'%s' has at most %d arguments",
                             node->word, SYNTAX_MAX_ARGUMENTS);
    syntax_node *argument;
    TRY(parse_sum(parser, SUM, &argument));
    TRY(adopt(parser, node, argument));
    close = parser->tokens.current.place;
    if (!parser_at_symbol(parser, ',')) break;
    TRY(parser_advance(parser));
  }
  TRY(parser_expect(parser, ')', "after the arguments"));
  node->place = spanning(node->place, close);
  return ANS_OK;
}

static ans_status parse_word(parser *parser, syntax_node **result) {
  const token *token = &parser->tokens.current;
  TRY(new_node(parser, SYNTAX_NAME, token->place, result));
  assert(*result);
  (*result)->word = arena_string(parser->arena, token->text, token->length);
  if (!(*result)->word) return context_no_memory(parser->context);
  TRY(parser_advance(parser));
  if (!parser_at_symbol(parser, '(')) return ANS_OK;
  (*result)->kind = SYNTAX_CALL;
  TRY(deeper(parser));
  TRY(parse_call(parser, *result));
  parser->nesting--;
  return ANS_OK;
}

static ans_status parse_group(parser *parser, syntax_node **result) {
  assert(parser_at_symbol(parser, '('));
  text_place open = parser->tokens.current.place;
  TRY(deeper(parser));
  TRY(parser_advance(parser));
  TRY(parse_sum(parser, SUM, result));
  (*result)->place = spanning(open, parser->tokens.current.place);
  TRY(parser_expect(parser, ')', "to close the group"));
  parser->nesting--;
  return ANS_OK;
}

static ans_status parse_primary(parser *parser, syntax_node **result) {
  const token *token = &parser->tokens.current;
  if (token->kind == TOKEN_NAME) return parse_word(parser, result);
  if (parser_at_symbol(parser, '(')) return parse_group(parser, result);
  if (token->kind != TOKEN_NUMBER) return parser_unexpected(parser, "a number, a name, a function or '('");
  TRY(new_node(parser, SYNTAX_NUMBER, token->place, result));
  assert(*result);
  (*result)->number = token->number;
  return parser_advance(parser);
}

/* sign := '-' sign | '+' sign | primary [ '^' sign ] */
static ans_status parse_sign(parser *parser, syntax_node **result) {
  bool minus = parser_at_symbol(parser, '-');
  if (minus || parser_at_symbol(parser, '+')) {
    text_place place = parser->tokens.current.place;
    TRY(deeper(parser));
    TRY(parser_advance(parser));
    syntax_node *inner = NULL;
    TRY(parse_sign(parser, &inner));
    parser->nesting--;
    if (!minus) {
      *result = inner;
      return ANS_OK;
    }
    TRY(new_node(parser, SYNTAX_NEGATE, place, result));
    return adopt(parser, *result, inner);
  }
  TRY(parse_primary(parser, result));
  if (!parser_at_symbol(parser, '^')) return ANS_OK;
  TRY(deeper(parser));
  TRY(parser_advance(parser));
  syntax_node *exponent = NULL;
  TRY(parse_sign(parser, &exponent));
  parser->nesting--;
  return new_binary(parser, '^', *result, exponent, result);
}

static int binding(const parser *parser) {
  if (parser_at_symbol(parser, '+') || parser_at_symbol(parser, '-')) return SUM;
  return parser_at_symbol(parser, '*') || parser_at_symbol(parser, '/') ? PRODUCT : 0;
}

/* A chain of operators that bind at least as tightly as `lowest`. */
static ans_status parse_sum(parser *parser, int lowest, syntax_node **result) {
  TRY(parse_sign(parser, result));
  for (int found; (found = binding(parser)) >= lowest && found;) {
    char operation = (char)parser->tokens.current.symbol;
    TRY(parser_advance(parser));
    syntax_node *right = NULL;
    TRY(found == SUM ? parse_sum(parser, PRODUCT, &right) : parse_sign(parser, &right));
    TRY(new_binary(parser, operation, *result, right, result));
  }
  return ANS_OK;
}

ans_status parser_expression(parser *parser, syntax_node **result) { return parse_sum(parser, SUM, result); }

static bool same_word(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

/* Depth is bounded by SYNTAX_MAX_DEPTH, so this recursion is too. */
bool syntax_equal(const syntax_node *a, const syntax_node *b) {
  if (a->kind != b->kind || a->operation != b->operation || a->argument_count != b->argument_count) return false;
  if (a->number != b->number || !same_word(a->word, b->word)) return false;
  for (int i = 0; i < a->argument_count; i++)
    if (!syntax_equal(a->arguments[i], b->arguments[i])) return false;
  return true;
}
