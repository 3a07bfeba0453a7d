/* SPDX-License-Identifier: Apache-2.0
 *
 * reproduce.c - the paper's experiments: their jobs, some at a time, and their report.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ansatz_tools.h"
#include "experiment.h"
#include "interrupt.h"
#include "job.h"
#include "json.h"
#include "options.h"
#include "output.h"
#include "problem_file.h"
#include "report.h"

/* ---- Choosing ---------------------------------------------------------------------------------------- */

/* NAME is a file, or the name of one of the shipped experiments. */
static bool find_experiment(const char *name, experiment *experiment) {
  char shipped[128], path[JOB_PATH], message[JOB_PATH + 256];
  snprintf(shipped, sizeof shipped, "experiments/%.100s.json", name);
  if (strstr(name, ".json"))
    snprintf(path, sizeof path, "%s", name);
  else if (!shipped_path(shipped, path, sizeof path)) {
    complain("there is no experiment %s: it is neither a .json file nor one of those in experiments/", name);
    return false;
  }
  if (experiment_read(path, experiment, message, sizeof message)) return true;
  complain("%s", message);
  return false;
}

static bool is_word(const char *text, const char *word, int length) {
  return strlen(text) == (size_t)length && strncmp(text, word, (size_t)length) == 0;
}

/* Whether `text` stands in a list like "graph,set"; an absent list holds every word. */
static bool listed(const char *list, const char *text) {
  if (!list) return true;
  const char *word;
  int length;
  for (int i = 0; (word = list_word(list, ',', i, &length)); i++)
    if (is_word(text, word, length)) return true;
  return false;
}

static const char *seed_text(uint64_t seed, char text[24]) {
  snprintf(text, 24, "%llu", (unsigned long long)seed);
  return text;
}

static bool has_arm(const experiment *experiment, const char *word, int length) {
  for (size_t arm = 0; arm < experiment->arm_count; arm++)
    if (is_word(experiment->arms[arm].name, word, length)) return true;
  return false;
}

static bool has_seed(const experiment *experiment, const char *word, int length) {
  char text[24];
  for (size_t arm = 0; arm < experiment->arm_count; arm++)
    for (size_t s = 0; s < experiment->arms[arm].seed_count; s++)
      if (is_word(seed_text(experiment->arms[arm].seeds[s], text), word, length)) return true;
  return false;
}

/* A word that names nothing is a mistake, not an empty choice. */
static bool list_makes_sense(const experiment *experiment, const char *list, const char *what,
                             bool (*has)(const struct experiment *, const char *, int)) {
  const char *word;
  int length;
  for (int i = 0; list && (word = list_word(list, ',', i, &length)); i++)
    if (!has(experiment, word, length)) {
      complain("%s has no %s %.*s", experiment->name, what, length, word);
      return false;
    }
  return true;
}

static job job_of(const experiment *experiment, const experiment_arm *arm, uint64_t seed, const char *results) {
  return (job){.arm = arm,
               .seed = seed,
               .case_count = experiment->case_count,
               .cases = experiment->cases,
               .choices = experiment->choices,
               .results = results,
               .evaluate_every = experiment->evaluate_every,
               .threads = 1};
}

/* ---- Running ----------------------------------------------------------------------------------------- */

typedef struct tally {
  int done, elsewhere, interrupted, failed;
} tally;

static void count_outcome(tally *tally, int outcome) {
  tally->done += outcome == JOB_DONE;
  tally->elsewhere += outcome == JOB_ELSEWHERE;
  tally->interrupted += outcome == JOB_INTERRUPTED;
  tally->failed += outcome != JOB_DONE && outcome != JOB_ELSEWHERE && outcome != JOB_INTERRUPTED;
}

static void wait_for_one(tally *tally, int *running) {
  int status;
  pid_t child;
  do child = wait(&status);
  while (child < 0 && errno == EINTR);
  (*running)--;
  count_outcome(tally, child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : JOB_FAILED);
}

/* In this process when one at a time, else in a child: a job that dies takes no other with it. */
static void start_job(const job *job, int at_a_time, tally *tally, int *running) {
  if (at_a_time == 1) {
    count_outcome(tally, (int)job_run(job));
    return;
  }
  while (*running >= at_a_time) wait_for_one(tally, running);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) _exit((int)job_run(job));
  if (child < 0)
    complain("cannot start a process: %s", strerror(errno)), tally->failed++;
  else
    (*running)++;
}

static tally run_jobs(const experiment *experiment, const arguments *arguments, const char *results, int at_a_time) {
  tally tally = {0};
  int running = 0;
  /* Seeds outside, arms inside: the comparison is complete for the first seeds early. */
  for (size_t s = 0; s < EXPERIMENT_MAX_SEEDS; s++)
    for (size_t arm = 0; arm < experiment->arm_count && !interrupted(); arm++) {
      const experiment_arm *chosen = &experiment->arms[arm];
      char seed[24];
      if (s >= chosen->seed_count || !listed(option_value(arguments, "arms"), chosen->name) ||
          !listed(option_value(arguments, "seeds"), seed_text(chosen->seeds[s], seed)))
        continue;
      job job = job_of(experiment, chosen, chosen->seeds[s], results);
      job.threads = arguments->threads;
      job.quiet = arguments->quiet || at_a_time > 1;
      start_job(&job, at_a_time, &tally, &running);
    }
  while (running > 0) wait_for_one(&tally, &running);
  return tally;
}

