/* SPDX-License-Identifier: Apache-2.0
 *
 * disk.h - inside base/: the system calls by which a file is written.
 *
 * They are reached through one table, so that a test can see their order, make the n-th one fail, tear a write, or end
 * the process in the middle.
 */
#ifndef BASE_DISK_H
#define BASE_DISK_H

#include <sys/types.h>

typedef struct disk_calls {
  int (*open)(const char *path, int flags, mode_t mode);
  ssize_t (*write)(int descriptor, const void *bytes, size_t size);
  int (*fsync)(int descriptor);
  int (*rename)(const char *from, const char *to);
  int (*unlink)(const char *path);
  int (*close)(int descriptor);
} disk_calls;

extern disk_calls disk; /* for tests: never changed while a file is written */

#endif
