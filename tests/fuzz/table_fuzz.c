/* SPDX-License-Identifier: Apache-2.0
 *
 * table_fuzz.c - any bytes into the reader of tables (`solve --targets`). What is accepted has all its cells inside its
 * text, and reads back equal when it is written with every cell in quotes.
 */
#include "budget.h"

#include <stdbool.h>
#include <string.h>

#include "cli/table.h"

static size_t add_cell(char *to, const char *cell) {
  size_t used = 0;
  to[used++] = '"';
  for (; *cell; cell++) {
    if (*cell == '"') to[used++] = '"';
    to[used++] = *cell;
  }
  to[used++] = '"';
  return used;
}

/* Line 0 has the names. */
static size_t add_line(char *to, const table *table, size_t line) {
  size_t used = 0, count = table->column_count;
  for (size_t i = 0; i < count; i++) {
    used += add_cell(to + used, line == 0 ? table->names[i] : table_entry(table, line - 1, i));
    to[used++] = i + 1 < count ? ',' : '\n';
  }
  return used;
}

static void insist_on_equal(const table *a, const table *b) {
  insist(a->column_count == b->column_count && a->row_count == b->row_count, "another size when read back");
  for (size_t i = 0; i < a->column_count; i++) insist(strcmp(a->names[i], b->names[i]) == 0, "another name");
  for (size_t i = 0; i < a->column_count * a->row_count; i++)
    insist(strcmp(a->text + a->cells[i], b->text + b->cells[i]) == 0, "another cell");
}

static void check(const table *read, size_t size) {
  for (size_t i = 0; i < read->column_count * read->row_count; i++)
    insist(read->cells[i] <= size, "a cell outside the text");
  for (size_t i = 0; i < read->column_count; i += 1 + read->column_count / 32) { /* each look-up is over all names */
    int column = table_column(read, read->names[i]);
    insist(column >= 0 && (size_t)column <= i, "a name that is not found");
  }
  char *text = malloc(4 * size + 4 * (read->row_count + 1) * read->column_count + 1);
  size_t used = 0;
  for (size_t line = 0; line <= read->row_count; line++) used += add_line(text + used, read, line);
  table again;
  insist(table_read(memory_file(text, used), &again), "a table that does not read back");
  insist_on_equal(read, &again);
  table_drop(&again);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  double begun = seconds_used();
  table read;
  if (table_read(memory_file(data, size), &read)) {
    check(&read, size);
    table_drop(&read);
  }
  insist_on_budget(begun);
  return 0;
}
