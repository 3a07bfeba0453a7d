/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ans_status read_all(ans_context *context, int descriptor, const char *path, size_t limit, char **bytes, size_t *size) {
  size_t room = 64 * 1024, used = 0;
  char *data = memory_take(room);
  if (!data) return context_no_memory(context);
  for (;;) {
    if (used + 1 == room) {
      char *larger = memory_resize(data, room, room * 2);
      if (!larger) {
        memory_give(data);
        return context_no_memory(context);
      }
      data = larger;
      room *= 2;
    }
    ssize_t got = read(descriptor, data + used, room - used - 1);
    if (got == 0) break;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 || (used += (size_t)got) > limit) {
      memory_give(data);
      FAIL_IF(got < 0, context, ANS_FILE, "cannot read %s: %s", path, strerror(errno));
      FAIL(context, ANS_FILE, "%s is larger than %zu bytes", path, limit);
    }
  }
  data[used] = '\0';
  *bytes = data;
  *size = used;
  return ANS_OK;
}

ans_status file_read(ans_context *context, const char *path, size_t limit, char **bytes, size_t *size) {
  *bytes = NULL;
  *size = 0;
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  FAIL_IF(descriptor < 0, context, ANS_FILE, "cannot open %s: %s", path, strerror(errno));
  ans_status status = read_all(context, descriptor, path, limit, bytes, size);
  close(descriptor);
  return status;
}

ans_status file_temporary(ans_context *context, const char *path, char **temporary) {
  size_t room = strlen(path) + 16;
  *temporary = memory_take(room);
  if (!*temporary) return context_no_memory(context);
  snprintf(*temporary, room, "%s.XXXXXX", path);
  int descriptor = mkostemp(*temporary, O_CLOEXEC);
  if (descriptor < 0) {
    int reason = errno;
    memory_give(*temporary);
    *temporary = NULL;
    FAIL(context, ANS_FILE, "cannot write %s: %s", path, strerror(reason));
  }
  mode_t mask = umask(0);
  umask(mask);
  fchmod(descriptor, 0666 & ~mask);
  close(descriptor);
  return ANS_OK;
}

void file_drop(char *temporary) {
  if (!temporary) return;
  unlink(temporary);
  memory_give(temporary);
}

static int sync_path(const char *path, int flags) {
  int descriptor = open(path, flags | O_CLOEXEC);
  if (descriptor < 0) return -1;
  int outcome = fsync(descriptor);
  close(descriptor);
  return outcome;
}

static void sync_directory_of(const char *path) {
  char directory[4096];
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) : 0;
  if (length >= sizeof directory) return;
  memcpy(directory, path, length);
  directory[length] = '\0';
  /* A directory that cannot be synced (some network file systems) leaves the file whole all the same. */
  (void)sync_path(!slash ? "." : length ? directory : "/", O_RDONLY | O_DIRECTORY);
}

ans_status file_commit(ans_context *context, char *temporary, const char *path) {
  if (sync_path(temporary, O_RDWR) != 0 || rename(temporary, path) != 0) {
    int reason = errno;
    file_drop(temporary);
    FAIL(context, ANS_FILE, "cannot write %s: %s", path, strerror(reason));
  }
  memory_give(temporary);
  sync_directory_of(path);
  return ANS_OK;
}

static int write_all(const char *path, const char *bytes, size_t size) {
  int descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (descriptor < 0) return -1;
  while (size > 0) {
    ssize_t written = write(descriptor, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      int reason = errno;
      close(descriptor);
      errno = reason;
      return -1;
    }
    bytes += written;
    size -= (size_t)written;
  }
  return close(descriptor);
}

ans_status file_write(ans_context *context, const char *path, const void *bytes, size_t size) {
  char *temporary;
  TRY(file_temporary(context, path, &temporary));
  if (write_all(temporary, bytes, size) != 0) {
    int reason = errno;
    file_drop(temporary);
    FAIL(context, ANS_FILE, "cannot write %s: %s", path, strerror(reason));
  }
  return file_commit(context, temporary, path);
}
