/* SPDX-License-Identifier: Apache-2.0
 *
 * cache.c - references kept as netCDF files. Two runs that miss together both compute and both rename a whole file
 * into place: the second replaces the first by the same numbers.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "reference/content_hash.h"
#include "reference/reference.h"
#include "solution/files.h"

enum { PATH_BYTES = 4096 };

/* Of the text that settles the file: version, method and settings. */
static uint64_t settings_hash(const protocol_reference *r) {
  char text[256];
  snprintf(text, sizeof text, "%s %d %d %d %.17g %.17g %.17g %d %d %d", ans_version(), r->method, r->points, r->times,
           r->relative, r->absolute, r->max_step, r->steps_per_period, r->periods, r->sweeps);
  return hash_bytes(HASH_START, text, strlen(text));
}

static ans_status cache_path(ans_context *context, const char *directory, const ans_instance *instance, char *path) {
  int length =
      snprintf(path, PATH_BYTES, "%s/%016llx-%016llx.nc", directory, (unsigned long long)system_instance_hash(instance),
               (unsigned long long)settings_hash(&instance->problem->protocol.reference));
  FAIL_IF(length >= PATH_BYTES, context, ANS_ARGUMENT, "the name of the cache directory is too long");
  return ANS_OK;
}

/* Makes the directory and those above it; whether that worked shows when the file is written. */
static void make_directories(const char *directory) {
  char path[PATH_BYTES];
  snprintf(path, sizeof path, "%s", directory);
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    (void)mkdir(path, 0777);
    *slash = '/';
  }
  (void)mkdir(path, 0777);
}

static const char *method_of(const char *settings) {
  static const char *const methods[] = {
      "Fourier-BDF", "Chebyshev-BDF", "difference-BDF", "Chebyshev-Newton", "difference-Newton", "drift-diffusion",
      "BDF"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    if (strstr(settings, methods[i])) return methods[i];
  return NULL;
}

/* The report from the settings line that reference_solve wrote; false when the line is not one of this instance. */
static bool parse_settings(const ans_instance *instance, const char *settings, reference_report *report) {
  char name[40];
  snprintf(name, sizeof name, "instance %016llx;", (unsigned long long)system_instance_hash(instance));
  const char *found = strstr(settings, name);
  report->method = method_of(settings);
  report->cached = true;
  return found && report->method &&
         sscanf(found + strlen(name),
                " steps %ld, nodes used %d, self difference %lf, time difference %lf, periodicity %lf, balance %lf",
                &report->steps, &report->nodes, &report->self_difference, &report->time_difference,
                &report->periodicity, &report->balance) == 6;
}

/* Whether the numbers are those that were written. */
static bool intact(const ans_solution *solution) {
  const char *mark = strstr(solution->settings, CONTENT_MARK);
  unsigned long long kept = 0;
  return mark && sscanf(mark, CONTENT_MARK "%16llx", &kept) == 1 &&
         content_hash(solution, (size_t)(mark - solution->settings)) == kept;
}

static bool read_cached(ans_context *context, const ans_instance *instance, const char *path, ans_solution **result,
                        reference_report *report) {
  double begin = clock_seconds();
  ans_solution *solution;
  if (access(path, R_OK) != 0 || netcdf_read(context, instance->problem, path, &solution) != ANS_OK) return false;
  if (!parse_settings(instance, solution->settings, report) || !intact(solution)) {
    solution_free(solution);
    return false;
  }
  report->seconds = clock_seconds() - begin;
  *result = solution;
  return true;
}

ans_status reference_cached(ans_context *context, const ans_instance *instance, const char *directory,
                            ans_solution **result, reference_report *report) {
  *result = NULL;
  if (!directory) return reference_solve(context, instance, 0, 0, true, result, report);
  char path[PATH_BYTES];
  TRY(cache_path(context, directory, instance, path));
  if (read_cached(context, instance, path, result, report)) return ANS_OK;
  TRY(reference_solve(context, instance, 0, 0, true, result, report));
  make_directories(directory);
  report->unkept = solution_write(context, *result, path) != ANS_OK;
  return ANS_OK;
}
