/* SPDX-License-Identifier: Apache-2.0
 *
 * api_derivative.c - derivatives by their names, as the program's commands take them.
 */
#include <string.h>

#include "ansatz_tools.h"
#include "system/system.h"

static int field_of(const ans_problem *problem, const char *name, size_t length) {
  for (int f = 0; f < problem->field_count; f++)
    if (strlen(problem->fields[f].name) == length && memcmp(problem->fields[f].name, name, length) == 0) return f;
  return -1;
}

/* As the language reads it: a field, or one and coordinates after the last underscore. */
ans_status ans_problem_derivative(ans_context *context, const ans_problem *problem, const char *name, size_t *field,
                                  unsigned *order) {
  const char *cut = strrchr(name, '_');
  int whole = field_of(problem, name, strlen(name)), part = cut ? field_of(problem, name, (size_t)(cut - name)) : -1;
  for (int c = 0; c < problem->coordinate_count; c++) order[c] = 0;
  bool found = whole >= 0 ||
               (part >= 0 && system_cut_coordinates(problem->coordinates, problem->coordinate_count, cut + 1, order));
  *field = !found ? 0 : whole >= 0 ? (size_t)whole : (size_t)part;
  FAIL_IF(!found, context, ANS_ARGUMENT, "\"%s\" is not a field of the problem and no derivative of one", name);
  return ANS_OK;
}
