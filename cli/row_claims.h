/* SPDX-License-Identifier: Apache-2.0
 *
 * row_claims.h - rows dealt out among processes that know nothing of each other, by locks on the bytes of one file.
 *
 * Byte r of PATH.claims is locked by the process that works on row r; the system takes the lock back when that process
 * ends, however it ends, and the next one takes the row. What is done stands in the part files and nowhere else; a byte
 * that is not 0 says that it is worth looking there. Works where fcntl locks do: one machine, and network file systems
 * with a lock service.
 */
#ifndef CLI_ROW_CLAIMS_H
#define CLI_ROW_CLAIMS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct row_claims {
  int descriptor; /* -1: closed */
  char path[PATH_MAX];
} row_claims;

/* The exit code; a mistake was reported. */
int row_claims_open(const char *output, size_t rows, row_claims *claims);

/* False: another process has it. *look: somebody has been through with it. */
bool row_claims_take(row_claims *claims, size_t row, bool *look);
void row_claims_give(row_claims *claims, size_t row, bool done);
void row_claims_close(row_claims *claims, bool remove);

#endif
