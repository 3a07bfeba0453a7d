/* SPDX-License-Identifier: Apache-2.0 */
#include "base/context.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/available.h"
#include "base/number.h"

enum { MESSAGE_BYTES = 1024, LINE_BYTES = 4096, FILE_BYTES = 512 };

struct ans_context {
  ans_diagnostic diagnostic;
  char message[MESSAGE_BYTES];
  char line[LINE_BYTES];
  char file[FILE_BYTES];
};

ans_status ans_context_new(ans_context **result) {
  *result = NULL;
  ans_context *context = memory_take(sizeof *context);
  if (!context) return ANS_MEMORY;
  context->diagnostic = (ans_diagnostic){.message = context->message, .file = context->file, .source = context->line};
  *result = context;
  return ANS_OK;
}

void ans_context_free(ans_context *context) { memory_give(context); }

const ans_diagnostic *ans_context_diagnostic(const ans_context *context) { return &context->diagnostic; }

const char *ans_status_sentence(ans_status status) {
  switch (status) {
#define SENTENCE(name, sentence, exit_code)                                                                            \
  case ANS_##name: return sentence;
    ANS_STATUS_LIST(SENTENCE)
#undef SENTENCE
  }
  return "unknown status";
}

const char *ans_version(void) { return ANSATZ_VERSION; }

void ans_free(void *memory) { memory_give(memory); }

/* Copies the line on which `place` stands, without its newline. */
static void copy_line(ans_context *context, text_place place) {
  context->line[0] = '\0';
  const char *start = place.source;
  if (!start) return;
  for (uint32_t line = 1; line < place.line; line++) {
    start = strchr(start, '\n');
    if (!start) return;
    start++;
  }
  size_t length = strcspn(start, "\r\n");
  if (length >= LINE_BYTES) length = LINE_BYTES - 1;
  memcpy(context->line, start, length);
  context->line[length] = '\0';
}

static ans_status record(ans_context *context, ans_status status, text_place place, const char *format,
                         va_list arguments) {
  if (!context) return status; /* nobody asks for the sentence */
  number_print(context->message, MESSAGE_BYTES, format, arguments);
  for (char *at = context->message; *at; at++)
    if ((unsigned char)*at < ' ' || *at == 127) *at = '?'; /* of a name or path that was given */
  snprintf(context->file, FILE_BYTES, "%s", place.file ? place.file : "");
  copy_line(context, place);
  context->diagnostic.status = status;
  context->diagnostic.line = place.line;
  context->diagnostic.column = place.column;
  context->diagnostic.length = place.length;
  return status;
}

ans_status(context_fail)(ans_context *context, ans_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  record(context, status, (text_place){0}, format, arguments);
  va_end(arguments);
  return status;
}

ans_status(context_fail_at)(ans_context *context, ans_status status, text_place place, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  record(context, status, place, format, arguments);
  va_end(arguments);
  return status;
}

ans_status context_fail_in_line(ans_context *context, ans_status status, const char *file, const char *text,
                                size_t line, size_t column, size_t length, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  record(context, status, (text_place){.file = file, .source = text, .line = 1}, format, arguments);
  va_end(arguments);
  if (!context) return status;
  context->diagnostic.line = line;
  context->diagnostic.column = column;
  context->diagnostic.length = length > 0 ? length : 1;
  return status;
}

ans_status(context_no_memory)(ans_context *context) { return context_fail(context, ANS_MEMORY, "memory is exhausted"); }

/* ---- Memory ------------------------------------------------------------------------------------------ */

static atomic_long taken, failing;
static atomic_bool fail_forever;

void memory_fail_after(long n, bool forever) {
  atomic_store(&fail_forever, forever);
  atomic_store(&failing, n > 0 ? atomic_load(&taken) + n : 0);
}

long memory_taken(void) { return atomic_load(&taken); }

static bool injected_failure(void) {
  long number = atomic_fetch_add(&taken, 1) + 1, limit = atomic_load(&failing);
  return limit > 0 && (number == limit || (number > limit && atomic_load(&fail_forever)));
}

void *memory_take(size_t bytes) {
  enum { ALIGNMENT = 64 };
  if (injected_failure() || bytes > SIZE_MAX - ALIGNMENT) return NULL;
  if (!memory_is_available(bytes)) return NULL;
  size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  void *memory = aligned_alloc(ALIGNMENT, rounded ? rounded : ALIGNMENT);
  if (memory) memset(memory, 0, rounded);
  return memory;
}

void *memory_resize(void *memory, size_t old_bytes, size_t new_bytes) {
  void *larger = memory_take(new_bytes);
  if (!larger) return NULL;
  if (memory) memcpy(larger, memory, old_bytes < new_bytes ? old_bytes : new_bytes);
  memory_give(memory);
  return larger;
}

void memory_give(void *memory) { free(memory); }

size_t size_product(size_t a, size_t b) {
  size_t product;
  return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}
