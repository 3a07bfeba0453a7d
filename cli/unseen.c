/* SPDX-License-Identifier: Apache-2.0 */
#include "unseen.h"

#include <stdio.h>
#include <string.h>

static bool varies(const ans_problem *problem, size_t symbol) {
  ans_symbol one = ans_problem_symbol(problem, symbol);
  return one.kind != ANS_DERIVED && one.low < one.high;
}

/* Text that is too long ends where the room does. */
static void append(char *text, size_t room, const char *more) {
  size_t used = strlen(text);
  snprintf(text + used, room - used, "%s", more);
}

bool unseen_text(const ans_problem *problem, const char *kind, char *text, size_t room) {
  size_t count = 0;
  bool by_vector = true; /* the vector sees them as the file is */
  text[0] = '\0';
  for (size_t i = 0; i < ans_problem_count(problem, ANS_SYMBOLS); i++) {
    if (!varies(problem, i) || ans_descriptor_sees(problem, kind, i)) continue;
    if (count++) append(text, room, ", ");
    append(text, room, ans_problem_name(problem, ANS_SYMBOLS, i));
    by_vector = by_vector && ans_descriptor_sees(problem, "vector", i);
  }
  if (count == 0) return false;
  append(text, room, count == 1 ? " stands" : " stand");
  append(text, room, " only in sources, conditions or transforms, where the descriptor ");
  append(text, room, kind);
  append(text, room, count == 1 ? " does not see it: " : " does not see them: ");
  append(text, room, "train with --descriptor vector");
  if (!by_vector) append(text, room, count == 1 ? ", and name it" : ", and name them");
  if (!by_vector) append(text, room, " in the file's `descriptor vector`");
  return true;
}
