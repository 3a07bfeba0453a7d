/* SPDX-License-Identifier: Apache-2.0
 *
 * solution.h - the door of solution/: fields on a grid, whoever computed them.
 */
#ifndef SOLUTION_SOLUTION_H
#define SOLUTION_SOLUTION_H

#include "base/base.h"
#include "system/system.h"

/* One more than a problem has coordinates: solutions of several members may be stacked along a first axis. */
enum { SOLUTION_MAX_AXES = SYSTEM_MAX_COORDINATES + 1 };

/* A tensor grid: every combination of the axes' nodes. */
typedef struct ans_solution {
  arena *arena;
  int coordinate_count, field_count;
  const char *const *coordinate_names; /* time first when there is one */
  const char *const *field_names;
  const int *axis_sizes;     /* [coordinates] */
  const double *const *axes; /* [coordinates][axis size] */
  double *const *values;     /* [fields][product of axis sizes], last coordinate fastest */
  size_t point_count;
  const char *problem_text; /* canonical text of the family; "" when unknown */
  const char *settings;     /* one line: how it was computed */
  bool corrected;           /* the estimated error of a network is taken away */
  bool estimated;           /* `estimate` holds */
  ans_estimate estimate;
} ans_solution;

/* Says in the settings that the fields are corrected. */
ans_status solution_mark_corrected(ans_context *context, ans_solution *solution);

/* Axes are copied, time first; values start at zero. */
ans_status solution_new(ans_context *context, const ans_problem *problem, const int *sizes, const double *const *axes,
                        const char *settings, ans_solution **result);
void solution_free(ans_solution *solution);

/* The problem's coordinate behind axis `axis`: time first, then the others in their order. */
int solution_coordinate(const ans_problem *problem, int axis);

/* ||a - b||_2 / ||b||_2 for each field, on b's grid, which must be a's. */
ans_status solution_compare(ans_context *context, const ans_solution *a, const ans_solution *b,
                            double *relative_errors);

/* By the path's extension: .nc netCDF, .npz, .csv. Whole or not at all. */
ans_status solution_write(ans_context *context, const ans_solution *solution, const char *path);

/* From .nc or .npz, over the problem's coordinates. A field that is not there is all NaN. */
ans_status solution_read(ans_context *context, const ans_problem *problem, const char *path, ans_solution **result);

#endif
