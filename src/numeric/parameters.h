/* SPDX-License-Identifier: Apache-2.0
 *
 * parameters.h - all parameters of a network live in one block; a table names its parts.
 */
#ifndef NUMERIC_PARAMETERS_H
#define NUMERIC_PARAMETERS_H

#include <stddef.h>

/* One named array inside a parameter block; the table of a block is what a model file stores. */
typedef struct parameter_part {
  char name[40]; /* "input.u.weight", "basis.2.C", "head.1.bias" */
  size_t offset;
  int rows, columns; /* columns = 0: a vector of `rows` */
} parameter_part;

#endif
