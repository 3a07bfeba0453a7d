/* SPDX-License-Identifier: Apache-2.0
 *
 * ansatz.h - solve families of differential equations that are written as text.
 *
 * Read this file top to bottom: its order is the path the data takes.
 *
 *   text -> problem -> instance -> graph -> model -> solver -> solution
 *
 * Six rules hold for every function here and are not repeated below.
 *   Failure    A function that can fail returns ans_status. On failure each result is NULL or zero, no
 *              argument has changed, and ans_context_diagnostic says what happened in one sentence.
 *   Release    What a function gives through an "X **" result you own; give it back with ans_X_free,
 *              which accepts NULL.
 *   Borrowing  Memory you pass in is read during the call and never kept. A const pointer you are given
 *              lives until its owner is changed or freed.
 *   Order      Context first, inputs next, results last.
 *   Threads    A context belongs to one thread at a time. Const objects may be shared.
 *   Precision  Numbers cross this header as double. The precision used inside is an option.
 */
#ifndef ANSATZ_H
#define ANSATZ_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ANS_API __attribute__((visibility("default")))
#define ANS_MUST_USE __attribute__((warn_unused_result))
#else
#define ANS_API
#define ANS_MUST_USE
#endif

/* ---- Status and context ----------------------------------------------------------------------------- */

/* name, sentence, exit code of the program */
#define ANS_STATUS_LIST(X)                                                  \
  X(OK, "success", 0)                                                       \
  X(SYNTAX, "the text could not be read", 3)                                \
  X(MEANING, "the text is readable but states no well-posed problem", 3)    \
  X(UNSUPPORTED, "the problem is understood but not supported", 4)          \
  X(ARGUMENT, "an argument is outside its documented range", 2)             \
  X(MODEL, "a model file is damaged or does not belong here", 5)            \
  X(DIVERGED, "a number became infinite or NaN", 6)                         \
  X(TOLERANCE, "the requested tolerance was not met", 7)                    \
  X(FILE, "a file could not be read or written", 8)                         \
  X(MEMORY, "memory is exhausted", 9)

typedef enum ans_status {
#define ANS_STATUS_ENUM(name, sentence, exit_code) ANS_##name,
  ANS_STATUS_LIST(ANS_STATUS_ENUM)
#undef ANS_STATUS_ENUM
} ans_status;

/* What went wrong. Places count from 1 in the text that was given; line 0 means no place. */
typedef struct ans_diagnostic {
  ans_status status;
  const char *message; /* one sentence, no newline */
  const char *file;    /* the text concerned; "" when there is none */
  const char *source;  /* the whole line concerned; "" when there is none */
  size_t line, column; /* column in bytes */
  size_t length;       /* bytes of text concerned, at least 1 when there is a place */
} ans_diagnostic;

typedef struct ans_context ans_context;

ANS_API ANS_MUST_USE ans_status ans_context_new(ans_context **context);
ANS_API void ans_context_free(ans_context *context);

/* The most recent failure recorded in this context. Lives until the next failing call. */
ANS_API const ans_diagnostic *ans_context_diagnostic(const ans_context *context);

ANS_API const char *ans_status_sentence(ans_status status);
ANS_API const char *ans_version(void);

/* Gives back text or numbers that a function returned through a "char **" or "double **". Accepts NULL. */
ANS_API void ans_free(void *memory);

#ifdef __cplusplus
}
#endif
#endif
