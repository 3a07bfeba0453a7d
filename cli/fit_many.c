/* SPDX-License-Identifier: Apache-2.0
 *
 * fit_many.c - several data sets in one call, from files or from the groups of one table.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"
#include "interrupt.h"
#include "output.h"

/* The paths of the list, as strings in one block; *count of them. NULL: no memory. */
static ans_fit_job *read_paths(const char *list, char **block, size_t *count) {
  int length;
  for (*count = 0; list_word(list, ',', (int)*count, &length);) ++*count;
  ans_fit_job *jobs = calloc(*count, sizeof *jobs);
  *block = malloc(strlen(list) + 1);
  if (!jobs || !*block) {
    free(jobs);
    return NULL;
  }
  char *at = *block;
  for (size_t i = 0; i < *count; i++) {
    const char *word = list_word(list, ',', (int)i, &length);
    assert(word);
    memcpy(at, word, (size_t)length);
    at[length] = '\0';
    jobs[i].path = at;
    at += length + 1;
  }
  return jobs;
}

static fit_result result_of(const ans_fit_job *job, bool checked) {
  return (fit_result){.data = job->path,
                      .group = job->group,
                      .fit = job->fit,
                      .status = job->status,
                      .message = job->message,
                      .checked = checked && job->fit,
                      .reference = job->reference};
}

static int tell_many(ans_context *context, const arguments *arguments, ans_fit_job *jobs, size_t count, bool checked) {
  json_t *list = arguments->json ? json_array() : NULL;
  int code = EXIT_OK;
  for (size_t i = 0; i < count; i++) {
    fit_result result = result_of(&jobs[i], checked);
    if (arguments->json) json_array_append_new(list, fit_json(context, &result));
    const char *colon = jobs[i].group ? ": " : "", *group = jobs[i].group ? jobs[i].group : "";
    if (!arguments->json) printf("%s== %s%s%s\n", i ? "\n" : "", jobs[i].path, colon, group);
    if (!arguments->json && jobs[i].fit && ans_fit_print(context, result.fit, &result.text) == ANS_OK)
      fit_print(&result);
    ans_free(result.text);
    if (!jobs[i].fit) complain("%s%s%s: %s", jobs[i].path, colon, group, jobs[i].message);
    if (code == EXIT_OK) code = fit_exit_code(&result);
  }
  if (!arguments->json) return code;
  json_t *object = json_object();
  json_object_set_new(object, "fits", list);
  int printed = print_json(object);
  return printed == EXIT_OK ? code : printed;
}

static int run_jobs(ans_context *context, const arguments *arguments, const ans_problem *problem,
                    const ans_fit_options *options, ans_fit_job *jobs, size_t count) {
  bool check = !option_value(arguments, "no-check");
  ans_fit_many(problem, options, check, arguments->threads, jobs, count);
  int code = tell_many(context, arguments, jobs, count, check);
  for (size_t i = 0; i < count; i++) ans_fit_free(jobs[i].fit);
  return interrupted() ? interrupt_code() : code;
}

static int out_of_memory(void) {
  complain("memory is exhausted");
  return EXIT_MEMORY;
}

static int run_files(ans_context *context, const arguments *arguments, const ans_problem *problem,
                     const ans_fit_options *options) {
  char *block = NULL;
  size_t count;
  ans_fit_job *jobs = read_paths(option_value(arguments, "data"), &block, &count);
  int code = jobs ? run_jobs(context, arguments, problem, options, jobs, count) : out_of_memory();
  free(jobs);
  free(block);
  return code;
}

static int run_groups(ans_context *context, const arguments *arguments, const ans_problem *problem,
                      const ans_fit_options *options) {
  const char *path = option_value(arguments, "data");
  ans_groups *groups = NULL;
  ans_status status = ans_groups_read(context, problem, path, option_value(arguments, "group"), &groups);
  if (status != ANS_OK) return report_failure(context, status);
  size_t count = ans_groups_count(groups);
  ans_fit_job *jobs = calloc(count, sizeof *jobs);
  for (size_t i = 0; jobs && i < count; i++)
    jobs[i] = (ans_fit_job){path, ans_groups_name(groups, i), ans_groups_measurements(groups, i), .fit = NULL};
  int code = jobs ? run_jobs(context, arguments, problem, options, jobs, count) : out_of_memory();
  free(jobs);
  ans_groups_free(groups);
  return code;
}

int fit_many(ans_context *context, const arguments *arguments, const ans_problem *problem,
             const ans_fit_options *options) {
  static const char *const single[] = {"next", "profile", "output", "figure", "save"};
  bool files = strchr(option_value(arguments, "data"), ',');
  for (size_t i = 0; i < sizeof single / sizeof *single; i++)
    if (option_value(arguments, single[i]) || fit_is_automatic(arguments)) {
      complain("--%s is for one data set", fit_is_automatic(arguments) ? "structure auto" : single[i]);
      return EXIT_USAGE;
    }
  if (files && option_value(arguments, "group")) {
    complain("--group is for one table");
    return EXIT_USAGE;
  }
  return files ? run_files(context, arguments, problem, options) : run_groups(context, arguments, problem, options);
}
