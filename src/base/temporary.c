/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/temporary.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/disk.h"

static const char prefix[] = ".ansatz-", letters[] = "abcdefghijklmnopqrstuvwxyz234567";

static int folder_length(const char *target) {
  const char *slash = strrchr(target, '/');
  return slash ? (int)(slash + 1 - target) : 0;
}

/* Locks the file. False when a sweep of another process took it for a leftover before that. Where there are no locks,
 * no sweep removes anything. */
static bool is_held(int descriptor) {
  struct stat file;
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
  return fstat(descriptor, &file) == 0 && file.st_nlink > 0;
}

int temporary_create(const char *target, mode_t mode, char *path) {
  enum { TRIES = 100 };
  for (int i = 0; i < TRIES; i++) {
    unsigned char random[TEMPORARY_RANDOM];
    char suffix[TEMPORARY_RANDOM + 1] = {0};
    if (getentropy(random, sizeof random) != 0) return -1;
    for (size_t k = 0; k < sizeof random; k++) suffix[k] = letters[random[k] % 32];
    snprintf(path, TEMPORARY_PATH, "%.*s%s%s", folder_length(target), target, prefix, suffix);
    assert(strlen(suffix) == TEMPORARY_RANDOM);
    int descriptor = disk.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor < 0 && errno != EEXIST) return -1;
    if (descriptor < 0) continue;
    if (is_held(descriptor)) return descriptor;
    disk.unlink(path);
    disk.close(descriptor);
  }
  errno = EEXIST;
  return -1;
}

static bool is_ours(const char *name) {
  size_t length = sizeof prefix - 1;
  return strncmp(name, prefix, length) == 0 && strlen(name) == length + TEMPORARY_RANDOM &&
         strspn(name + length, letters) == TEMPORARY_RANDOM;
}

static void remove_if_left(int folder, const char *name) {
  struct stat file;
  int descriptor = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return;
  if (fstat(descriptor, &file) == 0 && S_ISREG(file.st_mode) && file.st_uid == geteuid() &&
      flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    (void)unlinkat(folder, name, 0);
  close(descriptor);
}

void temporary_sweep(const char *target) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%.*s", folder_length(target), target);
  DIR *folder = opendir(path[0] ? path : ".");
  if (!folder) return;
  for (struct dirent *entry; (entry = readdir(folder));)
    if (is_ours(entry->d_name)) remove_if_left(dirfd(folder), entry->d_name);
  closedir(folder);
}
