/* SPDX-License-Identifier: Apache-2.0
 *
 * empty_fuzz.c - a harness without content: whether this clang can link libFuzzer.
 */
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  (void)data, (void)size;
  return 0;
}
