/* SPDX-License-Identifier: Apache-2.0
 *
 * api_solution.c - the public functions of solutions.
 */
#include "solution/solution.h"

void ans_solution_free(ans_solution *solution) { solution_free(solution); }

size_t ans_solution_axis_count(const ans_solution *solution) { return (size_t)solution->coordinate_count; }

size_t ans_solution_field_count(const ans_solution *solution) { return (size_t)solution->field_count; }

const double *ans_solution_axis(const ans_solution *solution, size_t axis, const char **name, size_t *size) {
  if (axis >= (size_t)solution->coordinate_count) return NULL;
  *name = solution->coordinate_names[axis];
  *size = (size_t)solution->axis_sizes[axis];
  return solution->axes[axis];
}

const double *ans_solution_values(const ans_solution *solution, size_t field, const char **name, size_t *count) {
  if (field >= (size_t)solution->field_count) return NULL;
  *name = solution->field_names[field];
  *count = solution->point_count;
  return solution->values[field];
}

ans_status ans_solution_compare(ans_context *context, const ans_solution *solution, const ans_solution *reference,
                                double *errors) {
  return solution_compare(context, solution, reference, errors);
}
