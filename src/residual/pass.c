/* SPDX-License-Identifier: Apache-2.0
 *
 * pass.c - see pass.h. A row is scaled by sqrt(weight / points), as residual_rows scales it.
 */
#include "residual/pass.h"

#include <assert.h>
#include <string.h>

#include "base/team.h"
#include "numeric/denormal.h"

typedef struct sink_data {
  const residual *residual;
  const row_walk *walk;
  row_pass pass;
} sink_data;

static void show_layer(void *data, int index, const real *g, const real *input) {
  const sink_data *sink = data;
  const tile_layer *shape = &sink->residual->tile.layers[index];
  pass_layer layer = {.index = index,
                      .g = g,
                      .input = input,
                      .g_stride = shape->narrow ? shape->outputs : shape->output_stride,
                      .input_stride = shape->input_stride};
  sink->walk->take(sink->walk->data, &sink->pass, &layer);
}

static bool any_nonzero(const double *values, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (values[i] != 0) return true;
  return false;
}

/* Reverse through the output transforms of a stream's fields, and through the stream. */
static void pass_stream(const residual *residual, const residual_set *set, const residual_tile *at, sink_data *sink,
                        residual_worker *worker) {
  size_t field_size = (size_t)set->channels * (size_t)at->points;
  int stream = sink->pass.stream;
  bool any = false;
  for (int f = 0; f < residual->problem->field_count; f++)
    if (output_stream(&residual->output, f) == stream)
      any = any || any_nonzero(worker->gradients + (size_t)f * field_size, field_size);
  if (!any) return;
  for (int f = 0; f < residual->problem->field_count; f++)
    if (output_stream(&residual->output, f) == stream)
      output_backward(&residual->output, &residual->tile, &set->algebras[stream], &residual->chart, f, at->points,
                      worker->gradients + (size_t)f * field_size, worker->tile, worker->output);
  tile_backward_each(&residual->tile, residual->packed, &set->rules[stream], stream, at->points, worker->tile,
                     show_layer, sink);
}

static void pass_row(const residual *residual, const row_walk *walk, const residual_set *set, const residual_tile *at,
                     int run, int r, int first_row, const double *const *fields, int thread) {
  assert(run >= 0 && run < at->run_count && r >= 0);
  const residual_segment *segment = &residual->segments[at->runs[run].segment];
  const residual_row *row = &residual->rows[segment->first_row + r];
  residual_worker *worker = &residual->workers[thread];
  double seed[JET_MAX_POINTS];
  int units = at->runs[run].units, first = at->runs[run].first;
  residual_row_weights(residual, segment, row, first, units, at->points, worker, seed);
  for (int u = 0; u < units; u++) seed[u] = sqrt(seed[u]);
  memset(worker->gradients, 0,
         (size_t)residual->problem->field_count * (size_t)set->channels * (size_t)at->points * sizeof(double));
  residual_row_backward(residual, set, row, segment->pair, first, units, at->points, fields, seed, worker);
  sink_data sink = {.residual = residual,
                    .walk = walk,
                    .pass = {.worker = thread,
                             .channels = set->channels,
                             .tile_points = at->points,
                             .first = first,
                             .units = units,
                             .unit_points = segment->pair ? 2 : 1,
                             .row = first_row + at->runs[run].unit * segment->row_count + r,
                             .row_step = segment->row_count}};
  for (int s = 0; s < residual->tile.shape.streams; s++) {
    sink.pass.stream = s;
    pass_stream(residual, set, at, &sink, worker);
  }
}

static void walk_chunk(const residual *residual, const row_walk *walk, const int *first_row, int chunk, int thread) {
  for (int s = 0; s < residual->set_count; s++) {
    const residual_set *set = &residual->sets[s];
    residual_tile at;
    size_t position = residual->segments[set->first_segment].start[chunk];
    while (residual_tile_next(residual, set, chunk, position, &at)) {
      const double *fields[SYSTEM_MAX_FIELDS];
      residual_tile_forward(residual, set, &at, &residual->workers[thread], fields);
      if (walk->open) walk->open(walk->data, set, &at, thread);
      for (int run = 0; run < at.run_count; run++)
        for (int r = 0; r < residual->segments[at.runs[run].segment].row_count; r++)
          pass_row(residual, walk, set, &at, run, r, first_row[at.runs[run].segment], fields, thread);
      position += (size_t)at.points;
    }
  }
}

int residual_number_rows(const residual *residual, int *first) {
  int count = 0;
  for (int i = 0; i < residual->segment_count; i++) {
    first[i] = count;
    count += residual->segments[i].units * residual->segments[i].row_count;
  }
  return count;
}

typedef struct pack_call {
  const residual *residual;
  const real *formed;
} pack_call;

static void pack_item(void *data, int item, int worker) {
  const pack_call *call = data;
  (void)worker;
  tile_pack(&call->residual->tile, call->formed, item, call->residual->packed);
}

void residual_pack(residual *residual, const real *formed) {
  pack_call call = {residual, formed};
  unsigned before = denormals_off();
  team_run(residual->options.threads, tile_pack_items(&residual->tile), pack_item, &call);
  denormals_restore(before);
}

typedef struct walk_call {
  const residual *residual;
  const row_walk *walk;
  int first_row[RESIDUAL_MAX_SEGMENTS];
} walk_call;

static void walk_item(void *data, int chunk, int worker) {
  const walk_call *call = data;
  walk_chunk(call->residual, call->walk, call->first_row, chunk, worker);
}

void residual_walk(residual *residual, const real *formed, const row_walk *walk) {
  walk_call call = {.residual = residual, .walk = walk};
  residual_number_rows(residual, call.first_row);
  residual_pack(residual, formed);
  unsigned before = denormals_off();
  team_run(residual->options.threads, RESIDUAL_CHUNKS, walk_item, &call);
  denormals_restore(before);
}
