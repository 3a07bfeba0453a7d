/* SPDX-License-Identifier: Apache-2.0
 *
 * loss.c - the loss and its gradient, tile by tile.
 *
 * A chunk is a fixed eighth of every set. Whoever works on a chunk adds its tiles in order into the chunk's
 * accumulator; the eight are then added in order. So the sum has one value, whoever worked: threads, or processes
 * that exchange their chunks before the sum.
 */
#include "residual/pass.h"

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
  chart_places(problem, &residual->chart, points, worker->coordinates, worker->places);
  for (int s = 0; s < residual->tile.shape.streams; s++) {
    chart_coordinates(problem, &residual->chart, s, points, worker->coordinates, pairs, worker->moved);
    features_fill(problem, &residual->chart, s, &set->algebras[s], points, worker->moved,
                  residual->tile.layers[0].input_stride, tile_features(&residual->tile, s, worker->tile));
    tile_forward(&residual->tile, residual->packed, &set->rules[s], s, points, worker->tile);
  }
  for (int f = 0; f < problem->field_count; f++) {
    chart_coordinates(problem, &residual->chart, f, points, worker->coordinates, pairs, worker->moved);
    chart_places(problem, &residual->chart, points, worker->moved, worker->moved_places);
    fields[f] = output_forward(&residual->output, &residual->tile, &set->algebras[output_stream(&residual->output, f)],
                               &residual->chart, f, residual->instance->values, points, worker->moved_places,
                               worker->tile, worker->output);
  }
}

/* What a pass over all tiles is for: the loss, its gradient (scale is not zero), or J^T times given rows. */
typedef struct loss_job {
  double scale;
  const double *rows;
  int first_row[RESIDUAL_MAX_SEGMENTS]; /* in rows */
} loss_job;

static bool wants_gradient(const loss_job *job) { return job->scale != 0; }

/* seed <- what the rows of a run are multiplied by on the way back; returns the run's share of the loss. */
static double seed_run(const residual *residual, const loss_job *job, const residual_tile *tile, int run, int r,
                       const double *const *fields, residual_worker *worker, double *seed) {
  const residual_segment *segment = &residual->segments[tile->runs[run].segment];
  const residual_row *row = &residual->rows[segment->first_row + r];
  int units = tile->runs[run].units, first = tile->runs[run].first;
  double loss = 0, weights[JET_MAX_POINTS];
  residual_row_weights(residual, segment, row, first, units, tile->points, worker, weights);
  if (job->rows) {
    const double *given =
        job->rows + job->first_row[tile->runs[run].segment] + tile->runs[run].unit * segment->row_count + r;
    for (int u = 0; u < units; u++) seed[u] = sqrt(weights[u]) * given[u * segment->row_count];
    return 0;
  }
  residual_row_values(residual, row, segment->pair, first, units, tile->points, fields, worker, seed);
  for (int u = 0; u < units; u++) {
    loss += weights[u] * seed[u] * seed[u];
    seed[u] *= 2 * weights[u] * job->scale;
  }
  return loss;
}

