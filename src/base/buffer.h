/* SPDX-License-Identifier: Apache-2.0
 *
 * buffer.h - text that grows. Failure is remembered, so callers write freely and ask once at the end.
 */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include "base/context.h"

typedef struct buffer {
  char *text;    /* NUL-terminated once anything was written */
  size_t length; /* without the NUL */
  size_t room;
  bool failed; /* memory ran out; the text is incomplete */
} buffer;

void buffer_add(buffer *buffer, const char *format, ...) PRINTF_LIKE(2, 3);
void buffer_bytes(buffer *buffer, const void *bytes, size_t count);
void buffer_number(buffer *buffer, double number); /* shortest decimal that reads back as the same double */
void buffer_drop(buffer *buffer);

/* Hands the text over (give it back with ans_free), or ANS_MEMORY. */
ans_status buffer_finish(ans_context *context, buffer *buffer, char **text);

#endif
