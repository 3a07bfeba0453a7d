/* SPDX-License-Identifier: Apache-2.0
 *
 * temporary.h - files that a test writes and removes.
 */
#ifndef TESTS_TEMPORARY_H
#define TESTS_TEMPORARY_H

#include "check.h"

#include <unistd.h>

/* A path in a folder of its own. */
static inline void temporary_path(char *path, size_t room, const char *name) {
  char folder[] = "/tmp/ansatz-test-XXXXXX";
  assert_non_null(mkdtemp(folder));
  snprintf(path, room, "%s/%s", folder, name);
}

static inline void remove_path(char *path) {
  unlink(path);
  *strrchr(path, '/') = '\0';
  assert_int_equal(rmdir(path), 0); /* nothing else was left there */
}

#endif
