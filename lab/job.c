/* SPDX-License-Identifier: Apache-2.0 */
#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ansatz_tools.h"
#include "cli/shared.h"
#include "error_map.h"
#include "job_identity.h"
#include "measure.h"

/* Training saves at least this often [s]; what is lost in a crash is at most as much. */
static const double save_interval = 30;

/* Everything one running job holds. */
typedef struct worker {
  const job *job;
  ans_context *context;
  ans_problem *problem;
  ans_model *model; /* NULL: from scratch */
  record record;
} worker;

/* ---- Record and lock --------------------------------------------------------------------------------- */

/* Longer names would be cut, and then two jobs or a record and its lock could be one file. */
static bool names_fit(const job *job) {
  const char *family = job->arm->family, *slash = strrchr(family, '/'), *dot = strrchr(family, '.');
  const char *begin = slash ? slash + 1 : family, *end = dot > begin ? dot : begin + strlen(begin);
  if (end - begin < RECORD_NAME && strlen(job->results) + 3 * RECORD_NAME < JOB_PATH) return true;
  complain("the path %s or the name of %s is too long for a record", job->results, family);
  return false;
}

static int make_folders(const job *job) {
  char path[JOB_PATH];
  if (!names_fit(job)) return EXIT_USAGE;
  job_path(job, "", path);
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
      complain("cannot make the folder %s: %s", path, strerror(errno));
      return EXIT_FILE;
    }
    *slash = '/';
  }
  return EXIT_OK;
}

/* Opens a descriptor that holds the job's lock until it is closed. */
static int lock_job(const job *job, int *descriptor) {
  char path[JOB_PATH];
  job_path(job, ".lock", path);
  *descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (*descriptor < 0) {
    complain("cannot open %s: %s", path, strerror(errno));
    return EXIT_FILE;
  }
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(*descriptor, F_SETLK, &whole) == 0) return EXIT_OK;
  int reason = errno;
  close(*descriptor);
  if (reason == EACCES || reason == EAGAIN) return JOB_ELSEWHERE;
  complain("cannot lock %s: %s", path, strerror(reason));
  return EXIT_FILE;
}

static ans_status write_record(worker *worker) {
  char path[JOB_PATH];
  job_path(worker->job, ".json", path);
  char *text = record_text(&worker->record);
  if (!text) return ANS_MEMORY;
  ans_status status = ans_file_write(worker->context, path, text, strlen(text));
  free(text);
  return status;
}

static size_t missing_cases(const worker *worker) {
  size_t count = 0;
  for (size_t c = 0; c < worker->job->case_count; c++)
    count += record_find_case(&worker->record, worker->job->cases[c]) == NULL;
  return count;
}

static bool complete(const worker *worker) { return missing_cases(worker) == 0; }

/* "0.2.0 4f2c1ab 9e01d77": the version that began it, then the commit of every build that worked on the record. */
static void add_build(record *record) {
  size_t length = strlen(record->version);
  bool room = length + 1 + strlen(build_commit) < RECORD_NAME;
  if (build_commit[0] && room && !strstr(record->version, build_commit))
    snprintf(record->version + length, RECORD_NAME - length, " %s", build_commit);
}

static void begin_record(const worker *worker, const char *settings, record *record) {
  strcpy(record->settings, settings);
  snprintf(record->version, RECORD_NAME, "%s", ans_version());
  snprintf(record->machine, RECORD_NAME, "%d thread%s", worker->job->threads, worker->job->threads == 1 ? "" : "s");
  snprintf(record->descriptor, RECORD_NAME, "%s", worker->job->arm->descriptor);
  job_family_name(worker->job->arm->family, record->family);
  record->rounds = worker->job->arm->rounds;
  record->seed = worker->job->seed;
  record->field_count = ans_problem_count(worker->problem, ANS_FIELDS);
  for (size_t f = 0; f < record->field_count; f++)
    snprintf(record->fields[f], RECORD_NAME, "%s", ans_problem_name(worker->problem, ANS_FIELDS, f));
}

/* A new record stands on disk before the first checkpoint does: a checkpoint without one was made by something else. */
static int new_record(worker *worker, const job_identity *identity) {
  char checkpoint[JOB_PATH];
  job_path(worker->job, ".safetensors", checkpoint);
  if (access(checkpoint, F_OK) == 0) {
    complain("%s belongs to a record that no longer exists; move it away too, or choose another --out", checkpoint);
    return exit_code(ANS_MODEL);
  }
  begin_record(worker, identity->settings, &worker->record);
  ans_status status = write_record(worker);
  return status == ANS_OK ? EXIT_OK : report_failure(worker->context, status);
}

