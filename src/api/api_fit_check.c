/* SPDX-License-Identifier: Apache-2.0
 *
 * api_fit_check.c - what ansatz_tools.h adds to fits: the classical check, many data sets, figures.
 */
#include <stdio.h>
#include <string.h>

#include "ansatz_tools.h"
#include "base/team.h"
#include "fit/fit_figure.h"
#include "fit/groups.h"

ans_status ans_measurements_load(ans_context *context, const ans_problem *problem, const char *path,
                                 ans_measurements **result) {
  return measurements_load(context, problem, path, result);
}

ans_status ans_fit_check(ans_context *context, ans_fit *fit, ans_fit_reference *reference) {
  ans_status status = fit_check(context, fit);
  *reference = fit->reference;
  return status;
}

ans_status ans_fit_figure(ans_context *context, const ans_fit *fit, const ans_solution *solution,
                          const ans_fit_place *next, size_t next_count, ans_figure figure) {
  return fit_figure_draw(context, fit, solution, next, next_count, figure);
}

/* ---- Many data sets ---------------------------------------------------------------------------------------- */

ans_status ans_groups_read(ans_context *context, const ans_problem *problem, const char *path, const char *column,
                           ans_groups **result) {
  return groups_read(context, problem, path, column, result);
}

void ans_groups_free(ans_groups *groups) { groups_free(groups); }
size_t ans_groups_count(const ans_groups *groups) { return groups->count; }
const char *ans_groups_name(const ans_groups *groups, size_t index) { return groups->groups[index].name; }
const ans_measurements *ans_groups_measurements(const ans_groups *groups, size_t index) {
  return groups->groups[index].data;
}

typedef struct many {
  const ans_problem *problem;
  ans_fit_options options;
  bool check;
  ans_fit_job *jobs;
} many;

static ans_status run_job(ans_context *context, const many *many, ans_fit_job *job) {
  ans_measurements *own = NULL;
  if (!job->measurements) TRY(measurements_load(context, many->problem, job->path, &own));
  ans_status status = ans_fit_new(context, many->problem, own ? own : job->measurements, &many->options, &job->fit);
  measurements_free(own);
  if (status == ANS_OK && many->check) status = ans_fit_check(context, job->fit, &job->reference);
  return status;
}

static void job_item(void *data, int item, int worker) {
  const many *many = data;
  ans_fit_job *job = &many->jobs[item];
  ans_context *context;
  (void)worker;
  job->status = ans_context_new(&context);
  if (job->status != ANS_OK) return;
  job->status = run_job(context, many, job);
  const ans_diagnostic *d = ans_context_diagnostic(context);
  if (job->status != ANS_OK && d->line > 0)
    snprintf(job->message, sizeof job->message, "%s:%zu:%zu: %s", d->file, d->line, d->column, d->message);
  else if (job->status != ANS_OK)
    snprintf(job->message, sizeof job->message, "%s", d->message);
  if (job->status != ANS_OK) {
    ans_fit_free(job->fit);
    job->fit = NULL;
  }
  ans_context_free(context);
}

void ans_fit_many(const ans_problem *problem, const ans_fit_options *options, bool check, int threads,
                  ans_fit_job *jobs, size_t count) {
  many many = {.problem = problem, .options = *options, .check = check, .jobs = jobs};
  many.options.threads = 1;
  for (size_t i = 0; i < count; i++)
    jobs[i] = (ans_fit_job){.path = jobs[i].path, .group = jobs[i].group, .measurements = jobs[i].measurements};
  team_run(threads < 1 ? 1 : threads, (int)count, job_item, &many);
}
