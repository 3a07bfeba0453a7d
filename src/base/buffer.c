/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buffer.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

static bool reserve(buffer *buffer, size_t more) {
  if (buffer->failed) return false;
  assert(!buffer->text || buffer->length < buffer->room);
  size_t needed = buffer->length + more + 1;
  if (needed <= buffer->room) return true;
  size_t room = needed < 128 ? 256 : needed * 2;
  char *text = memory_resize(buffer->text, buffer->room, room);
  if (!text) {
    buffer->failed = true;
    return false;
  }
  buffer->text = text;
  buffer->room = room;
  return true;
}

void buffer_add(buffer *buffer, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  int length = number_print(NULL, 0, format, arguments);
  if (length > 0 && reserve(buffer, (size_t)length)) {
    number_print(buffer->text + buffer->length, (size_t)length + 1, format, again);
    buffer->length += (size_t)length;
  }
  va_end(again);
  va_end(arguments);
}

void buffer_bytes(buffer *buffer, const void *bytes, size_t count) {
  assert(bytes || count == 0);
  if (!reserve(buffer, count)) return;
  memcpy(buffer->text + buffer->length, bytes, count);
  buffer->length += count;
  buffer->text[buffer->length] = '\0';
}

void buffer_number(buffer *buffer, double number) {
  size_t before = buffer->length;
  for (int digits = 1; digits <= 17; digits++) {
    buffer->length = before;
    buffer_add(buffer, "%.*g", digits, number);
    if (buffer->failed || number_read(buffer->text + before, NULL) == number) break;
  }
}

void buffer_drop(buffer *buffer) {
  memory_give(buffer->text);
  *buffer = (struct buffer){0};
}

ans_status buffer_finish(ans_context *context, buffer *buffer, char **text) {
  *text = NULL;
  if (!reserve(buffer, 0)) {
    buffer_drop(buffer);
    return context_no_memory(context);
  }
  *text = buffer->text;
  *buffer = (struct buffer){0};
  return ANS_OK;
}
