/* SPDX-License-Identifier: Apache-2.0 */
#include "job_record.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORD_FORMAT = 1, RECORD_DIGITS = 8 };

bool record_new(record *record) {
  memset(record, 0, sizeof *record);
  record->cases = calloc(RECORD_MAX_CASES, sizeof *record->cases);
  return record->cases != NULL;
}

void record_drop(record *record) {
  free(record->cases);
  memset(record, 0, sizeof *record);
}

double record_number(double value) {
  char text[32];
  snprintf(text, sizeof text, "%.*g", (int)RECORD_DIGITS, value);
  return strtod(text, NULL);
}

/* ---- Errors ----------------------------------------------------------------------------------------- */

double record_error(const record *record, const record_case *entry, size_t evaluation, const char *field) {
  assert(evaluation < entry->evaluation_count && record->field_count <= RECORD_MAX_FIELDS);
  double sum = 0;
  for (size_t f = 0; f < record->field_count; f++) {
    if (field && strcmp(field, record->fields[f]) == 0) return entry->errors[evaluation][f];
    sum += entry->errors[evaluation][f];
  }
  return field ? nan("") : sum / (double)record->field_count;
}

double record_best_error(const record *record, const record_case *entry, const char *field) {
  double best = INFINITY;
  for (size_t e = 0; e < entry->evaluation_count; e++) best = fmin(best, record_error(record, entry, e, field));
  return best;
}

/* ---- Writing ---------------------------------------------------------------------------------------- */

static json_t *error_rows(const record *record, const record_case *entry) {
  json_t *rows = json_array();
  for (size_t e = 0; e < entry->evaluation_count; e++) {
    json_t *row = json_array();
    int failed = 0; /* what is not finite is no JSON */
    for (size_t f = 0; f < record->field_count; f++)
      failed |= json_array_append_new(row, json_real(entry->errors[e][f]));
    if (json_array_append_new(rows, row) || failed) {
      json_decref(rows);
      return NULL;
    }
  }
  return rows;
}

/* Final and best are there for readers; what is read back are the errors. */
static json_t *case_json(const record *record, const record_case *entry) {
  assert(entry->evaluation_count > 0);
  json_t *steps = json_array(), *seconds = json_array();
  for (size_t e = 0; e < entry->evaluation_count; e++) {
    json_array_append_new(steps, json_integer(entry->steps[e]));
    json_array_append_new(seconds, json_real(entry->seconds[e]));
  }
  return json_pack("{s:s, s:s*, s:f, s:f, s:f, s:i, s:o, s:o, s:o}", "name", entry->name, "choice",
                   entry->choice[0] ? entry->choice : NULL, "final",
                   record_error(record, entry, entry->evaluation_count - 1, NULL), "best",
                   record_best_error(record, entry, NULL), "residual", entry->residual, "returns", entry->returns,
                   "steps", steps, "seconds", seconds, "errors", error_rows(record, entry));
}

char *record_text(const record *record) {
  json_t *fields = json_array(), *cases = json_array();
  for (size_t f = 0; f < record->field_count; f++) json_array_append_new(fields, json_string(record->fields[f]));
  int failed = 0;
  for (size_t c = 0; c < record->case_count; c++)
    failed |= json_array_append_new(cases, case_json(record, &record->cases[c]));
  json_t *root = json_pack(
      "{s:i, s:s, s:s, s:s, s:s, s:s, s:i, s:I, s:I, s:I, s:f, s:i, s:o, s:o}", "format", RECORD_FORMAT, "version",
      record->version, "settings", record->settings, "machine", record->machine, "family", record->family, "descriptor",
      record->descriptor, "rounds", record->rounds, "seed", (json_int_t)record->seed, "parameters",
      (json_int_t)record->parameters, "train_steps", (json_int_t)record->train_steps, "train_seconds",
      record->train_seconds, "train_returns", record->train_returns, "fields", fields, "cases", cases);
  char *text = root && !failed ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(RECORD_DIGITS)) : NULL;
  json_decref(root);
  return text;
}

/* ---- Reading ---------------------------------------------------------------------------------------- */

static bool copy_text(const json_t *text, char *target, size_t room) {
  if (!json_is_string(text) || json_string_length(text) >= room) return false;
  strcpy(target, json_string_value(text));
  return true;
}

static bool copy_name(const json_t *root, const char *key, char target[RECORD_NAME]) {
  return copy_text(json_object_get(root, key), target, RECORD_NAME);
}

/* A number in its place: nothing is taken for zero. */
static bool read_number(const json_t *value, double *result) {
  *result = json_number_value(value);
  return json_is_number(value) && isfinite(*result) && *result >= 0;
}

