/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int exit_code(ans_status status) {
  switch (status) {
#define CODE(name, sentence, code)                                                                                     \
  case ANS_##name: return code;
    ANS_STATUS_LIST(CODE)
#undef CODE
  }
  return EXIT_USAGE;
}

bool stream_is_terminal(FILE *stream) {
  const char *terminal = getenv("TERM");
  return isatty(fileno(stream)) && terminal && strcmp(terminal, "dumb") != 0;
}

bool stream_has_colour(FILE *stream) {
  const char *refused = getenv("NO_COLOR");
  return stream_is_terminal(stream) && !(refused && *refused);
}

/* ---- Text that came from outside --------------------------------------------------------------------- */

size_t character_bytes(const char *text) {
  const unsigned char *c = (const unsigned char *)text;
  if (c[0] < 0x80) return c[0] > 0;
  size_t length = c[0] >= 0xf0 && c[0] <= 0xf4  ? 4
                  : c[0] >= 0xe0 && c[0] < 0xf0 ? 3
                  : c[0] >= 0xc2 && c[0] < 0xe0 ? 2
                                                : 0;
  for (size_t i = 1; i < length; i++)
    if ((c[i] & 0xc0) != 0x80) return 0;
  /* Not the shortest form, half a surrogate pair, or beyond the last character. */
  if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90)) return 0;
  return (c[0] == 0xed && c[1] >= 0xa0) || (c[0] == 0xf4 && c[1] >= 0x90) ? 0 : length;
}

size_t printable_bytes(const char *text) {
  const unsigned char *c = (const unsigned char *)text;
  bool steers = c[0] < 0x20 || c[0] == 0x7f || (c[0] == 0xc2 && c[1] < 0xa0);
  return steers ? 0 : character_bytes(text);
}

size_t print_safely(FILE *stream, const char *text, size_t bytes) {
  size_t characters = 0;
  for (size_t i = 0; i < bytes && text[i]; characters++) {
    size_t length = printable_bytes(text + i);
    if (length)
      fwrite(text + i, 1, length, stream);
    else
      fputc(text[i] == '\t' ? ' ' : '?', stream);
    i += length ? length : 1;
  }
  return characters;
}

static size_t count_characters(const char *text, size_t bytes) {
  size_t characters = 0;
  for (size_t i = 0; i < bytes && text[i]; characters++) {
    size_t length = printable_bytes(text + i);
    i += length ? length : 1;
  }
  return characters;
}

#if defined(__GLIBC__)
/* Text of files (titles, labels, names) reaches a terminal through here, whoever prints it. */
static ssize_t write_filtered(void *cookie, const char *text, size_t size) {
  FILE *terminal = cookie;
  for (size_t i = 0; i < size;) {
    char next[5] = {0};
    memcpy(next, text + i, size - i < 4 ? size - i : 4);
    size_t length = next[0] == '\n' || next[0] == '\t' ? 1 : printable_bytes(next);
    fwrite(length ? next : "?", 1, length ? length : 1, terminal);
    i += length ? length : 1;
  }
  return fflush(terminal) == 0 ? (ssize_t)size : -1;
}

void output_begin(void) {
  static char buffer[1 << 16];
  if (!isatty(STDOUT_FILENO)) return;
  FILE *filtered = fopencookie(stdout, "w", (cookie_io_functions_t){.write = write_filtered});
  if (!filtered) return;
  setvbuf(filtered, buffer, _IOLBF, sizeof buffer);
  stdout = filtered;
}
#else
void output_begin(void) {}
#endif

/* ---- Sentences --------------------------------------------------------------------------------------- */

typedef struct palette {
  const char *strong, *error, *mark, *plain;
} palette;

static palette palette_of(FILE *stream) {
  if (stream_has_colour(stream)) return (palette){"\033[1m", "\033[1;31m", "\033[1;32m", "\033[0m"};
  return (palette){"", "", "", ""};
}

static void say(const char *kind, const char *format, va_list list) {
  char text[2048];
  vsnprintf(text, sizeof text, format, list);
  palette p = palette_of(stderr);
  fprintf(stderr, "%sansatz: %s%s%s%s", p.strong, p.plain, *kind ? p.error : "", kind, p.plain);
  print_safely(stderr, text, sizeof text);
  fputc('\n', stderr);
}

void complain(const char *format, ...) {
  va_list list;
  va_start(list, format);
  say("error: ", format, list);
  va_end(list);
}

void remark(const char *format, ...) {
  va_list list;
  va_start(list, format);
  say("", format, list);
  va_end(list);
}

/* The line with its number, and below it what is meant:
 *    14 | equation u: u_t - kapa*u_xx = 0
 *       |                   ^~~~                                                     */
static void show_place(const ans_diagnostic *what, palette p) {
  const char *source = what->source;
  if (!source[0] || what->column == 0) return;
  size_t length = strlen(source), start = what->column - 1;
  if (start > length) return;
  /* A very long line is shown around its place only. */
  size_t first = start > 90 ? start - 60 : 0;
  while (first > 0 && ((unsigned char)source[first] & 0xc0) == 0x80) first--;
  fprintf(stderr, "%6zu | %s", what->line, first ? "..." : "");
  print_safely(stderr, source + first, 110);
  size_t padding = count_characters(source + first, start - first) + (first ? 3 : 0);
  size_t span = start + what->length > length ? length - start : what->length;
  size_t marks = count_characters(source + start, span);
  fprintf(stderr, "\n       | %*s%s^", (int)padding, "", p.mark);
  for (size_t i = 1; i < marks && padding + i < 113; i++) fputc('~', stderr);
  fprintf(stderr, "%s\n", p.plain);
}

int report_failure(const ans_context *context, ans_status status) {
  const ans_diagnostic *what = ans_context_diagnostic(context);
  if (what->status != status) {
    /* Found outside the library (no memory for the program's own text): there is no more to tell than this. */
    complain("%s", ans_status_sentence(status));
    return exit_code(status);
  }
  palette p = palette_of(stderr);
  fputs(p.strong, stderr);
  print_safely(stderr, what->file[0] ? what->file : "ansatz", SIZE_MAX);
  if (what->line) fprintf(stderr, ":%zu:%zu", what->line, what->column);
  fprintf(stderr, ":%s %serror:%s ", p.plain, p.error, p.plain);
  print_safely(stderr, what->message, SIZE_MAX);
  fputc('\n', stderr);
  show_place(what, p);
  return exit_code(what->status);
}

bool output_finish(void) {
  errno = 0;
  bool failed = ferror(stdout) != 0;
  if (fflush(stdout) != 0) failed = true;
  /* A file system may report a full disk only when the file is closed. */
  int reason = errno;
  if (!failed && close(dup(STDOUT_FILENO)) != 0 && errno != EBADF) {
    failed = true;
    reason = errno;
  }
  if (failed) complain("cannot write to standard output: %s", strerror(reason ? reason : EIO));
  return !failed;
}
