/* SPDX-License-Identifier: Apache-2.0
 *
 * parse_settings.c - "width 96, layers 3, fourier x 1..4": items of words followed by up to two numbers.
 *
 * "from 8000 to 24000" has its numbers between the words; the words are kept in order, and so are the numbers.
 */
#include <string.h>

#include "text/parser.h"

enum { MAX_WORDS = 132, MAX_ITEMS = 64 };

static ans_status parse_number(parser *parser, syntax_setting *item) {
  if (item->number_count == 2)
    return context_fail_at(parser->context, ANS_SYNTAX, parser->tokens.current.place,
                           "a setting has at most two numbers; ',' is expected between settings");
  text_place place = parser->tokens.current.place;
  bool minus = parser_at_symbol(parser, '-');
  if (minus) TRY(parser_advance(parser));
  if (parser->tokens.current.kind != TOKEN_NUMBER) return parser_unexpected(parser, "a number");
  double number = parser->tokens.current.number;
  const text_place *last = &parser->tokens.current.place;
  if (last->line == place.line) place.length = last->column + last->length - place.column;
  item->number_places[item->number_count] = place;
  item->numbers[item->number_count++] = minus ? -number : number;
  return parser_advance(parser);
}

static ans_status parse_item(parser *parser, syntax_setting *item) {
  syntax_word words[MAX_WORDS];
  TRY(parser_name(parser, "a setting", &words[item->words.count++]));
  while (!parser_at_end(parser) && !parser_at_symbol(parser, ',')) {
    if (parser_at_symbol(parser, TOKEN_RANGE) && item->number_count == 1 && !item->range) {
      item->range = true;
      TRY(parser_advance(parser));
      TRY(parse_number(parser, item));
    } else if (parser->tokens.current.kind == TOKEN_NUMBER || parser_at_symbol(parser, '-')) {
      TRY(parse_number(parser, item));
    } else {
      if (item->words.count == MAX_WORDS)
        return context_fail_at(parser->context, ANS_SYNTAX, parser->tokens.current.place,
                               "a setting has at most %d words", MAX_WORDS);
      TRY(parser_name(parser, "a number, a word or ','", &words[item->words.count++]));
    }
  }
  syntax_word *kept = arena_array(parser->arena, syntax_word, (size_t)item->words.count);
  if (!kept) return context_no_memory(parser->context);
  memcpy(kept, words, (size_t)item->words.count * sizeof *words);
  item->words.items = kept;
  return ANS_OK;
}

ans_status parser_settings(parser *parser, syntax_statement *statement) {
  syntax_setting items[MAX_ITEMS];
  int count = 0;
  for (;;) {
    if (count == MAX_ITEMS)
      return context_fail_at(parser->context, ANS_SYNTAX, parser->tokens.current.place,
                             "a line has at most %d settings", MAX_ITEMS);
    items[count] = (syntax_setting){0};
    TRY(parse_item(parser, &items[count++]));
    if (!parser_at_symbol(parser, ',')) break;
    TRY(parser_advance(parser));
  }
  syntax_setting *kept = arena_array(parser->arena, syntax_setting, (size_t)count);
  if (!kept) return context_no_memory(parser->context);
  memcpy(kept, items, (size_t)count * sizeof *items);
  statement->settings.count = count;
  statement->settings.items = kept;
  return ANS_OK;
}
