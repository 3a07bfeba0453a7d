/* SPDX-License-Identifier: Apache-2.0
 *
 * train.h - what `ansatz train` has in hand, and what it tells about it.
 */
#ifndef CLI_TRAIN_H
#define CLI_TRAIN_H

#include <stdio.h>

#include "ansatz_share.h"
#include "options.h"

#define TRAIN_CHECKPOINT ".checkpoint" /* after the model's path */

typedef struct trained {
  const arguments *arguments;
  const char *file, *output; /* problem file and model path */
  char checkpoint[4096];     /* path */
  ans_fellows fellows;       /* processes that train together; count 0: alone */
  ans_problem *problem;
  ans_training *training;
  ans_model *model;       /* at the end of the run */
  bool complete;          /* all steps are done: the model is written, else a checkpoint */
  bool checkpoint_failed; /* and that was reported */
  FILE *log;
  int log_failure; /* errno of the first line that could not be written, else 0 */
  long first;      /* the step at which this run began */
  double begun;    /* seconds of the monotonic clock */
  double seconds;  /* that this run took */
} trained;

/* The run of one seed, and of every seed of --seeds. The exit code. */
typedef int train_run(const arguments *arguments);
int train_seeds(const arguments *arguments, train_run *run);

/* One JSON object per line; opened for appending when the run was resumed. */
bool train_log_open(trained *trained, const char *path);
void train_log(trained *trained);

/* The exit code: a log that could not be written whole is reported, but costs no step of the training. */
int train_log_close(trained *trained);

/* The loss of every step on a logarithmic axis. */
ans_status train_figure(ans_context *context, const trained *trained, const char *path);

/* The table of parts and parameters. The exit code. */
int train_describe(const trained *trained);

/* What came of it, as text or JSON. The exit code. */
int train_report(const trained *trained);

#endif
