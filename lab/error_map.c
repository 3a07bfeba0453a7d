/* SPDX-License-Identifier: Apache-2.0 */
#include "error_map.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    if (!json_is_integer(part) || whole < 0 || whole > ERROR_MAP_PARTS) return false;
    map->values[f][i] = largest * ((double)whole / ERROR_MAP_PARTS);
  }
  return true;
}

static bool read_root(const json_t *root, error_map *map) {
  const json_t *axes = json_object_get(root, "axes"), *fields = json_object_get(root, "fields");
  const json_t *step = json_object_get(root, "step"), *settings = json_object_get(root, "settings");
  if (json_integer_value(json_object_get(root, "format")) != ERROR_MAP_FORMAT || !json_is_integer(step)) return false;
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
