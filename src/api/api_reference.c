/* SPDX-License-Identifier: Apache-2.0
 *
 * api_reference.c - references, field files and field figures for ansatz_tools.h.
 */
#include "ansatz_tools.h"
#include "reference/reference.h"
#include "solution/field_figure.h"

ans_status ans_reference_solve(ans_context *context, const ans_instance *instance, ans_reference_options options,
                               ans_solution **solution, ans_reference_report *report) {
  reference_report inner;
  bool as_written = options.points == 0 && options.times == 0;
  ans_status status = as_written && options.cache
                          ? reference_cached(context, instance, options.cache, solution, &inner)
                          : reference_solve(context, instance, options.points, options.times, true, solution, &inner);
  *report = (ans_reference_report){0};
  if (status != ANS_OK) return status;
  *report = (ans_reference_report){.method = inner.method,
                                   .seconds = inner.seconds,
                                   .steps = inner.steps,
                                   .self_difference = inner.self_difference,
                                   .nodes = inner.nodes,
                                   .time_difference = inner.time_difference,
                                   .periodicity = inner.periodicity,
                                   .balance = inner.balance,
                                   .unkept = inner.unkept,
                                   .cached = inner.cached};
  return ANS_OK;
}

ans_status ans_solution_write(ans_context *context, const ans_solution *solution, const char *path) {
  return solution_write(context, solution, path);
}

ans_status ans_solution_figure(ans_context *context, const ans_solution *solution, ans_figure figure) {
  return field_figure_draw(context, solution, figure);
}

ans_status ans_error_maps_figure(ans_context *context, const ans_error_maps *maps, ans_figure figure) {
  return error_maps_draw(context, maps, figure);
}

ans_status ans_comparison_figure(ans_context *context, const ans_solution *prediction, const ans_solution *reference,
                                 ans_figure figure) {
  return comparison_figure_draw(context, prediction, reference, figure);
}
