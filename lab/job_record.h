/* SPDX-License-Identifier: Apache-2.0
 *
 * job_record.h - the outcome of one job (family, descriptor, rounds, seed), as one JSON file.
 *
 * Experiments share records: the graph of `fisher` is the K = 2 of `fisher-depth`. A record says under
 * which settings it was made (a hash of the family's canonical text, the descriptor and its rounds, and
 * what was chosen for each case); records of other settings are refused, never mixed in.
 */
#ifndef LAB_JOB_RECORD_H
#define LAB_JOB_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ansatz.h"

enum {
  RECORD_MAX_FIELDS = ANS_MAX_FIELDS,
  RECORD_MAX_EVALUATIONS = 512,
  RECORD_MAX_CASES = 64,
  RECORD_NAME = 65, /* of the language, with its end */
  RECORD_CHOICE = 512
};

/* One adapted case: errors[e][f] is field f's relative L2 error after steps[e] steps. */
typedef struct record_case {
  char name[RECORD_NAME];
  char choice[RECORD_CHOICE]; /* "reaction r=8.5"; empty: the family's case of that name */
  size_t evaluation_count;
  long steps[RECORD_MAX_EVALUATIONS];
  double seconds[RECORD_MAX_EVALUATIONS]; /* optimisation time so far, evaluation excluded */
  double errors[RECORD_MAX_EVALUATIONS][RECORD_MAX_FIELDS];
  double residual; /* mean square on the midpoint grid after the last step */
  int returns;     /* times the adaptation diverged, went back and halved its rate */
} record_case;

typedef struct record {
  char version[RECORD_NAME], settings[RECORD_NAME], family[RECORD_NAME], descriptor[RECORD_NAME];
  char machine[RECORD_NAME]; /* how many threads it had */
  int rounds;
  uint64_t seed;
  size_t parameters;
  long train_steps;
  double train_seconds;
  int train_returns;
  size_t field_count, case_count;
  char fields[RECORD_MAX_FIELDS][RECORD_NAME];
  record_case *cases; /* [RECORD_MAX_CASES], owned */
} record;

bool record_new(record *record); /* false: no memory */
void record_drop(record *record);

/* The value as it will be read back: what is derived from it is the same before and after. */
double record_number(double value);

/* False with a sentence when the file is there but is no record; *found tells whether it is there. */
bool record_read(const char *path, record *record, bool *found, char *message, size_t room);

/* The record as JSON text, to be written whole. NULL: no memory. Free it with free. */
char *record_text(const record *record);

const record_case *record_find_case(const record *record, const char *name);

/* The error of one evaluation: of `field`, or the mean over fields; and the lowest of all. */
double record_error(const record *record, const record_case *entry, size_t evaluation, const char *field);
double record_best_error(const record *record, const record_case *entry, const char *field);

#endif
