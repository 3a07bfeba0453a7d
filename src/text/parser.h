/* SPDX-License-Identifier: Apache-2.0
 *
 * parser.h - what the parser's files share. A parser has one token in hand: tokens.current.
 */
#ifndef TEXT_PARSER_H
#define TEXT_PARSER_H

#include "text/syntax.h"
#include "text/token.h"

typedef struct parser {
  ans_context *context;
  arena *arena;
  lexer tokens;
  int nesting; /* of parentheses and signs */
  int statement_count;
  syntax_statement **end; /* where the next statement is linked */
} parser;

/* The token in hand. */
bool parser_at_symbol(const parser *parser, int symbol);
bool parser_at_word(const parser *parser, const char *word);
bool parser_at_end(const parser *parser); /* of the statement */

ans_status parser_advance(parser *parser);
bool parser_take_word(parser *parser, const char *word, ans_status *status); /* true: was there and is passed */
ans_status parser_expect(parser *parser, char symbol, const char *where);
ans_status parser_name(parser *parser, const char *expected, syntax_word *result);
ans_status parser_label(parser *parser, const char *expected, syntax_word *result);
ans_status parser_names(parser *parser, bool labels, const char *expected, syntax_words *result); /* a, b, c */

/* "expected X, found Y" at the token in hand. */
ans_status parser_unexpected(parser *parser, const char *expected);

ans_status parser_expression(parser *parser, syntax_node **result);
ans_status parser_settings(parser *parser, syntax_statement *statement);
ans_status parser_statement(parser *parser);

#endif
