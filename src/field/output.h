/* SPDX-License-Identifier: Apache-2.0
 *
 * output.h - from the network's outputs on a tile to the fields, through each field's output transform.
 *
 * Fields, and their derivatives, come in the units of the chart. In a scaled chart a transform that is affine in the
 * raw output is taken apart: its known part and its factor are divided by the units first and then, for fixed points in
 * single precision, settled (settle.h), so that nothing that follows depends on the units of the text.
 */
#ifndef FIELD_OUTPUT_H
#define FIELD_OUTPUT_H

#include "field/jet.h"
#include "field/tile.h"
#include "system/system.h"

#define output_plan      REAL_NAME(output_plan)
#define output_plan_make REAL_NAME(output_plan_make)
#define output_forward   REAL_NAME(output_forward)
#define output_backward  REAL_NAME(output_backward)

typedef struct output_plan {
  int fields;
  int stream_outputs;
  const jet_plan *transforms[SYSTEM_MAX_FIELDS]; /* NULL: the raw output is the field */
  size_t places[SYSTEM_MAX_FIELDS];              /* of each field's part of the workspace: raw, then its jets */
  size_t work_size;                              /* doubles of one thread */
  bool settles;                                  /* what is known is settled: points are fixed, numbers single */
} output_plan;

ans_status output_plan_make(ans_context *context, arena *arena, const ans_problem *problem, const tile_plan *tile,
                            output_plan *plan);

static inline int output_stream(const output_plan *plan, int field) { return plan->stream_outputs == 1 ? field : 0; }

/* The field on the tile's points, [channel][points], inside the workspace. places: the problem's coordinates, where the
 * chart has moved them for the field. */
const double *output_forward(const output_plan *plan, const tile_plan *tile, const algebra *algebra,
                             const field_chart *chart, int field, const double *values, int points,
                             const double *places, real *tile_work, double *work);

/* Replaces the field's outputs in the tile by their gradient. field_gradient: [channel][points]. */
void output_backward(const output_plan *plan, const tile_plan *tile, const algebra *algebra, const field_chart *chart,
                     int field, int points, const double *field_gradient, real *tile_work, double *work);

#endif
