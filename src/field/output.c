/* SPDX-License-Identifier: Apache-2.0
 *
 * output.c - see output.h.
 */
#include "field/output.h"

#include <string.h>

#include "field/settle.h"

ans_status output_plan_make(ans_context *context, arena *arena, const ans_problem *problem, const tile_plan *tile,
                            output_plan *plan) {
  *plan = (output_plan){.fields = problem->field_count, .stream_outputs = tile->shape.stream_outputs};
  size_t element = (size_t)tile->rows;
  for (int f = 0; f < problem->field_count; f++) {
    plan->places[f] = plan->work_size;
    plan->work_size += element;
    if (!problem->fields[f].transform) continue;
    TRY(jet_compile(context, arena, problem->fields[f].transform, &plan->transforms[f]));
    plan->work_size += 2 * element + jet_workspace(plan->transforms[f], tile->rows);
  }
  return ANS_OK;
}

/* A field's part of the workspace. Without a transform there is `raw` alone. */
typedef struct field_room {
  double *raw, *field, *factor; /* elements; in the chart's units: the field, and of an affine transform its factor */
  double *jets;
} field_room;

static field_room room_of(const output_plan *plan, const tile_plan *tile, int field, double *work) {
  double *raw = work + plan->places[field];
  size_t element = (size_t)tile->rows;
  return (field_room){.raw = raw, .field = raw + element, .factor = raw + 2 * element, .jets = raw + 3 * element};
}

static real *outputs_of(const output_plan *plan, const tile_plan *tile, int field, real *tile_work) {
  return tile_output(tile, output_stream(plan, field), tile_work) + (plan->stream_outputs == 1 ? 0 : field);
}

/* element <- the network's output times `size`, with `offset` */
static void take_outputs(const output_plan *plan, const algebra *algebra, double size, double offset, int points,
                         const real *z, double *element) {
  for (int c = 0; c < algebra->channels; c++)
    for (int p = 0; p < points; p++)
      element[c * points + p] = size * (double)z[(p * algebra->channels + c) * plan->stream_outputs];
  for (int p = 0; p < points; p++) element[p] += offset;
}

/* ---- In a scaled chart ------------------------------------------------------------------------------------ */

/* element <- from * factor */
static void convert(const output_plan *plan, const algebra *algebra, int points, double factor, const double *from,
                    double *element) {
  for (int i = 0; i < algebra->channels * points; i++) element[i] = factor * from[i];
  for (int c = 0; plan->settles && c < algebra->channels; c++) settle_values(points, element + c * points);
}

static bool is_affine(const output_plan *plan, const field_chart *chart, int field) {
  return chart->scaled && jet_affine(plan->transforms[field]);
}

/* field <- known part + factor * network, all in the chart's units. */
static void put_affine(const output_plan *plan, const algebra *algebra, const field_chart *chart, int field,
                       const double *values, int points, const double *places, const real *z, field_room room) {
  const jet_plan *transform = plan->transforms[field];
  double unit = chart->field_unit[field];
  memset(room.raw, 0, (size_t)(algebra->channels * points) * sizeof *room.raw);
  const double *known = jet_forward(transform, values, algebra, chart, field, points, places, room.raw, room.jets);
  convert(plan, algebra, points, 1 / unit, known, room.field);
  convert(plan, algebra, points, chart->size[field] / unit, jet_factor(transform, algebra, points, room.jets),
          room.factor);
  take_outputs(plan, algebra, 1, 0, points, z, room.raw);
  jet_add_product(algebra, points, room.factor, room.raw, room.field);
}

/* Without a transform a field is the raw output, whose size is the field's unit. */
static double own_offset(const output_plan *plan, const field_chart *chart, int field) {
  double offset = chart->offset[field] / chart->field_unit[field];
  if (plan->settles) settle_values(1, &offset);
  return offset;
}

const double *output_forward(const output_plan *plan, const tile_plan *tile, const algebra *algebra,
                             const field_chart *chart, int field, const double *values, int points,
                             const double *places, real *tile_work, double *work) {
  const jet_plan *transform = plan->transforms[field];
  const real *z = outputs_of(plan, tile, field, tile_work);
  field_room room = room_of(plan, tile, field, work);
  if (!transform) {
    take_outputs(plan, algebra, 1, chart->scaled ? own_offset(plan, chart, field) : 0, points, z, room.raw);
    return room.raw;
  }
  if (is_affine(plan, chart, field)) {
    put_affine(plan, algebra, chart, field, values, points, places, z, room);
    return room.field;
  }
  take_outputs(plan, algebra, chart->size[field], chart->offset[field], points, z, room.raw);
  const double *u = jet_forward(transform, values, algebra, chart, field, points, places, room.raw, room.jets);
  if (!chart->scaled) return u;
  for (int i = 0; i < algebra->channels * points; i++) room.field[i] = u[i] / chart->field_unit[field];
  return room.field;
}

/* raw <- the gradient with respect to the raw output, but for the factor that is returned. */
static double reverse_transform(const output_plan *plan, const algebra *algebra, const field_chart *chart, int field,
                                int points, const double *field_gradient, field_room room) {
  if (!is_affine(plan, chart, field)) {
    jet_backward(plan->transforms[field], algebra, points, field_gradient, room.jets, room.raw);
    return chart->size[field] / chart->field_unit[field];
  }
  memset(room.raw, 0, (size_t)(algebra->channels * points) * sizeof *room.raw);
  jet_add_transposed(algebra, points, room.factor, field_gradient, room.raw);
  return 1;
}

void output_backward(const output_plan *plan, const tile_plan *tile, const algebra *algebra, const field_chart *chart,
                     int field, int points, const double *field_gradient, real *tile_work, double *work) {
  real *z = outputs_of(plan, tile, field, tile_work);
  const double *down = field_gradient;
  double size = 1;
  if (plan->transforms[field]) {
    field_room room = room_of(plan, tile, field, work);
    size = reverse_transform(plan, algebra, chart, field, points, field_gradient, room);
    down = room.raw;
  }
  for (int c = 0; c < algebra->channels; c++)
    for (int p = 0; p < points; p++)
      z[(p * algebra->channels + c) * plan->stream_outputs] = (real)(size * down[c * points + p]);
}
