/* SPDX-License-Identifier: Apache-2.0
 *
 * parameters.h - all parameters of a network live in one block; a table names its parts.
 */
#ifndef NUMERIC_PARAMETERS_H
#define NUMERIC_PARAMETERS_H

#include "base/base.h"

/* One named array inside a parameter block; the table of a block is what a model file stores. */
typedef struct parameter_part {
  char name[40]; /* "input.u.weight", "basis.2.C", "head.1.bias" */
  size_t offset;
  int rows, columns; /* columns = 0: a vector of `rows` */
} parameter_part;

/* A table while it is written. Without `parts` only the size is counted. */
typedef struct parameter_table {
  parameter_part *parts;
  int count, limit;
  size_t size; /* parameters so far; the next part begins here */
} parameter_table;

static inline size_t parameter_count(const parameter_part *part) {
  return (size_t)part->rows * (size_t)(part->columns ? part->columns : 1);
}

/* Appends a part and returns its offset. */
size_t parameter_add(parameter_table *table, int rows, int columns, const char *format, ...) PRINTF_LIKE(4, 5);

/* The stream that fills a part. It depends on the part's name and on nothing else of the network, so that
 * parts of the same name start alike in networks that differ elsewhere. */
random_stream parameter_stream(const parameter_part *part, uint64_t seed, random_purpose purpose);

#endif
