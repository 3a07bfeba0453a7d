/* SPDX-License-Identifier: Apache-2.0
 *
 * stack.h - inside solution/: many solutions of one grid, written row after row into one file.
 *
 * stack.c opens the file and counts rows; a format is a writer with its own state.
 */
#ifndef SOLUTION_STACK_H
#define SOLUTION_STACK_H

#include "ansatz_tools.h"
#include "base/base.h"

typedef struct stack_writer {
  const char *extension;
  ans_status (*begin)(ans_context *context, ans_stack *stack);
  ans_status (*add)(ans_context *context, ans_stack *stack, const ans_cell *cells, const double *const *fields);
  ans_status (*end)(ans_context *context, ans_stack *stack); /* all bytes have left for the temporary file */
  void (*drop)(ans_stack *stack);                            /* the state, ended or not */
} stack_writer;

struct ans_stack {
  const stack_writer *writer;
  const char *path;
  ans_stack_shape shape;
  size_t points, added; /* points of a field in one row */
  double *missing;      /* [points] of NaN */
  file_stream file;
  void *state; /* the writer's */
};

extern const stack_writer netcdf_stack, npz_stack, csv_stack;

#endif
