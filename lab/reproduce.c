/* SPDX-License-Identifier: Apache-2.0
 *
 * reproduce.c - the paper's experiments: their jobs, some at a time, and their report.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "ansatz_tools.h"
#include "experiment.h"
#include "cli/shared.h"
#include "job_identity.h"
#include "report.h"

/* ---- Choosing ---------------------------------------------------------------------------------------- */

/* Whether the arm's family has the field of each table; a family that cannot be read is reported where it is needed. */
static void find_fields(ans_context *context, const experiment *experiment, size_t arm, bool *found) {
  ans_problem *problem = NULL;
  size_t index;
  bool unread = ans_problem_read(context, experiment->arms[arm].family, &problem) != ANS_OK;
  for (size_t t = 0; t < experiment->table_count; t++) {
    const char *field = experiment->tables[t].field;
    if (!field || unread || ans_problem_find(problem, ANS_FIELDS, field, &index)) found[t] = true;
  }
  ans_problem_free(problem);
}

/* A field that no family has would be reported as if there were no record. The exit code. */
static int check_fields(const experiment *experiment, const char *path) {
  ans_context *context;
  bool found[EXPERIMENT_MAX_TABLES] = {false};
  if (ans_context_new(&context) != ANS_OK) return complain("memory is exhausted"), EXIT_MEMORY;
  for (size_t arm = 0; arm < experiment->arm_count; arm++)
    if (arm == 0 || strcmp(experiment->arms[arm].family, experiment->arms[arm - 1].family) != 0)
      find_fields(context, experiment, arm, found);
  ans_context_free(context);
  for (size_t t = 0; t < experiment->table_count; t++)
    if (!found[t]) {
      complain("%s: a table has the field \"%s\", which none of its families has", path, experiment->tables[t].field);
      return EXIT_USAGE;
    }
  return EXIT_OK;
}

/* NAME is a file, or the name of one of the shipped experiments. */
static int find_experiment(const char *name, experiment *experiment) {
  char shipped[128], path[JOB_PATH], message[JOB_PATH + 256];
  snprintf(shipped, sizeof shipped, "experiments/%.100s.json", name);
  if (strstr(name, ".json"))
    snprintf(path, sizeof path, "%s", name);
  else if (!shipped_path(shipped, path, sizeof path)) {
    char near[ANS_SUGGESTION_BYTES];
    shipped_suggestion(name, "experiments", near);
    complain("there is no experiment %s%s", name,
             *near ? near : ": it is neither a .json file nor one of those in experiments/");
    return EXIT_USAGE;
  }
  if (access(path, R_OK) != 0) {
    complain("cannot read %s: %s", path, strerror(errno));
    return EXIT_FILE;
  }
  struct stat there;
  if (stat(path, &there) == 0 && S_ISDIR(there.st_mode)) {
    complain("cannot read %s: %s", path, strerror(EISDIR));
    return EXIT_FILE;
  }
  if (!experiment_read(path, experiment, message, sizeof message)) {
    complain("%s", message);
    return EXIT_USAGE;
  }
  snprintf(experiment->call, sizeof experiment->call, "%s", name);
  int code = check_fields(experiment, path);
  if (code != EXIT_OK) experiment_drop(experiment);
  return code;
}

static bool is_word(const char *text, const char *word, int length) {
  return strlen(text) == (size_t)length && strncmp(text, word, (size_t)length) == 0;
}

/* Whether `text` stands in a list like "graph,set"; an absent list holds every word. */
static bool listed(const char *list, const char *text) { return !list || list_place(list, ',', text) >= 0; }

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
      complain("%s has no %s '%.*s'", experiment->name, what, length, word);
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
               .map_every = experiment->map_every,
               .evaluate_every = experiment->evaluate_every,
               .threads = 1};
}

/* ---- Running ----------------------------------------------------------------------------------------- */

enum { MAX_JOBS = 256 };

typedef struct tally {
  int done, elsewhere, interrupted, failed;
  int code; /* of the first failure */
  int running;
  pid_t children[MAX_JOBS]; /* [running] */
  bool told;                /* the children have been sent the signal that came */
} tally;

static void count_outcome(tally *tally, int outcome) {
  bool failed = outcome != EXIT_OK && outcome != JOB_ELSEWHERE && outcome != JOB_INTERRUPTED;
  tally->done += outcome == EXIT_OK;
  tally->elsewhere += outcome == JOB_ELSEWHERE;
  tally->interrupted += outcome == JOB_INTERRUPTED;
  tally->failed += failed;
  if (failed && tally->code == EXIT_OK) tally->code = outcome;
}

/* The children are process groups of their own, so that a Ctrl-C reaches them once, from here. */
static void pass_signal_on(tally *tally) {
  if (!interrupted() || tally->told) return;
  for (int i = 0; i < tally->running; i++) kill(tally->children[i], SIGTERM);
  tally->told = true;
}

