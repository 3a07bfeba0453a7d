/* SPDX-License-Identifier: Apache-2.0
 *
 * context.h - the context that every fallible function takes and in which failures are recorded; and the allocator.
 *
 * A function that can fail returns ans_status. FAIL records one sentence and returns; TRY passes a
 * failure upward. Cleanup must not depend on reaching the end of a function: that is the arena's job.
 */
#ifndef BASE_CONTEXT_H
#define BASE_CONTEXT_H

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ansatz.h"

#define TRY(call)                                                                                                      \
  do {                                                                                                                 \
    ans_status try_status_ = (call);                                                                                   \
    if (try_status_ != ANS_OK) return try_status_;                                                                     \
  } while (0)

#define FAIL(context, status, ...) return context_fail((context), (status), __VA_ARGS__)

#define FAIL_IF(condition, context, status, ...)                                                                       \
  do {                                                                                                                 \
    if (condition) return context_fail((context), (status), __VA_ARGS__);                                              \
  } while (0)

#if defined(__GNUC__)
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define PRINTF_LIKE(text, first)
#endif

/* Where in a text something stands. `source` is the text's whole content, NUL-terminated. */
typedef struct text_place {
  const char *file;   /* name for messages */
  const char *source; /* whole text, so that the line can be shown */
  uint32_t line, column, length;
} text_place;

/* Records the failure and returns `status`. */
ans_status context_fail(ans_context *context, ans_status status, const char *format, ...) PRINTF_LIKE(3, 4);
ans_status context_fail_at(ans_context *context, ans_status status, text_place place, const char *format, ...)
    PRINTF_LIKE(4, 5);

/* The same for a text of which only this line is at hand: `line` is its number. */
ans_status context_fail_in_line(ans_context *context, ans_status status, const char *file, const char *text,
                                size_t line, size_t column, size_t length, const char *format, ...) PRINTF_LIKE(8, 9);

/* All allocation of the library passes here, so that a test can make the n-th one fail.
 * NULL when memory is exhausted; the caller reports it with context_no_memory. */
void *memory_take(size_t bytes);                                       /* zero-filled, 64-byte aligned */
void *memory_resize(void *memory, size_t old_bytes, size_t new_bytes); /* keeps the first old_bytes; new part is zero */
void memory_give(void *memory);
ans_status context_no_memory(ans_context *context);

/* A failure is never ANS_OK: a reader of one file, an analyser for instance, could not know. */
static inline ans_status failure(ans_status status) {
  assert(status != ANS_OK);
  return status;
}
#define context_fail(...)          failure((context_fail)(__VA_ARGS__))
#define context_fail_at(...)       failure((context_fail_at)(__VA_ARGS__))
#define context_no_memory(context) failure((context_no_memory)(context))

/* For tests: the n-th allocation from now fails (1 = the next), and all later ones if `forever`; 0 = never. */
void memory_fail_after(long n, bool forever);
long memory_taken(void); /* allocations so far, in this process */

/* a * b, or SIZE_MAX on overflow, which no allocation satisfies. */
size_t size_product(size_t a, size_t b);

#endif
