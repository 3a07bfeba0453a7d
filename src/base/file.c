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

/* All bytes to a descriptor, which is closed whatever happens. 0, or the reason why not. */
static int write_all(int descriptor, const char *bytes, size_t size, bool sync) {
  int reason = 0;
  while (size > 0 && !reason) {
    ssize_t written = write(descriptor, bytes, size);
    if (written < 0) {
      if (errno != EINTR) reason = errno;
      continue;
    }
    bytes += written;
    size -= (size_t)written;
  }
  if (!reason && sync && fsync(descriptor) != 0) reason = errno;
  if (close(descriptor) != 0 && !reason) reason = errno;
  return reason;
}

static void sync_directory_of(const char *path) {
  char directory[PATH_MAX];
  const char *slash = strrchr(path, '/');
  snprintf(directory, sizeof directory, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
  int descriptor = open(directory[0] ? directory : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  /* A directory that cannot be synced (some network file systems) leaves the file whole all the same. */
  (void)fsync(descriptor);
  close(descriptor);
}

enum { RANDOM = 8, TEMPORARY = sizeof ".ansatz-" + RANDOM, TRIES = 100 };

/* A new file beside the target, under a name that nobody can expect and that is short however long the target's is.
 * The kernel applies the process's mask to its permissions, so that other threads never see the mask changed. -1: errno
 * says why. */
static int create_beside(const char *target, char *temporary) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
  const char *slash = strrchr(target, '/');
  int folder = slash ? (int)(slash + 1 - target) : 0;
  for (int i = 0; i < TRIES; i++) {
    unsigned char random[RANDOM];
    char suffix[RANDOM + 1] = {0};
    if (getentropy(random, sizeof random) != 0) return -1;
    for (size_t k = 0; k < sizeof random; k++) suffix[k] = letters[random[k] % 32];
    snprintf(temporary, PATH_MAX + TEMPORARY, "%.*s.ansatz-%s", folder, target, suffix);
    int descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

static int replace(const char *target, const char *bytes, size_t size) {
  char temporary[PATH_MAX + TEMPORARY];
  int descriptor = create_beside(target, temporary);
  if (descriptor < 0) return errno;
  int reason = write_all(descriptor, bytes, size, true);
  if (!reason && rename(temporary, target) != 0) reason = errno;
  if (reason)
    unlink(temporary);
  else
    sync_directory_of(target);
  return reason;
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

/* Devices and pipes are written to, not replaced; a directory refuses to be opened. */
static int write_into(const char *path, const char *bytes, size_t size) {
  int descriptor = open(path, O_WRONLY | O_CLOEXEC);
  return descriptor < 0 ? errno : write_all(descriptor, bytes, size, false);
}

ans_status file_write(ans_context *context, const char *path, const void *bytes, size_t size) {
  struct stat there;
  char target[PATH_MAX];
  int reason;
  if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
    reason = write_into(path, bytes, size);
  else if ((reason = follow_links(path, target)) == 0)
    reason = replace(target, bytes, size);
  FAIL_IF(reason, context, ANS_FILE, "cannot write %s: %s", path, strerror(reason));
  return ANS_OK;
}
