/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

enum { LIMIT = 1 << 26, FIRST_ROOM = 1 << 12 }; /* bytes */

static char *read_text(const char *path) {
  FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
  if (!file) {
    complain("cannot open %s: %s", path, strerror(errno));
    return NULL;
  }
  char *text = NULL, *larger = NULL;
  size_t room = 0, used = 0;
  for (size_t got = 1; got > 0 && used < LIMIT && (larger = realloc(text, 2 * room + FIRST_ROOM + 1));) {
    text = larger;
    room = 2 * room + FIRST_ROOM;
    got = fread(text + used, 1, room - used, file);
    used += got;
  }
  bool bad = ferror(file) || !larger || used >= LIMIT || memchr(text, '\0', used);
  if (file != stdin) fclose(file);
  if (bad) {
    complain(used >= LIMIT ? "%s is larger than 64 MiB; split it" : "%s cannot be read as a table", path);
    free(text);
    return NULL;
  }
  text[used] = '\0';
  return text;
}

/* A doubled quote stands for one. */
static void join_quotes(char *text) {
  char *end = text;
  for (; *text; text++) {
    *end++ = *text;
    if (text[0] == '"' && text[1] == '"') text++;
  }
  *end = '\0';
}

/* The cell without the space and then the quotes around it. */
static char *trimmed(char *cell) {
  cell += strspn(cell, " \t");
  size_t length = strlen(cell);
  while (length > 0 && strchr(" \t", cell[length - 1])) cell[--length] = '\0';
  if (length < 2 || cell[0] != '"' || cell[length - 1] != '"') return cell;
  cell[length - 1] = '\0';
  join_quotes(cell + 1);
  return cell + 1;
}

/* The comma that ends the cell, NULL in the last one. */
static char *cell_end(char *cell) {
  char *quote = cell + strspn(cell, " \t"), *closing = *quote == '"' ? strchr(quote + 1, '"') : NULL;
  while (closing && closing[1] == '"') closing = strchr(closing + 2, '"');
  return strchr(closing ? closing : cell, ',');
}

/* Cuts `line` of `text` at its commas. The number of cells; those beyond `room` are only counted. */
static size_t cut(const char *text, char *line, uint32_t *cells, size_t room) {
  size_t count = 0;
  for (char *next = line; next; count++) {
    char *comma = cell_end(next);
    if (comma) *comma = '\0';
    if (count < room) cells[count] = (uint32_t)(trimmed(next) - text);
    next = comma ? comma + 1 : NULL;
  }
  return count;
}

/* The next line that is neither empty nor a comment; NULL at the end. */
static char *next_line(char **rest, size_t *number) {
  while (*rest && **rest) {
    char *line = *rest, *end = strpbrk(line, "\r\n");
    *rest = end ? end + (end[0] == '\r' && end[1] == '\n' ? 2 : 1) : NULL;
    if (end) *end = '\0';
    (*number)++;
    line += strspn(line, " \t");
    if (*line && *line != '#') return line;
  }
  return NULL;
}

static size_t count_lines(const char *text) {
  size_t lines = 1;
  for (; *text; text++) lines += *text == '\n' || *text == '\r';
  return lines;
}

static size_t count_cells(char *line) {
  size_t cells = 1;
  for (char *comma = cell_end(line); comma; comma = cell_end(comma + 1)) cells++;
  return cells;
}

static bool fill(const char *path, table *table) {
  size_t lines = count_lines(table->text), number = 0;
  size_t most = strlen(table->text) + 1;     /* cells: each ends at a character, a wrong last row included */
  static const char mark[] = "\xef\xbb\xbf"; /* a byte order mark, as spreadsheets write it */
  char *rest = table->text + (strncmp(table->text, mark, 3) == 0 ? 3 : 0), *line = next_line(&rest, &number);
  if (!line) {
    complain("%s has no line of names", path);
    return false;
  }
  table->column_count = count_cells(line);
  table->names = calloc(table->column_count, sizeof *table->names);
  table->cells = calloc(most, sizeof *table->cells);
  table->lines = calloc(lines, sizeof *table->lines);
  if (!table->names || !table->cells || !table->lines) {
    complain("memory is exhausted");
    return false;
  }
  cut(table->text, line, table->cells, table->column_count); /* the rows come later */
  for (size_t i = 0; i < table->column_count; i++) table->names[i] = table->text + table->cells[i];
  assert(table->column_count > 0);
  while ((line = next_line(&rest, &number))) {
    size_t cells = cut(table->text, line, table->cells + table->row_count * table->column_count, table->column_count);
    if (cells != table->column_count) {
      complain("%s:%zu: %zu cells where the first line has %zu names", path, number, cells, table->column_count);
      return false;
    }
    table->lines[table->row_count++] = (uint32_t)number;
    assert(table->row_count < lines);
  }
  if (table->row_count == 0) complain("%s has a line of names but no rows below it", path);
  return table->row_count > 0;
}

bool table_read(const char *path, table *table) {
  *table = (struct table){.text = read_text(path)};
  if (!table->text) return false;
  if (fill(path, table)) return true;
  table_drop(table);
  return false;
}

void table_drop(table *table) {
  free(table->text);
  free(table->names);
  free(table->cells);
  free(table->lines);
  *table = (struct table){0};
}

int table_column(const table *table, const char *name) {
  for (size_t i = 0; i < table->column_count; i++)
    if (strcmp(table->names[i], name) == 0) return (int)i;
  return -1;
}

const char *table_entry(const table *table, size_t row, size_t column) {
  assert(row < table->row_count && column < table->column_count);
  return table->text + table->cells[row * table->column_count + column];
}