/* Adaptation steps between two evaluations: the experiment's, else the family's, else all. */
static long stride_of(const worker *worker) {
  if (worker->job->evaluate_every > 0) return worker->job->evaluate_every;
  long own = ans_problem_adapt_evaluate(worker->problem), steps = ans_problem_adapt_steps(worker->problem);
  return own > 0 ? own : steps > 0 ? steps : 1;
}

/* Whether the record holds what the job will add to it, and the maps can be made. */
static int check_room(const worker *worker, const char *path) {
  long steps = ans_problem_adapt_steps(worker->problem), stride = stride_of(worker);
  long evaluations = steps / stride + (steps % stride != 0) + 1;
  if (evaluations > RECORD_MAX_EVALUATIONS) {
    complain("an evaluation every %ld of %ld steps makes %ld, and a record holds %d; raise \"evaluate\"", stride, steps,
             evaluations, RECORD_MAX_EVALUATIONS);
    return EXIT_USAGE;
  }
  if (worker->job->map_every > 0 && ans_problem_count(worker->problem, ANS_COORDINATES) != 2) {
    complain("maps need two coordinates, and %s has another number", worker->job->arm->family);
    return EXIT_USAGE;
  }
  if (worker->record.case_count + missing_cases(worker) <= RECORD_MAX_CASES) return EXIT_OK;
  complain("%s has no room for more cases", path);
  return EXIT_USAGE;
}

/* The record so far, or a new one. A record of other settings, another version or another network is refused. */
static int open_record(worker *worker) {
  char path[JOB_PATH], message[JOB_PATH + 256];
  record *record = &worker->record;
  job_identity identity;
  bool found;
  job_path(worker->job, ".json", path);
  ans_status status = job_identify_as(worker->context, worker->problem, worker->job->arm, &identity);
  if (status != ANS_OK) return report_failure(worker->context, status);
  if (!record_read(path, record, &found, message, sizeof message)) {
    complain("%s; move it away or choose another --out", message);
    return exit_code(ANS_MODEL);
  }
  const char *reason = found ? job_refuses(worker->job, &identity, record) : NULL;
  if (reason) {
    complain("%s was made with %s; move it away or choose another --out", path, reason);
    return exit_code(ANS_MODEL);
  }
  int code = check_room(worker, path);
  if (code == EXIT_OK && !found) code = new_record(worker, &identity);
  if (code == EXIT_OK && !complete(worker)) add_build(record);
  return code;
}

/* ---- Meta-training ----------------------------------------------------------------------------------- */

static ans_status open_training(worker *worker, const char *checkpoint, ans_training **training) {
  if (access(checkpoint, R_OK) == 0)
    return ans_training_resume(worker->context, checkpoint, worker->job->threads, training);
  worker->record.train_seconds = 0; /* a record may outlive its checkpoint, and then the training comes again */
  ans_training_options options = {.descriptor = worker->job->arm->descriptor,
                                  .rounds = worker->job->arm->rounds,
                                  .seed = worker->job->seed,
                                  .threads = worker->job->threads};
  return ans_training_begin(worker->context, worker->problem, &options, training);
}

/* What looks on while a model is trained. */
typedef struct training_onlooker {
  worker *worker;
  ans_training *training;
  const char *checkpoint;
  progress progress;
  double before, saved; /* seconds of earlier sessions; when the last checkpoint was written */
  ans_status status;
} training_onlooker;

static ans_status save_training(training_onlooker *o, ans_progress now) {
  record *record = &o->worker->record;
  record->train_seconds = o->before + now.seconds;
  record->train_steps = now.step;
  record->train_returns = now.rollbacks;
  ans_status status = ans_training_save(o->worker->context, o->training, o->checkpoint);
  if (status == ANS_OK) status = write_record(o->worker);
  o->saved = monotonic_seconds();
  return status;
}

static bool watch_training(void *data, ans_progress now) {
  training_onlooker *o = data;
  progress_update(&o->progress, now.step, now.loss);
  if (now.step < now.steps && monotonic_seconds() - o->saved > save_interval) o->status = save_training(o, now);
  return o->status == ANS_OK;
}

