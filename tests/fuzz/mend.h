/* SPDX-License-Identifier: Apache-2.0
 *
 * mend.h - the right checksum for the bytes of a model file, so that they are refused for another reason or not at all.
 */
#ifndef TESTS_FUZZ_MEND_H
#define TESTS_FUZZ_MEND_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Writes the checksum that the bytes should have where their checksum stands. */
static inline void mend(char *bytes, size_t size) {
  static const char key[] = "\"checksum\":\"";
  for (size_t at = 8; at + sizeof key + 16 < size; at++) {
    if (memcmp(bytes + at, key, sizeof key - 1) != 0) continue;
    char digits[17];
    memset(bytes + at + sizeof key - 1, '0', 16);
    uint64_t state = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++) state = (state ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    snprintf(digits, sizeof digits, "%016" PRIx64, state);
    memcpy(bytes + at + sizeof key - 1, digits, 16);
    return;
  }
}

#endif
