/* SPDX-License-Identifier: Apache-2.0
 *
 * measurements_read.c - a CSV file as measurements, in one group or several, line by line, with every mistake placed.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "fit/groups.h"
#include "text/suggest.h"

enum { LINE_BYTES = 1 << 16, MOST_COLUMNS = 64 };

/* What a column holds. */
typedef enum column_kind { COLUMN_COORDINATE, COLUMN_FIELD, COLUMN_SIGMA, COLUMN_GROUP } column_kind;

typedef struct table_column {
  column_kind kind;
  int index;
} table_column;

typedef struct csv_reader {
  ans_context *context;
  const ans_problem *problem;
  const char *path, *group; /* the column that names groups; NULL: none */
  FILE *file;
  char *line;    /* as it was read */
  size_t number; /* of the line, from 1 */
  char separator;
  int column_count;
  table_column columns[MOST_COLUMNS];
} csv_reader;

typedef struct csv_cell {
  const char *text; /* in the reader's line */
  size_t length;
} csv_cell;

#define CSV_FAIL(reader, cell, ...)                                                                                    \
  return context_fail_in_line((reader)->context, ANS_ARGUMENT, (reader)->path, (reader)->line, (reader)->number,       \
                              (size_t)((cell).text - (reader)->line) + 1, (cell).length, __VA_ARGS__)

/* ---- Lines and cells ----------------------------------------------------------------------------------- */

/* line <- the bytes up to the next end of line (\n, \r\n or \r); *more false when there is none. */
static ans_status read_line(csv_reader *r, bool *more) {
  size_t length = 0;
  int byte = getc(r->file);
  *more = byte != EOF;
  r->number++;
  for (; byte != EOF && byte != '\n' && byte != '\r'; byte = getc(r->file)) {
    FAIL_IF(byte == '\0', r->context, ANS_ARGUMENT, "%s: line %zu has a zero byte: this is not text", r->path,
            r->number);
    FAIL_IF(length + 1 >= LINE_BYTES, r->context, ANS_ARGUMENT, "%s: line %zu is longer than %d bytes", r->path,
            r->number, LINE_BYTES - 1);
    r->line[length++] = (char)byte;
  }
  r->line[length] = '\0';
  FAIL_IF(ferror(r->file), r->context, ANS_FILE, "cannot read %s: %s", r->path, strerror(errno));
  if (byte != '\r') return ANS_OK;
  byte = getc(r->file);
  if (byte != '\n' && byte != EOF) ungetc(byte, r->file);
  return ANS_OK;
}

/* The next line that is neither empty nor a comment; *more false at the end. */
static ans_status next_line(csv_reader *r, bool *more) {
  for (;;) {
    TRY(read_line(r, more));
    if (!*more) return ANS_OK;
    if (r->number == 1 && strncmp(r->line, "\xef\xbb\xbf", 3) == 0) /* as spreadsheets write it */
      memmove(r->line, r->line + 3, strlen(r->line + 3) + 1);
    size_t blank = strspn(r->line, " \t");
    if (r->line[blank] != '\0' && r->line[blank] != '#') return ANS_OK;
  }
}

/* Without the space and then the quotes around it. */
static csv_cell trimmed(const char *begin, const char *end) {
  while (begin < end && (*begin == ' ' || *begin == '\t')) begin++;
  while (end > begin && (end[-1] == ' ' || end[-1] == '\t')) end--;
  if (end - begin >= 2 && *begin == '"' && end[-1] == '"') begin++, end--;
  return (csv_cell){begin, (size_t)(end - begin)};
}

/* Cuts the line; those beyond MOST_COLUMNS are only counted. */
static int cut(const csv_reader *r, csv_cell *cells) {
  int count = 0;
  for (const char *at = r->line;; count++) {
    const char *end = strchr(at, r->separator);
    if (count < MOST_COLUMNS) cells[count] = trimmed(at, end ? end : at + strlen(at));
    if (!end) return count + 1;
    at = end + 1;
  }
}

/* ---- The line of names --------------------------------------------------------------------------------- */

static bool is_name(csv_cell cell, const char *prefix, const char *name) {
  size_t before = strlen(prefix), length = strlen(name);
  return cell.length == before + length && memcmp(cell.text, prefix, before) == 0 &&
         memcmp(cell.text + before, name, length) == 0;
}

