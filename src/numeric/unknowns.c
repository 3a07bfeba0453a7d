/* SPDX-License-Identifier: Apache-2.0 */
#include "numeric/unknowns.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

size_t unknown_add(unknown_table *table, unknown_role role, int rows, int columns, const char *format, ...) {
  assert(rows > 0 && columns >= 0); /* 0: a vector */
  unknown_part part = {.role = role, .offset = table->size, .rows = rows, .columns = columns};
  table->size += unknown_count(&part);
  if (!table->parts) return part.offset;
  assert(table->count < table->limit);
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(part.name, sizeof part.name, format, arguments);
  va_end(arguments);
  assert(length > 0 && (size_t)length < sizeof part.name);
  (void)length;
  table->parts[table->count++] = part;
  return part.offset;
}

void unknown_append(unknown_table *table, const char *prefix, const unknown_part *parts, int count) {
  assert(table->parts && count >= 0);
  size_t base = table->size, before = strlen(prefix);
  for (int i = 0; i < count; i++) {
    assert(table->count < table->limit);
    unknown_part *part = &table->parts[table->count++];
    *part = parts[i];
    int length = snprintf(part->name, sizeof part->name, "%s%s", prefix, parts[i].name);
    assert(length > 0 && (size_t)length < sizeof part->name);
    (void)length;
    part->own = parts[i].own + before;
    part->offset = base + parts[i].offset;
    table->size += unknown_count(part);
  }
}

const unknown_part *unknown_find(const unknown_table *table, const char *name) {
  for (int i = 0; i < table->count; i++)
    if (strcmp(table->parts[i].name, name) == 0) return &table->parts[i];
  return NULL;
}

size_t unknown_free_count(const unknown_table *table) {
  size_t count = 0;
  for (int i = 0; i < table->count; i++)
    if (table->parts[i].state != UNKNOWN_FROZEN) count += unknown_count(&table->parts[i]);
  return count;
}

/* FNV-1a of the name, 32 bits. */
static uint32_t name_hash(const char *name) {
  uint32_t hash = 2166136261u;
  for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 16777619u;
  return hash;
}

random_stream unknown_stream(const unknown_part *part, uint64_t seed, random_purpose purpose) {
  return random_open(seed, purpose, 0, name_hash(part->name + part->own));
}
