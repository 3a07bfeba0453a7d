/* SPDX-License-Identifier: Apache-2.0 */
#include "base/available.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *memory_report = "/proc/meminfo";

/* The system's estimate of what can be taken without swapping, caches that it can give up included; SIZE_MAX: unknown.
 */
static size_t available(void) {
  static const char key[] = "MemAvailable:";
  char text[512]; /* the third line of the file */
  int descriptor = open(memory_report, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return SIZE_MAX;
  ssize_t length = read(descriptor, text, sizeof text - 1);
  close(descriptor);
  text[length > 0 ? length : 0] = '\0';
  const char *line = strstr(text, key);
  unsigned long long kilobytes = line ? strtoull(line + sizeof key - 1, NULL, 10) : 0;
  return line && kilobytes < SIZE_MAX / 1024 ? (size_t)kilobytes * 1024 : SIZE_MAX;
}

bool memory_is_available(size_t bytes) {
  if (bytes < LARGE_REQUEST) return true;
  size_t most = available();
  return most == SIZE_MAX || bytes <= most - most / 16;
}
