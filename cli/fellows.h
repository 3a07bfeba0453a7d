/* SPDX-License-Identifier: Apache-2.0
 *
 * fellows.h - the processes that one mpirun or srun started with this one.
 *
 * How many there are and which one this is stands in the environment, whatever the program was built with: that is
 * enough to divide rows and jobs, which goes through files. A training is divided by messages, which need MPI:
 * mpi/mpi.c has them, no_mpi.c stands in its place in a build without. No other file sees MPI, and libansatz does not.
 */
#ifndef CLI_FELLOWS_H
#define CLI_FELLOWS_H

#include <stdbool.h>

#include "ansatz_share.h"

/* This process's number from 0, and how many there are; 0 of 1 alone. */
typedef struct fellows_place {
  int rank, count;
} fellows_place;

fellows_place fellows_here(void);

/* Joins the others for a training; to be called by all of them. The exit code; a mistake was reported by rank 0. */
int fellows_join(ans_fellows *fellows);

/* The largest of everyone's numbers; one's own when nobody was joined. */
int fellows_largest(int number);

/* At the program's end. */
void fellows_leave(void);

#endif