/* Steps until done or interrupted, saving now and then. The time of saving does not count. */
static ans_status train_on(worker *worker, ans_training *training, const char *checkpoint) {
  training_onlooker onlooker = {.worker = worker,
                                .training = training,
                                .checkpoint = checkpoint,
                                .before = worker->record.train_seconds,
                                .saved = monotonic_seconds()};
  ans_progress first = ans_training_state(training);
  ans_run_rules rules = ANS_RUN_RULES_DEFAULT;
  rules.every = 10;
  rules.interrupt = interrupt_flag();
  progress_begin(&onlooker.progress, "train", first.step, first.steps, worker->job->quiet);
  ans_status status = ans_training_run(worker->context, training, &rules, watch_training, &onlooker);
  progress_end(&onlooker.progress);
  if (status == ANS_OK) status = onlooker.status;
  ans_progress now = ans_training_state(training);
  bool unsaved = now.step > first.step || interrupted();
  return status == ANS_OK && unsaved ? save_training(&onlooker, now) : status;
}

static ans_status train(worker *worker) {
  char checkpoint[JOB_PATH];
  job_path(worker->job, ".safetensors", checkpoint);
  ans_training *training;
  ans_status status = open_training(worker, checkpoint, &training);
  if (status != ANS_OK) return status;
  status = train_on(worker, training, checkpoint);
  if (status == ANS_OK && !interrupted()) status = ans_training_model(worker->context, training, &worker->model);
  ans_training_free(training);
  return status;
}

/* ---- Adaptation -------------------------------------------------------------------------------------- */

/* Errors of every field on the reference grid, into the case's next evaluation. */
static ans_status evaluate(worker *worker, ans_solver *solver, const ans_solution *reference, double seconds,
                           record_case *entry) {
  size_t e = entry->evaluation_count;
  ans_solution *answer;
  ans_status status = ans_solver_solution_like(worker->context, solver, reference, &answer);
  if (status != ANS_OK) return status;
  status = ans_solution_compare(worker->context, answer, reference, entry->errors[e]);
  ans_solution_free(answer);
  if (status != ANS_OK) return status;
  for (size_t f = 0; f < worker->record.field_count; f++) entry->errors[e][f] = record_number(entry->errors[e][f]);
  entry->steps[e] = ans_solver_state(solver).step;
  entry->seconds[e] = seconds;
  entry->evaluation_count++;
  return ANS_OK;
}

/* The map stands on disk before its case does in the record: a recorded case has its map. */
static ans_status write_map(worker *worker, ans_solver *solver, const ans_solution *reference,
                            const record_case *entry) {
  char path[JOB_PATH];
  ans_solution *answer;
  ans_status status = ans_solver_solution_like(worker->context, solver, reference, &answer);
  if (status != ANS_OK) return status;
  char *text =
      error_map_text(worker->record.settings, ans_solver_state(solver).step, answer, reference, worker->job->map_every);
  ans_solution_free(answer);
  if (!text) return ans_context_fail(worker->context, ANS_MEMORY, "memory is exhausted");
  job_map_path(worker->job, entry->name, path);
  status = ans_file_write(worker->context, path, text, strlen(text));
  free(text);
  return status;
}

/* What looks on while a solver adapts. */
typedef struct adaptation_onlooker {
  worker *worker;
  ans_solver *solver;
  const ans_solution *reference;
  double before; /* seconds until the first step */
  record_case *entry;
  progress progress;
  ans_status status;
} adaptation_onlooker;

static bool watch_adaptation(void *data, ans_progress now) {
  adaptation_onlooker *o = data;
  o->status = evaluate(o->worker, o->solver, o->reference, o->before + now.seconds, o->entry);
  progress_update(&o->progress, now.step, now.loss);
  return o->status == ANS_OK;
}

static ans_status adapt_on(worker *worker, ans_solver *solver, const ans_solution *reference, double seconds,
                           record_case *entry) {
  adaptation_onlooker onlooker = {worker, solver, reference, seconds, entry, .status = ANS_OK};
  const long steps = ans_problem_adapt_steps(worker->problem);
  ans_run_rules rules = ANS_RUN_RULES_DEFAULT;
  rules.every = stride_of(worker);
  rules.interrupt = interrupt_flag();
  progress_begin(&onlooker.progress, entry->name, 0, steps, worker->job->quiet);
  ans_status status = evaluate(worker, solver, reference, seconds, entry);
  if (status == ANS_OK) status = ans_solver_run(worker->context, solver, &rules, watch_adaptation, &onlooker);
  ans_progress now = ans_solver_state(solver);
  if (status == ANS_OK) status = onlooker.status;
  if (status == ANS_OK && now.step % rules.every != 0 && !interrupted()) /* the last step between two looks */
    status = evaluate(worker, solver, reference, seconds + now.seconds, entry);
  progress_end(&onlooker.progress);
  entry->returns = now.rollbacks;
  if (status == ANS_OK && worker->job->map_every > 0 && !interrupted())
    status = write_map(worker, solver, reference, entry);
  return status == ANS_OK ? ans_solver_residual(worker->context, solver, NULL, &entry->residual) : status;
}

