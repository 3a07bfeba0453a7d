/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/disk.h"
#include "base/temporary.h"

static ans_status read_all(ans_context *context, int descriptor, const char *path, size_t limit, char **bytes,
                           size_t *size) {
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

ans_status file_read_input(ans_context *context, size_t limit, char **bytes, size_t *size) {
  *bytes = NULL;
  *size = 0;
  return read_all(context, STDIN_FILENO, "standard input", limit, bytes, size);
}

/* ---- Writing ----------------------------------------------------------------------------------------- */

/* All bytes to a descriptor. 0, or the reason why not. */
const char *file_extension(const char *path) {
  const char *slash = strrchr(path, '/'), *point = strrchr(slash ? slash : path, '.');
  return point ? point : "";
}

static int write_all(int descriptor, const char *bytes, size_t size) {
  while (size > 0) {
    ssize_t written = disk.write(descriptor, bytes, size);
    if (written < 0 && errno != EINTR) return errno;
    if (written <= 0) continue;
    bytes += written;
    size -= (size_t)written;
  }
  return 0;
}

static void sync_directory_of(const char *path) {
  char directory[PATH_MAX];
  const char *slash = strrchr(path, '/');
  snprintf(directory, sizeof directory, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
  int descriptor = disk.open(directory[0] ? directory : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (descriptor < 0) return;
  /* A directory that cannot be synced (some network file systems) leaves the file whole all the same. */
  (void)disk.fsync(descriptor);
  disk.close(descriptor);
}

/* Owner and permissions of the file that is replaced. Only root can give a file to another user. */
static int take_over(int descriptor, const struct stat *old) {
  struct stat own;
  if (fstat(descriptor, &own) != 0) return errno;
  if ((own.st_uid != old->st_uid || own.st_gid != old->st_gid) && fchown(descriptor, old->st_uid, old->st_gid) != 0)
    (void)fchown(descriptor, (uid_t)-1, old->st_gid);
  return fchmod(descriptor, old->st_mode & 0777) != 0 ? errno : 0;
}

/* A file system may report a failure only when a file is closed. The descriptor itself stays open: it holds the lock.
 */
static int close_copy(int descriptor) {
  int copy = dup(descriptor);
  return copy < 0 || disk.close(copy) != 0 ? errno : 0;
}

/* The file at the end of a chain of symbolic links, which need not be there yet. 0, or the reason why not. */
static int follow_links(const char *path, char *target) {
  enum { LINKS = 40 };
  char link[PATH_MAX];
  if (strlen(path) >= PATH_MAX) return ENAMETOOLONG;
  strcpy(target, path);
  for (int i = 0; i < LINKS; i++) {
    ssize_t length = readlink(target, link, sizeof link);
    if (length < 0) return 0; /* no link */
    const char *slash = strrchr(target, '/');
    size_t kept = link[0] != '/' && slash ? (size_t)(slash + 1 - target) : 0;
    if (kept + (size_t)length >= PATH_MAX) return ENAMETOOLONG;
    memcpy(target + kept, link, (size_t)length);
    target[kept + (size_t)length] = '\0';
  }
  return ELOOP;
}

/* A file that nobody may write is meant to stay, also when root writes. */
static bool may_replace(const char *path, const struct stat *old) {
  return (old->st_mode & 0222) != 0 && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
}

ans_status file_stream_open(ans_context *context, const char *path, file_stream *stream) {
  *stream = (file_stream){.descriptor = -1};
  stream->there = stat(path, &stream->old) == 0;
  FAIL_IF(stream->there && !S_ISREG(stream->old.st_mode), context, ANS_FILE, "cannot write %s: it is not a file", path);
  FAIL_IF(stream->there && !may_replace(path, &stream->old), context, ANS_FILE, "cannot write %s: it is read-only",
          path);
  int reason = follow_links(path, stream->target);
  FAIL_IF(reason, context, ANS_FILE, "cannot write %s: %s", path, strerror(reason));
  temporary_sweep(stream->target);
  stream->descriptor =
      temporary_create(stream->target, stream->there ? stream->old.st_mode & 0666 : 0666, stream->temporary);
  FAIL_IF(stream->descriptor < 0, context, ANS_FILE, "cannot write %s: %s", path, strerror(errno));
  return ANS_OK;
}

ans_status file_stream_write(ans_context *context, const char *path, file_stream *stream, const void *bytes,
                             size_t size) {
  int reason = write_all(stream->descriptor, bytes, size);
  FAIL_IF(reason, context, ANS_FILE, "cannot write %s: %s", path, strerror(reason));
  return ANS_OK;
}

ans_status file_stream_commit(ans_context *context, const char *path, file_stream *stream) {
  int reason = stream->there ? take_over(stream->descriptor, &stream->old) : 0;
  if (!reason && disk.fsync(stream->descriptor) != 0) reason = errno;
  if (!reason) reason = close_copy(stream->descriptor);
  if (!reason && disk.rename(stream->temporary, stream->target) != 0) reason = errno;
  if (reason) disk.unlink(stream->temporary);
  close(stream->descriptor);
  stream->descriptor = -1;
  FAIL_IF(reason, context, ANS_FILE, "cannot write %s: %s", path, strerror(reason));
  sync_directory_of(stream->target);
  return ANS_OK;
}

void file_stream_abandon(file_stream *stream) {
  if (stream->descriptor < 0) return;
  disk.unlink(stream->temporary);
  close(stream->descriptor);
  stream->descriptor = -1;
}

/* Devices and pipes are written to, not replaced; a directory refuses to be opened. */
static int write_into(const char *path, const char *bytes, size_t size) {
  int descriptor = disk.open(path, O_WRONLY | O_CLOEXEC, 0);
  if (descriptor < 0) return errno;
  int reason = write_all(descriptor, bytes, size);
  if (disk.close(descriptor) != 0 && !reason) reason = errno;
  return reason;
}

ans_status file_write(ans_context *context, const char *path, const void *bytes, size_t size) {
  struct stat old;
  file_stream stream;
  if (stat(path, &old) == 0 && !S_ISREG(old.st_mode)) {
    int reason = write_into(path, bytes, size);
    FAIL_IF(reason, context, ANS_FILE, "cannot write %s: %s", path, strerror(reason));
    return ANS_OK;
  }
  TRY(file_stream_open(context, path, &stream));
  ans_status status = file_stream_write(context, path, &stream, bytes, size);
  if (status == ANS_OK) return file_stream_commit(context, path, &stream);
  file_stream_abandon(&stream);
  return status;
}