/* A child that was killed has failed like a computation. */
static int outcome_of(pid_t child, int status) {
  return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : exit_code(ANS_DIVERGED);
}

static void forget_child(tally *tally, pid_t child) {
  int kept = 0;
  for (int i = 0; i < tally->running; i++)
    if (tally->children[i] != child) tally->children[kept++] = tally->children[i];
  tally->running = child > 0 ? kept : 0;
}

static void wait_for_one(tally *tally) {
  const struct timespec moment = {.tv_nsec = 20000000};
  int status = 0;
  pid_t child;
  while ((child = waitpid(-1, &status, WNOHANG)) == 0) {
    pass_signal_on(tally);
    nanosleep(&moment, NULL);
  }
  forget_child(tally, child);
  count_outcome(tally, outcome_of(child, status));
}

/* A child ends, saved, when the process that started it is gone; where the system cannot signal that, it finishes its
 * job. */
static int run_child(const job *job, pid_t parent) {
  setpgid(0, 0);
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
  return getppid() == parent ? job_run(job) : JOB_INTERRUPTED;
}

/* In this process when one at a time, else in a child: a job that dies takes no other with it. */
static void start_job(const job *job, int at_a_time, tally *tally) {
  if (at_a_time == 1) {
    count_outcome(tally, job_run(job));
    return;
  }
  while (tally->running >= at_a_time) wait_for_one(tally);
  if (interrupted()) return;
  fflush(NULL);
  pid_t parent = getpid(), child = fork();
  if (child == 0) _exit(run_child(job, parent));
  if (child < 0)
    complain("cannot start a process: %s", strerror(errno)), count_outcome(tally, EXIT_MEMORY);
  else
    tally->children[tally->running++] = child;
}

static tally run_jobs(const experiment *experiment, const arguments *arguments, const shard *shard, const char *results,
                      int at_a_time) {
  tally tally = {0};
  size_t number = 0; /* of the jobs that were asked for */
  /* Seeds outside, arms inside: the comparison is complete for the first seeds early. */
  for (size_t s = 0; s < EXPERIMENT_MAX_SEEDS; s++)
    for (size_t arm = 0; arm < experiment->arm_count && !interrupted(); arm++) {
      const experiment_arm *chosen = &experiment->arms[arm];
      char seed[24];
      if (s >= chosen->seed_count || !listed(option_value(arguments, "arms"), chosen->name) ||
          !listed(option_value(arguments, "seeds"), seed_text(chosen->seeds[s], seed)))
        continue;
      if (!shard_has(shard, number++)) continue;
      job job = job_of(experiment, chosen, chosen->seeds[s], results);
      job.threads = arguments->threads > at_a_time ? arguments->threads / at_a_time : 1;
      job.quiet = arguments->quiet || at_a_time > 1;
      start_job(&job, at_a_time, &tally);
    }
  while (tally.running > 0) wait_for_one(&tally);
  return tally;
}

static int run_experiment(const experiment *experiment, const arguments *arguments, const char *results) {
  long at_a_time = 1;
  shard shard;
  if (!option_integer(arguments, "jobs", 1, MAX_JOBS, &at_a_time) || !shard_read(arguments, &shard)) return EXIT_USAGE;
  if (!list_makes_sense(experiment, option_value(arguments, "arms"), "arm", has_arm) ||
      !list_makes_sense(experiment, option_value(arguments, "seeds"), "seed", has_seed))
    return EXIT_USAGE;
  interrupt_begin();
  tally tally = run_jobs(experiment, arguments, &shard, results, (int)at_a_time);
  if (arguments->json) {
    int code = print_json(json_pack("{s:o, s:i, s:i, s:i, s:i}", "experiment", json_of_text(experiment->name), "done",
                                    tally.done, "elsewhere", tally.elsewhere, "interrupted", tally.interrupted,
                                    "failed", tally.failed));
    if (code != EXIT_OK) return code;
  } else {
    printf("%s: %d jobs complete, %d with another worker, %d interrupted, %d failed\n", experiment->name, tally.done,
           tally.elsewhere, tally.interrupted, tally.failed);
  }
  if (interrupted()) return interrupt_code();
  return tally.code;
}

/* ---- Reporting --------------------------------------------------------------------------------------- */

