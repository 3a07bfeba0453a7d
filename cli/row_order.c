/* SPDX-License-Identifier: Apache-2.0 */
#include "row_order.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output.h"
#include "solve_row.h"

typedef struct timed_row {
  double seconds;
  uint32_t row;
} timed_row;

/* The longest first; of equal ones the first. */
static int by_length(const void *a, const void *b) {
  const timed_row *one = a, *other = b;
  if (one->seconds != other->seconds) return one->seconds > other->seconds ? -1 : 1;
  return one->row < other->row ? -1 : 1;
}

/* A number from 0 on and nothing behind it. */
static bool read_number(const char *text, double *number) {
  char *end;
  *number = strtod(text, &end);
  return end != text && *end == '\0' && *number >= 0 && isfinite(*number);
}

/* How many rows have a time. */
static size_t take_times(const table *times, const table *table, timed_row *rows) {
  int number = table_column(times, "row"), name = table_column(times, "name"), status = table_column(times, "status"),
      seconds = table_column(times, "processor_seconds");
  size_t known = 0;
  if (seconds < 0) seconds = table_column(times, "whole_seconds"); /* of version 0.3.0 or before */
  if (number < 0 || name < 0 || status < 0 || seconds < 0) return 0;
  for (size_t i = 0; i < times->row_count; i++) {
    char own[ROW_NAME];
    double row, spent;
    if (!read_number(table_entry(times, i, (size_t)number), &row) || row >= (double)table->row_count) continue;
    if (!read_number(table_entry(times, i, (size_t)seconds), &spent)) continue;
    if (strcmp(table_entry(times, i, (size_t)status), "missing") == 0) continue;
    row_name(table, (size_t)row, own);
    if (strcmp(own, table_entry(times, i, (size_t)name)) != 0) continue;
    known += isinf(rows[(size_t)row].seconds);
    rows[(size_t)row].seconds = spent;
  }
  return known;
}

static void sort_rows(const table *times, const table *table, row_order *order) {
  timed_row *rows = malloc(table->row_count * sizeof *rows);
  order->rows = rows ? malloc(table->row_count * sizeof *order->rows) : NULL;
  for (size_t i = 0; order->rows && i < table->row_count; i++) rows[i] = (timed_row){(double)INFINITY, (uint32_t)i};
  if (order->rows && take_times(times, table, rows) > 0) {
    qsort(rows, table->row_count, sizeof *rows, by_length);
    for (size_t i = 0; i < table->row_count; i++) order->rows[i] = rows[i].row;
  } else {
    row_order_drop(order);
  }
  free(rows);
}

void row_order_read(const char *output, const table *table, bool quiet, row_order *order) {
  char path[PATH_MAX + 16];
  struct table times;
  *order = (row_order){0};
  snprintf(path, sizeof path, "%s.times.csv", output);
  if (access(path, F_OK) != 0 || table->row_count > UINT32_MAX || !table_read(path, &times)) return;
  sort_rows(&times, table, order);
  table_drop(&times);
  if (quiet) return;
  if (order->rows)
    remark("processing the longest rows first, by the times in %s", path);
  else
    remark("%s has no times for these rows; they are processed in order", path);
}

void row_order_drop(row_order *order) {
  free(order->rows);
  order->rows = NULL;
}
