/* SPDX-License-Identifier: Apache-2.0
 *
 * report.h - an experiment's records as tables, figures and verdicts, beside the paper's numbers.
 */
#ifndef LAB_REPORT_H
#define LAB_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "ansatz.h"
#include "cell.h"

/* Markdown to `out`; figures, if `figures` is not NULL, into that folder (linked as `link`/name). */
ans_status report_write(ans_context *context, const experiment *experiment, const experiment_records *records,
                        const char *figures, const char *link, FILE *out);

/* The mean over seeds of the maps beside the records in `results`: how many there are and, with `figures`, a figure for
 * each case. Call it after report_write. */
ans_status report_maps(ans_context *context, const experiment *experiment, const experiment_records *records,
                       const char *results, const char *figures, const char *link, FILE *out);

/* How many cells and claims of an experiment came out which way, as one line of a table that the first call begins. */
void report_summary_begin(FILE *out);
void report_summary(const experiment *experiment, const experiment_records *records, FILE *out);

/* The same tables and claims as one object; NULL: no memory. */
json_t *report_json(const experiment *experiment, const experiment_records *records);

/* Draws a table: every arm's seeds as dots, and the mean with its deviation. */
ans_status report_figure(ans_context *context, const experiment *experiment, const experiment_records *records,
                         const experiment_table *table, const char *path);

#endif
