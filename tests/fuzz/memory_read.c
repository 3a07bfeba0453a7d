/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_read.c - linked into the fuzzers of solvers and checkpoints with --wrap=file_read: what the library reads is
 * the bytes at hand, without the system's help. (memory_open.h does this for readers of the program.)
 */
#include <string.h>

#include "base/base.h"
#include "base/file.h"

extern const void *memory_bytes;
extern size_t memory_size;

ans_status __wrap_file_read(ans_context *context, const char *path, size_t limit, char **bytes, size_t *size);

ans_status __wrap_file_read(ans_context *context, const char *path, size_t limit, char **bytes, size_t *size) {
  *size = 0;
  *bytes = memory_size <= limit ? memory_take(memory_size + 1) : NULL;
  if (!*bytes) FAIL(context, ANS_FILE, "%s is larger than %zu bytes", path, limit);
  memcpy(*bytes, memory_bytes, memory_size);
  *size = memory_size;
  return ANS_OK;
}
