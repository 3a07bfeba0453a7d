/* SPDX-License-Identifier: Apache-2.0
 *
 * csv.c - a solution as a table. Numbers are the shortest decimals that read back as the same double.
 */
#include "solution/files.h"

static void add_header(const ans_solution *solution, buffer *out) {
  for (int i = 0; i < solution->coordinate_count; i++) buffer_add(out, "%s,", solution->coordinate_names[i]);
  for (int f = 0; f < solution->field_count; f++)
    buffer_add(out, "%s%s%s", solution->field_names[f], solution->corrected ? "_corrected" : "",
               f + 1 < solution->field_count ? "," : "\n");
}

static void add_row(const ans_solution *solution, size_t point, buffer *out) {
  double place[SOLUTION_MAX_AXES];
  size_t rest = point;
  for (int i = solution->coordinate_count; i-- > 0;) {
    size_t size = (size_t)solution->axis_sizes[i];
    place[i] = solution->axes[i][rest % size];
    rest /= size;
  }
  for (int i = 0; i < solution->coordinate_count; i++) {
    buffer_number(out, place[i]);
    buffer_add(out, ",");
  }
  for (int f = 0; f < solution->field_count; f++) {
    buffer_number(out, solution->values[f][point]);
    buffer_add(out, f + 1 < solution->field_count ? "," : "\n");
  }
}

ans_status csv_bytes(ans_context *context, const ans_solution *solution, buffer *out) {
  (void)context;
  add_header(solution, out);
  for (size_t point = 0; point < solution->point_count && !out->failed; point++) add_row(solution, point, out);
  return ANS_OK;
}
