/* SPDX-License-Identifier: Apache-2.0
 *
 * whole.h - a whole file of the safetensors format around a header's JSON text: the length before it, as many numbers
 * behind it as it declares, and the right checksum. So a changed text is refused for what it says, or not at all.
 */
#ifndef TESTS_FUZZ_WHOLE_H
#define TESTS_FUZZ_WHOLE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mend.h"

enum { WHOLE_MOST_DATA = 1 << 16 };

/* The largest end in any "data_offsets":[begin,end], up to WHOLE_MOST_DATA. */
static inline size_t whole_data_size(const char *text) {
  static const char key[] = "\"data_offsets\":[";
  size_t largest = 0;
  for (const char *at = strstr(text, key); at; at = strstr(at + 1, key)) {
    const char *comma = strpbrk(at + sizeof key - 1, ",]");
    size_t end = comma && *comma == ',' ? strtoul(comma + 1, NULL, 10) : 0;
    if (end > largest && end <= WHOLE_MOST_DATA) largest = end;
  }
  return largest;
}

/* Whether a step of what the header describes may be tried: the text may ask for any number of points. */
static inline int whole_is_cheap(const uint8_t *header, size_t size) {
  static const char key[] = "points ";
  for (size_t at = 0; at + sizeof key + 4 < size; at++)
    if (memcmp(header + at, key, sizeof key - 1) == 0 &&
        strspn((const char *)header + at + sizeof key - 1, "0123456789") > 3)
      return 0;
  return 1;
}

/* Free it with free. Numbers are small and finite in both precisions. */
static inline char *whole_file(const uint8_t *header, size_t size, size_t *whole_size) {
  size_t padded = (size + 7) / 8 * 8;
  char *text = calloc(1, size + 1);
  memcpy(text, header, size);
  size_t data = whole_data_size(text);
  free(text);
  char *bytes = malloc(8 + padded + data + 1);
  for (int i = 0; i < 8; i++) bytes[i] = (char)(padded >> (8 * i) & 255);
  memset(bytes + 8, ' ', padded);
  memcpy(bytes + 8, header, size);
  for (size_t i = 0; i < data; i++) bytes[8 + padded + i] = (char)(i % 4 == 3 ? 0x3d : (i * 37) & 127);
  *whole_size = 8 + padded + data;
  mend(bytes, *whole_size);
  return bytes;
}

#endif
