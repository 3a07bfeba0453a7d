/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "ansatz_tools.h"
#include "cli/shared.h"
#include "error_map.h"
#include "job_identity.h"
#include "report.h"

/* One case: the mean map of every arm that has maps, and of how many seeds. */
typedef struct mean_maps {
  size_t count; /* arms with maps */
  size_t arms[EXPERIMENT_MAX_ARMS], seeds[EXPERIMENT_MAX_ARMS];
  error_map means[EXPERIMENT_MAX_ARMS];
} mean_maps;

static bool same_grid(const error_map *a, const error_map *b) {
  bool same = a->field_count == b->field_count && a->step == b->step;
  for (size_t axis = 0; axis < 2 && same; axis++)
    same = a->sizes[axis] == b->sizes[axis] && strcmp(a->names[axis], b->names[axis]) == 0 &&
           memcmp(a->axes[axis], b->axes[axis], a->sizes[axis] * sizeof *a->axes[axis]) == 0;
  for (size_t f = 0; f < a->field_count && same; f++) same = strcmp(a->fields[f], b->fields[f]) == 0;
  return same;
}

/* The mean of one more map, the `count`-th; in this form it cannot overflow. */
static void add_map(error_map *mean, const error_map *map, size_t count) {
  for (size_t f = 0; f < mean->field_count; f++)
    for (size_t i = 0; i < mean->sizes[0] * mean->sizes[1]; i++)
      mean->values[f][i] += (map->values[f][i] - mean->values[f][i]) / (double)count;
}

/* The map of a record's case if it is there, belongs to the record and has the grid of the first one. */
static bool usable_map(const char *path, const record *record, const error_map *first, error_map *map) {
  char message[JOB_PATH + 128];
  bool found;
  if (!error_map_read(path, map, &found, message, sizeof message)) {
    remark("%s; skipped", message);
    return false;
  }
  if (!found) return false;
  const char *reason = strcmp(map->settings, record->settings) != 0 ? "other settings"
                       : first && !same_grid(first, map)            ? "another grid or number of steps"
                                                                    : NULL;
  if (!reason) return true;
  remark("%s was made with %s; skipped", path, reason);
  error_map_drop(map);
  return false;
}

static void add_arm(const experiment *experiment, const experiment_records *records, const char *results, size_t arm,
                    const char *case_name, mean_maps *means) {
  error_map *mean = &means->means[means->count];
  size_t seeds = 0;
  for (size_t r = 0; r < records->found[arm]; r++) {
    const record *record = &records->records[arm][r];
    job job = {.arm = &experiment->arms[arm], .seed = record->seed, .results = results};
    char path[JOB_PATH];
    error_map map;
    job_map_path(&job, case_name, path);
    const error_map *first = seeds > 0 ? mean : means->count > 0 ? &means->means[0] : NULL;
    if (!record_find_case(record, case_name) || !usable_map(path, record, first, &map)) continue;
    if (seeds++ == 0) {
      *mean = map;
      continue;
    }
    add_map(mean, &map, seeds);
    error_map_drop(&map);
  }
  if (seeds == 0) return;
  means->arms[means->count] = arm;
  means->seeds[means->count++] = seeds;
}

static ans_status draw(ans_context *context, const experiment *experiment, const mean_maps *means,
                       const char *case_name, const char *path) {
  const char *columns[EXPERIMENT_MAX_ARMS], *rows[RECORD_MAX_FIELDS];
  const double *values[RECORD_MAX_FIELDS * EXPERIMENT_MAX_ARMS];
  const error_map *first = &means->means[0];
  char title[256];
  for (size_t m = 0; m < means->count; m++) columns[m] = experiment->arms[means->arms[m]].name;
  for (size_t f = 0; f < first->field_count; f++) {
    rows[f] = first->fields[f];
    for (size_t m = 0; m < means->count; m++) values[f * means->count + m] = means->means[m].values[f];
  }
  snprintf(title, sizeof title, "%s after %ld steps: mean over seeds of the absolute error", case_name, first->step);
  ans_error_maps maps = {.row_count = first->field_count,
                         .column_count = means->count,
                         .rows = rows,
                         .columns = columns,
                         .values = values,
                         .sizes = {first->sizes[0], first->sizes[1]},
                         .axes = {first->axes[0], first->axes[1]},
                         .axis_names = {first->names[0], first->names[1]}};
  return ans_error_maps_figure(context, &maps, (ans_figure){.title = title, .path = path, .rainbow = true});
}

static void write_counts(const experiment *experiment, const mean_maps *means, const char *case_name, FILE *out) {
  fprintf(out, "**Mean absolute error over seeds, %s**, at the end of adaptation:", case_name);
  for (size_t m = 0; m < means->count; m++) {
    const experiment_arm *arm = &experiment->arms[means->arms[m]];
    fprintf(out, "%s %s, %zu of %zu seeds", m ? ";" : "", arm->label, means->seeds[m], arm->seed_count);
  }
  fputs(means->count ? ".\n\n" : " no maps yet.\n\n", out);
}

static ans_status write_case(ans_context *context, const experiment *experiment, const experiment_records *records,
                             const char *results, const char *case_name, const char *figures, const char *link,
                             mean_maps *means, FILE *out) {
  for (size_t arm = 0; arm < experiment->arm_count; arm++) add_arm(experiment, records, results, arm, case_name, means);
  write_counts(experiment, means, case_name, out);
  if (!figures || means->count == 0) return ANS_OK;
  char name[2 * RECORD_NAME + 16], path[1024 + sizeof name];
  snprintf(name, sizeof name, "%s-map-%s.png", experiment->name, case_name);
  snprintf(path, sizeof path, "%.1000s/%s", figures, name);
  ans_status status = draw(context, experiment, means, case_name, path);
  if (status == ANS_OK) fprintf(out, "![Mean absolute error, %s](%s/%s)\n\n", case_name, link, name);
  return status;
}

ans_status report_maps(ans_context *context, const experiment *experiment, const experiment_records *records,
                       const char *results, const char *figures, const char *link, FILE *out) {
  ans_status status = ANS_OK;
  for (size_t c = 0; c < experiment->case_count && status == ANS_OK; c++) {
    mean_maps *means = calloc(1, sizeof *means);
    if (!means) return ans_context_fail(context, ANS_MEMORY, "memory is exhausted");
    status = write_case(context, experiment, records, results, experiment->cases[c], figures, link, means, out);
    for (size_t m = 0; m < means->count; m++) error_map_drop(&means->means[m]);
    free(means);
  }
  return status;
}