static ans_status refuse_name(csv_reader *r, csv_cell cell) {
  suggestion suggestion = suggest_for(cell.text, cell.length);
  for (int i = 0; i < r->problem->coordinate_count; i++) suggest_offer(&suggestion, r->problem->coordinates[i].name);
  for (int i = 0; i < r->problem->field_count; i++) suggest_offer(&suggestion, r->problem->fields[i].name);
  char room[SUGGEST_ROOM];
  CSV_FAIL(r, cell, "column '%.*s' is neither a coordinate nor a field of %s, nor sigma_ and a field%s",
           cell.length > 64 ? 64 : (int)cell.length, cell.text, r->problem->name, suggest_phrase(&suggestion, room));
}

static ans_status name_column(csv_reader *r, csv_cell cell, table_column *column) {
  const ans_problem *problem = r->problem;
  *column = (table_column){COLUMN_GROUP, 0};
  if (r->group && is_name(cell, "", r->group)) return ANS_OK;
  for (int i = 0; i < problem->coordinate_count; i++)
    if (is_name(cell, "", problem->coordinates[i].name)) {
      *column = (table_column){COLUMN_COORDINATE, i};
      return ANS_OK;
    }
  for (int i = 0; i < problem->field_count; i++) {
    bool value = is_name(cell, "", problem->fields[i].name);
    if (!value && !is_name(cell, "sigma_", problem->fields[i].name)) continue;
    *column = (table_column){value ? COLUMN_FIELD : COLUMN_SIGMA, i};
    return ANS_OK;
  }
  return refuse_name(r, cell);
}

static bool has_column(const csv_reader *r, column_kind kind, int index) {
  for (int i = 0; i < r->column_count; i++)
    if (r->columns[i].kind == kind && r->columns[i].index == index) return true;
  return false;
}

static ans_status check_columns(csv_reader *r, csv_cell whole) {
  int fields = 0;
  for (int i = 0; i < r->problem->coordinate_count; i++)
    if (!has_column(r, COLUMN_COORDINATE, i))
      CSV_FAIL(r, whole, "there is no column '%s': every point needs all coordinates", r->problem->coordinates[i].name);
  for (int i = 0; i < r->problem->field_count; i++) {
    fields += has_column(r, COLUMN_FIELD, i);
    if (has_column(r, COLUMN_SIGMA, i) && !has_column(r, COLUMN_FIELD, i))
      CSV_FAIL(r, whole, "there is a column sigma_%s and no column %s", r->problem->fields[i].name,
               r->problem->fields[i].name);
  }
  if (r->group && !has_column(r, COLUMN_GROUP, 0))
    CSV_FAIL(r, whole, "there is no column '%.64s' to name the groups", r->group);
  if (fields == 0) CSV_FAIL(r, whole, "no column is a field: nothing was measured");
  return ANS_OK;
}

static ans_status read_names(csv_reader *r) {
  csv_cell cells[MOST_COLUMNS];
  bool more;
  TRY(next_line(r, &more));
  FAIL_IF(!more, r->context, ANS_ARGUMENT, "%s has no line of names", r->path);
  size_t first = strcspn(r->line, ",;\t");
  r->separator = r->line[first] ? r->line[first] : ',';
  int count = cut(r, cells);
  csv_cell whole = trimmed(r->line, r->line + strlen(r->line));
  if (count > MOST_COLUMNS)
    CSV_FAIL(r, whole, "there are %d columns, and at most %d are possible", count, MOST_COLUMNS);
  for (int i = 0; i < count; i++) {
    table_column column;
    TRY(name_column(r, cells[i], &column));
    if (has_column(r, column.kind, column.index))
      CSV_FAIL(r, cells[i], "column '%.*s' appears twice", (int)cells[i].length, cells[i].text);
    r->columns[r->column_count++] = column;
  }
  return check_columns(r, whole);
}

/* ---- The lines below it -------------------------------------------------------------------------------- */

static ans_status read_cell(csv_reader *r, csv_cell cell, double *number) {
  char copy[64], *end;
  if (cell.length < sizeof copy) {
    memcpy(copy, cell.text, cell.length);
    copy[cell.length] = '\0';
    *number = number_read(copy, &end);
    if (*end == '\0' && end != copy && isfinite(*number)) return ANS_OK;
    if (*end == '\0' && end != copy)
      CSV_FAIL(r, cell, "%s is not a finite number; leave the cell empty where nothing was measured", copy);
  }
  CSV_FAIL(r, cell, "'%.*s' is not a number", cell.length > 64 ? 64 : (int)cell.length, cell.text);
}

