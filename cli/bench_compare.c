/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_compare.c - two results of `ansatz bench --json` side by side.
 *
 * A time is the median of the best times of several parts of a run; its spread is how far these parts differ. The
 * ratio of two such times may be off by both spreads, so only what lies outside their sum is called a change.
 */
#include "bench_compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ansatz_tools.h"
#include "output.h"

enum { MOST_TIMES = 128, NAME_BYTES = 64 };

typedef struct timing {
  char name[NAME_BYTES]; /* "fisher_step", "width 96" */
  double ms, spread;     /* spread: NaN when the file does not tell */
} timing;

typedef struct timings {
  size_t count;
  timing list[MOST_TIMES];
} timings;

/* ---- Reading ------------------------------------------------------------------------------------------- */

static const char *const step_names[] = {"fisher_step", "cdr_step"};
static const char *const group_names[] = {"structures", "instruction_sets", "points", "width", "fields", "order"};

static double number_in(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* False: the entry has no time that could be one. Files of 0.2.0 have the best time alone. */
static bool add_timing(timings *timings, const char *group, const char *name, const json_t *entry) {
  double median = number_in(entry, "median_ms"), spread = number_in(entry, "spread");
  double ms = isnan(median) ? number_in(entry, "ms") : median;
  if (!(ms > 0 && isfinite(ms)) || spread < 0 || isinf(spread) || timings->count == MOST_TIMES) return false;
  timing *it = &timings->list[timings->count++];
  snprintf(it->name, sizeof it->name, "%s%s%.40s", group, *group ? " " : "", name);
  it->ms = ms;
  it->spread = spread;
  return true;
}

static bool add_group(timings *timings, const char *group, const json_t *list) {
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *entry = json_array_get(list, i);
    const char *name = json_string_value(json_object_get(entry, "name"));
    if (!name || !add_timing(timings, group, name, entry)) return false;
  }
  return true;
}

static bool read_timings(const json_t *report, timings *timings) {
  timings->count = 0;
  for (size_t i = 0; i < sizeof step_names / sizeof *step_names; i++)
    if (!add_timing(timings, "", step_names[i], json_object_get(report, step_names[i]))) return false;
  for (size_t i = 0; i < sizeof group_names / sizeof *group_names; i++)
    if (!add_group(timings, group_names[i], json_object_get(report, group_names[i]))) return false;
  return true;
}

int bench_read(const char *path, json_t **report) {
  json_error_t error;
  static timings timings;
  *report = json_load_file(path, 0, &error);
  if (!*report && error.line < 0)
    complain("cannot read %s: %s", path, error.text);
  else if (!*report)
    complain("%s:%d: %s", path, error.line, error.text);
  else if (!read_timings(*report, &timings))
    complain("%s is not what `ansatz bench --json` prints: a step has no time", path);
  else
    return EXIT_OK;
  json_decref(*report);
  *report = NULL;
  return EXIT_FILE;
}

/* ---- Comparing ----------------------------------------------------------------------------------------- */

typedef struct change {
  const timing *old, *new;
  double ratio, noise;
  const char *verdict;
} change;

static change change_of(const timing *old, const timing *new) {
  change it = {old, new, new->ms / old->ms, old->spread + new->spread, "unknown"};
  if (!isnan(it.noise))
    it.verdict = fabs(it.ratio - 1) <= it.noise ? "within the noise" : it.ratio < 1 ? "faster" : "slower";
  return it;
}

/* Of the names that both have, in the order of the new one. A name that a file has twice is matched once for each. */
static size_t compare(const timings *old, const timings *new, change *changes) {
  bool taken[MOST_TIMES] = {false};
  size_t count = 0;
  for (size_t i = 0; i < new->count; i++)
    for (size_t k = 0; k < old->count; k++)
      if (!taken[k] && strcmp(old->list[k].name, new->list[i].name) == 0) {
        taken[k] = true;
        changes[count++] = change_of(&old->list[k], &new->list[i]);
        break;
      }
  return count;
}

/* ---- Telling ------------------------------------------------------------------------------------------- */

static const char *const origin_keys[] = {"version", "commit", "cpu", "isa"};

static void tell_origin(const char *label, const json_t *report) {
  printf("%-5s", label);
  for (size_t i = 0; i < sizeof origin_keys / sizeof *origin_keys; i++) {
    const char *text = json_string_value(json_object_get(report, origin_keys[i]));
    if (!text || !*text) continue;
    fputs("  ", stdout);
    print_safely(stdout, text, 96);
  }
  fputc('\n', stdout);
}

static void tell_change(const change *it) {
  size_t used = print_safely(stdout, it->old->name, NAME_BYTES);
  printf("%*s %10.3f %10.3f %8.3f ", used < 32 ? (int)(32 - used) : 0, "", it->old->ms, it->new->ms, it->ratio);
  if (isnan(it->noise))
    printf("%8s  no spread recorded\n", "?");
  else
    printf("%8.3f  %s\n", it->noise, it->verdict);
}

static void tell_text(const json_t *old, const json_t *new, const change *changes, size_t count, size_t unmatched) {
  tell_origin("old", old);
  tell_origin("new", new);
  printf("\n%-32s %10s %10s %8s %8s\n", "", "old ms", "new ms", "new/old", "noise");
  for (size_t i = 0; i < count; i++) tell_change(&changes[i]);
  if (unmatched) printf("\n%zu times are in only one of the two.\n", unmatched);
}

static json_t *origin_json(const json_t *report) {
  json_t *object = json_object();
  for (size_t i = 0; i < sizeof origin_keys / sizeof *origin_keys; i++) {
    const char *text = json_string_value(json_object_get(report, origin_keys[i]));
    json_object_set_new(object, origin_keys[i], json_of_text(text ? text : ""));
  }
  return object;
}

static json_t *changes_json(const change *changes, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o, s:o, s:s}", "name", json_of_text(changes[i].old->name),
                                          "old_ms", json_of_number(changes[i].old->ms), "new_ms",
                                          json_of_number(changes[i].new->ms), "ratio", json_of_number(changes[i].ratio),
                                          "noise", json_of_number(changes[i].noise), "verdict", changes[i].verdict));
  return list;
}

int bench_compare(const json_t *old, json_t *new, bool as_json) {
  static timings before, after;
  static change changes[MOST_TIMES];
  int code = EXIT_OK;
  if (!read_timings(old, &before) || !read_timings(new, &after)) {
    complain("a step has no time"); /* cannot be: files were checked, and what was measured took time */
    json_decref(new);
    return EXIT_FILE;
  }
  size_t count = compare(&before, &after, changes), unmatched = before.count + after.count - 2 * count;
  if (as_json)
    code = print_json(json_pack("{s:o, s:o, s:o, s:I}", "old", origin_json(old), "new", origin_json(new), "comparison",
                                changes_json(changes, count), "unmatched", (json_int_t)unmatched));
  else
    tell_text(old, new, changes, count, unmatched);
  json_decref(new);
  return code;
}
