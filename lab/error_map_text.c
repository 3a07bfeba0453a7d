/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <jansson.h>
#include <math.h>

#include "error_map.h"

static json_t *axis_json(const ans_solution *solution, size_t axis, size_t every) {
  const char *name;
  size_t size;
  const double *nodes = ans_solution_axis(solution, axis, &name, &size);
  json_t *list = json_array();
  int failed = 0;
  for (size_t i = 0; i < size; i += every) failed |= json_array_append_new(list, json_real(nodes[i]));
  if (failed) json_decref(list);
  return failed ? NULL : json_pack("{s:s, s:o}", "name", name, "nodes", list);
}

/* The nodes that are kept of a grid, and what is read at each. */
typedef struct sieve {
  const double *answer, *reference;
  size_t sizes[2], every;
} sieve;

static double error_at(const sieve *sieve, size_t i, size_t j) {
  size_t index = i * sieve->sizes[1] + j;
  return fabs(sieve->answer[index] - sieve->reference[index]);
}

static double largest_error(const sieve *sieve) {
  double largest = 0;
  for (size_t i = 0; i < sieve->sizes[0]; i += sieve->every)
    for (size_t j = 0; j < sieve->sizes[1]; j += sieve->every) largest = fmax(largest, error_at(sieve, i, j));
  return record_number(largest);
}

static json_t *field_json(const char *name, const sieve *sieve) {
  double largest = largest_error(sieve);
  json_t *list = json_array();
  int failed = 0;
  for (size_t i = 0; i < sieve->sizes[0]; i += sieve->every)
    for (size_t j = 0; j < sieve->sizes[1]; j += sieve->every) {
      double part = largest > 0 ? error_at(sieve, i, j) / largest : 0;
      failed |= json_array_append_new(list, json_integer(lrint(ERROR_MAP_PARTS * fmin(part, 1))));
    }
  if (failed) json_decref(list);
  return failed ? NULL : json_pack("{s:s, s:f, s:o}", "name", name, "largest", largest, "thousandths", list);
}

char *error_map_text(const char *settings, long step, const ans_solution *answer, const ans_solution *reference,
                     size_t every) {
  assert(every > 0);
  if (ans_solution_axis_count(reference) != 2) return NULL;
  sieve sieve = {.every = every};
  json_t *axes = json_array(), *fields = json_array();
  int failed = 0;
  for (size_t axis = 0; axis < 2; axis++) {
    failed |= json_array_append_new(axes, axis_json(reference, axis, every));
    ans_solution_axis(reference, axis, NULL, &sieve.sizes[axis]);
  }
  for (size_t f = 0; f < ans_solution_field_count(reference); f++) {
    const char *name;
    sieve.answer = ans_solution_values(answer, f, NULL, NULL);
    sieve.reference = ans_solution_values(reference, f, &name, NULL);
    failed |= json_array_append_new(fields, field_json(name, &sieve));
  }
  json_t *root = json_pack("{s:i, s:s, s:I, s:o, s:o}", "format", ERROR_MAP_FORMAT, "settings", settings, "step",
                           (json_int_t)step, "axes", axes, "fields", fields);
  char *text = root && !failed ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(8)) : NULL;
  json_decref(root);
  return text;
}
