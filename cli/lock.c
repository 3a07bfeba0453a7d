/* SPDX-License-Identifier: Apache-2.0 */
#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"

static bool needs_lock(const char *output) {
  struct stat there;
  return output && (stat(output, &there) != 0 || S_ISREG(there.st_mode));
}

/* A run that ends removes its lock file; one that was opened just before that is no longer there to be seen. */
static bool is_there(const output_lock *lock) {
  struct stat held, named;
  return fstat(lock->descriptor, &held) == 0 && stat(lock->path, &named) == 0 && held.st_ino == named.st_ino &&
         held.st_dev == named.st_dev;
}

static int refuse(const char *output, output_lock *lock, int reason) {
  struct flock other = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  bool busy = reason == EACCES || reason == EAGAIN;
  if (busy && fcntl(lock->descriptor, F_GETLK, &other) == 0 && other.l_type != F_UNLCK)
    complain("another run (process %ld) is writing %s", (long)other.l_pid, output);
  else if (busy)
    complain("another run is writing %s", output);
  else
    complain("cannot lock %s: %s", lock->path, strerror(reason));
  if (lock->descriptor >= 0) close(lock->descriptor);
  lock->descriptor = -1;
  return EXIT_FILE;
}

/* Beside the output; a name that leaves no room for ".lock" is cut and told apart by a hash. False: the path is too
 * long. */
static bool name_lock(const char *output, output_lock *lock) {
  enum { LONGEST = 255 - sizeof ".lock", KEPT = 200 };
  const char *slash = strrchr(output, '/'), *base = slash ? slash + 1 : output;
  size_t room = sizeof lock->path;
  if (strlen(base) <= LONGEST) return snprintf(lock->path, room, "%s.lock", output) < (int)room;
  uint32_t hash = 2166136261u; /* FNV-1a */
  for (const char *c = base; *c; c++) hash = (hash ^ (unsigned char)*c) * 16777619u;
  return snprintf(lock->path, room, "%.*s%.*s-%08" PRIx32 ".lock", (int)(base - output), output, KEPT, base, hash) <
         (int)room;
}

int output_lock_take(const char *output, output_lock *lock) {
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  lock->descriptor = -1;
  if (!needs_lock(output)) return EXIT_OK;
  if (!name_lock(output, lock)) return refuse(output, lock, ENAMETOOLONG);
  for (;;) {
    lock->descriptor = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock->descriptor < 0 || fcntl(lock->descriptor, F_SETLK, &whole) != 0) {
      int reason = errno;
      if (lock->descriptor < 0 && reason == EACCES) reason = EPERM; /* not held by another: it may not be made */
      return refuse(output, lock, reason);
    }
    if (is_there(lock)) return EXIT_OK;
    close(lock->descriptor);
  }
}

void output_lock_drop(output_lock *lock) {
  if (lock->descriptor < 0) return;
  unlink(lock->path);
  close(lock->descriptor);
  lock->descriptor = -1;
}
