/* SPDX-License-Identifier: Apache-2.0
 *
 * trust.c - how often the estimate of the error is right: random members of a family, each looked at after several
 * numbers of steps, good and bad, against the classical reference; and how often a tolerance is kept.
 *
 *   trust DECLARATION FOLDER [SECONDS]
 *   trust --figure FIGURE RECORDS...
 *
 * The records of an arm are FOLDER/NAME.csv. A member that stands there is not done again, and its lines are written at
 * once, so that a run may be stopped at any time and continued. Arms take turns, one member each.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "trust.h"

enum { MEMBERS_MAX = 4096, NAME_ROOM = 512 };

typedef struct study {
  ans_context *context;
  arm *arms;
  int count;
  bool (*done)[MEMBERS_MAX]; /* [count]: members on record */
  const char *folder;
} study;

static int fail(const study *study, const char *what) {
  fprintf(stderr, "trust: %s: %s\n", what, ans_context_diagnostic(study->context)->message);
  return 1;
}

static void record_name(const study *study, const arm *arm, char name[NAME_ROOM]) {
  snprintf(name, NAME_ROOM, "%s/%s.csv", study->folder, arm->name);
}

static void read_done(study *study, int index) {
  char line[512], name[NAME_ROOM];
  record_name(study, &study->arms[index], name);
  FILE *file = fopen(name, "r");
  while (file && fgets(line, sizeof line, file)) {
    long member;
    if (sscanf(line, "%*[^,],%ld", &member) == 1 && member >= 0 && member < MEMBERS_MAX)
      study->done[index][member] = true;
  }
  if (file) fclose(file);
}

static bool open_arm(const study *study, arm *arm) {
  const char *dot = strrchr(arm->path, '.');
  bool model = dot && strcmp(dot, ".safetensors") == 0;
  ans_status status = model ? ans_model_read(study->context, arm->path, &arm->model)
                            : ans_problem_read(study->context, arm->path, &arm->own);
  arm->problem = status != ANS_OK ? NULL : model ? ans_model_problem(arm->model) : arm->own;
  return status == ANS_OK;
}

/* One member, all of its lines or none of them. */
static int do_member(study *study, const arm *arm, long member) {
  char name[NAME_ROOM], *lines = NULL;
  size_t length = 0;
  FILE *memory = open_memstream(&lines, &length), *file;
  if (!memory) return 1;
  ans_status status = member_study(study->context, arm, member, memory);
  fclose(memory);
  if (status != ANS_OK) fail(study, arm->name); /* the others go on */
  record_name(study, arm, name);
  file = status == ANS_OK ? fopen(name, "a") : NULL;
  bool bad = status == ANS_OK && (!file || fwrite(lines, 1, length, file) != length);
  if (file) bad |= fclose(file) != 0;
  free(lines);
  if (bad) fprintf(stderr, "trust: %s: %s\n", name, strerror(errno));
  return bad;
}

static int run(study *study, double seconds) {
  struct timespec begun, now;
  long most = 0;
  clock_gettime(CLOCK_MONOTONIC, &begun);
  for (int i = 0; i < study->count; i++) most = study->arms[i].members > most ? study->arms[i].members : most;
  for (long member = 0; member < most && member < MEMBERS_MAX; member++)
    for (int i = 0; i < study->count; i++) {
      if (member >= study->arms[i].members || study->done[i][member]) continue;
      clock_gettime(CLOCK_MONOTONIC, &now);
      if (seconds > 0 && (double)(now.tv_sec - begun.tv_sec) > seconds) return 0;
      if (do_member(study, &study->arms[i], member)) return 1;
    }
  return 0;
}

static int study_run(study *study, const char *declaration, double seconds) {
  int code = 0;
  study->count = study_read(declaration, &study->arms);
  if (study->count < 0) return 1;
  study->done = calloc((size_t)study->count + 1, sizeof *study->done);
  if (!study->done) return 1;
  for (int i = 0; i < study->count && !code; i++) {
    if (!open_arm(study, &study->arms[i])) code = fail(study, study->arms[i].path);
    read_done(study, i);
  }
  if (!code) code = run(study, seconds);
  for (int i = 0; i < study->count; i++) {
    ans_model_free(study->arms[i].model);
    ans_problem_free(study->arms[i].own);
  }
  return code;
}

int main(int count, char **words) {
  study study = {0};
  if (count < 3 || ans_context_new(&study.context) != ANS_OK) {
    fprintf(stderr, "usage: trust DECLARATION FOLDER [SECONDS]\n       trust --figure FIGURE RECORDS...\n");
    return 2;
  }
  study.folder = words[2];
  int code = strcmp(words[1], "--figure") == 0 ? trust_figure(study.context, words[2], count - 3, words + 3)
                                               : study_run(&study, words[1], count > 3 ? atof(words[3]) : 0);
  free(study.arms);
  free(study.done);
  ans_context_free(study.context);
  return code;
}
