/* SPDX-License-Identifier: Apache-2.0 */
#include "shard.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fellows.h"
#include "output.h"

static const long MOST = 10000000;

/* The digits of a whole number at `text`, up to `end`. False: there is none, or it is too large. */
static bool whole(const char *text, char end, long *number, const char **rest) {
  char *after;
  if (*text < '0' || *text > '9') return false;
  errno = 0;
  *number = strtol(text, &after, 10);
  if (errno || *after != end || *number > MOST) return false;
  *rest = after;
  return true;
}

/* A variable that is a whole number; false: it is not there, or something else ("undefined" of SGE). */
static bool variable(const char *name, long *number) {
  const char *text = getenv(name), *rest;
  return text && whole(text, '\0', number, &rest);
}

/* ---- The machine's numbers --------------------------------------------------------------------------- */

/* An array of jobs: the names of the variables that a scheduler sets; NULL: it does not set that one. */
typedef struct array_kind {
  const char *scheduler, *index, *first, *last, *step;
  long begin; /* the first index where no variable has it */
} array_kind;

static const array_kind kinds[] = {
    {"Slurm", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP", 1},
    {"SGE", "SGE_TASK_ID", "SGE_TASK_FIRST", "SGE_TASK_LAST", "SGE_TASK_STEPSIZE", 1},
    {"LSF", "LSB_JOBINDEX", NULL, "LSB_JOBINDEX_END", "LSB_JOBINDEX_STEP", 1},
    {"PBS", "PBS_ARRAY_INDEX", NULL, NULL, NULL, 1},
    {"Torque", "PBS_ARRAYID", NULL, NULL, NULL, 1},
    {"HyperQueue", "HQ_TASK_ID", NULL, NULL, NULL, 1},
};

/* Ranks of processes that were started together. */
static const char *const ranks[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                       {"PMI_RANK", "PMI_SIZE"},
                                       {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};

fellows_place fellows_here(void) {
  enum { STARTED_TOGETHER = 2 }; /* kinds that mean one command, not several jobs on one machine */
  long rank = 0, size = 1;
  for (size_t i = 0; i < STARTED_TOGETHER; i++)
    if (variable(ranks[i][0], &rank) && variable(ranks[i][1], &size) && rank < size)
      return (fellows_place){(int)rank, (int)size};
  return (fellows_place){0, 1};
}

/* `given`: N of auto/N, or 0. */
static bool read_array(const array_kind *kind, long index, long given, shard *shard) {
  long first = kind->begin, last = 0, step = 1, count = 0;
  if (kind->first) variable(kind->first, &first);
  if (kind->step && (!variable(kind->step, &step) || step < 1)) step = 1;
  bool told = kind->last && variable(kind->last, &last) && last >= first;
  long told_count = told ? (last - first) / step + 1 : 0;
  /* An array given as a list ("3,7") has gaps, which only Slurm shows: it counts the jobs. */
  bool gaps =
      strcmp(kind->scheduler, "Slurm") == 0 && variable("SLURM_ARRAY_TASK_COUNT", &count) && count != told_count;
  if ((!told || gaps) && given == 0) {
    complain("--shard auto: %s does not say how many jobs the array has; give --shard auto/N", kind->scheduler);
    return false;
  }
  shard->count = given ? given : told_count;
  shard->index = given ? index : (index - first) / step + 1;
  if (shard->index >= 1 && shard->index <= shard->count && (given || (index - first) % step == 0)) return true;
  complain("--shard auto: job %ld of %s (%s) is not in 1 to %ld; number the array from 1", index, kind->scheduler,
           kind->index, shard->count);
  return false;
}

static bool read_machine(long given, shard *shard) {
  long rank = 0, size = 1, index;
  bool found = false, ranked = false;
  *shard = (struct shard){1, 1, false};
  for (size_t i = 0; !found && i < sizeof kinds / sizeof *kinds; i++)
    if (variable(kinds[i].index, &index)) {
      found = true;
      if (!read_array(&kinds[i], index, given, shard)) return false;
    }
  for (size_t i = 0; !ranked && i < sizeof ranks / sizeof *ranks; i++)
    ranked = variable(ranks[i][0], &rank) && variable(ranks[i][1], &size) && rank < size;
  if (!found && !ranked) {
    complain(
        "--shard auto: this process is in no array of Slurm, PBS, SGE, LSF or HyperQueue and has no rank of mpirun "
        "or srun; give --shard K/N");
    return false;
  }
  if (!ranked) return true;
  shard->index = (shard->index - 1) * size + rank + 1; /* several processes in each job of an array */
  shard->count *= size;
  return true;
}

/* ---- The option -------------------------------------------------------------------------------------- */

bool shard_read(const arguments *arguments, shard *shard) {
  const char *text = option_value(arguments, "shard"), *rest;
  long given = 0;
  *shard = (struct shard){1, 1, false};
  if (!text) return true;
  if (strcmp(text, "any") == 0) {
    shard->any = true;
    return true;
  }
  if (strcmp(text, "auto") == 0) return read_machine(0, shard);
  if (strncmp(text, "auto/", 5) == 0 && whole(text + 5, '\0', &given, &rest) && given > 0)
    return read_machine(given, shard);
  bool numbers = whole(text, '/', &shard->index, &rest) && whole(rest + 1, '\0', &shard->count, &rest);
  if (numbers && shard->index >= 1 && shard->index <= shard->count) return true;
  complain("--shard %s: expected K/N with 1 <= K <= N, like 3/64, or auto, auto/N or any", text);
  return false;
}

bool shard_has(const shard *shard, size_t item) {
  return shard->any || item % (size_t)shard->count == (size_t)(shard->index - 1);
}
