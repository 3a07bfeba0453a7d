/* SPDX-License-Identifier: Apache-2.0
 *
 * table.h - a CSV file with a line of names: comma-separated, '#' begins a comment line. A cell may stand in double
 * quotes, which may hold commas and, doubled, quotes, but no line breaks. Lines end with LF, CR LF or CR; a byte order
 * mark before the text is passed over.
 */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TABLE_NUMBER = 64 }; /* characters that a number in a cell may have, as in a problem file */

typedef struct table {
  char *text; /* what the cells point into */
  size_t row_count, column_count;
  const char **names; /* [columns] */
  uint32_t *cells;    /* [rows][columns]: where in the text; "" where a cell is empty */
  uint32_t *lines;    /* [rows]: the line of the file that a row stands in, from 1 */
} table;

/* False: the mistake was reported. */
bool table_read(const char *path, table *table);
void table_drop(table *table);

/* The column of this name; -1: none. */
int table_column(const table *table, const char *name);

const char *table_entry(const table *table, size_t row, size_t column);

#endif
