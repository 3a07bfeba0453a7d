/* SPDX-License-Identifier: Apache-2.0
 *
 * json.h - results as JSON. Numbers keep all their digits; one that is not finite becomes null.
 */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <jansson.h>
#include <stddef.h>

json_t *json_of_number(double number);
json_t *json_of_numbers(const double *numbers, size_t count);
json_t *json_of_rows(const double *numbers, size_t rows, size_t columns);

/* Prints the object and gives it back. NULL (no memory) is told. The exit code. */
int print_json(json_t *object);

#endif
