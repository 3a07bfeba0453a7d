/* SPDX-License-Identifier: Apache-2.0 */
#include "text/token.h"

#include "text/syntax.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

enum { MAX_NUMBER = 64 };

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static text_place place_at(const lexer *lexer, size_t offset, size_t length) {
  return (text_place){lexer->file, lexer->source, lexer->line, (uint32_t)(offset - lexer->line_start + 1),
                      (uint32_t)length};
}

static ans_status give(lexer *lexer, token_kind kind, size_t length) {
  assert(lexer->offset + length <= lexer->length);
  assert(lexer->offset >= lexer->line_start);
  lexer->current = (token){.kind = kind,
                           .place = place_at(lexer, lexer->offset, length ? length : 1),
                           .text = lexer->source + lexer->offset,
                           .length = length};
  lexer->offset += length;
  return ANS_OK;
}

/* ---- Numbers --------------------------------------------------------------------------------------- */

static size_t digits_from(const char *text) {
  size_t count = 0;
  while (is_digit(text[count])) count++;
  return count;
}

/* Length of the number at `text`. The dot of "1..4" belongs to the range. */
static size_t number_length(const char *text) {
  size_t length = digits_from(text);
  if (text[length] == '.' && text[length + 1] != '.') {
    length++;
    length += digits_from(text + length);
  }
  if (text[length] == 'e' || text[length] == 'E') {
    size_t sign = text[length + 1] == '+' || text[length + 1] == '-';
    size_t digits = digits_from(text + length + 1 + sign);
    if (digits) length += 1 + sign + digits;
  }
  return length;
}

static double number_value(const char *text, size_t length) {
  assert(length <= MAX_NUMBER);
  char copy[MAX_NUMBER + 1] = {0};
  memcpy(copy, text, length);
  return number_read(copy, NULL);
}

static bool has_nonzero_digit(const char *text, size_t length) {
  for (size_t i = 0; i < length && text[i] != 'e' && text[i] != 'E'; i++)
    if (text[i] >= '1' && text[i] <= '9') return true;
  return false;
}

/* Neither too large for a double nor so small that it became zero. */
static bool fits_double(const char *text, size_t length, double number) {
  return isfinite(number) && (number != 0 || !has_nonzero_digit(text, length));
}

static ans_status read_number(lexer *lexer) {
  const char *text = lexer->source + lexer->offset;
  size_t length = number_length(text);
  text_place place = place_at(lexer, lexer->offset, length);
  if (length > MAX_NUMBER)
    return context_fail_at(lexer->context, ANS_SYNTAX, place, "a number has at most %d characters", MAX_NUMBER);
  if (is_letter(text[length])) return give(lexer, TOKEN_MALFORMED, length + 1);
  double number = number_value(text, length);
  if (!fits_double(text, length, number))
    return context_fail_at(lexer->context, ANS_SYNTAX, place, "the number is too %s for double precision",
                           number == 0 ? "small" : "large");
  give(lexer, TOKEN_NUMBER, length);
  lexer->current.number = number;
  return ANS_OK;
}

bool text_number(const char *text, size_t length, double *number) {
  const char *end = text + length;
  while (text < end && *text == ' ') text++;
  while (end > text && end[-1] == ' ') end--;
  bool minus = text < end && *text == '-';
  if (text < end && (*text == '-' || *text == '+')) text++;
  char copy[MAX_NUMBER + 1] = {0};
  size_t digits = (size_t)(end - text);
  if (digits == 0 || digits > MAX_NUMBER) return false;
  memcpy(copy, text, digits);
  if (!is_digit(copy[copy[0] == '.']) || strlen(copy) != digits || number_length(copy) != digits) return false;
  double size = number_value(copy, digits);
  *number = minus ? -size : size;
  return fits_double(copy, digits, size);
}

/* ---- Everything else --------------------------------------------------------------------------------- */

static ans_status read_name(lexer *lexer) {
  const char *text = lexer->source + lexer->offset;
  size_t length = 0;
  while (is_letter(text[length]) || is_digit(text[length])) length++;
  if (length > TEXT_MAX_NAME)
    return context_fail_at(lexer->context, ANS_SYNTAX, place_at(lexer, lexer->offset, length),
                           "a name has at most %d characters", TEXT_MAX_NAME);
  return give(lexer, TOKEN_NAME, length);
}

static ans_status read_string(lexer *lexer) {
  const char *text = lexer->source + lexer->offset + 1;
  size_t length = strcspn(text, "\"\r\n");
  if (text[length] != '"')
    return context_fail_at(lexer->context, ANS_SYNTAX, place_at(lexer, lexer->offset, 1),
                           "the string is not closed; a second '\"' is expected on the same line");
  give(lexer, TOKEN_STRING, length + 2);
  lexer->current.text = text;
  lexer->current.length = length;
  return ANS_OK;
}

