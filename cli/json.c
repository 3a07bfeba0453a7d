/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

json_t *json_of_number(double number) { return isfinite(number) ? json_real(number) : json_null(); }

json_t *json_of_text(const char *text) {
  if (!text) return json_null();
  char *copy = strdup(text);
  if (!copy) return NULL;
  for (char *c = copy; *c;) {
    size_t length = character_bytes(c);
    if (length == 0) *c = '?';
    c += length ? length : 1;
  }
  json_t *string = json_string(copy);
  free(copy);
  return string;
}

json_t *json_of_numbers(const double *numbers, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, json_of_number(numbers[i]));
  return list;
}

json_t *json_of_rows(const double *numbers, size_t rows, size_t columns) {
  json_t *list = json_array();
  for (size_t i = 0; i < rows; i++) json_array_append_new(list, json_of_numbers(numbers + i * columns, columns));
  return list;
}

/* ---- Writing ----------------------------------------------------------------------------------------- */

typedef struct writer {
  FILE *stream;
  bool in_string;
} writer;

/* jansson prints a number with a fixed count of digits, 0.10000000000000001, in one piece. This writes the shortest
 * digits that read back as the same number, 0.1. */
static void write_shortest(FILE *stream, const char *piece, size_t size) {
  char text[40], shorter[40];
  if (size >= sizeof text) return;
  memcpy(text, piece, size);
  text[size] = '\0';
  double number = strtod(text, NULL);
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(shorter, sizeof shorter, "%.*g", digits, number);
    if (strtod(shorter, NULL) == number) break;
  }
  fprintf(stream, "%s%s", shorter, strpbrk(shorter, ".e") ? "" : ".0");
}

static int write_piece(const char *piece, size_t size, void *data) {
  writer *writer = data;
  if (size == 1 && *piece == '"') writer->in_string = !writer->in_string;
  bool real = !writer->in_string && size < 32 && strspn(piece, "-0123456789.e+") >= size &&
              (memchr(piece, '.', size) || memchr(piece, 'e', size));
  if (real)
    write_shortest(writer->stream, piece, size);
  else
    fwrite(piece, 1, size, writer->stream);
  return 0;
}

bool json_write(const json_t *object, FILE *stream) {
  writer writer = {.stream = stream};
  bool whole = json_dump_callback(object, write_piece, &writer, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) == 0;
  fputc('\n', stream);
  return whole;
}

int print_json(json_t *object) {
  if (!object) {
    complain("memory is exhausted");
    return EXIT_MEMORY;
  }
  /* A failed write stays in the stream's error flag, which output_finish reads. */
  bool whole = json_write(object, stdout);
  json_decref(object);
  if (!whole) complain("memory is exhausted");
  return whole ? EXIT_OK : EXIT_MEMORY;
}
