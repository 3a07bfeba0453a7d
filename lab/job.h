/* SPDX-License-Identifier: Apache-2.0
 *
 * job.h - one job of an experiment: train one arm with one seed, adapt it to every case, keep a record.
 *
 * A job can be stopped at any moment and goes on where it was: meta-training from its checkpoint, adaptation from the
 * first case without a record. A lock that ends with the process keeps two workers off the same job.
 */
#ifndef LAB_JOB_H
#define LAB_JOB_H

#include "ansatz.h"
#include "experiment.h"
#include "job_record.h"

enum { JOB_PATH = 1024 };

typedef struct job {
  const experiment_arm *arm;
  uint64_t seed;
  size_t case_count;
  const char *const *cases;
  const experiment_choice *choices; /* of each case */
  const char *results;              /* folder of all records */
  size_t map_every;                 /* every how many nodes a map of the final error keeps; 0: no map */
  long evaluate_every;              /* adaptation steps between two evaluations; 0: as the family has it */
  int threads;
  bool quiet;
} job;

/* What came of a job: EXIT_OK when its record is complete, one of these, or the exit code of a failure that was
 * reported.
 */
enum {
  JOB_ELSEWHERE = 100, /* another worker has it */
  JOB_INTERRUPTED,     /* saved; a later run goes on */
};

int job_run(const job *job);

#endif