/* What people type beside ASCII, and what the language wants instead. */
static const struct {
  const char *bytes, *instead;
} familiar[] = {
    {"\xCF\x80", "pi"}, {"\xC2\xB2", "^2"},    {"\xC2\xB3", "^3"},    {"\xC2\xB7", "*"},
    {"\xC3\x97", "*"},  {"\xE2\x88\x92", "-"}, {"\xE2\x80\x93", "-"}, {"\xE2\x88\x82", "u_x or d(u, x)"},
};

static size_t character_length(const char *text) {
  unsigned char first = (unsigned char)*text;
  return first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

static ans_status refuse_character(lexer *lexer) {
  const char *text = lexer->source + lexer->offset;
  size_t length = character_length(text);
  text_place place = place_at(lexer, lexer->offset, length);
  for (size_t i = 0; i < sizeof familiar / sizeof *familiar; i++)
    if (strncmp(text, familiar[i].bytes, strlen(familiar[i].bytes)) == 0)
      return context_fail_at(lexer->context, ANS_SYNTAX, place, "'%.*s' is not part of the language; write %s",
                             (int)length, text, familiar[i].instead);
  return context_fail_at(lexer->context, ANS_SYNTAX, place, "'%.*s' is not part of the language outside comments",
                         (int)length, text);
}

static ans_status read_symbol(lexer *lexer) {
  const char *text = lexer->source + lexer->offset;
  if (text[0] == '.' && text[1] == '.') {
    give(lexer, TOKEN_SYMBOL, 2);
    lexer->current.symbol = TOKEN_RANGE;
    return ANS_OK;
  }
  if (!strchr("()[],:=+-*/^", *text)) return refuse_character(lexer);
  give(lexer, TOKEN_SYMBOL, 1);
  lexer->current.symbol = *text;
  return ANS_OK;
}

static void skip_blank(lexer *lexer) {
  const char *text = lexer->source;
  while (text[lexer->offset] == ' ' || text[lexer->offset] == '\t' || text[lexer->offset] == '\r') lexer->offset++;
  if (text[lexer->offset] == '#') lexer->offset += strcspn(text + lexer->offset, "\n");
}

/* Passes line ends, blank and comment lines. True when the next content begins its line unindented. */
static bool skip_lines(lexer *lexer) {
  bool ended = false;
  for (;;) {
    size_t before = lexer->offset;
    skip_blank(lexer);
    if (lexer->source[lexer->offset] != '\n') return ended && before == lexer->offset;
    lexer->offset++;
    lexer->line++;
    lexer->line_start = lexer->offset;
    assert(lexer->offset <= lexer->length);
    ended = true;
  }
}

static ans_status read_token(lexer *lexer) {
  if (lexer->offset >= lexer->length) return give(lexer, TOKEN_END, 0);
  const char *text = lexer->source + lexer->offset;
  if (is_letter(*text)) return read_name(lexer);
  if (is_digit(*text) || (*text == '.' && is_digit(text[1]))) return read_number(lexer);
  if (*text == '"') return read_string(lexer);
  return read_symbol(lexer);
}

ans_status lexer_next(lexer *lexer) {
  token before = lexer->current;
  size_t old_offset = lexer->offset, old_start = lexer->line_start;
  uint32_t old_line = lexer->line;
  bool new_line = skip_lines(lexer) || lexer->offset >= lexer->length;
  if (!new_line || before.kind == TOKEN_NEWLINE) return read_token(lexer);
  /* The statement ends where its last token ended; the next call passes the lines again. */
  lexer->offset = old_offset;
  lexer->line_start = old_start;
  lexer->line = old_line;
  return give(lexer, TOKEN_NEWLINE, 0);
}

ans_status lexer_open(ans_context *context, const char *file, const char *source, size_t length, lexer *result) {
  *result = (lexer){.context = context, .file = file, .source = source, .length = length, .line = 1};
  if (length >= 3 && memcmp(source, "\xEF\xBB\xBF", 3) == 0) result->offset = result->line_start = 3;
  result->current.kind = TOKEN_NEWLINE;
  return lexer_next(result);
}

ans_status lexer_label(lexer *lexer) {
  assert(lexer->current.text >= lexer->source);
  token *token = &lexer->current;
  size_t length = 0;
  while (is_letter(token->text[length]) || is_digit(token->text[length]) ||
         (length && token->text[length] && strchr(".-", token->text[length])))
    length++;
  token->place.length = (uint32_t)length;
  if (length > TEXT_MAX_NAME)
    return context_fail_at(lexer->context, ANS_SYNTAX, token->place, "a name has at most %d characters", TEXT_MAX_NAME);
  token->kind = TOKEN_NAME;
  token->length = length;
  lexer->offset = (size_t)(token->text - lexer->source) + length;
  return ANS_OK;
}
