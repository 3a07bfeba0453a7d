/* SPDX-License-Identifier: Apache-2.0
 *
 * shard.h - which part of a list of jobs this process does: every N-th, from the K-th on.
 */
#ifndef CLI_SHARD_H
#define CLI_SHARD_H

#include <stdbool.h>
#include <stddef.h>

#include "options.h"

typedef struct shard {
  long index, count; /* K from 1, N; 1 of 1: everything */
  bool any;          /* no fixed part: each process takes what no other has */
} shard;

/* --shard K/N, auto, auto/N or any. Not given: everything. False: a mistake was reported. */
bool shard_read(const arguments *arguments, shard *shard);

bool shard_has(const shard *shard, size_t item);

/* The help of the option, for every command that has it. */
#define SHARD_HELP                                                                                                     \
  "take every N-th, starting with the K-th; auto: K and N from the job array of Slurm, PBS, SGE, LSF or HyperQueue, "  \
  "or from the ranks of mpirun or srun (auto/N if only K is known)"

#endif