static bool read_count(const json_t *value, json_int_t *result) {
  *result = json_integer_value(value);
  return json_is_integer(value) && *result >= 0;
}

/* Of rounds or returns, of which no run has many. */
static bool read_small_count(const json_t *value, int *result) {
  json_int_t count;
  if (!read_count(value, &count) || count > 1000) return false;
  *result = (int)count;
  return true;
}

/* Records made before returns were counted have none: their evaluations lie at exact steps, which a return moved. */
static bool read_returns(const json_t *value, int *result) {
  *result = 0;
  return !value || read_small_count(value, result);
}

static bool read_evaluation(const json_t *step, const json_t *seconds, const json_t *row, size_t field_count, size_t e,
                            record_case *result) {
  json_int_t count;
  if (!read_count(step, &count) || !read_number(seconds, &result->seconds[e]) || json_array_size(row) != field_count)
    return false;
  result->steps[e] = (long)count;
  for (size_t f = 0; f < field_count; f++)
    if (!read_number(json_array_get(row, f), &result->errors[e][f])) return false;
  return true;
}

static bool read_evaluations(const json_t *entry, size_t field_count, record_case *result) {
  const json_t *steps = json_object_get(entry, "steps"), *seconds = json_object_get(entry, "seconds");
  const json_t *errors = json_object_get(entry, "errors");
  size_t count = json_array_size(steps);
  if (count == 0 || count > RECORD_MAX_EVALUATIONS || json_array_size(seconds) != count ||
      json_array_size(errors) != count)
    return false;
  for (size_t e = 0; e < count; e++)
    if (!read_evaluation(json_array_get(steps, e), json_array_get(seconds, e), json_array_get(errors, e), field_count,
                         e, result))
      return false;
  result->evaluation_count = count;
  if (!read_number(json_object_get(entry, "residual"), &result->residual) ||
      !read_returns(json_object_get(entry, "returns"), &result->returns))
    return false;
  const json_t *choice = json_object_get(entry, "choice");
  if (choice && !copy_text(choice, result->choice, RECORD_CHOICE)) return false;
  return copy_name(entry, "name", result->name);
}

static bool read_fields(const json_t *list, record *record) {
  record->field_count = json_array_size(list);
  if (record->field_count == 0 || record->field_count > RECORD_MAX_FIELDS) return false;
  for (size_t f = 0; f < record->field_count; f++)
    if (!copy_text(json_array_get(list, f), record->fields[f], RECORD_NAME)) return false;
  return true;
}

static bool read_root(const json_t *root, record *record) {
  if (json_integer_value(json_object_get(root, "format")) != RECORD_FORMAT) return false;
  if (!copy_name(root, "version", record->version) || !copy_name(root, "settings", record->settings) ||
      !copy_name(root, "machine", record->machine) || !copy_name(root, "family", record->family) ||
      !copy_name(root, "descriptor", record->descriptor) || !read_fields(json_object_get(root, "fields"), record))
    return false;
  json_int_t seed, parameters, steps;
  if (!read_small_count(json_object_get(root, "rounds"), &record->rounds) ||
      !read_count(json_object_get(root, "seed"), &seed) ||
      !read_count(json_object_get(root, "parameters"), &parameters) ||
      !read_count(json_object_get(root, "train_steps"), &steps) ||
      !read_number(json_object_get(root, "train_seconds"), &record->train_seconds) ||
      !read_returns(json_object_get(root, "train_returns"), &record->train_returns))
    return false;
  record->seed = (uint64_t)seed;
  record->parameters = (size_t)parameters;
  record->train_steps = (long)steps;
  const json_t *cases = json_object_get(root, "cases");
  record->case_count = json_array_size(cases);
  if (record->case_count > RECORD_MAX_CASES) return false;
  for (size_t c = 0; c < record->case_count; c++)
    if (!read_evaluations(json_array_get(cases, c), record->field_count, &record->cases[c])) return false;
  return true;
}

bool record_read(const char *path, record *record, bool *found, char *message, size_t room) {
  FILE *file = fopen(path, "rb");
  *found = file != NULL;
  if (!file) return true;
  json_error_t error;
  json_t *root = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
  fclose(file);
  bool good = root && read_root(root, record);
  if (!good)
    snprintf(message, room, "%s is not a record of this format (%s)", path,
             root ? "a part is missing or wrong" : error.text);
  json_decref(root);
  return good;
}

const record_case *record_find_case(const record *record, const char *name) {
  for (size_t c = 0; c < record->case_count; c++)
    if (strcmp(record->cases[c].name, name) == 0) return &record->cases[c];
  return NULL;
}
