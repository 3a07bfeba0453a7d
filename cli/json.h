/* SPDX-License-Identifier: Apache-2.0
 *
 * json.h - results as JSON. Numbers keep all their digits; one that is not finite becomes null. Names, paths and
 * sentences go through json_of_text: jansson takes a byte that is not UTF-8 for a lack of memory.
 */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

json_t *json_of_number(double number);

/* Text that came from outside: JSON holds UTF-8 only, so '?' for each byte that is none. NULL becomes null. */
json_t *json_of_text(const char *text);
json_t *json_of_numbers(const double *numbers, size_t count);
json_t *json_of_rows(const double *numbers, size_t rows, size_t columns);

/* Writes the object and a newline; false when memory is exhausted. */
bool json_write(const json_t *object, FILE *stream);

/* Prints and frees the object. NULL (no memory) is reported. The exit code. */
int print_json(json_t *object);

#endif
