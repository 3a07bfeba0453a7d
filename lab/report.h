/* SPDX-License-Identifier: Apache-2.0
 *
 * report.h - an experiment's records as tables, figures and verdicts, beside the paper's numbers.
 */
#ifndef LAB_REPORT_H
#define LAB_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "ansatz.h"
#include "experiment.h"
#include "job_record.h"

/* All records of one experiment, as far as they exist. */
typedef struct report_records {
  size_t found[EXPERIMENT_MAX_ARMS];                         /* how many seeds of an arm have a record */
  record records[EXPERIMENT_MAX_ARMS][EXPERIMENT_MAX_SEEDS]; /* the first `found` are valid */
} report_records;

/* Mean and sample deviation over seed means of a measure; count 0: nothing to say. */
typedef struct report_cell {
  size_t count;
  double mean, deviation;
  double seeds[EXPERIMENT_MAX_SEEDS];
} report_cell;

report_cell report_measure(const report_records *records, size_t arm, const char *measure, const char *field,
                           const char *const *cases, size_t case_count);

/* Markdown to `out`; figures, if `figures` is not NULL, into that folder (linked as `link`/name). */
ans_status report_write(ans_context *context, const experiment *experiment, const report_records *records,
                        const char *figures, const char *link, FILE *out);

/* How many cells and claims of an experiment came out which way, as one line of a table that the first call begins. */
void report_summary_begin(FILE *out);
void report_summary(const experiment *experiment, const report_records *records, FILE *out);

/* The same tables and claims as one object; NULL: no memory. */
json_t *report_json(const experiment *experiment, const report_records *records);

#endif
