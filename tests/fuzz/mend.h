/* SPDX-License-Identifier: Apache-2.0
 *
 * mend.h - the right checksum for the bytes of a model file, so that they are refused for another reason or not at all.
 */
#ifndef TESTS_FUZZ_MEND_H
#define TESTS_FUZZ_MEND_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What the harness does itself teaches libFuzzer, which is clang's, nothing. */
#ifdef __clang__
#define NOT_COUNTED __attribute__((no_sanitize("coverage")))
#else
#define NOT_COUNTED
#endif

/* Where the word begins, or NULL; a search that libFuzzer does not watch byte after byte. */
NOT_COUNTED static inline char *find_word(const char *bytes, size_t size, const char *word) {
  size_t length = strlen(word);
  for (size_t at = 0; at + length <= size; at++) {
    size_t same = 0;
    while (same < length && bytes[at + same] == word[same]) same++;
    if (same == length) return (char *)bytes + at;
  }
  return NULL;
}

/* Writes the checksum that the bytes should have where their checksum stands. */
NOT_COUNTED static inline void mend(char *bytes, size_t size) {
  static const char key[] = "\"checksum\":\"";
  char digits[17], *found = size > 8 ? find_word(bytes + 8, size - 8, key) : NULL;
  if (!found || (size_t)(bytes + size - found) <= sizeof key + 16) return;
  memset(found + sizeof key - 1, '0', 16);
  uint64_t state = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < size; i++) state = (state ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
  snprintf(digits, sizeof digits, "%016" PRIx64, state);
  memcpy(found + sizeof key - 1, digits, 16);
}

#endif
