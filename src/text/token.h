/* SPDX-License-Identifier: Apache-2.0
 *
 * token.h - bytes to tokens, one at a time.
 *
 * A statement ends with its line; a line that begins with white space continues the statement above it.
 * A comment runs from # to the end of its line. Names, numbers, "strings" and the symbols of the grammar
 * are all there is; anything else is refused where it stands.
 */
#ifndef TEXT_TOKEN_H
#define TEXT_TOKEN_H

#include "base/base.h"

typedef enum token_kind {
  TOKEN_NAME,
  TOKEN_NUMBER,
  TOKEN_MALFORMED, /* a number that runs into letters: the beginning of a label such as 2d, else refused */
  TOKEN_STRING,
  TOKEN_SYMBOL,
  TOKEN_NEWLINE,
  TOKEN_END
} token_kind;

enum { TOKEN_RANGE = 256 }; /* the symbol "..", beside the single characters */

typedef struct token {
  token_kind kind;
  text_place place;
  const char *text; /* in the source; a string without its quotes */
  size_t length;
  double number; /* TOKEN_NUMBER */
  int symbol;    /* TOKEN_SYMBOL: a character or TOKEN_RANGE; else 0 */
} token;

typedef struct lexer {
  ans_context *context;
  const char *file, *source;
  size_t length, offset;
  size_t line_start; /* offset of the current line */
  uint32_t line;
  token current;
} lexer;

/* The source is NUL-terminated and has passed text_check. Both start at the first token. */
ans_status lexer_open(ans_context *context, const char *file, const char *source, size_t length, lexer *result);
ans_status lexer_next(lexer *lexer);

/* Reads the current token again as a label: letters, digits and _ . - without a break (AR_4.5_8.5). */
ans_status lexer_label(lexer *lexer);

/* Refuses NUL and control bytes and anything that is not UTF-8. */
ans_status text_check(ans_context *context, arena *arena, const char *file, const char *source, size_t length);

#endif
