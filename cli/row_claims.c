/* SPDX-License-Identifier: Apache-2.0 */
#include "row_claims.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"

int row_claims_open(const char *output, size_t rows, row_claims *claims) {
  struct stat file;
  snprintf(claims->path, sizeof claims->path, "%s.claims", output);
  claims->descriptor = open(claims->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  bool good = claims->descriptor >= 0 && fstat(claims->descriptor, &file) == 0;
  if (good && (size_t)file.st_size < rows) good = ftruncate(claims->descriptor, (off_t)rows) == 0;
  if (good) return EXIT_OK;
  complain("cannot open %s: %s", claims->path, strerror(errno));
  row_claims_close(claims, false);
  return EXIT_FILE;
}

static bool lock(row_claims *claims, size_t row, short kind) {
  struct flock byte = {.l_type = kind, .l_whence = SEEK_SET, .l_start = (off_t)row, .l_len = 1};
  return fcntl(claims->descriptor, F_SETLK, &byte) == 0;
}

bool row_claims_take(row_claims *claims, size_t row, bool *look) {
  char byte = 0;
  if (!lock(claims, row, F_WRLCK)) return false;
  *look = pread(claims->descriptor, &byte, 1, (off_t)row) == 1 && byte != 0;
  return true;
}

void row_claims_give(row_claims *claims, size_t row, bool done) {
  /* Without the mark the row is looked at again, which costs time and changes nothing. */
  if (done && pwrite(claims->descriptor, "1", 1, (off_t)row) != 1) errno = 0;
  lock(claims, row, F_UNLCK);
}

void row_claims_close(row_claims *claims, bool remove) {
  if (claims->descriptor < 0) return;
  if (remove) unlink(claims->path);
  close(claims->descriptor);
  claims->descriptor = -1;
}
