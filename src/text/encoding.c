/* SPDX-License-Identifier: Apache-2.0
 *
 * encoding.c - is this text at all? UTF-8 without control characters, as RFC 3629 has it: shortest forms
 * only, no surrogates, nothing beyond U+10FFFF.
 */
#include <string.h>

#include "text/token.h"

/* Bytes of the character at `text`, or 0 where there is none. */
static size_t utf8_length(const unsigned char *text, size_t left) {
  unsigned char first = text[0];
  if (first < 0x80) return 1;
  size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || left < length) return 0;
  for (size_t i = 1; i < length; i++)
    if ((text[i] & 0xC0) != 0x80) return 0;
  if ((first == 0xE0 && text[1] < 0xA0) || (first == 0xED && text[1] > 0x9F)) return 0;
  if ((first == 0xF0 && text[1] < 0x90) || (first == 0xF4 && text[1] > 0x8F)) return 0;
  return length;
}

static bool is_control(const unsigned char *text) {
  if (text[0] < 0x20) return text[0] != '\t' && text[0] != '\n' && text[0] != '\r';
  return text[0] == 0x7F || (text[0] == 0xC2 && text[1] < 0xA0); /* C1 controls are C2 80 .. C2 9F */
}

/* The line is shown to people: whatever a terminal might obey or choke on becomes a question mark. */
static const char *harmless_copy(arena *arena, const char *source, size_t length) {
  char *copy = arena_string(arena, source, length);
  for (size_t i = 0; copy && i < length; i++)
    if (((unsigned char)copy[i] < 0x20 && copy[i] != '\n' && copy[i] != '\t') || (unsigned char)copy[i] >= 0x7F)
      copy[i] = '?';
  return copy;
}

ans_status text_check(ans_context *context, arena *arena, const char *file, const char *source, size_t length) {
  const unsigned char *bytes = (const unsigned char *)source;
  uint32_t line = 1;
  size_t line_start = 0;
  for (size_t i = 0; i < length;) {
    size_t character = utf8_length(bytes + i, length - i);
    if (character == 0 || is_control(bytes + i)) {
      text_place place = {file, harmless_copy(arena, source, length), line, (uint32_t)(i - line_start + 1), 1};
      if (character == 0)
        return context_fail_at(context, ANS_SYNTAX, place, "byte 0x%02X is not valid UTF-8", bytes[i]);
      return context_fail_at(context, ANS_SYNTAX, place, "control character 0x%02X is not allowed in a problem file",
                             bytes[i + character - 1]);
    }
    if (bytes[i] == '\n') {
      line++;
      line_start = i + 1;
    }
    i += character;
  }
  return ANS_OK;
}
