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

#include <stdbool.h>
#include <sys/stat.h>

#include "base/context.h"
#include "base/temporary.h"

/* The bytes are followed by a NUL that `size` does not count. Give them back with memory_give. */
ans_status file_read(ans_context *context, const char *path, size_t limit, char **bytes, size_t *size);
ans_status file_read_input(ans_context *context, size_t limit, char **bytes, size_t *size); /* standard input */
ans_status file_write(ans_context *context, const char *path, const void *bytes, size_t size);

const char *file_extension(const char *path); /* ".nc", or "" */

/* The same piece by piece: what is written to the descriptor, or to the temporary file by its name, takes the target's
 * place when it is committed. Opened, it must be committed or abandoned. A device or a pipe is refused. */
typedef struct file_stream {
  int descriptor; /* -1: closed */
  bool there;     /* a file is replaced, which is */
  struct stat old;
  char target[PATH_MAX], temporary[TEMPORARY_PATH];
} file_stream;

ans_status file_stream_open(ans_context *context, const char *path, file_stream *stream);
ans_status file_stream_write(ans_context *context, const char *path, file_stream *stream, const void *bytes,
                             size_t size);
ans_status file_stream_commit(ans_context *context, const char *path, file_stream *stream); /* closed either way */
void file_stream_abandon(file_stream *stream); /* also one that is closed */

#endif
