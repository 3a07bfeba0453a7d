/* SPDX-License-Identifier: Apache-2.0
 *
 * parser.c - the small steps every part of the parser takes.
 */
#include "text/parser.h"

#include <stdio.h>
#include <string.h>

bool parser_at_symbol(const parser *parser, int symbol) {
  return parser->tokens.current.kind == TOKEN_SYMBOL && parser->tokens.current.symbol == symbol;
}

bool parser_at_word(const parser *parser, const char *word) {
  const token *token = &parser->tokens.current;
  return token->kind == TOKEN_NAME && token->length == strlen(word) && memcmp(token->text, word, token->length) == 0;
}

bool parser_at_end(const parser *parser) {
  return parser->tokens.current.kind == TOKEN_NEWLINE || parser->tokens.current.kind == TOKEN_END;
}

ans_status parser_advance(parser *parser) { return lexer_next(&parser->tokens); }

bool parser_take_word(parser *parser, const char *word, ans_status *status) {
  if (*status != ANS_OK || !parser_at_word(parser, word)) return false;
  *status = parser_advance(parser);
  return *status == ANS_OK;
}

/* A statement keyword on a line that was indented: the reader meant a new statement. */
static bool is_indented_statement(const token *token) {
  if (token->kind != TOKEN_NAME) return false;
  for (uint32_t i = 1; i < token->place.column; i++)
    if (token->text[-(int)i] != ' ' && token->text[-(int)i] != '\t') return false;
  if (token->place.column == 1) return false;
  for (int kind = 0; kind < STATEMENT_KINDS; kind++) {
    const char *keyword = statement_keyword((statement_kind)kind);
    if (token->length == strlen(keyword) && memcmp(token->text, keyword, token->length) == 0) return true;
  }
  return false;
}

ans_status parser_unexpected(parser *parser, const char *expected) {
  const token *token = &parser->tokens.current;
  const char *hint =
      is_indented_statement(token) ? " (a line that begins with white space continues the statement above it)" : "";
  if (parser_at_end(parser))
    return context_fail_at(parser->context, ANS_SYNTAX, token->place, "expected %s, found the end of the %s", expected,
                           token->kind == TOKEN_END ? "text" : "line");
  if (token->kind == TOKEN_MALFORMED)
    return context_fail_at(
        parser->context, ANS_SYNTAX, token->place,
        "'%.*s' is not a number; a product is written with '*', as in 2*x, and an exponent as in 1e-3",
        (int)token->length, token->text);
  int length = token->place.length > 40 ? 40 : (int)token->place.length;
  const char *shown = token->text - (token->kind == TOKEN_STRING);
  while (length > 0 && ((unsigned char)shown[length] & 0xC0) == 0x80) length--;
  return context_fail_at(parser->context, ANS_SYNTAX, token->place, "expected %s, found '%.*s'%s", expected, length,
                         shown, hint);
}

ans_status parser_expect(parser *parser, char symbol, const char *where) {
  if (parser_at_symbol(parser, symbol)) return parser_advance(parser);
  char expected[128];
  snprintf(expected, sizeof expected, "'%c' %s", symbol, where);
  return parser_unexpected(parser, expected);
}

static ans_status take_word(parser *parser, syntax_word *result) {
  const token *token = &parser->tokens.current;
  result->text = arena_string(parser->arena, token->text, token->length);
  result->place = token->place;
  if (!result->text) return context_no_memory(parser->context);
  return parser_advance(parser);
}

ans_status parser_name(parser *parser, const char *expected, syntax_word *result) {
  if (parser->tokens.current.kind != TOKEN_NAME || parser_at_word(parser, "_"))
    return parser_unexpected(parser, expected);
  return take_word(parser, result);
}

ans_status parser_label(parser *parser, const char *expected, syntax_word *result) {
  const token *token = &parser->tokens.current;
  bool number = token->kind == TOKEN_NUMBER || token->kind == TOKEN_MALFORMED;
  if (token->kind != TOKEN_NAME && !(number && *token->text != '.')) return parser_unexpected(parser, expected);
  TRY(lexer_label(&parser->tokens));
  return take_word(parser, result);
}

ans_status parser_names(parser *parser, bool labels, const char *expected, syntax_words *result) {
  enum { MAX_NAMES = 256 };
  syntax_word names[MAX_NAMES];
  int count = 0;
  for (;;) {
    if (count == MAX_NAMES)
      return context_fail_at(parser->context, ANS_UNSUPPORTED, parser->tokens.current.place,
                             "a list has at most %d names", MAX_NAMES);
    TRY(labels ? parser_label(parser, expected, &names[count]) : parser_name(parser, expected, &names[count]));
    count++;
    if (!parser_at_symbol(parser, ',')) break;
    TRY(parser_advance(parser));
  }
  syntax_word *kept = arena_array(parser->arena, syntax_word, (size_t)count);
  if (!kept) return context_no_memory(parser->context);
  memcpy(kept, names, (size_t)count * sizeof *names);
  *result = (syntax_words){count, kept};
  return ANS_OK;
}
