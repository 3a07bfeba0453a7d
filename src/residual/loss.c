/* SPDX-License-Identifier: Apache-2.0
 *
 * loss.c - the loss and its gradient, tile by tile.
 *
 * A chunk is a fixed eighth of every set. Whoever works on a chunk adds its tiles in order into the chunk's
 * accumulator; the eight are then added in order. So the sum has one value, whoever worked.
 */
#include "residual/plan.h"

#include <string.h>

#include "base/team.h"
#include "field/features.h"
#include "numeric/denormal.h"

/* Pairs of a periodic coordinate are its two ends in every field's own chart: that is where a soft seam lies. */
static void mark_pairs(const residual *residual, const residual_tile *tile, bool *pairs) {
  for (int i = 0; i < tile->run_count; i++) {
    bool pair = residual->segments[tile->runs[i].segment].pair;
    for (int p = 0; p < tile->runs[i].units * (pair ? 2 : 1); p++) pairs[tile->runs[i].first + p] = pair;
  }
}

void residual_tile_forward(const residual *residual, const residual_set *set, const residual_tile *tile,
                           residual_worker *worker, const double **fields) {
  const ans_problem *problem = residual->problem;
  int points = tile->points, count = problem->coordinate_count;
  bool pairs[JET_MAX_POINTS];
  mark_pairs(residual, tile, pairs);
  for (int p = 0; p < points; p++)
    for (int d = 0; d < count; d++)
      worker->coordinates[d * points + p] = set->points[(tile->position + (size_t)p) * (size_t)count + (size_t)d];
  for (int s = 0; s < residual->tile.shape.streams; s++) {
    chart_coordinates(problem, &residual->chart, s, points, worker->coordinates, pairs, worker->moved);
    features_fill(problem, &residual->chart, s, &set->algebras[s], points, worker->moved,
                  residual->tile.layers[0].input_stride, tile_features(&residual->tile, s, worker->tile));
    tile_forward(&residual->tile, residual->packed, &set->rules[s], s, points, worker->tile);
  }
  for (int f = 0; f < problem->field_count; f++) {
    chart_coordinates(problem, &residual->chart, f, points, worker->coordinates, pairs, worker->moved);
    fields[f] = output_forward(&residual->output, &residual->tile, &set->algebras[output_stream(&residual->output, f)],
                               &residual->chart, f, residual->instance->values, points, worker->moved, worker->tile,
                               worker->output);
  }
}

/* Adds the tile's share of the loss; leaves the fields' gradients in the worker when `scale` is not zero. */
static double tile_loss(const residual *residual, const residual_set *set, const residual_tile *tile, double scale,
                        const double *const *fields, residual_worker *worker) {
  double loss = 0, values[JET_MAX_POINTS];
  size_t size = (size_t)residual->problem->field_count * (size_t)set->channels * (size_t)tile->points;
  if (scale != 0) memset(worker->gradients, 0, size * sizeof *worker->gradients);
  for (int i = 0; i < tile->run_count; i++) {
    const residual_segment *segment = &residual->segments[tile->runs[i].segment];
    int units = tile->runs[i].units, first = tile->runs[i].first;
    for (int r = 0; r < segment->row_count; r++) {
      const residual_row *row = &residual->rows[segment->first_row + r];
      double weight = row->weight / segment->units;
      residual_row_values(residual, row, segment->pair, first, units, tile->points, fields, worker, values);
      for (int u = 0; u < units; u++) {
        loss += weight * values[u] * values[u];
        values[u] *= 2 * weight * scale;
      }
      if (scale != 0)
        residual_row_backward(residual, set, row, segment->pair, first, units, tile->points, fields, values, worker);
    }
  }
  return loss;
}

static void tile_gradient(const residual *residual, const residual_set *set, const residual_tile *tile, bool add,
                          residual_worker *worker, real *accumulator) {
  size_t field_size = (size_t)set->channels * (size_t)tile->points;
  for (int f = 0; f < residual->problem->field_count; f++)
    output_backward(&residual->output, &residual->tile, &set->algebras[output_stream(&residual->output, f)],
                    &residual->chart, f, tile->points, worker->gradients + (size_t)f * field_size, worker->tile,
                    worker->output);
  for (int s = 0; s < residual->tile.shape.streams; s++)
    tile_backward(&residual->tile, residual->packed, &set->rules[s], s, tile->points, add, worker->tile, accumulator);
}

