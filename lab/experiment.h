/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment.h - one experiment of the paper as data: what to run, what to report, what the paper says.
 * experiments/README.md describes the file. Adding an experiment needs no C.
 */
#ifndef LAB_EXPERIMENT_H
#define LAB_EXPERIMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "statistics.h"

enum { EXPERIMENT_MAX_ARMS = 16, EXPERIMENT_MAX_SEEDS = 32, EXPERIMENT_MAX_CASES = 64, EXPERIMENT_MAX_TABLES = 32 };

typedef struct experiment_arm {
  const char *name, *label;
  const char *family;     /* path of the problem file */
  const char *descriptor; /* as `ansatz train --descriptor` takes it */
  int rounds;             /* 0: the family's own */
  size_t seed_count;
  uint64_t seeds[EXPERIMENT_MAX_SEEDS];
} experiment_arm;

/* What a paper's cell says; deviation is NaN where the paper gives none, mean where the cell is empty. The paper is
 * taken to have the seeds that the arm has here. */
typedef struct experiment_number {
  sample over;
  size_t seed_count; /* 0: the paper does not list its seeds */
  double seeds[EXPERIMENT_MAX_SEEDS];
} experiment_number;

/* A case that the family does not name: a structure and its values. Both NULL: the family's own case. */
typedef struct experiment_choice {
  const char *structure, *values; /* "reaction", "r=8.5" */
} experiment_choice;

typedef struct experiment_table {
  const char *title, *measure;
  const char *field; /* NULL: averaged over all */
  size_t case_count; /* the cases it averages; the experiment's own where it names none */
  const char *cases[EXPERIMENT_MAX_CASES];
  double unit;
  bool figure; /* also drawn: seeds as dots, joined where `joined` */
  bool joined;
  experiment_number paper[EXPERIMENT_MAX_ARMS];
} experiment_table;

/* The means of `measure` must grow along the arms. */
typedef struct experiment_claim {
  const char *text, *measure;
  bool ours; /* not one that the paper makes */
  size_t arm_count;
  int arms[EXPERIMENT_MAX_ARMS];
} experiment_claim;

typedef struct experiment {
  void *json;      /* owns every string below */
  char name[64];   /* the file's, without folder and ending */
  char call[4096]; /* what `ansatz reproduce` is given to run it: a shipped one's name, else the path */
  const char *title, *note;
  char *family_paths[EXPERIMENT_MAX_ARMS]; /* owned */
  long evaluate_every;                     /* adaptation steps between two evaluations; 0: as the family has it */
  size_t map_every; /* maps of the final error keep every n-th node of an axis; 0: there are none */
  size_t arm_count, case_count, table_count, claim_count;
  experiment_arm arms[EXPERIMENT_MAX_ARMS];
  const char *cases[EXPERIMENT_MAX_CASES];
  experiment_choice choices[EXPERIMENT_MAX_CASES]; /* of each case */
  experiment_table tables[EXPERIMENT_MAX_TABLES];
  experiment_claim claims[EXPERIMENT_MAX_TABLES];
} experiment;

/* False with a sentence in `message` when the file is missing or not an experiment. */
bool experiment_read(const char *path, experiment *result, char *message, size_t room);
void experiment_drop(experiment *experiment);

int experiment_find_arm(const experiment *experiment, const char *name); /* -1: none */

#endif
