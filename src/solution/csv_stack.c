/* SPDX-License-Identifier: Apache-2.0
 *
 * csv_stack.c - many solutions as one table: the row's number, coordinates, fields. The columns stay out: they would be
 * repeated at every point.
 */
#include "solution/stack.h"

static ans_status give_out(ans_context *context, ans_stack *stack, buffer *bytes) {
  ans_status status = bytes->failed ? context_no_memory(context)
                                    : file_stream_write(context, stack->path, &stack->file, bytes->text, bytes->length);
  buffer_drop(bytes);
  return status;
}

static ans_status csv_begin(ans_context *context, ans_stack *stack) {
  const ans_stack_shape *shape = &stack->shape;
  buffer line = {0};
  buffer_add(&line, "%s", shape->axis);
  for (size_t i = 0; i < shape->axis_count; i++) buffer_add(&line, ",%s", shape->axis_names[i]);
  for (size_t f = 0; f < shape->field_count; f++)
    buffer_add(&line, ",%s%s", shape->field_names[f], shape->corrected ? "_corrected" : "");
  buffer_add(&line, "\n");
  return give_out(context, stack, &line);
}

static void add_point(const ans_stack *stack, size_t point, const double *const *fields, buffer *out) {
  const ans_stack_shape *shape = &stack->shape;
  double place[ANS_MAX_COORDINATES];
  size_t rest = point;
  for (size_t i = shape->axis_count; i-- > 0;) {
    place[i] = shape->axes[i][rest % shape->axis_sizes[i]];
    rest /= shape->axis_sizes[i];
  }
  buffer_add(out, "%zu", stack->added);
  for (size_t i = 0; i < shape->axis_count; i++) buffer_add(out, ","), buffer_number(out, place[i]);
  for (size_t f = 0; f < shape->field_count; f++) buffer_add(out, ","), buffer_number(out, fields[f][point]);
  buffer_add(out, "\n");
}

static ans_status csv_add(ans_context *context, ans_stack *stack, const ans_cell *cells, const double *const *fields) {
  buffer rows = {0};
  (void)cells;
  for (size_t point = 0; point < stack->points && !rows.failed; point++) add_point(stack, point, fields, &rows);
  return give_out(context, stack, &rows);
}

static ans_status csv_end(ans_context *context, ans_stack *stack) {
  (void)context, (void)stack;
  return ANS_OK;
}

static void csv_drop(ans_stack *stack) { (void)stack; }

const stack_writer csv_stack = {
    .extension = ".csv", .begin = csv_begin, .add = csv_add, .end = csv_end, .drop = csv_drop};
