/* SPDX-License-Identifier: Apache-2.0 */
#include "experiment.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/shared.h"
#include "job_record.h"
#include "measure.h"

/* Where a failure is reported; reading goes on only while nothing was reported. */
typedef struct reader {
  char *message;
  size_t room;
  const char *path;
} reader;

static bool refuse(reader *reader, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int used = snprintf(reader->message, reader->room, "%s: ", reader->path);
  if (used > 0 && (size_t)used < reader->room)
    vsnprintf(reader->message + used, reader->room - (size_t)used, format, arguments);
  va_end(arguments);
  return false;
}

/* A key that nobody reads is a slip of the pen, whose effect would be missed. `keys` like "title|note". */
static bool keys_known(reader *reader, const json_t *object, const char *keys) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)object, key, value) {
    if (list_place(keys, '|', key) < 0) return refuse(reader, "there is no key \"%s\" here, but %s", key, keys);
  }
  return true;
}

static const char *text_of(const json_t *object, const char *key) {
  return json_string_value(json_object_get(object, key));
}

/* The family's path is relative to the experiment's file. */
static char *family_path(const char *experiment_path, const char *family) {
  const char *slash = strrchr(experiment_path, '/');
  size_t folder = slash && family[0] != '/' ? (size_t)(slash - experiment_path) + 1 : 0;
  char *path = malloc(folder + strlen(family) + 1);
  if (!path) return NULL;
  memcpy(path, experiment_path, folder);
  strcpy(path + folder, family);
  return path;
}

/* Whether a record's file may be called so: it stays in its folder, and a list like "graph,set" can name it. */
static bool plain_name(const char *name) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  return name[0] && name[0] != '.' && name[strspn(name, letters)] == '\0';
}

/* The family's records get a folder of its name, which must not be that of another. */
static bool names_folder(const char *family) {
  const char *slash = strrchr(family, '/'), *name = slash ? slash + 1 : family;
  return name[0] && name[0] != '.';
}

static bool names_are_plain(reader *reader, const experiment_arm *arm, const char *family) {
  if (!plain_name(arm->name) || !plain_name(arm->descriptor))
    return refuse(reader,
                  "\"%.40s\" is not a valid name of an arm or a descriptor: letters, digits, \"-\", \"_\" and \".\"",
                  plain_name(arm->name) ? arm->descriptor : arm->name);
  return names_folder(family) || refuse(reader, "\"%.40s\" is not a valid name of a problem file", family);
}

static bool read_seeds(reader *reader, const json_t *list, experiment_arm *arm) {
  size_t index;
  json_t *seed;
  if (json_array_size(list) == 0 || json_array_size(list) > EXPERIMENT_MAX_SEEDS)
    return refuse(reader, "\"seeds\" must hold 1 to %d numbers", EXPERIMENT_MAX_SEEDS);
  json_array_foreach(list, index, seed) {
    if (!json_is_integer(seed) || json_integer_value(seed) < 0)
      return refuse(reader, "a seed must be a whole number, not negative");
    arm->seeds[index] = (uint64_t)json_integer_value(seed);
    for (size_t other = 0; other < index; other++)
      if (arm->seeds[other] == arm->seeds[index])
        return refuse(reader, "the seed %llu appears twice", (unsigned long long)arm->seeds[index]);
  }
  arm->seed_count = json_array_size(list);
  return true;
}

static bool read_rounds(reader *reader, const json_t *rounds, experiment_arm *arm) {
  enum { MOST = 16 }; /* as `ansatz train --rounds` takes them */
  if (rounds && (!json_is_integer(rounds) || json_integer_value(rounds) < 1 || json_integer_value(rounds) > MOST))
    return refuse(reader, "the arm \"%s\" has \"rounds\" that are not a whole number from 1 to %d", arm->name, MOST);
  arm->rounds = (int)json_integer_value(rounds);
  return true;
}