static ans_status adapt_to(worker *worker, const ans_instance *instance, record_case *entry) {
  ans_solution *reference = NULL;
  ans_solver *solver = NULL;
  ans_reference_report report;
  char cache[JOB_PATH];
  snprintf(cache, sizeof cache, "%s/references", worker->job->results);
  ans_status status =
      ans_reference_solve(worker->context, instance, (ans_reference_options){.cache = cache}, &reference, &report);
  ans_solver_options options = {
      .seed = worker->job->seed, .threads = worker->job->threads, .method = ANS_ADAM}; /* the paper's */
  double before = monotonic_seconds();
  if (status == ANS_OK) status = ans_solver_begin(worker->context, worker->model, instance, &options, &solver);
  if (status == ANS_OK) status = adapt_on(worker, solver, reference, monotonic_seconds() - before, entry);
  ans_solver_free(solver);
  ans_solution_free(reference);
  return status;
}

static ans_status choose(worker *worker, size_t index, ans_instance **instance) {
  const experiment_choice *named = &worker->job->choices[index];
  ans_choice choice = ANS_CHOICE_DEFAULT;
  if (!named->structure) choice.case_name = worker->job->cases[index];
  choice.structure = named->structure;
  choice.assignments = named->values;
  return ans_instance_new(worker->context, worker->problem, choice, instance);
}

static void tell_case(const worker *worker, const record_case *entry) {
  const record *record = &worker->record;
  const char *name = entry->name;
  if (worker->job->quiet) return;
  remark("%s %s seed %llu, %s: error %.3g to %.3g in %.1f s", record->family, worker->job->arm->name,
         (unsigned long long)record->seed, name, measure_value(record, "initial", NULL, &name, 1),
         measure_value(record, "final", NULL, &name, 1), entry->seconds[entry->evaluation_count - 1]);
}

/* One case: adapted, recorded and told. */
static ans_status adapt(worker *worker, size_t index) {
  record *record = &worker->record;
  record_case *entry = &record->cases[record->case_count];
  memset(entry, 0, sizeof *entry);
  snprintf(entry->name, RECORD_NAME, "%s", worker->job->cases[index]);
  job_choice_text(&worker->job->choices[index], entry->choice);
  ans_instance *instance;
  ans_status status = choose(worker, index, &instance);
  if (status != ANS_OK) return status;
  status = adapt_to(worker, instance, entry);
  ans_instance_free(instance);
  if (status != ANS_OK || interrupted()) return status;
  record->case_count++;
  status = write_record(worker);
  if (status == ANS_OK) tell_case(worker, entry);
  return status;
}

/* ---- The job ----------------------------------------------------------------------------------------- */

static ans_status work(worker *worker) {
  if (!job_from_scratch(worker->job->arm)) {
    ans_status status = train(worker);
    if (status != ANS_OK || interrupted()) return status;
    worker->record.parameters = ans_model_information(worker->model).parameters;
  }
  for (size_t c = 0; c < worker->job->case_count && !interrupted(); c++) {
    if (record_find_case(&worker->record, worker->job->cases[c])) continue;
    ans_status status = adapt(worker, c);
    if (status != ANS_OK) return status;
  }
  return ANS_OK;
}

static int run_locked(worker *worker) {
  ans_status status = ans_problem_read(worker->context, worker->job->arm->family, &worker->problem);
  if (status != ANS_OK) return report_failure(worker->context, status);
  int code = open_record(worker);
  if (code != EXIT_OK || complete(worker)) return code;
  status = work(worker);
  if (status != ANS_OK) return report_failure(worker->context, status);
  return complete(worker) ? EXIT_OK : JOB_INTERRUPTED;
}

int job_run(const job *job) {
  int lock, outcome = make_folders(job);
  if (outcome == EXIT_OK) outcome = lock_job(job, &lock);
  if (outcome != EXIT_OK) return outcome;
  worker worker = {.job = job};
  outcome = EXIT_MEMORY;
  if (!record_new(&worker.record) || ans_context_new(&worker.context) != ANS_OK)
    complain("memory is exhausted");
  else
    outcome = run_locked(&worker);
  ans_model_free(worker.model);
  ans_problem_free(worker.problem);
  ans_context_free(worker.context);
  record_drop(&worker.record);
  close(lock);
  return outcome;
}
