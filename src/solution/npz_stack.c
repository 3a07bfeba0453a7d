/* SPDX-License-Identifier: Apache-2.0
 *
 * npz_stack.c - many solutions as one .npz: every member's size is known before the first row, so each row goes to its
 * place in every array; the checksums are put in at the end.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "solution/npz.h"
#include "solution/stack.h"

/* An array of the file, one piece of `row_bytes` per row. */
typedef struct row_array {
  uint64_t data; /* where the numbers begin */
  size_t row_bytes;
} row_array;

typedef struct npz_state {
  uint64_t length; /* of the file so far */
  int count;
  npz_member *members; /* [count] */
  row_array *arrays;   /* [count]; row_bytes 0: written whole */
} npz_state;

static ans_status put(ans_context *context, ans_stack *stack, uint64_t place, const buffer *bytes) {
  const char *text = bytes->text;
  size_t left = bytes->length;
  if (bytes->failed) return context_no_memory(context);
  while (left > 0) {
    ssize_t written = pwrite(stack->file.descriptor, text, left, (off_t)place);
    FAIL_IF(written < 0 && errno != EINTR, context, ANS_FILE, "cannot write %s: %s", stack->path, strerror(errno));
    if (written <= 0) continue;
    text += written;
    left -= (size_t)written;
    place += (uint64_t)written;
  }
  return ANS_OK;
}

/* A member of `size` bytes, the first of which are there already. */
static ans_status begin_member(ans_context *context, ans_stack *stack, const char *name, size_t size, const buffer *npy,
                               size_t row_bytes) {
  npz_state *state = stack->state;
  npz_member *m = &state->members[state->count];
  buffer head = {0};
  if (npy->failed) return context_no_memory(context);
  FAIL_IF(size >= UINT32_MAX - 65536 || state->length >= UINT32_MAX - 65536 - size, context, ANS_UNSUPPORTED,
          "the fields are too large for .npz; write .nc");
  *m = (npz_member){
      .crc = npz_crc(0, npy->text, npy->length), .size = (uint32_t)size, .offset = (uint32_t)state->length};
  snprintf(m->name, sizeof m->name, "%s.npy", name);
  npz_begin_member(&head, m);
  size_t before = head.length;
  buffer_bytes(&head, npy->text, npy->length);
  ans_status status = put(context, stack, state->length, &head);
  state->arrays[state->count++] = (row_array){state->length + before + npy->length, row_bytes};
  state->length += before + size;
  buffer_drop(&head);
  return status;
}

/* An array over the rows, whose numbers come later. */
static ans_status begin_rows(ans_context *context, ans_stack *stack, const char *name, const char *type,
                             const char *row_shape, size_t row_bytes) {
  char shape[160];
  buffer npy = {0};
  snprintf(shape, sizeof shape, "%zu,%s", stack->shape.rows, row_shape);
  npz_header(&npy, type, shape);
  ans_status status =
      begin_member(context, stack, name, npy.length + size_product(stack->shape.rows, row_bytes), &npy, row_bytes);
  buffer_drop(&npy);
  return status;
}

static ans_status put_text(ans_context *context, ans_stack *stack, const char *name, const char *text) {
  char type[32];
  size_t length = strlen(text) > 0 ? strlen(text) : 1;
  buffer npy = {0};
  snprintf(type, sizeof type, "|S%zu", length);
  npz_header(&npy, type, "");
  buffer_bytes(&npy, text, length);
  ans_status status = begin_member(context, stack, name, npy.length, &npy, 0);
  buffer_drop(&npy);
  return status;
}

static ans_status put_axis(ans_context *context, ans_stack *stack, size_t axis) {
  char shape[32];
  buffer npy = {0};
  snprintf(shape, sizeof shape, "%zu,", stack->shape.axis_sizes[axis]);
  npz_header(&npy, "<f8", shape);
  npz_numbers(&npy, stack->shape.axes[axis], stack->shape.axis_sizes[axis]);
  ans_status status = begin_member(context, stack, stack->shape.axis_names[axis], npy.length, &npy, 0);
  buffer_drop(&npy);
  return status;
}

static size_t text_room(const ans_column *column) { return column->bytes > 0 ? column->bytes : 1; }

