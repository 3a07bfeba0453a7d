/* SPDX-License-Identifier: Apache-2.0 */
#include "error_map.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAP_FORMAT = 1, PARTS = 1000 };

/* ---- Writing ---------------------------------------------------------------------------------------- */

static json_t *axis_json(const ans_solution *solution, size_t axis, size_t every) {
  const char *name;
  size_t size;
  const double *nodes = ans_solution_axis(solution, axis, &name, &size);
  json_t *list = json_array();
  int failed = 0;
  for (size_t i = 0; i < size; i += every) failed |= json_array_append_new(list, json_real(nodes[i]));
  if (failed) json_decref(list);
  return failed ? NULL : json_pack("{s:s, s:o}", "name", name, "nodes", list);
}

/* The nodes that are kept of a grid, and what is read at each. */
typedef struct sieve {
  const double *answer, *reference;
  size_t sizes[2], every;
} sieve;

static double error_at(const sieve *sieve, size_t i, size_t j) {
  size_t index = i * sieve->sizes[1] + j;
  return fabs(sieve->answer[index] - sieve->reference[index]);
}

static double largest_error(const sieve *sieve) {
  double largest = 0;
  for (size_t i = 0; i < sieve->sizes[0]; i += sieve->every)
    for (size_t j = 0; j < sieve->sizes[1]; j += sieve->every) largest = fmax(largest, error_at(sieve, i, j));
  return record_number(largest);
}

static json_t *field_json(const char *name, const sieve *sieve) {
  double largest = largest_error(sieve);
  json_t *list = json_array();
  int failed = 0;
  for (size_t i = 0; i < sieve->sizes[0]; i += sieve->every)
    for (size_t j = 0; j < sieve->sizes[1]; j += sieve->every) {
      double part = largest > 0 ? error_at(sieve, i, j) / largest : 0;
      failed |= json_array_append_new(list, json_integer(lrint(PARTS * fmin(part, 1))));
    }
  if (failed) json_decref(list);
  return failed ? NULL : json_pack("{s:s, s:f, s:o}", "name", name, "largest", largest, "thousandths", list);
}

char *error_map_text(const char *settings, long step, const ans_solution *answer, const ans_solution *reference,
                     size_t every) {
  assert(every > 0);
  if (ans_solution_axis_count(reference) != 2) return NULL;
  sieve sieve = {.every = every};
  json_t *axes = json_array(), *fields = json_array();
  int failed = 0;
  for (size_t axis = 0; axis < 2; axis++) {
    failed |= json_array_append_new(axes, axis_json(reference, axis, every));
    ans_solution_axis(reference, axis, NULL, &sieve.sizes[axis]);
  }
  for (size_t f = 0; f < ans_solution_field_count(reference); f++) {
    const char *name;
    sieve.answer = ans_solution_values(answer, f, NULL, NULL);
    sieve.reference = ans_solution_values(reference, f, &name, NULL);
    failed |= json_array_append_new(fields, field_json(name, &sieve));
  }
  json_t *root = json_pack("{s:i, s:s, s:I, s:o, s:o}", "format", MAP_FORMAT, "settings", settings, "step",
                           (json_int_t)step, "axes", axes, "fields", fields);
  char *text = root && !failed ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(8)) : NULL;
  json_decref(root);
  return text;
}

/* ---- Reading ---------------------------------------------------------------------------------------- */

static bool copy_name(const json_t *object, char target[RECORD_NAME]) {
  const json_t *text = json_object_get(object, "name");
  if (!json_is_string(text) || json_string_length(text) >= RECORD_NAME) return false;
  strcpy(target, json_string_value(text));
  return true;
}

/* Nodes increase: a picture is drawn between them. */
static bool read_axis(const json_t *entry, size_t axis, error_map *map) {
  const json_t *list = json_object_get(entry, "nodes");
  size_t size = json_array_size(list);
  if (size < 2 || size > ERROR_MAP_MOST || !copy_name(entry, map->names[axis])) return false;
  double *nodes = map->axes[axis] = calloc(size, sizeof *nodes);
  for (size_t i = 0; nodes && i < size; i++) {
    const json_t *node = json_array_get(list, i);
    nodes[i] = json_number_value(node);
    if (!json_is_number(node) || !isfinite(nodes[i]) || (i > 0 && !(nodes[i] > nodes[i - 1]))) return false;
  }
  map->sizes[axis] = size;
  return nodes != NULL;
}

static bool read_field(const json_t *entry, error_map *map) {
  size_t count = map->sizes[0] * map->sizes[1], f = map->field_count;
  const json_t *list = json_object_get(entry, "thousandths"), *scale = json_object_get(entry, "largest");
  double largest = json_number_value(scale);
  if (!json_is_number(scale) || !isfinite(largest) || largest < 0 || json_array_size(list) != count) return false;
  if (!copy_name(entry, map->fields[f]) || !(map->values[f] = calloc(count, sizeof(double)))) return false;
  map->field_count++;
  for (size_t i = 0; i < count; i++) {
    const json_t *part = json_array_get(list, i);
    json_int_t whole = json_integer_value(part);
    if (!json_is_integer(part) || whole < 0 || whole > PARTS) return false;
    map->values[f][i] = largest * (double)whole / PARTS;
  }
  return true;
}

static bool read_root(const json_t *root, error_map *map) {
  const json_t *axes = json_object_get(root, "axes"), *fields = json_object_get(root, "fields");
  const json_t *step = json_object_get(root, "step"), *settings = json_object_get(root, "settings");
  if (json_integer_value(json_object_get(root, "format")) != MAP_FORMAT || !json_is_integer(step)) return false;
  if (!json_is_string(settings) || json_string_length(settings) >= RECORD_NAME) return false;
  strcpy(map->settings, json_string_value(settings));
  map->step = (long)json_integer_value(step);
  if (json_array_size(axes) != 2 || !read_axis(json_array_get(axes, 0), 0, map) ||
      !read_axis(json_array_get(axes, 1), 1, map))
    return false;
  size_t count = json_array_size(fields);
  if (count == 0 || count > RECORD_MAX_FIELDS) return false;
  for (size_t f = 0; f < count; f++)
    if (!read_field(json_array_get(fields, f), map)) return false;
  return true;
}

bool error_map_read(const char *path, error_map *map, bool *found, char *message, size_t room) {
  memset(map, 0, sizeof *map);
  FILE *file = fopen(path, "rb");
  *found = file != NULL;
  if (!file) return true;
  json_error_t error;
  json_t *root = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
  fclose(file);
  bool good = root && read_root(root, map);
  if (!good)
    snprintf(message, room, "%s is not a map of this format (%s)", path,
             root ? "a part is missing or wrong" : error.text);
  json_decref(root);
  if (!good) error_map_drop(map);
  return good;
}

void error_map_drop(error_map *map) {
  for (size_t axis = 0; axis < 2; axis++) free(map->axes[axis]);
  for (size_t f = 0; f < RECORD_MAX_FIELDS; f++) free(map->values[f]);
  memset(map, 0, sizeof *map);
}