static bool read_arm(reader *reader, const json_t *root, const json_t *entry, experiment *experiment) {
  size_t index = experiment->arm_count;
  if (index == EXPERIMENT_MAX_ARMS) return refuse(reader, "more than %d arms", EXPERIMENT_MAX_ARMS);
  experiment_arm *arm = &experiment->arms[index];
  const char *family = text_of(entry, "family");
  if (!family) family = text_of(root, "family");
  arm->name = text_of(entry, "name");
  arm->label = text_of(entry, "label");
  arm->descriptor = text_of(entry, "descriptor");
  if (!keys_known(reader, entry, "name|label|descriptor|rounds|family|seeds")) return false;
  if (!arm->name || !arm->label || !arm->descriptor || !family)
    return refuse(reader, "an arm needs \"name\", \"label\", \"descriptor\" and a family");
  if (!names_are_plain(reader, arm, family)) return false;
  if (experiment_find_arm(experiment, arm->name) >= 0) return refuse(reader, "the arm \"%s\" appears twice", arm->name);
  if (!read_rounds(reader, json_object_get(entry, "rounds"), arm)) return false;
  experiment->family_paths[index] = family_path(reader->path, family);
  if (!experiment->family_paths[index]) return refuse(reader, "memory is exhausted");
  arm->family = experiment->family_paths[index];
  experiment->arm_count++;
  const json_t *own_seeds = json_object_get(entry, "seeds");
  return read_seeds(reader, own_seeds ? own_seeds : json_object_get(root, "seeds"), arm);
}

/* [mean, deviation], the deviation null or absent where the paper gives none. A population deviation becomes that of a
 * sample, as ours are. */
static bool read_pair(const json_t *pair, bool population, sample *over) {
  const json_t *mean = json_array_get(pair, 0), *deviation = json_array_get(pair, 1);
  if (!json_is_number(mean) || (deviation && !json_is_number(deviation) && !json_is_null(deviation))) return false;
  over->mean = json_number_value(mean);
  if (!json_is_number(deviation)) return true;
  over->deviation = json_number_value(deviation);
  if (population && over->count > 1) over->deviation *= sqrt((double)over->count / (double)(over->count - 1));
  return true;
}

/* {"seeds": [...]}: the paper's number of each seed. */
static bool read_paper_seeds(const json_t *list, experiment_number *number) {
  size_t index;
  json_t *value;
  if (json_array_size(list) == 0 || json_array_size(list) > EXPERIMENT_MAX_SEEDS) return false;
  json_array_foreach(list, index, value) {
    if (!json_is_number(value)) return false;
    number->seeds[index] = json_number_value(value);
  }
  number->seed_count = json_array_size(list);
  number->over = sample_of(number->seeds, number->seed_count);
  return true;
}

static bool read_paper(reader *reader, const json_t *entry, const experiment *experiment, experiment_table *table) {
  bool population = json_is_true(json_object_get(entry, "population"));
  for (size_t arm = 0; arm < experiment->arm_count; arm++)
    table->paper[arm] = (experiment_number){.over = {experiment->arms[arm].seed_count, nan(""), nan("")}};
  const char *name;
  json_t *cell;
  json_object_foreach(json_object_get(entry, "paper"), name, cell) {
    int arm = experiment_find_arm(experiment, name);
    if (arm < 0) return refuse(reader, "the paper's number is for \"%s\", which is not an arm", name);
    experiment_number *number = &table->paper[arm];
    bool good = json_is_object(cell) ? read_paper_seeds(json_object_get(cell, "seeds"), number)
                                     : read_pair(cell, population, &number->over);
    if (!good) return refuse(reader, "the paper's number for \"%s\" is not [mean, deviation]", name);
  }
  return true;
}

static bool case_list(reader *reader, const json_t *list) {
  if (json_array_size(list) > 0 && json_array_size(list) <= EXPERIMENT_MAX_CASES) return true;
  return refuse(reader, "\"cases\" must hold 1 to %d cases", EXPERIMENT_MAX_CASES);
}

static int find_case(const experiment *experiment, const char *name) {
  for (size_t c = 0; c < experiment->case_count; c++)
    if (strcmp(experiment->cases[c], name) == 0) return (int)c;
  return -1;
}

