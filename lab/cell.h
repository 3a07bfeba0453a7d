/* SPDX-License-Identifier: Apache-2.0
 *
 * cell.h - what the records of one arm say of one measure, and how that stands to the paper's number.
 */
#ifndef LAB_CELL_H
#define LAB_CELL_H

#include "experiment.h"
#include "job_record.h"
#include "statistics.h"

/* All records of one experiment, as far as they exist. */
typedef struct experiment_records {
  size_t found[EXPERIMENT_MAX_ARMS];                         /* how many seeds of an arm have a record */
  record records[EXPERIMENT_MAX_ARMS][EXPERIMENT_MAX_SEEDS]; /* the first `found` are valid */
} experiment_records;

/* Mean and deviation over the seeds' values; count 0: nothing to say. Of a pooled measure the mean is the median over
 * all seeds together, and there is no deviation. */
typedef struct cell {
  sample over;
  uint64_t names[EXPERIMENT_MAX_SEEDS]; /* [over.count] the seeds */
  double seeds[EXPERIMENT_MAX_SEEDS];   /* [over.count] their values */
} cell;

/* In the units of the records. */
cell cell_of(const experiment_records *records, size_t arm, const char *measure, const char *field,
             const char *const *cases, size_t case_count);

/* In the table's unit. */
cell table_cell(const experiment_records *records, size_t arm, const experiment_table *table);

/* How our mean stands to the paper's mean and two of its deviations. An interval of two deviations that reaches zero
 * holds nearly everything: to be inside it tests nothing. */
typedef enum verdict {
  NOT_IN_PAPER,
  NO_RECORD,
  NOT_COMPARED,
  AS_GOOD,
  LESS_GOOD,
  NO_TEST,
  INSIDE,
  BETTER,
  WORSE,
  VERDICTS
} verdict;

verdict verdict_of(const cell *ours, const experiment_table *table, size_t arm);
const char *verdict_text(verdict verdict);

/* Welch's p of our seeds against the paper's mean, deviation and number of seeds; NaN where one of them has no spread,
 * and for seconds. */
double verdict_p(const cell *ours, const experiment_table *table, size_t arm);

#endif
