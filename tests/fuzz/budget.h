/* SPDX-License-Identifier: Apache-2.0
 *
 * budget.h - what every harness for files shares: bytes as a file that has a name, and an input's budget. No small file
 * may cost more than LIMIT_SECONDS of processor time or raise the process above LIMIT_MEGABYTES; sanitizers included,
 * which take most of both.
 */
#ifndef TESTS_FUZZ_BUDGET_H
#define TESTS_FUZZ_BUDGET_H

#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LIMIT_SECONDS = 5, LIMIT_MEGABYTES = 1500 };

static inline void insist(int condition, const char *what) {
  if (condition) return;
  fprintf(stderr, "%s\n", what);
  abort();
}

#ifdef FUZZ_IN_MEMORY
const void *memory_bytes;
size_t memory_size;

static inline const char *memory_file(const void *bytes, size_t size) {
  memory_bytes = bytes;
  memory_size = size;
  return "the bytes at hand";
}
#else
/* The path of a file in memory with these bytes; the next call writes it anew. */
static inline const char *memory_file(const void *bytes, size_t size) {
  static int descriptor = -1;
  static char path[40];
  if (descriptor < 0) {
    descriptor = memfd_create("fuzz", MFD_CLOEXEC);
    insist(descriptor >= 0, "there is no file in memory");
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  }
  insist(ftruncate(descriptor, 0) == 0 && pwrite(descriptor, bytes, size, 0) == (ssize_t)size,
         "the file is not written");
  return path;
}
#endif

static inline double seconds_used(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline void insist_on_budget(double begun) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  insist(seconds_used() - begun < LIMIT_SECONDS, "this input takes too long");
  insist(usage.ru_maxrss < (long)LIMIT_MEGABYTES * 1024, "this input takes too much memory");
}

#endif
