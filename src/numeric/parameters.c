/* SPDX-License-Identifier: Apache-2.0 */
#include "numeric/parameters.h"

#include <assert.h>
#include <stdio.h>

size_t parameter_add(parameter_table *table, int rows, int columns, const char *format, ...) {
  parameter_part part = {.offset = table->size, .rows = rows, .columns = columns};
  table->size += parameter_count(&part);
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

/* FNV-1a of the name, 32 bits. */
static uint32_t name_hash(const char *name) {
  uint32_t hash = 2166136261u;
  for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 16777619u;
  return hash;
}

random_stream parameter_stream(const parameter_part *part, uint64_t seed, random_purpose purpose) {
  return random_open(seed, purpose, 0, name_hash(part->name));
}
