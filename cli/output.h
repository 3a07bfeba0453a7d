/* SPDX-License-Identifier: Apache-2.0
 *
 * output.h - what the program says and how it ends: results on stdout, everything else on stderr.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "ansatz.h"

#if defined(__GNUC__)
#define CLI_PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define CLI_PRINTF_LIKE(text, first)
#endif

/* Exit codes besides those of ANS_STATUS_LIST. An interrupted command ends with 128 + the signal's number. */
enum { EXIT_OK = 0, EXIT_USAGE = 2, EXIT_FILE = 8, EXIT_MEMORY = 9 };

int exit_code(ans_status status);

/* Bytes of the well-formed UTF-8 character at `text`; 0: there is none. */
size_t character_bytes(const char *text);

/* The same, and 0 also for a character that would steer a terminal. */
size_t printable_bytes(const char *text);

/* Prints up to `bytes` bytes, '?' for what a terminal should not see; returns the characters printed. */
size_t print_safely(FILE *stream, const char *text, size_t bytes);

/* One sentence about wrong usage or a remark, on stderr, after the program's name. */
void complain(const char *format, ...) CLI_PRINTF_LIKE(1, 2);
void remark(const char *format, ...) CLI_PRINTF_LIKE(1, 2);

/* Tells a failed call's reason: place, the line itself, what of it is meant, one sentence. Returns the exit code. */
int report_failure(const ans_context *context, ans_status status);

/* From here on, what a terminal should not see is printed as '?' on standard output, whoever prints it. */
void output_begin(void);

/* Writes out what stdout still holds. False when it could not be written, which was reported. */
bool output_finish(void);

/* Whether colours and redrawn lines may be used on this stream (terminal, TERM, NO_COLOR). */
bool stream_is_terminal(FILE *stream);
bool stream_has_colour(FILE *stream);

#endif