/* Records that exist and were made with the family as it is now; some may lack cases. */
static int gather(ans_context *context, const experiment *experiment, const char *results,
                  experiment_records *records) {
  for (size_t arm = 0; arm < experiment->arm_count; arm++) {
    const experiment_arm *chosen = &experiment->arms[arm];
    job_identity identity;
    for (size_t s = 0; s < chosen->seed_count; s++) {
      job job = job_of(experiment, chosen, chosen->seeds[s], results);
      ans_status status = s == 0 ? job_identify(context, &job, &identity) : ANS_OK;
      if (status != ANS_OK) return report_failure(context, status);
      char path[JOB_PATH], message[JOB_PATH + 256];
      record *record = &records->records[arm][records->found[arm]];
      bool found;
      job_path(&job, ".json", path);
      if (!record_new(record)) return complain("memory is exhausted"), EXIT_MEMORY;
      bool usable = record_read(path, record, &found, message, sizeof message);
      if (!usable) remark("%s; skipped", message);
      const char *reason = usable && found ? job_refuses(&job, &identity, record) : NULL;
      if (reason) remark("%s was made with %s; skipped", path, reason), usable = false;
      if (usable && found)
        records->found[arm]++;
      else
        record_drop(record);
    }
  }
  return EXIT_OK;
}

static void drop_records(experiment_records *records) {
  for (size_t arm = 0; arm < EXPERIMENT_MAX_ARMS; arm++)
    for (size_t r = 0; r < records->found[arm]; r++) record_drop(&records->records[arm][r]);
  free(records);
}

/* The report as asked for: JSON, a line of the summary, or Markdown with its figures in a folder that is made when
 * missing. */
static int print_report(ans_context *context, const experiment *experiment, const experiment_records *records,
                        const arguments *arguments, const char *results) {
  if (arguments->json) return print_json(report_json(experiment, records));
  if (option_value(arguments, "summary")) return report_summary(experiment, records, stdout), EXIT_OK;
  const char *figures = option_value(arguments, "figures");
  if (figures && mkdir(figures, 0777) != 0 && errno != EEXIST) {
    complain("cannot make the folder %s: %s", figures, strerror(errno));
    return EXIT_FILE;
  }
  const char *slash = figures ? strrchr(figures, '/') : NULL;
  const char *link = slash ? slash + 1 : figures;
  ans_status status = report_write(context, experiment, records, figures, link, stdout);
  if (status == ANS_OK && experiment->map_every > 0)
    status = report_maps(context, experiment, records, results, figures, link, stdout);
  return status == ANS_OK ? EXIT_OK : report_failure(context, status);
}

static int report_experiment(const experiment *experiment, const arguments *arguments, const char *results) {
  ans_context *context;
  experiment_records *records = calloc(1, sizeof *records);
  if (!records || ans_context_new(&context) != ANS_OK) {
    complain("memory is exhausted");
    free(records);
    return EXIT_MEMORY;
  }
  int code = gather(context, experiment, results, records);
  if (code == EXIT_OK) code = print_report(context, experiment, records, arguments, results);
  drop_records(records);
  ans_context_free(context);
  return code;
}

static int run_reproduce(const arguments *arguments) {
  const char *results = option_value(arguments, "out");
  int code = EXIT_OK;
  bool report = option_value(arguments, "report"), summary = option_value(arguments, "summary");
  if (summary) report_summary_begin(stdout);
  for (int i = 0; i < arguments->operand_count && code == EXIT_OK; i++) {
    static experiment experiment;
    code = find_experiment(arguments->operands[i], &experiment);
    if (code != EXIT_OK) return code;
    code = report ? report_experiment(&experiment, arguments, results ? results : "results")
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
        "residuals and times. It can be interrupted at any time; a later call continues. Several calls can share the "
        "work. To repeat jobs whose records are complete, give another folder with --out. With --report, prints the "
        "paper's tables beside ours, with a verdict for each cell.",
    .options =
        (const option[]){{"arms", 0, "LIST", "only these arms, separated by commas"},
                         {"seeds", 0, "LIST", "only these seeds"},
                         {"jobs", 'j', "N", "how many jobs at a time (default 1); they share the threads"},
                         {"shard", 0, "K/N", "of the jobs, " SHARD_HELP "; any: jobs that no other process has taken"},
                         {"out", 0, "FOLDER", "where the records are (default results)"},
                         {"report", 0, NULL, "print the report instead of running"},
                         {"summary", 0, NULL, "with --report: one line for each experiment, counting verdicts"},
                         {"figures", 0, "FOLDER", "with --report: also draw its figures there"},
                         {0}},
    .rules = (const option_rule[]){{"summary", "report", "json|figures"},
                                   {"figures", "report", "json"},
                                   {"report", NULL, "arms|seeds|jobs|shard"},
                                   {0}},
    .examples = (const example[]){{"reproduce fisher --seeds 101 --arms graph", "one row of the paper's main table"},
                                  {"reproduce fisher --jobs 2", "the whole table, two jobs at a time"},
                                  {"reproduce fisher --shard auto", "in every job of an array: its share"},
                                  {"reproduce fisher --report > fisher.md", "the paper's table beside ours"},
                                  {"reproduce fisher ccp --report --summary", "how many cells agree with the paper"},
                                  {0}},
    .run = run_reproduce,
};
