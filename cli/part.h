/* SPDX-License-Identifier: Apache-2.0
 *
 * part.h - what a process has done of a table of targets: a file beside the output, one record per row.
 *
 * PATH.part-3-of-64 is a line "ansatz part 1", the length of a header and the header (JSON: what decides the results),
 * then records, each appended by one call: row, length and checksum, outcome, coefficients, axes, fields. A process
 * that is killed leaves at most one record cut short at the end, which the next one that appends removes. The process
 * that appends holds a lock that the system takes back when it ends. Numbers are as this machine holds them; the header
 * says how many bytes an outcome has, and files of another layout are refused.
 */
#ifndef CLI_PART_H
#define CLI_PART_H

#include <limits.h>

#include "json.h"
#include "solve_row.h"

typedef struct part {
  int descriptor; /* -1: closed */
  char path[PATH_MAX + 264];
  json_t *header;
  uint64_t begin, end; /* of the records that are whole */
  double synced;       /* when the disk last had them all */
  bool failed;         /* a write did, which was reported */
} part;

/* Where a record is, without what it holds. */
typedef struct part_entry {
  uint64_t row, place, next;
  bool partial;
} part_entry;

/* Opens to append, made when missing: exit code; a mistake was reported. *busy: another process has it. */
int part_open(const char *path, json_t *header, part *part, bool *busy);

/* One that nobody else sees and that ends with the process. */
int part_open_hidden(json_t *header, part *part);

/* Opens to read. */
int part_read(const char *path, part *part);
void part_close(part *part);

/* Whether a process appends to it. */
bool part_in_work(const part *part);

/* The record at `place`; false: there is no whole one. */
bool part_entry_at(const part *part, uint64_t place, part_entry *entry);

/* One call, one record. False: it could not be written, which was reported; the file is as it was. */
bool part_append(part *part, const ans_problem *problem, const row_result *result);

/* What a record holds: pointers into `bytes`. */
typedef struct part_row {
  row_outcome outcome;
  const double *values;                    /* [symbols] */
  const double *axes[ANS_MAX_COORDINATES]; /* NULL: no fields */
  const double *fields[ANS_MAX_FIELDS];
  double *bytes; /* owned: part_row_drop */
  size_t room;
} part_row;

/* False: a mistake was reported. The memory of `row` is used again. */
bool part_load(const part *part, const ans_problem *problem, const part_entry *entry, bool fields, part_row *row);
void part_row_drop(part_row *row);

uint64_t part_hash(uint64_t hash, const void *bytes, size_t size); /* FNV-1a over words; begin with PART_HASH */
#define PART_HASH 0xcbf29ce484222325u

#endif