static int run_experiment(const experiment *experiment, const arguments *arguments, const char *results) {
  long at_a_time = 1;
  if (!option_integer(arguments, "jobs", 1, 256, &at_a_time)) return EXIT_USAGE;
  if (!list_makes_sense(experiment, option_value(arguments, "arms"), "arm", has_arm) ||
      !list_makes_sense(experiment, option_value(arguments, "seeds"), "seed", has_seed))
    return EXIT_USAGE;
  interrupt_begin();
  tally tally = run_jobs(experiment, arguments, results, (int)at_a_time);
  if (arguments->json) {
    int code =
        print_json(json_pack("{s:s, s:i, s:i, s:i, s:i}", "experiment", experiment->name, "done", tally.done,
                             "elsewhere", tally.elsewhere, "interrupted", tally.interrupted, "failed", tally.failed));
    if (code != EXIT_OK) return code;
  } else {
    printf("%s: %d jobs complete, %d with another worker, %d interrupted, %d failed\n", experiment->name, tally.done,
           tally.elsewhere, tally.interrupted, tally.failed);
  }
  if (interrupted()) return interrupt_code();
  return tally.failed ? exit_code(ANS_DIVERGED) : EXIT_OK;
}

/* ---- Reporting --------------------------------------------------------------------------------------- */

/* Records that exist, were made with the family as it is now, and hold every case. */
static bool gather(ans_context *context, const experiment *experiment, const char *results, report_records *records) {
  for (size_t arm = 0; arm < experiment->arm_count; arm++) {
    const experiment_arm *chosen = &experiment->arms[arm];
    job_identity identity;
    for (size_t s = 0; s < chosen->seed_count; s++) {
      job job = job_of(experiment, chosen, chosen->seeds[s], results);
      ans_status status = s == 0 ? job_identify(context, &job, &identity) : ANS_OK;
      if (status != ANS_OK) return report_failure(context, status), false;
      char path[JOB_PATH], message[JOB_PATH + 256];
      record *record = &records->records[arm][records->found[arm]];
      bool found;
      job_path(&job, ".json", path);
      if (!record_new(record)) return complain("memory is exhausted"), false;
      bool usable = record_read(path, record, &found, message, sizeof message);
      if (!usable) remark("%s; left out", message);
      const char *reason = usable && found ? job_refuses(&job, &identity, record) : NULL;
      if (reason) remark("%s was made with %s; left out", path, reason), usable = false;
      if (usable && found)
        records->found[arm]++;
      else
        record_drop(record);
    }
  }
  return true;
}

static void drop_records(report_records *records) {
  for (size_t arm = 0; arm < EXPERIMENT_MAX_ARMS; arm++)
    for (size_t r = 0; r < records->found[arm]; r++) record_drop(&records->records[arm][r]);
  free(records);
}

/* The report as asked for: JSON, or Markdown with its figures in a folder that is made when missing. */
static int print_report(ans_context *context, const experiment *experiment, const report_records *records,
                        const arguments *arguments) {
  if (arguments->json) return print_json(report_json(experiment, records));
  const char *figures = option_value(arguments, "figures");
  if (figures && mkdir(figures, 0777) != 0 && errno != EEXIST) {
    complain("cannot make the folder %s: %s", figures, strerror(errno));
    return EXIT_FILE;
  }
  const char *slash = figures ? strrchr(figures, '/') : NULL;
  ans_status status = report_write(context, experiment, records, figures, slash ? slash + 1 : figures, stdout);
  return status == ANS_OK ? EXIT_OK : report_failure(context, status);
}

static int report_experiment(const experiment *experiment, const arguments *arguments, const char *results) {
  ans_context *context;
  report_records *records = calloc(1, sizeof *records);
  if (!records || ans_context_new(&context) != ANS_OK) {
    complain("memory is exhausted");
    free(records);
    return EXIT_MEMORY;
  }
  int code =
      gather(context, experiment, results, records) ? print_report(context, experiment, records, arguments) : EXIT_FILE;
  drop_records(records);
  ans_context_free(context);
  return code;
}

static int run_reproduce(const arguments *arguments) {
  const char *results = option_value(arguments, "out");
  int code = EXIT_OK;
  for (int i = 0; i < arguments->operand_count && code == EXIT_OK; i++) {
    static experiment experiment;
    if (!find_experiment(arguments->operands[i], &experiment)) return EXIT_USAGE;
    code = option_value(arguments, "report") ? report_experiment(&experiment, arguments, results ? results : "results")
                                             : run_experiment(&experiment, arguments, results ? results : "results");
    experiment_drop(&experiment);
  }
  return code;
}

const command reproduce_command = {
    .name = "reproduce",
    .operands = "EXPERIMENT...",
    .summary = "run an experiment of the paper, or report on its records",
    .description =
        "Runs every job (arm and seed) of an experiment file that has no complete record yet, and records errors, "
        "residuals and times. Stopped at any moment, a later call goes on; several calls can share the work. "
        "With --report, prints the paper's tables beside ours, with a verdict for each cell.",
    .options = (const option[]){{"arms", 0, "LIST", "only these arms, separated by commas"},
                                {"seeds", 0, "LIST", "only these seeds"},
                                {"jobs", 'j', "N", "how many jobs at a time (default 1)"},
                                {"out", 0, "FOLDER", "where the records are (default results)"},
                                {"report", 0, NULL, "print the report instead of running"},
                                {"figures", 0, "FOLDER", "with --report: also draw its figures there"},
                                {0}},
    .examples = (const example[]){{"reproduce fisher --seeds 101 --arms graph", "one row of the paper's main table"},
                                  {"reproduce fisher --jobs 2", "the whole table, two jobs at a time"},
                                  {"reproduce fisher --report > fisher.md", "the paper's table beside ours"},
                                  {0}},
    .run = run_reproduce,
};
