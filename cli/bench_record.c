/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_record.c - see bench_record.h. {"commit", "seed", "trials": {key: {"steps", "wall", "seconds", "errors"}}}.
 */
#include "bench_record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ansatz_tools.h"
#include "commit.h"
#include "output.h"

/* Numbers, null for one that is not finite; at most TRIAL_LOOKS of them. */
static bool read_numbers(const json_t *list, int *count, double *numbers) {
  size_t size = json_array_size(list);
  if (size < 1 || size > TRIAL_LOOKS) return false;
  for (size_t i = 0; i < size; i++) {
    const json_t *value = json_array_get(list, i);
    if (!json_is_number(value) && !json_is_null(value)) return false;
    numbers[i] = json_is_number(value) ? json_number_value(value) : (double)NAN;
  }
  *count = (int)size;
  return true;
}

static bool read_trial(const json_t *object, trial *result) {
  const json_t *steps = json_object_get(object, "steps"), *wall = json_object_get(object, "wall");
  int looks = 0;
  *result = (trial){.steps = (long)json_integer_value(steps), .wall = json_number_value(wall)};
  return json_is_integer(steps) && json_is_number(wall) &&
         read_numbers(json_object_get(object, "seconds"), &result->count, result->seconds) &&
         read_numbers(json_object_get(object, "errors"), &looks, result->errors) && looks == result->count;
}

/* NULL: it is a record of this commit and seed; else what is wrong with it. */
static const char *fault_of(json_t *content, uint64_t seed) {
  static trial trial;
  const char *commit = json_string_value(json_object_get(content, "commit")), *key;
  json_t *trials = json_object_get(content, "trials"), *it;
  if (!commit || !json_is_object(trials)) return "is not a record of `ansatz bench --accuracy`";
  if (strcmp(commit, build_commit) != 0) return "holds trials of another commit";
  if (json_integer_value(json_object_get(content, "seed")) != (json_int_t)seed) return "holds trials of another seed";
  json_object_foreach(trials, key, it) if (!read_trial(it, &trial)) return "holds a trial without its numbers";
  return NULL;
}

static int refuse(bench_record *record, const char *path, const char *fault) {
  complain("%s %s", path, fault);
  bench_record_close(record);
  return EXIT_FILE;
}

int bench_record_open(const char *path, uint64_t seed, bench_record *record) {
  json_error_t error;
  *record = (bench_record){.path = path};
  if (!path) return EXIT_OK;
  if (access(path, F_OK) != 0) {
    record->content = json_pack("{s:s, s:I, s:{}}", "commit", build_commit, "seed", (json_int_t)seed, "trials");
    return record->content ? EXIT_OK : refuse(record, path, "finds no memory");
  }
  record->content = json_load_file(path, 0, &error);
  if (!record->content) return refuse(record, path, "cannot be read as JSON");
  const char *fault = fault_of(record->content, seed);
  return fault ? refuse(record, path, fault) : EXIT_OK;
}

void bench_record_close(bench_record *record) {
  json_decref(record->content);
  record->content = NULL;
}

bool bench_record_find(const bench_record *record, const char *key, trial *result) {
  return record->path && read_trial(json_object_get(json_object_get(record->content, "trials"), key), result);
}

ans_status bench_record_add(ans_context *context, bench_record *record, const char *key, const trial *trial) {
  if (!record->path) return ANS_OK;
  json_t *object =
      json_pack("{s:I, s:o, s:o, s:o}", "steps", (json_int_t)trial->steps, "wall", json_of_number(trial->wall),
                "seconds", json_of_numbers(trial->seconds, (size_t)trial->count), "errors",
                json_of_numbers(trial->errors, (size_t)trial->count));
  int failed = json_object_set_new(json_object_get(record->content, "trials"), key, object);
  char *text = failed ? NULL : json_dumps(record->content, JSON_COMPACT | JSON_SORT_KEYS);
  if (!text) return ans_context_fail(context, ANS_MEMORY, "memory is exhausted");
  ans_status status = ans_file_write(context, record->path, text, strlen(text));
  free(text);
  return status;
}
