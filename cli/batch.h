/* SPDX-License-Identifier: Apache-2.0
 *
 * batch.h - a table of targets as a whole: what `solve --targets` and `merge` tell of it and write.
 *
 * Everything here is a function of the ledger, row after row in the order of the table: whoever solved the rows, and in
 * whatever order, the report and the file are the same.
 */
#ifndef CLI_BATCH_H
#define CLI_BATCH_H

#include "ledger.h"
#include "shard.h"

typedef struct batch_view {
  const ans_problem *problem;
  ledger *ledger;
  const table *table; /* for the names of rows without a record; NULL: their numbers */
  shard shard;        /* whose rows are reported; the file always has all */
  bool check, tolerance, corrected;
  bool json, quiet;
} batch_view;

/* What the header of the ledger says. */
void batch_view_of(const ans_problem *problem, ledger *ledger, batch_view *view);

/* One line or object per row. Exit codes: of printing, or of reading what is to be printed; *failed: of the first row
 * without a solution, a reference or its tolerance. */
int batch_report(batch_view *view, int *failed);

/* The file at `output`, and the seconds of each row at OUTPUT.times.csv, which no two runs have alike. *none: no row
 * was solved and nothing is written, which was reported. The exit code. */
int batch_write(ans_context *context, batch_view *view, const char *output, bool *none);

#endif
