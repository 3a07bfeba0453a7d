/* SPDX-License-Identifier: Apache-2.0
 *
 * map_fuzz.c - any bytes into the reader of error maps (`reproduce --report`). What is accepted can be drawn: nodes
 * that increase, errors that are finite and not negative.
 */
#include "budget.h"

#include <math.h>
#include <stdbool.h>

#include "lab/error_map.h"

static void check(const error_map *map) {
  insist(map->field_count >= 1 && map->field_count <= RECORD_MAX_FIELDS, "a number of fields");
  for (size_t axis = 0; axis < 2; axis++) {
    insist(map->sizes[axis] >= 2 && map->sizes[axis] <= ERROR_MAP_MOST, "a number of nodes");
    for (size_t i = 0; i < map->sizes[axis]; i++)
      insist(isfinite(map->axes[axis][i]) && (i == 0 || map->axes[axis][i] > map->axes[axis][i - 1]), "a node");
  }
  for (size_t f = 0; f < map->field_count; f++)
    for (size_t i = 0; i < map->sizes[0] * map->sizes[1]; i++)
      insist(isfinite(map->values[f][i]) && map->values[f][i] >= 0, "an error that is none");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  double begun = seconds_used();
  char message[256] = "";
  bool found;
  error_map map;
  bool good = error_map_read(memory_file(data, size), &map, &found, message, sizeof message);
  insist(found && good == (message[0] == '\0'), "a refusal without a sentence");
  if (good) check(&map);
  error_map_drop(&map);
  insist_on_budget(begun);
  return 0;
}
