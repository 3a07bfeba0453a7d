/* SPDX-License-Identifier: Apache-2.0 */
#include "nearest.h"

#include <string.h>

enum { LONGEST = 40 };

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Insertions, deletions, replacements and swaps of neighbours that turn a into b (optimal string alignment). */
static size_t edits(const char *a, const char *b) {
  size_t n = strlen(a), m = strlen(b), table[LONGEST + 1][LONGEST + 1];
  if (n > LONGEST || m > LONGEST) return LONGEST;
  for (size_t i = 0; i <= n; i++) table[i][0] = i;
  for (size_t j = 0; j <= m; j++) table[0][j] = j;
  for (size_t i = 1; i <= n; i++)
    for (size_t j = 1; j <= m; j++) {
      size_t best = smaller(table[i - 1][j], table[i][j - 1]) + 1;
      best = smaller(best, table[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) best = smaller(best, table[i - 2][j - 2] + 1);
      table[i][j] = best;
    }
  return table[n][m];
}

const char *nearest_name(const char *typed, const char *const *names, size_t count) {
  const char *best = NULL;
  size_t least = 3;
  for (size_t i = 0; i < count; i++) {
    size_t distance = edits(typed, names[i]), length = strlen(names[i]);
    if (distance < least && distance * 3 <= length + 2) {
      least = distance;
      best = names[i];
    }
  }
  return best;
}
