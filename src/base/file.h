/* SPDX-License-Identifier: Apache-2.0
 *
 * file.h - whole files, read with a limit and written atomically.
 *
 * A reader of the target sees the old content or the new, never a part: the bytes go to a temporary
 * file beside the target, which is synced, renamed over it, and its directory synced. The new file has the permissions
 * of the old one, and its owner where the system allows it; a read-only file is not replaced. A symbolic link stays and
 * what it points to is replaced; other names of the same file (hard links) keep the old content; a device or a pipe is
 * written to.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/context.h"

/* The bytes are followed by a NUL that `size` does not count. Give them back with memory_give. */
ans_status file_read(ans_context *context, const char *path, size_t limit, char **bytes, size_t *size);
ans_status file_read_input(ans_context *context, size_t limit, char **bytes, size_t *size); /* standard input */
ans_status file_write(ans_context *context, const char *path, const void *bytes, size_t size);

#endif
