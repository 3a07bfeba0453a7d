/* SPDX-License-Identifier: Apache-2.0
 *
 * api_solution.c - the public functions of solutions.
 */
#include "solution/solution.h"

void ans_solution_free(ans_solution *solution) { solution_free(solution); }

size_t ans_solution_axis_count(const ans_solution *solution) { return (size_t)solution->coordinate_count; }

size_t ans_solution_field_count(const ans_solution *solution) { return (size_t)solution->field_count; }

const double *ans_solution_axis(const ans_solution *solution, size_t axis, const char **name, size_t *size) {
  bool there = axis < (size_t)solution->coordinate_count;
  if (name) *name = there ? solution->coordinate_names[axis] : NULL;
  if (size) *size = there ? (size_t)solution->axis_sizes[axis] : 0;
  return there ? solution->axes[axis] : NULL;
}

const double *ans_solution_values(const ans_solution *solution, size_t field, const char **name, size_t *count) {
  bool there = field < (size_t)solution->field_count;
  if (name) *name = there ? solution->field_names[field] : NULL;
  if (count) *count = there ? solution->point_count : 0;
  return there ? solution->values[field] : NULL;
}

ans_status ans_solution_compare(ans_context *context, const ans_solution *solution, const ans_solution *reference,
                                double *errors) {
  return solution_compare(context, solution, reference, errors);
}
