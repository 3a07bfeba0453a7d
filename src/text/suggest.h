/* SPDX-License-Identifier: Apache-2.0
 *
 * suggest.h - the candidate that a misspelt word most likely meant.
 *
 * Distance: insertions, deletions, substitutions and swaps of neighbours, each counting one.
 */
#ifndef TEXT_SUGGEST_H
#define TEXT_SUGGEST_H

#include "base/base.h"

typedef struct suggestion {
  const char *wanted;
  size_t wanted_length;
  int distance;  /* of the best so far */
  char best[68]; /* "" while nothing is near */
} suggestion;

suggestion suggest_for(const char *wanted, size_t length);
void suggest_offer(suggestion *suggestion, const char *candidate);

/* "; did you mean 'kappa'?" or "". Lives as long as `room`. */
enum { SUGGEST_ROOM = 96 };
const char *suggest_phrase(const suggestion *suggestion, char room[SUGGEST_ROOM]);

#endif