typedef struct csv_row {
  double point[SYSTEM_MAX_COORDINATES], values[SYSTEM_MAX_FIELDS], sigmas[SYSTEM_MAX_FIELDS];
  csv_cell group;
} csv_row;

static ans_status take_cell(csv_reader *r, csv_cell cell, table_column column, csv_row *row) {
  double number = (double)NAN;
  const system_coordinate *c = &r->problem->coordinates[column.kind == COLUMN_COORDINATE ? column.index : 0];
  if (cell.length > 0 && column.kind != COLUMN_GROUP) TRY(read_cell(r, cell, &number));
  switch (column.kind) {
  case COLUMN_COORDINATE:
    if (cell.length == 0) CSV_FAIL(r, cell, "%s has no value: every point needs all coordinates", c->name);
    double slack = 1e-9 * (c->high - c->low);
    if (!c->periodic && (number < c->low - slack || number > c->high + slack))
      CSV_FAIL(r, cell, "%s = %g is outside the domain [%g, %g]", c->name, number, c->low, c->high);
    row->point[column.index] = number;
    break;
  case COLUMN_GROUP:
    if (cell.length == 0) CSV_FAIL(r, cell, "this line belongs to no group");
    if (cell.length >= GROUP_NAME) CSV_FAIL(r, cell, "the name of a group is longer than %d bytes", GROUP_NAME - 1);
    row->group = cell;
    break;
  case COLUMN_FIELD:
    if (fabs(number) > MEASUREMENTS_LARGEST)
      CSV_FAIL(r, cell, "%g is too large: a measured value is at most %g", number, MEASUREMENTS_LARGEST);
    row->values[column.index] = number;
    break;
  case COLUMN_SIGMA:
    if (cell.length > 0 && !(number > 0))
      CSV_FAIL(r, cell, "a standard deviation is a positive number, not %g", number);
    row->sigmas[column.index] = number;
    break;
  }
  return ANS_OK;
}

static ans_status read_row(csv_reader *r, ans_groups *groups, size_t *values) {
  csv_cell cells[MOST_COLUMNS];
  csv_row row = {.group = {"", 0}};
  measurements *m;
  for (int f = 0; f < SYSTEM_MAX_FIELDS; f++) row.values[f] = row.sigmas[f] = (double)NAN;
  int count = cut(r, cells);
  csv_cell whole = trimmed(r->line, r->line + strlen(r->line));
  if (count != r->column_count) CSV_FAIL(r, whole, "%d cells where the line of names has %d", count, r->column_count);
  for (int i = 0; i < count; i++) TRY(take_cell(r, cells[i], r->columns[i], &row));
  TRY(groups_find(r->context, groups, r->problem, row.group.text, row.group.length, &m));
  size_t before = m->value_count;
  TRY(measurements_add(r->context, m, r->problem, row.point, row.values, row.sigmas));
  *values += m->value_count - before;
  return ANS_OK;
}

static ans_status read_all(csv_reader *r, ans_groups *groups) {
  bool more;
  size_t values = 0;
  TRY(read_names(r));
  for (;;) {
    TRY(next_line(r, &more));
    if (!more) break;
    TRY(read_row(r, groups, &values));
  }
  FAIL_IF(values == 0, r->context, ANS_ARGUMENT, "%s has a line of names and no measured value below it", r->path);
  return ANS_OK;
}

ans_status groups_read(ans_context *context, const ans_problem *problem, const char *path, const char *column,
                       ans_groups **result) {
  csv_reader reader = {.context = context, .problem = problem, .path = path, .group = column};
  bool input = strcmp(path, "-") == 0;
  *result = NULL;
  reader.file = input ? stdin : fopen(path, "rb");
  FAIL_IF(!reader.file, context, ANS_FILE, "cannot open %s: %s", path, strerror(errno));
  if (input) reader.path = "standard input";
  ans_groups *groups = memory_take(sizeof *groups);
  reader.line = memory_take(LINE_BYTES);
  ans_status status = reader.line && groups ? read_all(&reader, groups) : context_no_memory(context);
  if (!input) fclose(reader.file);
  memory_give(reader.line);
  if (status == ANS_OK)
    *result = groups;
  else
    groups_free(groups);
  return status;
}

ans_status measurements_read(ans_context *context, const ans_problem *problem, const char *path,
                             measurements **result) {
  ans_groups *groups;
  *result = NULL;
  TRY(groups_read(context, problem, path, NULL, &groups));
  *result = groups->groups[0].data;
  groups->groups[0].data = NULL;
  groups_free(groups);
  return ANS_OK;
}
