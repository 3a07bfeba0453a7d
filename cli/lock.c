/* SPDX-License-Identifier: Apache-2.0 */
#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

/* A name that fills what a folder takes is cut to have room for the ending. */
static bool name_lock(const char *output, output_lock *lock) {
  const char *slash = strrchr(output, '/'), *name = slash ? slash + 1 : output;
  int most = NAME_MAX - (int)strlen(".lock");
  int used = snprintf(lock->path, sizeof lock->path, "%.*s%.*s.lock", (int)(name - output), output, most, name);
  return used > 0 && (size_t)used < sizeof lock->path;
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
