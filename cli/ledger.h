/* SPDX-License-Identifier: Apache-2.0
 *
 * ledger.h - which rows of a table are done, and where: all part files beside one output.
 *
 * Parts of any division count: what 64 shards began, three can finish. Parts whose headers differ were made with other
 * settings and are refused. A row that two parts have is the same twice, and the first is taken. Takes 16 bytes of
 * memory per row.
 */
#ifndef CLI_LEDGER_H
#define CLI_LEDGER_H

#include "part.h"

enum { LEDGER_PATH = PATH_MAX + 264 };

typedef struct ledger_part {
  char path[LEDGER_PATH]; /* "": none */
  part file;              /* closed until it is needed */
  uint64_t scanned;       /* the end of the records that are known; 0: the header was not looked at */
} ledger_part;

typedef struct ledger_entry {
  uint32_t part; /* from 1; 0: none */
  bool partial;
  uint64_t place;
} ledger_entry;

typedef struct ledger {
  char output[PATH_MAX];
  json_t *header; /* of all parts; owned */
  size_t rows, done;
  size_t part_count;
  ledger_part *parts;    /* the first is this process's own, when it appends */
  ledger_entry *entries; /* [rows] */
} ledger;

/* All parts beside `output`, compared with `header`; NULL: with each other. The exit code; a mistake was reported, also
 * when there is no header and no part. */
int ledger_open(const char *output, json_t *header, ledger *ledger);

/* One without an output: a hidden part of its own. */
int ledger_open_hidden(json_t *header, ledger *ledger);

/* Begins to append to PATH.part-ENDING. *busy as part_open has it. */
int ledger_append_to(ledger *ledger, const char *ending, bool *busy);

/* Appends what came of a row. False: reported. */
bool ledger_add(ledger *ledger, const ans_problem *problem, const row_result *result);

/* Looks for what other processes have added. The exit code. */
int ledger_refresh(ledger *ledger);

bool ledger_has(const ledger *ledger, size_t row); /* whole */

/* What came of the row; false: there is no record, or it was reported that it cannot be read (*failed). */
bool ledger_load(ledger *ledger, const ans_problem *problem, size_t row, bool fields, part_row *result, bool *failed);

/* Whether another process appends to a part. */
bool ledger_in_work(ledger *ledger);

/* Whether another process has written the output and removed the parts. */
bool ledger_is_over(const ledger *ledger);
size_t ledger_part_count(const ledger *ledger); /* its own among them */

/* Closes; `remove`: all is written elsewhere, the files go. */
void ledger_close(ledger *ledger, bool remove);

/* The text of a header's entry, or "". */
const char *ledger_text(const json_t *header, const char *name);

#endif
