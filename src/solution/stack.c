/* SPDX-License-Identifier: Apache-2.0 */
#include "solution/stack.h"

#include <math.h>
#include <strings.h>

static const stack_writer *writer_for(const char *path) {
  static const stack_writer *const writers[] = {&netcdf_stack, &npz_stack, &csv_stack};
  const char *extension = file_extension(path);
  for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
    if (strcasecmp(extension, writers[i]->extension) == 0) return writers[i];
  return NULL;
}

static ans_status fill_missing(ans_context *context, ans_stack *stack) {
  stack->points = 1;
  for (size_t i = 0; i < stack->shape.axis_count; i++)
    stack->points = size_product(stack->points, stack->shape.axis_sizes[i]);
  stack->missing = memory_take(size_product(stack->points, sizeof *stack->missing));
  if (!stack->missing) return context_no_memory(context);
  for (size_t i = 0; i < stack->points; i++) stack->missing[i] = (double)NAN;
  return ANS_OK;
}

ans_status ans_stack_open(ans_context *context, const char *path, const ans_stack_shape *shape, ans_stack **result) {
  const stack_writer *writer = writer_for(path);
  *result = NULL;
  FAIL_IF(!writer, context, ANS_ARGUMENT, "%s: fields are written as .nc, .npz or .csv", path);
  FAIL_IF(shape->rows >= INT32_MAX, context, ANS_ARGUMENT, "%zu rows are too many for one file", shape->rows);
  ans_stack *stack = memory_take(sizeof *stack);
  if (!stack) return context_no_memory(context);
  *stack = (ans_stack){.writer = writer, .path = path, .shape = *shape, .file = {.descriptor = -1}};
  ans_status status = fill_missing(context, stack);
  if (status == ANS_OK) status = file_stream_open(context, path, &stack->file);
  if (status == ANS_OK) status = writer->begin(context, stack);
  if (status == ANS_OK)
    *result = stack;
  else
    ans_stack_free(stack);
  return status;
}

ans_status ans_stack_add(ans_context *context, ans_stack *stack, const ans_cell *cells, const double *const *fields) {
  const double *none[ANS_MAX_FIELDS];
  for (size_t f = 0; f < stack->shape.field_count; f++) none[f] = stack->missing;
  FAIL_IF(stack->added == stack->shape.rows, context, ANS_ARGUMENT, "%s has all of its %zu rows", stack->path,
          stack->shape.rows);
  TRY(stack->writer->add(context, stack, cells, fields ? fields : none));
  stack->added++;
  return ANS_OK;
}

ans_status ans_stack_close(ans_context *context, ans_stack *stack) {
  FAIL_IF(stack->added < stack->shape.rows, context, ANS_ARGUMENT, "%s has %zu of its %zu rows", stack->path,
          stack->added, stack->shape.rows);
  TRY(stack->writer->end(context, stack));
  return file_stream_commit(context, stack->path, &stack->file);
}

void ans_stack_free(ans_stack *stack) {
  if (!stack) return;
  if (stack->state) stack->writer->drop(stack);
  file_stream_abandon(&stack->file);
  memory_give(stack->missing);
  memory_give(stack);
}
