/* SPDX-License-Identifier: Apache-2.0
 *
 * whole.h - a whole file of the safetensors format around a header's JSON text: the length before it, as many numbers
 * behind it as it declares, and the right checksum. So a changed text is refused for what it says, or not at all. An
 * input may go on behind the text, after a zero byte: these are the first of the numbers.
 */
#ifndef TESTS_FUZZ_WHOLE_H
#define TESTS_FUZZ_WHOLE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mend.h"

enum { WHOLE_MOST_DATA = 1 << 16 };

/* The largest end in any "data_offsets":[begin,end], up to WHOLE_MOST_DATA. */
NOT_COUNTED static inline size_t whole_data_size(const char *text, size_t size) {
  static const char key[] = "\"data_offsets\":[";
  size_t largest = 0;
  for (const char *at = find_word(text, size, key); at; at = find_word(at, size - (size_t)(at - text), key)) {
    at += sizeof key - 1;
    size_t end = 0, digits = strspn(at, "0123456789");
    if (at[digits] == ',') end = strtoul(at + digits + 1, NULL, 10);
    if (end > largest && end <= WHOLE_MOST_DATA) largest = end;
  }
  return largest;
}

/* Whether a step of what the header describes may be tried: the text may ask for any number of points. */
NOT_COUNTED static inline int whole_is_cheap(const uint8_t *header, size_t size) {
  static const char key[] = "points ";
  const char *text = (const char *)header, *end = text + size;
  for (const char *at = find_word(text, size, key); at; at = find_word(at, (size_t)(end - at), key)) {
    at += sizeof key - 1;
    int digits = 0;
    while (at < end && *at >= '0' && *at <= '9') at++, digits++;
    if (digits > 3) return 0;
  }
  return 1;
}

/* Those that the input gives, then small finite ones in both precisions. */
NOT_COUNTED static inline void whole_numbers(char *to, size_t count, const uint8_t *given, size_t given_count) {
  for (size_t i = 0; i < count; i++) to[i] = (char)(i < given_count ? given[i] : i % 4 == 3 ? 0x3d : (i * 37) & 127);
}

/* Free it with free. */
NOT_COUNTED static inline char *whole_file(const uint8_t *input, size_t input_size, size_t *whole_size) {
  const uint8_t *zero = input_size > 0 ? memchr(input, 0, input_size) : NULL;
  size_t size = zero ? (size_t)(zero - input) : input_size, given = zero ? input_size - size - 1 : 0;
  size_t padded = (size + 7) / 8 * 8;
  char *text = calloc(1, size + 1);
  memcpy(text, input, size);
  size_t data = whole_data_size(text, size);
  free(text);
  char *bytes = malloc(8 + padded + data + 1);
  for (int i = 0; i < 8; i++) bytes[i] = (char)(padded >> (8 * i) & 255);
  memset(bytes + 8, ' ', padded);
  memcpy(bytes + 8, input, size);
  whole_numbers(bytes + 8 + padded, data, zero ? zero + 1 : NULL, given);
  *whole_size = 8 + padded + data;
  mend(bytes, *whole_size);
  return bytes;
}

#endif