static ans_status begin_column(ans_context *context, ans_stack *stack, const ans_column *column) {
  char type[32];
  bool text = column->kind == ANS_TEXTS;
  snprintf(type, sizeof type, column->kind == ANS_INTEGERS ? "<i8" : "<f8");
  if (text) snprintf(type, sizeof type, "|S%zu", text_room(column));
  return begin_rows(context, stack, column->name, type, "", text ? text_room(column) : sizeof(double));
}

static ans_status npz_begin(ans_context *context, ans_stack *stack) {
  const ans_stack_shape *shape = &stack->shape;
  size_t most = 3 + shape->axis_count + shape->field_count + shape->column_count, used = 0;
  char row_shape[128] = "";
  npz_state *state = stack->state = memory_take(sizeof *state);
  if (!state) return context_no_memory(context);
  state->members = memory_take(size_product(most, sizeof *state->members));
  state->arrays = memory_take(size_product(most, sizeof *state->arrays));
  if (!state->members || !state->arrays) return context_no_memory(context);
  for (size_t i = 0; i < shape->axis_count; i++)
    used += (size_t)snprintf(row_shape + used, sizeof row_shape - used, "%zu,", shape->axis_sizes[i]);
  TRY(begin_rows(context, stack, shape->axis, "<i8", "", sizeof(double)));
  for (size_t f = 0; f < shape->field_count; f++)
    TRY(begin_rows(context, stack, shape->field_names[f], "<f8", row_shape,
                   size_product(stack->points, sizeof(double))));
  for (size_t c = 0; c < shape->column_count; c++) TRY(begin_column(context, stack, &shape->columns[c]));
  for (size_t i = 0; i < shape->axis_count; i++) TRY(put_axis(context, stack, i));
  TRY(put_text(context, stack, "ansatz_problem", shape->problem));
  return put_text(context, stack, "ansatz_settings", shape->settings);
}

/* The row's piece of the next array. */
static ans_status add_piece(ans_context *context, ans_stack *stack, int array, buffer *piece) {
  npz_state *state = stack->state;
  const row_array *rows = &state->arrays[array];
  ans_status status = put(context, stack, rows->data + stack->added * rows->row_bytes, piece);
  if (status == ANS_OK) state->members[array].crc = npz_crc(state->members[array].crc, piece->text, piece->length);
  buffer_drop(piece);
  return status;
}

static void add_cell(const ans_column *column, const ans_cell *cell, buffer *out) {
  size_t length = column->kind == ANS_TEXTS ? strlen(cell->text) : 0;
  switch (column->kind) {
  case ANS_NUMBERS: npz_numbers(out, &cell->number, 1); break;
  case ANS_INTEGERS: npz_little(out, (uint64_t)(int64_t)cell->number, 8); break;
  case ANS_TEXTS:
    buffer_bytes(out, cell->text, length < text_room(column) ? length : text_room(column));
    for (size_t i = length; i < text_room(column); i++) npz_little(out, 0, 1);
  }
}

static ans_status npz_add(ans_context *context, ans_stack *stack, const ans_cell *cells, const double *const *fields) {
  const ans_stack_shape *shape = &stack->shape;
  int array = 0;
  buffer number = {0};
  npz_little(&number, stack->added, 8);
  TRY(add_piece(context, stack, array++, &number));
  for (size_t f = 0; f < shape->field_count; f++) {
    buffer piece = {0};
    npz_numbers(&piece, fields[f], stack->points);
    TRY(add_piece(context, stack, array++, &piece));
  }
  for (size_t c = 0; c < shape->column_count; c++) {
    buffer piece = {0};
    add_cell(&shape->columns[c], &cells[c], &piece);
    TRY(add_piece(context, stack, array++, &piece));
  }
  return ANS_OK;
}

static ans_status npz_end(ans_context *context, ans_stack *stack) {
  const npz_state *state = stack->state;
  buffer end = {0};
  for (int i = 0; i < state->count; i++) {
    buffer head = {0};
    npz_begin_member(&head, &state->members[i]);
    ans_status status = put(context, stack, state->members[i].offset, &head);
    buffer_drop(&head);
    TRY(status);
  }
  npz_directory(&end, state->members, state->count, state->length);
  ans_status status = put(context, stack, state->length, &end);
  buffer_drop(&end);
  return status;
}

static void npz_drop(ans_stack *stack) {
  npz_state *state = stack->state;
  memory_give(state->members);
  memory_give(state->arrays);
  memory_give(state);
}

const stack_writer npz_stack = {
    .extension = ".npz", .begin = npz_begin, .add = npz_add, .end = npz_end, .drop = npz_drop};
