/* SPDX-License-Identifier: Apache-2.0
 *
 * output.h - from the network's outputs on a tile to the fields, through each field's output transform.
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
} output_plan;

ans_status output_plan_make(ans_context *context, arena *arena, const ans_problem *problem, const tile_plan *tile,
                            output_plan *plan);

static inline int output_stream(const output_plan *plan, int field) { return plan->stream_outputs == 1 ? field : 0; }

/* The field on the tile's points, [channel][points], inside the workspace. coordinates: of its chart. */
const double *output_forward(const output_plan *plan, const tile_plan *tile, const algebra *algebra,
                             const field_chart *chart, int field, const double *values, int points,
                             const double *coordinates, real *tile_work, double *work);

/* Replaces the field's outputs in the tile by their gradient. field_gradient: [channel][points]. */
void output_backward(const output_plan *plan, const tile_plan *tile, const algebra *algebra, const field_chart *chart,
                     int field, int points, const double *field_gradient, real *tile_work, double *work);

#endif