/* The name of a case of the family, or {"name", "structure", "values"}. */
static bool read_case(reader *reader, const json_t *entry, experiment *experiment) {
  size_t index = experiment->case_count;
  const char *name = json_is_object(entry) ? text_of(entry, "name") : json_string_value(entry);
  experiment_choice choice = {text_of(entry, "structure"), text_of(entry, "values")};
  if (json_is_object(entry) && !keys_known(reader, entry, "name|structure|values")) return false;
  if (!name || (json_is_object(entry) && (!choice.structure || !choice.values)))
    return refuse(reader, "a case is a name, or an object with \"name\", \"structure\" and \"values\"");
  size_t length = choice.structure ? strlen(choice.structure) + 1 + strlen(choice.values) : 0;
  if (strlen(name) >= RECORD_NAME || length >= RECORD_CHOICE)
    return refuse(reader, "the case \"%.20s\" has a name or values too long for a record", name);
  if (find_case(experiment, name) >= 0) return refuse(reader, "the case \"%s\" appears twice", name);
  experiment->cases[index] = name;
  experiment->choices[index] = choice;
  experiment->case_count++;
  return true;
}

static bool read_cases(reader *reader, const json_t *list, experiment *experiment) {
  size_t index;
  json_t *entry;
  if (!case_list(reader, list)) return false;
  json_array_foreach(list, index, entry) if (!read_case(reader, entry, experiment)) return false;
  return true;
}

/* Some of the experiment's cases, by name. */
static bool choose_cases(reader *reader, const json_t *list, const experiment *experiment, experiment_table *table) {
  size_t index;
  json_t *entry;
  if (!case_list(reader, list)) return false;
  json_array_foreach(list, index, entry) {
    const char *name = json_string_value(entry);
    if (!name || find_case(experiment, name) < 0)
      return refuse(reader, "\"%s\" is not a case of this experiment", name ? name : "?");
    table->cases[index] = name;
  }
  table->case_count = json_array_size(list);
  return true;
}

static const char measures[] = "there are initial, step:N, final, last:N, best, residual, hits:E, count:E, reach:E, "
                               "first:E, pooled:E, seconds:train and seconds:E";

static bool read_table(reader *reader, const json_t *entry, experiment *experiment) {
  if (experiment->table_count == EXPERIMENT_MAX_TABLES)
    return refuse(reader, "more than %d tables", EXPERIMENT_MAX_TABLES);
  if (!keys_known(reader, entry, "title|measure|field|cases|unit|figure|paper|population")) return false;
  experiment_table *table = &experiment->tables[experiment->table_count++];
  table->title = text_of(entry, "title");
  table->measure = text_of(entry, "measure");
  const json_t *field = json_object_get(entry, "field");
  table->field = json_string_value(field);
  if (field && !table->field) return refuse(reader, "a table's \"field\" is not a name");
  table->unit = json_number_value(json_object_get(entry, "unit"));
  const char *figure = text_of(entry, "figure");
  table->figure = figure != NULL;
  table->joined = figure && strcmp(figure, "joined") == 0;
  if (!table->title || !table->measure || !(table->unit > 0))
    return refuse(reader, "a table needs \"title\", \"measure\" and a positive \"unit\"");
  if (!measure_known(table->measure))
    return refuse(reader, "a table has the measure \"%s\"; %s", table->measure, measures);
  const json_t *own = json_object_get(entry, "cases");
  if (own && !choose_cases(reader, own, experiment, table)) return false;
  if (!own) memcpy(table->cases, experiment->cases, sizeof table->cases), table->case_count = experiment->case_count;
  return read_paper(reader, entry, experiment, table);
}

