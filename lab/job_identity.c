/* SPDX-License-Identifier: Apache-2.0 */
#include "job_identity.h"

#include <stdio.h>
#include <string.h>

#include "cli/shared.h"

void job_family_name(const char *path, char name[RECORD_NAME]) {
  const char *slash = strrchr(path, '/');
  snprintf(name, RECORD_NAME, "%s", slash ? slash + 1 : path);
  char *dot = strrchr(name, '.');
  if (dot) *dot = '\0';
}

void job_path(const job *job, const char *ending, char *path) {
  char family[RECORD_NAME], rounds[16] = "";
  job_family_name(job->arm->family, family);
  if (job->arm->rounds > 0) snprintf(rounds, sizeof rounds, "-k%d", job->arm->rounds);
  snprintf(path, JOB_PATH, "%s/%s/%s%s-%llu%s", job->results, family, job->arm->descriptor, rounds,
           (unsigned long long)job->seed, ending);
}

void job_map_path(const job *job, const char *case_name, char *path) {
  char ending[RECORD_NAME + 16];
  snprintf(ending, sizeof ending, ".%s.map.json", case_name);
  job_path(job, ending, path);
}

static uint64_t add_to_hash(uint64_t hash, const char *text) { /* FNV-1a */
  for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
  return hash;
}

static ans_status settings_of(ans_context *context, const ans_problem *problem, const experiment_arm *arm,
                              char settings[RECORD_NAME]) {
  char *text, rounds[16];
  ans_status status = ans_problem_print(context, problem, &text);
  if (status != ANS_OK) return status;
  snprintf(rounds, sizeof rounds, " %d", arm->rounds);
  uint64_t hash = add_to_hash(add_to_hash(add_to_hash(0xcbf29ce484222325u, text), arm->descriptor), rounds);
  ans_free(text);
  snprintf(settings, RECORD_NAME, "%016llx", (unsigned long long)hash);
  return ANS_OK;
}

bool job_from_scratch(const experiment_arm *arm) { return strcmp(arm->descriptor, "none") == 0; }

/* Parameters of the model that the arm would train. */
static ans_status parameters_of(ans_context *context, const ans_problem *problem, const experiment_arm *arm,
                                size_t *parameters) {
  *parameters = 0;
  if (job_from_scratch(arm)) return ANS_OK;
  ans_training_options options = {.descriptor = arm->descriptor, .rounds = arm->rounds, .threads = 1};
  ans_training *training;
  ans_model *model;
  ans_status status = ans_training_begin(context, problem, &options, &training);
  if (status != ANS_OK) return status;
  status = ans_training_model(context, training, &model);
  ans_training_free(training);
  if (status != ANS_OK) return status;
  *parameters = ans_model_information(model).parameters;
  ans_model_free(model);
  return ANS_OK;
}

ans_status job_identify_as(ans_context *context, const ans_problem *problem, const experiment_arm *arm,
                           job_identity *identity) {
  ans_status status = settings_of(context, problem, arm, identity->settings);
  return status == ANS_OK ? parameters_of(context, problem, arm, &identity->parameters) : status;
}

ans_status job_identify(ans_context *context, const job *job, job_identity *identity) {
  ans_problem *problem;
  ans_status status = ans_problem_read(context, job->arm->family, &problem);
  if (status != ANS_OK) return status;
  status = job_identify_as(context, problem, job->arm, identity);
  ans_problem_free(problem);
  return status;
}

void job_choice_text(const experiment_choice *choice, char text[RECORD_CHOICE]) {
  text[0] = '\0';
  if (choice->structure) snprintf(text, RECORD_CHOICE, "%s %s", choice->structure, choice->values);
}

/* Whether a case of the record has a name of the job's, but other numbers. */
static bool other_choices(const job *job, const record *record) {
  char text[RECORD_CHOICE];
  for (size_t c = 0; c < job->case_count; c++) {
    const record_case *entry = record_find_case(record, job->cases[c]);
    job_choice_text(&job->choices[c], text);
    if (entry && strcmp(entry->choice, text) != 0) return true;
  }
  return false;
}

/* Versions before this one whose records it continues and reports beside its own: the same seed and settings give the
 * same numbers, up to rounding. To be emptied when that ends; tests/cli/shipped_test.py holds the program to it. */
static const char same_numbers[] = "0.2.0";

static bool same_version(const record *record) {
  char version[RECORD_NAME];
  snprintf(version, sizeof version, "%.*s", (int)strcspn(record->version, " "), record->version);
  return strcmp(version, ans_version()) == 0 || list_place(same_numbers, '|', version) >= 0;
}

const char *job_refuses(const job *job, const job_identity *identity, const record *record) {
  if (strcmp(record->settings, identity->settings) != 0) return "other settings";
  if (!same_version(record)) return "another version";
  if (other_choices(job, record)) return "other cases of the same names";
  if (record->seed != job->seed || record->rounds != job->arm->rounds ||
      strcmp(record->descriptor, job->arm->descriptor) != 0)
    return "another seed, descriptor or number of rounds";
  bool trained = record->parameters > 0;
  return trained && record->parameters != identity->parameters ? "another network" : NULL;
}
