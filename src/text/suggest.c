/* SPDX-License-Identifier: Apache-2.0 */
#include "text/suggest.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 64 };

static int smaller(int a, int b) { return a < b ? a : b; }

/* Three rows of the usual table: the one before the last allows the swap of two neighbours. */
static int distance(const char *a, size_t a_length, const char *b, size_t b_length) {
  assert(a_length <= LONGEST && b_length <= LONGEST);
  int rows[3][LONGEST + 1];
  for (size_t j = 0; j <= b_length; j++) rows[0][j] = (int)j;
  for (size_t i = 1; i <= a_length; i++) {
    int *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
    row[0] = (int)i;
    for (size_t j = 1; j <= b_length; j++) {
      int change = above[j - 1] + (a[i - 1] != b[j - 1]);
      row[j] = smaller(change, smaller(above[j], row[j - 1]) + 1);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = smaller(row[j], before[j - 2] + 1);
    }
  }
  return rows[a_length % 3][b_length];
}

suggestion suggest_for(const char *wanted, size_t length) {
  /* Short words must be nearly right; nothing is near a word of one letter. */
  return (suggestion){.wanted = wanted, .wanted_length = length, .distance = length < 2 ? 1 : length < 5 ? 2 : 3};
}

void suggest_offer(suggestion *suggestion, const char *candidate) {
  size_t length = strlen(candidate);
  if (length > LONGEST || suggestion->wanted_length > LONGEST) return;
  int found = distance(suggestion->wanted, suggestion->wanted_length, candidate, length);
  if (found == 0 || found >= suggestion->distance || found >= (int)length) return;
  suggestion->distance = found;
  snprintf(suggestion->best, sizeof suggestion->best, "%s", candidate);
}

const char *suggest_phrase(const suggestion *suggestion, char room[SUGGEST_ROOM]) {
  room[0] = '\0';
  if (suggestion->best[0]) snprintf(room, SUGGEST_ROOM, "; did you mean '%s'?", suggestion->best);
  return room;
}
