/* SPDX-License-Identifier: Apache-2.0
 *
 * output.c - see output.h.
 */
#include "field/output.h"

ans_status output_plan_make(ans_context *context, arena *arena, const ans_problem *problem, const tile_plan *tile,
                            output_plan *plan) {
  *plan = (output_plan){.fields = problem->field_count, .stream_outputs = tile->shape.stream_outputs};
  size_t element = (size_t)tile->rows;
  for (int f = 0; f < problem->field_count; f++) {
    plan->places[f] = plan->work_size;
    plan->work_size += element;
    if (!problem->fields[f].transform) continue;
    TRY(jet_compile(context, arena, problem->fields[f].transform, &plan->transforms[f]));
    plan->work_size += jet_workspace(plan->transforms[f], tile->rows);
  }
  return ANS_OK;
}

const double *output_forward(const output_plan *plan, const tile_plan *tile, const algebra *algebra,
                             const field_chart *chart, int field, const double *values, int points,
                             const double *coordinates, real *tile_work, double *work) {
  int outputs = plan->stream_outputs, output = outputs == 1 ? 0 : field;
  const real *z = tile_output(tile, output_stream(plan, field), tile_work) + output;
  double *raw = work + plan->places[field];
  for (int c = 0; c < algebra->channels; c++)
    for (int p = 0; p < points; p++)
      raw[c * points + p] = chart->size[field] * (double)z[(p * algebra->channels + c) * outputs];
  for (int p = 0; p < points; p++) raw[p] += chart->offset[field];
  if (!plan->transforms[field]) return raw;
  return jet_forward(plan->transforms[field], values, algebra, &chart->motion[field], points, coordinates, raw,
                     raw + (size_t)tile->rows);
}

void output_backward(const output_plan *plan, const tile_plan *tile, const algebra *algebra, const field_chart *chart,
                     int field, int points, const double *field_gradient, real *tile_work, double *work) {
  int outputs = plan->stream_outputs, output = outputs == 1 ? 0 : field;
  real *z = tile_output(tile, output_stream(plan, field), tile_work) + output;
  double *raw = work + plan->places[field];
  const double *down = field_gradient;
  if (plan->transforms[field]) {
    jet_backward(plan->transforms[field], algebra, points, field_gradient, raw + (size_t)tile->rows, raw);
    down = raw;
  }
  for (int c = 0; c < algebra->channels; c++)
    for (int p = 0; p < points; p++)
      z[(p * algebra->channels + c) * outputs] = (real)(chart->size[field] * down[c * points + p]);
}