/* Adds the tile's share of the loss; leaves the fields' gradients in the worker when they are wanted. */
static double tile_loss(const residual *residual, const residual_set *set, const residual_tile *tile,
                        const loss_job *job, const double *const *fields, residual_worker *worker) {
  double loss = 0, seed[JET_MAX_POINTS];
  size_t size = (size_t)residual->problem->field_count * (size_t)set->channels * (size_t)tile->points;
  if (wants_gradient(job)) memset(worker->gradients, 0, size * sizeof *worker->gradients);
  for (int i = 0; i < tile->run_count; i++) {
    const residual_segment *segment = &residual->segments[tile->runs[i].segment];
    for (int r = 0; r < segment->row_count; r++) {
      loss += seed_run(residual, job, tile, i, r, fields, worker, seed);
      if (wants_gradient(job))
        residual_row_backward(residual, set, &residual->rows[segment->first_row + r], segment->pair,
                              tile->runs[i].first, tile->runs[i].units, tile->points, fields, seed, worker);
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
static double chunk_loss(const residual *residual, const loss_job *job, int chunk, residual_worker *worker,
                         real *accumulator, bool *used) {
  double loss = 0;
  *used = false;
  for (int s = 0; s < residual->set_count; s++) {
    const residual_set *set = &residual->sets[s];
    residual_tile tile;
    size_t position = residual->segments[set->first_segment].start[chunk];
    while (residual_tile_next(residual, set, chunk, position, &tile)) {
      const double *fields[SYSTEM_MAX_FIELDS];
      residual_tile_forward(residual, set, &tile, worker, fields);
      loss += tile_loss(residual, set, &tile, job, fields, worker);
      if (wants_gradient(job)) tile_gradient(residual, set, &tile, *used, worker, accumulator);
      *used = true;
      position += (size_t)tile.points;
    }
  }
  return loss;
}

static int collect_used(const residual *residual, const bool *used, const real **accumulators) {
  int count = 0;
  for (int c = 0; c < RESIDUAL_CHUNKS; c++)
    if (used[c]) accumulators[count++] = residual->accumulators[c];
  return count;
}

/* ---- Several processes -------------------------------------------------------------------------------- */

void residual_share(residual *residual, const ans_fellows *fellows) { residual->fellows = *fellows; }

/* Who does a chunk: chunks that follow each other go to one process, at most one process to a chunk. */
static int owner_of(const residual *residual, int chunk) {
  int count = residual->fellows.count < RESIDUAL_CHUNKS ? residual->fellows.count : RESIDUAL_CHUNKS;
  return chunk * count / RESIDUAL_CHUNKS;
}

static bool is_shared(const residual *residual) { return residual->fellows.count > 1; }

/* One call: what its items share. */
typedef struct loss_call {
  residual *residual;
  const loss_job *job;
  int own_count, own[RESIDUAL_CHUNKS]; /* the chunks of this process */
  double partial[RESIDUAL_CHUNKS];
  bool used[RESIDUAL_CHUNKS];
  int used_count;
  const real *accumulators[RESIDUAL_CHUNKS]; /* the used ones */
  real *gradient;
} loss_call;

static void chunk_item(void *data, int item, int worker) {
  loss_call *call = data;
  int chunk = call->own[item];
  call->partial[chunk] = chunk_loss(call->residual, call->job, chunk, &call->residual->workers[worker],
                                    call->residual->accumulators[chunk], &call->used[chunk]);
}

static void unpack_item(void *data, int item, int worker) {
  const loss_call *call = data;
  (void)worker;
  tile_unpack(&call->residual->tile, call->used_count, call->accumulators, REAL(1.0), item, call->gradient);
}

static void choose_own(loss_call *call) {
  const residual *residual = call->residual;
  for (int c = 0; c < RESIDUAL_CHUNKS; c++)
    if (!is_shared(residual) || owner_of(residual, c) == residual->fellows.rank) call->own[call->own_count++] = c;
}

/* Everyone gets every chunk's loss, and whether it was used. */
static void spread_losses(loss_call *call) {
  const ans_fellows *fellows = &call->residual->fellows;
  double heads[RESIDUAL_CHUNKS][2];
  void *pieces[RESIDUAL_CHUNKS];
  int owners[RESIDUAL_CHUNKS];
  for (int c = 0; c < RESIDUAL_CHUNKS; c++) {
    heads[c][0] = call->partial[c];
    heads[c][1] = call->used[c];
    pieces[c] = heads[c];
    owners[c] = owner_of(call->residual, c);
  }
  fellows->spread(fellows->user_data, pieces, sizeof *heads, owners, RESIDUAL_CHUNKS);
  for (int c = 0; c < RESIDUAL_CHUNKS; c++) {
    call->partial[c] = heads[c][0];
    call->used[c] = heads[c][1] != 0;
  }
}

/* Everyone gets every accumulator. They are then added in chunk order, as one process does it. */
static void spread_all(loss_call *call) {
  const residual *residual = call->residual;
  void *pieces[RESIDUAL_CHUNKS];
  int owners[RESIDUAL_CHUNKS];
  size_t used = 0;
  for (int c = 0; c < RESIDUAL_CHUNKS; c++) {
    if (!call->used[c]) continue;
    pieces[used] = residual->accumulators[c];
    owners[used++] = owner_of(residual, c);
  }
  residual->fellows.spread(residual->fellows.user_data, pieces, residual->tile.gradient_size * sizeof(real), owners,
                           used);
}

static void add_accumulator(size_t size, const real *from, real *to) {
  for (size_t i = 0; i < size; i++) to[i] += from[i];
}

/* The same sum with fewer messages, where a process has several chunks: each adds its own to what those before it have
 * added, and passes it on. The sum is then in the first used accumulator, and no other counts any more. */
static void spread_sum(loss_call *call) {
  const residual *residual = call->residual;
  size_t size = residual->tile.gradient_size;
  int first = 0;
  while (first < RESIDUAL_CHUNKS && !call->used[first]) first++;
  for (int c = first; c < RESIDUAL_CHUNKS; c++) {
    int owner = owner_of(residual, c);
    if (call->used[c] && c > first && owner == residual->fellows.rank)
      add_accumulator(size, residual->accumulators[c], residual->accumulators[first]);
    if (c > first) call->used[c] = false;
    void *piece = residual->accumulators[first];
    if (c == RESIDUAL_CHUNKS - 1 || owner_of(residual, c + 1) != owner)
      residual->fellows.spread(residual->fellows.user_data, &piece, size * sizeof(real), &owner, 1);
  }
}

static void spread(loss_call *call) {
  spread_losses(call);
  if (!wants_gradient(call->job)) return;
  if (2 * call->residual->fellows.count <= RESIDUAL_CHUNKS)
    spread_sum(call);
  else
    spread_all(call);
}

static double run_job(residual *residual, const loss_job *job, const real *formed, real *gradient) {
  loss_call call = {.residual = residual, .job = job, .gradient = gradient};
  int threads = residual->options.threads;
  double total = 0;
  residual_pack(residual, formed);
  unsigned before = denormals_off();
  choose_own(&call);
  team_run(threads, call.own_count, chunk_item, &call);
  if (is_shared(residual)) spread(&call);
  if (wants_gradient(job)) {
    call.used_count = collect_used(residual, call.used, call.accumulators);
    team_run(threads, tile_pack_items(&residual->tile), unpack_item, &call);
  }
  denormals_restore(before);
  for (int c = 0; c < RESIDUAL_CHUNKS; c++) total += call.partial[c];
  return total;
}

double residual_loss(residual *residual, const real *formed, double scale, real *gradient) {
  loss_job job = {.scale = gradient ? scale : 0};
  double total = run_job(residual, &job, formed, gradient);
  if (gradient && scale == 0) memset(gradient, 0, network_size(&residual->tile.shape) * sizeof *gradient);
  return total;
}

void residual_pull(residual *residual, const real *formed, const double *rows, real *gradient) {
  loss_job job = {.scale = 1, .rows = rows};
  residual_number_rows(residual, job.first_row);
  run_job(residual, &job, formed, gradient);
}

/* ---- Rows --------------------------------------------------------------------------------------------- */

int residual_row_count(const residual *residual) {
  int first_row[RESIDUAL_MAX_SEGMENTS];
  return residual_number_rows(residual, first_row);
}

static void tile_rows(const residual *residual, const residual_tile *tile, const double *const *fields,
                      residual_worker *worker, const int *first_row, double *rows) {
  double values[JET_MAX_POINTS], weights[JET_MAX_POINTS];
  for (int i = 0; i < tile->run_count; i++) {
    const residual_segment *segment = &residual->segments[tile->runs[i].segment];
    int first = tile->runs[i].first, units = tile->runs[i].units;
    for (int r = 0; r < segment->row_count; r++) {
      const residual_row *row = &residual->rows[segment->first_row + r];
      residual_row_weights(residual, segment, row, first, units, tile->points, worker, weights);
      residual_row_values(residual, row, segment->pair, first, units, tile->points, fields, worker, values);
      double *to = rows + first_row[tile->runs[i].segment] + tile->runs[i].unit * segment->row_count + r;
      for (int u = 0; u < units; u++) to[u * segment->row_count] = sqrt(weights[u]) * values[u];
    }
  }
}

typedef struct rows_call {
  const residual *residual;
  int first_row[RESIDUAL_MAX_SEGMENTS];
  double *rows;
} rows_call;

static void rows_item(void *data, int chunk, int thread) {
  const rows_call *call = data;
  const residual *residual = call->residual;
  residual_worker *worker = &residual->workers[thread];
  for (int s = 0; s < residual->set_count; s++) {
    const residual_set *set = &residual->sets[s];
    residual_tile tile;
    size_t position = residual->segments[set->first_segment].start[chunk];
    while (residual_tile_next(residual, set, chunk, position, &tile)) {
      const double *fields[SYSTEM_MAX_FIELDS];
      residual_tile_forward(residual, set, &tile, worker, fields);
      tile_rows(residual, &tile, fields, worker, call->first_row, call->rows);
      position += (size_t)tile.points;
    }
  }
}

void residual_rows(residual *residual, const real *formed, double *rows) {
  rows_call call = {.residual = residual, .rows = rows};
  residual_number_rows(residual, call.first_row);
  residual_pack(residual, formed);
  unsigned before = denormals_off();
  team_run(residual->options.threads, RESIDUAL_CHUNKS, rows_item, &call);
  denormals_restore(before);
}