/* Returns the chunk's loss; *used tells whether there was any point, else the accumulator holds nothing. */
static double chunk_loss(const residual *residual, int chunk, double scale, residual_worker *worker, real *accumulator,
                         bool *used) {
  double loss = 0;
  *used = false;
  for (int s = 0; s < residual->set_count; s++) {
    const residual_set *set = &residual->sets[s];
    residual_tile tile;
    size_t position = residual->segments[set->first_segment].start[chunk];
    while (residual_tile_next(residual, set, chunk, position, &tile)) {
      const double *fields[SYSTEM_MAX_FIELDS];
      residual_tile_forward(residual, set, &tile, worker, fields);
      loss += tile_loss(residual, set, &tile, scale, fields, worker);
      if (scale != 0) tile_gradient(residual, set, &tile, *used, worker, accumulator);
      *used = true;
      position += (size_t)tile.points;
    }
  }
  return loss;
}

/* One call of residual_loss, as its threads see it. */
typedef struct loss_job {
  residual *residual;
  const real *formed;
  double seed, partial[RESIDUAL_CHUNKS];
  bool used[RESIDUAL_CHUNKS];
  const real *accumulators[RESIDUAL_CHUNKS]; /* those that hold something */
  int count;
  real *gradient;
} loss_job;

static void pack_item(void *data, int item, int worker) {
  const loss_job *job = data;
  (void)worker;
  tile_pack(&job->residual->tile, job->formed, item, job->residual->packed);
}

static void chunk_item(void *data, int chunk, int worker) {
  loss_job *job = data;
  residual *residual = job->residual;
  job->partial[chunk] = chunk_loss(residual, chunk, job->seed, &residual->workers[worker],
                                   residual->accumulators[chunk], &job->used[chunk]);
}

static void unpack_item(void *data, int item, int worker) {
  const loss_job *job = data;
  (void)worker;
  tile_unpack(&job->residual->tile, job->count, job->accumulators, REAL(1.0), item, job->gradient);
}

double residual_loss(residual *residual, const real *formed, double scale, real *gradient) {
  loss_job job = {.residual = residual, .formed = formed, .seed = gradient ? scale : 0, .gradient = gradient};
  int items = tile_pack_items(&residual->tile), threads = residual->options.threads;
  double total = 0;
  unsigned before = denormals_off();
  team_run(threads, items, pack_item, &job);
  team_run(threads, RESIDUAL_CHUNKS, chunk_item, &job);
  for (int c = 0; c < RESIDUAL_CHUNKS; c++)
    if (job.used[c]) job.accumulators[job.count++] = residual->accumulators[c];
  if (job.seed != 0) team_run(threads, items, unpack_item, &job);
  denormals_restore(before);
  if (gradient && job.seed == 0) memset(gradient, 0, network_size(&residual->tile.shape) * sizeof *gradient);
  for (int c = 0; c < RESIDUAL_CHUNKS; c++) total += job.partial[c];
  return total;
}

int residual_row_count(const residual *residual) {
  int count = 0;
  for (int i = 0; i < residual->segment_count; i++)
    count += residual->segments[i].units * residual->segments[i].row_count;
  return count;
}

static void tile_rows(const residual *residual, const residual_tile *tile, const double *const *fields,
                      residual_worker *worker, const int *first_of, double *rows) {
  double values[JET_MAX_POINTS];
  for (int i = 0; i < tile->run_count; i++) {
    const residual_segment *segment = &residual->segments[tile->runs[i].segment];
    for (int r = 0; r < segment->row_count; r++) {
      const residual_row *row = &residual->rows[segment->first_row + r];
      double factor = sqrt(row->weight / segment->units);
      residual_row_values(residual, row, segment->pair, tile->runs[i].first, tile->runs[i].units, tile->points, fields,
                          worker, values);
      for (int u = 0; u < tile->runs[i].units; u++)
        rows[first_of[tile->runs[i].segment] + (tile->runs[i].unit + u) * segment->row_count + r] = factor * values[u];
    }
  }
}

void residual_rows(residual *residual, const real *formed, double *rows) {
  int first_of[RESIDUAL_MAX_SEGMENTS], count = 0, items = tile_pack_items(&residual->tile);
  for (int i = 0; i < residual->segment_count; i++) {
    first_of[i] = count;
    count += residual->segments[i].units * residual->segments[i].row_count;
  }
  unsigned before = denormals_off();
  for (int i = 0; i < items; i++) tile_pack(&residual->tile, formed, i, residual->packed);
  for (int c = 0; c < RESIDUAL_CHUNKS; c++)
    for (int s = 0; s < residual->set_count; s++) {
      const residual_set *set = &residual->sets[s];
      residual_tile tile;
      size_t position = residual->segments[set->first_segment].start[c];
      while (residual_tile_next(residual, set, c, position, &tile)) {
        const double *fields[SYSTEM_MAX_FIELDS];
        residual_tile_forward(residual, set, &tile, &residual->workers[0], fields);
        tile_rows(residual, &tile, fields, &residual->workers[0], first_of, rows);
        position += (size_t)tile.points;
      }
    }
  denormals_restore(before);
}
