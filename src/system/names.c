/* SPDX-License-Identifier: Apache-2.0
 *
 * names.c - what a name in an equation means.
 *
 * A derivative is written field_coordinates, as in u_xx, u_xt, N_xixi. The split is found by trying each
 * underscore whose left side is a field and cutting the right side into names of coordinates.
 */
#include <stdio.h>
#include <string.h>

#include "system/reader.h"

int reader_coordinate(const reader *reader, const char *name) {
  for (int i = 0; i < reader->problem->coordinate_count; i++)
    if (strcmp(reader->coordinates[i].name, name) == 0) return i;
  return -1;
}

int reader_field(const reader *reader, const char *name) {
  for (int i = 0; i < reader->problem->field_count; i++)
    if (strcmp(reader->fields[i].name, name) == 0) return i;
  return -1;
}

int reader_symbol(const reader *reader, const char *name) {
  for (int i = 0; i < reader->problem->symbol_count; i++)
    if (strcmp(reader->symbols[i].name, name) == 0) return i;
  return -1;
}

int factor_order(const system_factor *factor) {
  int order = 0;
  for (int i = 0; i < SYSTEM_MAX_COORDINATES; i++) order += factor->order[i];
  return order;
}

enum { MAX_SUFFIX = 64 };

/* ways[i]: how often text[i..] can be cut into coordinates (2 stands for more); first[i]: one way to begin. */
static int cut_into_coordinates(const reader *reader, const char *text, system_factor *factor) {
  size_t length = strlen(text);
  int ways[MAX_SUFFIX + 1] = {0}, first[MAX_SUFFIX + 1];
  if (length == 0 || length > MAX_SUFFIX) return 0;
  ways[length] = 1;
  for (size_t i = length; i-- > 0;)
    for (int c = 0; c < reader->problem->coordinate_count; c++) {
      size_t step = strlen(reader->coordinates[c].name);
      if (step > length - i || memcmp(text + i, reader->coordinates[c].name, step) != 0 || !ways[i + step]) continue;
      ways[i] = ways[i] + ways[i + step] > 1 ? 2 : 1;
      first[i] = c;
    }
  if (!ways[0]) return 0;
  for (size_t i = 0; i < length; i += strlen(reader->coordinates[first[i]].name)) factor->order[first[i]]++;
  return ways[0];
}

int reader_factor(const reader *reader, const char *name, system_factor *factor) {
  *factor = (system_factor){.field = reader_field(reader, name), .power = 1};
  if (factor->field >= 0) return 1;
  int found = 0;
  for (const char *cut = strchr(name, '_'); cut; cut = strchr(cut + 1, '_')) {
    for (int f = 0; f < reader->problem->field_count; f++) {
      size_t length = strlen(reader->fields[f].name);
      if (length != (size_t)(cut - name) || memcmp(reader->fields[f].name, name, length) != 0) continue;
      system_factor candidate = {.field = f, .power = 1};
      int ways = cut_into_coordinates(reader, cut + 1, &candidate);
      if (ways) *factor = candidate;
      found += ways;
    }
  }
  return found > 1 ? 2 : found;
}

static const char *const known_words[] = {"pi", "d", "sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "log10", "sqrt",
                                          "abs", "inside"};

/* Every derivative of every field, as it would be written. */
static void offer_derivatives(const reader *reader, suggestion *suggestion) {
  int base = reader->problem->coordinate_count + 1, total = 1;
  for (int i = 0; i < SYSTEM_MAX_ORDER; i++) total *= base;
  for (int f = 0; f < reader->problem->field_count; f++)
    for (int code = 1; code < total; code++) {
      char name[SYSTEM_MAX_ORDER * 65 + 70];
      size_t used = (size_t)snprintf(name, sizeof name, "%s_", reader->fields[f].name);
      for (int rest = code; rest; rest /= base)
        if (rest % base)
          used += (size_t)snprintf(name + used, sizeof name - used, "%s", reader->coordinates[rest % base - 1].name);
      suggest_offer(suggestion, name);
    }
}

ans_status reader_unknown(reader *reader, const char *name, text_place place) {
  suggestion suggestion = suggest_for(name, strlen(name));
  for (size_t i = 0; i < sizeof known_words / sizeof *known_words; i++) suggest_offer(&suggestion, known_words[i]);
  for (int i = 0; i < reader->problem->symbol_count; i++) suggest_offer(&suggestion, reader->symbols[i].name);
  for (int i = 0; i < reader->problem->coordinate_count; i++) suggest_offer(&suggestion, reader->coordinates[i].name);
  for (int i = 0; i < reader->problem->field_count; i++) suggest_offer(&suggestion, reader->fields[i].name);
  if (strchr(name, '_')) offer_derivatives(reader, &suggestion);
  char room[SUGGEST_ROOM];
  suggest_phrase(&suggestion, room);
  const char *cut = strrchr(name, '_');
  for (int f = 0; cut && cut[1] && f < reader->problem->field_count; f++)
    if (strlen(reader->fields[f].name) == (size_t)(cut - name) &&
        memcmp(reader->fields[f].name, name, (size_t)(cut - name)) == 0)
      READER_FAIL(reader, ANS_MEANING, place, "'%s' is no derivative of '%s': '%s' is not made of coordinates%s", name,
                  reader->fields[f].name, cut + 1, room);
  READER_FAIL(reader, ANS_MEANING, place, "'%s' is not declared%s", name, room);
}
