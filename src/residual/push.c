/* SPDX-License-Identifier: Apache-2.0
 *
 * push.c - the rows' change along a change of the formed weights, without a Jacobian.
 *
 *   J dW = sum over layers and channels of  g . (dW a) + g . db
 *
 * with g and a as the reverse pass of the row shows them: exact, for any network.
 */
#include <assert.h>
#include <string.h>

#include "numeric/denormal.h"
#include "residual/pass.h"

typedef struct push_job {
  const residual *residual;
  double *rows;
} push_job;

/* changes [tile rows][stride] <- dW a, with db in the rows of channel 0. */
static int fill_changes(const push_job *job, const row_pass *pass, const pass_layer *layer, real *changes) {
  const tile_plan *tile = &job->residual->tile;
  const tile_layer *shape = &tile->layers[layer->index];
  const real *packed = job->residual->packed_tangent + (size_t)pass->stream * tile->packed_stream;
  int rows = pass->tile_points * pass->channels, stride = shape->narrow ? shape->outputs : shape->output_stride;
  if (shape->narrow)
    tile->kernels->narrow(rows, shape->outputs, shape->inputs, layer->input, layer->input_stride,
                          packed + shape->packed_forward, shape->input_stride, changes);
  else
    tile->kernels->product(rows, shape->inputs, shape->outputs, layer->input, layer->input_stride,
                           packed + shape->packed_forward, false, changes, stride);
  for (int row = 0; shape->bias && row < rows; row += pass->channels)
    for (int i = 0; i < shape->outputs; i++)
      changes[(size_t)row * (size_t)stride + (size_t)i] += packed[shape->packed_bias + (size_t)i];
  return stride;
}

static void take_layer(void *data, const row_pass *pass, const pass_layer *layer) {
  const push_job *job = data;
  const tile_layer *shape = &job->residual->tile.layers[layer->index];
  real *changes = job->residual->workers[pass->worker].changes;
  size_t stride = (size_t)fill_changes(job, pass, layer, changes);
  for (int u = 0; u < pass->units; u++) {
    int first = (pass->first + u * pass->unit_points) * pass->channels;
    double sum = 0;
    for (int row = first; row < first + pass->unit_points * pass->channels; row++)
      sum += (double)real_dot(layer->g + (size_t)row * (size_t)layer->g_stride, changes + (size_t)row * stride,
                              (size_t)shape->outputs);
    job->rows[pass->row + u * pass->row_step] += sum;
  }
}

void residual_push(residual *residual, const real *formed, const real *tangent, double *rows) {
  assert(residual->packed_tangent);
  push_job job = {.residual = residual, .rows = rows};
  unsigned before = denormals_off();
  for (int i = 0; i < tile_pack_items(&residual->tile); i++)
    tile_pack(&residual->tile, tangent, i, residual->packed_tangent);
  denormals_restore(before);
  memset(rows, 0, (size_t)residual_row_count(residual) * sizeof *rows);
  residual_walk(residual, formed, &(row_walk){.data = &job, .take = take_layer});
}
