/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include <math.h>

#include "output.h"

json_t *json_of_number(double number) { return isfinite(number) ? json_real(number) : json_null(); }

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

int print_json(json_t *object) {
  if (!object) {
    complain("memory is exhausted");
    return EXIT_MEMORY;
  }
  /* A failed write stays in the stream's error flag, which output_finish reads. */
  (void)json_dumpf(object, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
  fputc('\n', stdout);
  json_decref(object);
  return EXIT_OK;
}
