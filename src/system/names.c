/* SPDX-License-Identifier: Apache-2.0
 *
 * names.c - what a name in an equation means.
 *
 * A derivative is written field_coordinates, as in u_xx, u_xt, N_xixi. Names of coordinates have no underscore, so
 * the last one is where to cut; reader_check_names sees to it that the rest can be read in one way only.
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

enum { MAX_SUFFIX = SYSTEM_MAX_ORDER * 64 };

int system_cut_coordinates(const system_coordinate *coordinates, int count, const char *text, unsigned *order) {
  /* ways[i]: how often text[i..] can be cut; first[i]: one way to begin. */
  size_t length = strlen(text);
  int ways[MAX_SUFFIX + 1] = {0}, first[MAX_SUFFIX + 1] = {0};
  if (length == 0 || length > MAX_SUFFIX) return 0;
  ways[length] = 1;
  for (size_t i = length; i-- > 0;)
    for (int c = 0; c < count; c++) {
      size_t step = strlen(coordinates[c].name);
      if (step > length - i || memcmp(text + i, coordinates[c].name, step) != 0 || !ways[i + step]) continue;
      ways[i] = ways[i] + ways[i + step] > 1 ? 2 : 1;
      first[i] = c;
    }
  if (!ways[0]) return 0;
  for (size_t i = 0; i < length; i += strlen(coordinates[first[i]].name)) order[first[i]]++;
  return ways[0];
}

static int cut_into_coordinates(const reader *reader, const char *text, system_factor *factor) {
  unsigned order[SYSTEM_MAX_COORDINATES] = {0};
  int count = reader->problem->coordinate_count, ways = system_cut_coordinates(reader->coordinates, count, text, order);
  for (int c = 0; c < count; c++) factor->order[c] = (uint8_t)(order[c] < UINT8_MAX ? order[c] : UINT8_MAX);
  return ways;
}

static int derivative_of(const reader *reader, const char *name, system_factor *factor) {
  const char *cut = strrchr(name, '_');
  if (!cut) return 0;
  for (int f = 0; f < reader->problem->field_count; f++) {
    size_t length = strlen(reader->fields[f].name);
    if (length != (size_t)(cut - name) || memcmp(reader->fields[f].name, name, length) != 0) continue;
    *factor = (system_factor){.field = f, .power = 1};
    return cut_into_coordinates(reader, cut + 1, factor);
  }
  return 0;
}

bool reader_factor(const reader *reader, const char *name, system_factor *factor) {
  *factor = (system_factor){.field = reader_field(reader, name), .power = 1};
  return factor->field >= 0 || derivative_of(reader, name, factor) > 0;
}

/* ---- Names that would be read in two ways ------------------------------------------------------------------ */

/* Tries every word of up to SYSTEM_MAX_ORDER coordinates. */
static ans_status check_coordinate_names(reader *reader) {
  int base = reader->problem->coordinate_count, count = 1;
  for (int letters = 1; letters <= SYSTEM_MAX_ORDER; letters++) {
    count *= base;
    for (int code = 0; code < count; code++) {
      char word[SYSTEM_MAX_ORDER * 64 + 1] = "";
      system_factor ignored = {0};
      for (int i = 0, rest = code; i < letters; i++, rest /= base) strcat(word, reader->coordinates[rest % base].name);
      if (cut_into_coordinates(reader, word, &ignored) > 1)
        READER_FAIL(reader, ANS_MEANING, reader_place(reader, STATEMENT_COORDINATE),
                    "a derivative such as %s_%s could be read in two ways; rename a coordinate", reader->fields[0].name,
                    word);
    }
  }
  return ANS_OK;
}

ans_status reader_check_names(reader *reader) {
  system_factor factor;
  TRY(check_coordinate_names(reader));
  for (int f = 0; f < reader->problem->field_count; f++)
    if (derivative_of(reader, reader->fields[f].name, &factor))
      READER_FAIL(reader, ANS_MEANING, reader->field_statements[f]->name.place,
                  "'%s' already means a derivative of '%s'", reader->fields[f].name, reader->fields[factor.field].name);
  return ANS_OK;
}

/* ---- Names that mean nothing -------------------------------------------------------------------------------- */

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
  suggest_offer(&suggestion, "pi");
  suggest_offer(&suggestion, "d");
  reader_offer_functions(&suggestion);
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
      READER_FAIL(reader, ANS_MEANING, place, "'%s' is not a derivative of '%s': '%s' is not made of coordinates%s",
                  name, reader->fields[f].name, cut + 1, room);
  READER_FAIL(reader, ANS_MEANING, place, "'%s' is not declared%s", name, room);
}