static bool read_claim(reader *reader, const json_t *entry, experiment *experiment) {
  if (experiment->claim_count == EXPERIMENT_MAX_TABLES)
    return refuse(reader, "more than %d claims", EXPERIMENT_MAX_TABLES);
  if (!keys_known(reader, entry, "text|measure|less|ours")) return false;
  experiment_claim *claim = &experiment->claims[experiment->claim_count++];
  claim->text = text_of(entry, "text");
  claim->measure = text_of(entry, "measure");
  claim->ours = json_is_true(json_object_get(entry, "ours"));
  const json_t *less = json_object_get(entry, "less");
  if (!claim->text || !claim->measure || json_array_size(less) < 2 || json_array_size(less) > EXPERIMENT_MAX_ARMS)
    return refuse(reader, "a claim needs \"text\", \"measure\" and at least two arms in \"less\"");
  if (!measure_known(claim->measure))
    return refuse(reader, "a claim has the measure \"%s\"; %s", claim->measure, measures);
  size_t index;
  json_t *name;
  json_array_foreach(less, index, name) {
    claim->arms[index] = experiment_find_arm(experiment, json_string_value(name));
    if (claim->arms[index] < 0)
      return refuse(reader, "a claim names \"%s\", which is not an arm",
                    json_string_value(name) ? json_string_value(name) : "?");
  }
  claim->arm_count = json_array_size(less);
  return true;
}

/* Maps are files that are named after their cases. */
static bool read_maps(reader *reader, const json_t *maps, experiment *experiment) {
  enum { MOST = 64 };
  if (!maps) return true;
  if (!json_is_integer(maps) || json_integer_value(maps) < 1 || json_integer_value(maps) > MOST)
    return refuse(reader, "\"maps\" must be a whole number from 1 to %d: every how many nodes are kept", MOST);
  experiment->map_every = (size_t)json_integer_value(maps);
  for (size_t c = 0; c < experiment->case_count; c++)
    if (!plain_name(experiment->cases[c]))
      return refuse(reader, "a map cannot be named after the case \"%.40s\"", experiment->cases[c]);
  return true;
}

static bool read_all(reader *reader, const json_t *root, experiment *experiment) {
  size_t index;
  json_t *entry;
  if (!keys_known(reader, root, "title|note|family|seeds|arms|evaluate|maps|cases|tables|claims")) return false;
  experiment->title = text_of(root, "title");
  experiment->note = text_of(root, "note");
  const json_t *evaluate = json_object_get(root, "evaluate");
  experiment->evaluate_every = (long)json_integer_value(evaluate);
  if (evaluate && experiment->evaluate_every < 1)
    return refuse(reader, "\"evaluate\" must be the number of steps between two evaluations");
  if (!experiment->title) return refuse(reader, "\"title\" is missing");
  json_array_foreach(json_object_get(root, "arms"), index,
                     entry) if (!read_arm(reader, root, entry, experiment)) return false;
  if (experiment->arm_count == 0) return refuse(reader, "\"arms\" is missing or empty");
  if (!read_cases(reader, json_object_get(root, "cases"), experiment) ||
      !read_maps(reader, json_object_get(root, "maps"), experiment))
    return false;
  json_array_foreach(json_object_get(root, "tables"), index,
                     entry) if (!read_table(reader, entry, experiment)) return false;
  json_array_foreach(json_object_get(root, "claims"), index,
                     entry) if (!read_claim(reader, entry, experiment)) return false;
  return true;
}

/* "experiments/fisher.json" -> "fisher" */
static void name_after(const char *path, char name[64]) {
  const char *slash = strrchr(path, '/');
  snprintf(name, 64, "%s", slash ? slash + 1 : path);
  char *dot = strrchr(name, '.');
  if (dot) *dot = '\0';
}

bool experiment_read(const char *path, experiment *result, char *message, size_t room) {
  memset(result, 0, sizeof *result);
  reader reader = {message, room, path};
  json_error_t error;
  json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
  if (!root) return refuse(&reader, "%s (line %d)", error.text, error.line);
  result->json = root;
  name_after(path, result->name);
  if (read_all(&reader, root, result)) return true;
  experiment_drop(result);
  return false;
}

void experiment_drop(experiment *experiment) {
  for (size_t arm = 0; arm < EXPERIMENT_MAX_ARMS; arm++) free(experiment->family_paths[arm]);
  json_decref(experiment->json);
  memset(experiment, 0, sizeof *experiment);
}

int experiment_find_arm(const experiment *experiment, const char *name) {
  for (size_t arm = 0; name && arm < experiment->arm_count; arm++)
    if (strcmp(experiment->arms[arm].name, name) == 0) return (int)arm;
  return -1;
}
