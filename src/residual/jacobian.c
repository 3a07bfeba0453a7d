/* SPDX-License-Identifier: Apache-2.0
 *
 * jacobian.c - every row's derivative with respect to codes, input and output layers, or everything.
 *
 * One reverse pass per row of a segment serves all its units of a tile at once, because units do not
 * mix: layer l shows g (of its linear part) and a (its input) for each point and channel, and
 *
 *   W = C diag(s) R:   ds = sum over channels of (C^T g) (R a),   dC = g (s R a)^T,   dR = (s C^T g) a^T
 *
 * R a does not depend on the row and is computed once per tile.
 */
#include "residual/plan.h"

#include <string.h>

#include "base/team.h"
#include "numeric/denormal.h"

typedef struct jacobian_worker {
  residual_worker *worker;
  real *right; /* [stream][layer][tile rows][stride]: R a */
  real *left;  /* [tile rows][stride]: C^T g */
} jacobian_worker;

typedef struct jacobian_job {
  const residual *residual;
  const backbone *backbone;
  const real *parameters, *codes;
  residual_subset subset;
  size_t columns;
  real *packed_left, *packed_right; /* of each layer: C as it is, R transposed */
  size_t packed_size;               /* reals of one packed basis */
  int first_row[RESIDUAL_MAX_SEGMENTS];
  real *jacobian;
  const real *formed;
  jacobian_worker *workers; /* [threads] */
} jacobian_job;

/* One row program of one run of one tile, in one stream: what the sink needs to know. */
typedef struct jacobian_pass {
  const jacobian_job *job;
  jacobian_worker *worker;
  int stream, channels, tile_points;
  int first, units, unit_points; /* points of the run within the tile */
  int row, row_step;             /* row of the first unit in the Jacobian, and distance of units' rows */
} jacobian_pass;

static size_t input_size(const backbone *b) { return (size_t)b->width * (size_t)(b->shape.features + 1); }
static size_t inputs_size(const backbone *b) { return input_size(b) * (size_t)(b->shared_input ? 1 : b->fields); }
static size_t basis_size(const backbone *b) { return (size_t)b->width * (size_t)b->width; }
static size_t outputs_size(const backbone *b) { return (size_t)b->fields * ((size_t)b->width + 1); }

size_t residual_jacobian_columns(const backbone *backbone, residual_subset subset) {
  size_t codes = code_count(backbone->codes);
  if (subset == SUBSET_CODES) return codes;
  return codes + (subset == SUBSET_ALL ? backbone->size : inputs_size(backbone) + outputs_size(backbone));
}

/* Column of the first input or output parameter of a field. */
static size_t input_column(const jacobian_job *job, int field) {
  return code_count(job->backbone->codes) +
         (job->backbone->shared_input ? 0 : (size_t)field * input_size(job->backbone));
}

static size_t output_column(const jacobian_job *job, int field) {
  const backbone *b = job->backbone;
  size_t bases = job->subset == SUBSET_ALL ? 2 * (size_t)b->layers * basis_size(b) : 0;
  return code_count(b->codes) + inputs_size(b) + bases + (size_t)field * ((size_t)b->width + 1);
}

static size_t basis_column(const jacobian_job *job, int layer, bool right) {
  return code_count(job->backbone->codes) + inputs_size(job->backbone) +
         (2 * (size_t)layer + right) * basis_size(job->backbone);
}

static real *right_rows(const jacobian_job *job, const jacobian_worker *worker, int stream, int layer) {
  size_t size = (size_t)job->residual->tile.rows * (size_t)kernel_stride(job->backbone->width);
  return worker->right + (size_t)(stream * job->backbone->layers + layer) * size;
}

/* to [rows][columns] += factor * g a^T */
static void add_outer(int rows, int columns, real factor, const real *g, const real *a, real *to) {
  for (int i = 0; i < rows; i++) {
    real scaled = factor * g[i];
    for (int j = 0; j < columns; j++) to[(size_t)i * (size_t)columns + (size_t)j] += scaled * a[j];
  }
}

static void input_rows(const jacobian_pass *pass, bool value, const real *g, const real *input, real *to) {
  const backbone *b = pass->job->backbone;
  real *weight = to + input_column(pass->job, pass->stream),
       *bias = weight + (size_t)b->width * (size_t)b->shape.features;
  add_outer(b->width, b->shape.features, 1, g, input, weight);
  for (int i = 0; value && i < b->width; i++) bias[i] += g[i];
}

static void output_rows(const jacobian_pass *pass, bool value, real g, const real *input, real *to) {
  int width = pass->job->backbone->width;
  real *weight = to + output_column(pass->job, pass->stream);
  for (int i = 0; i < width; i++) weight[i] += g * input[i];
  if (value) weight[width] += g;
}

static void coded_rows(const jacobian_pass *pass, int layer, const real *left, const real *right, const real *g,
                       const real *input, real *to) {
  const jacobian_job *job = pass->job;
  int width = job->backbone->width;
  size_t place = (size_t)(pass->stream * job->backbone->layers + layer) * (size_t)width;
  const real *s = job->codes + place;
  for (int i = 0; i < width; i++) to[place + (size_t)i] += left[i] * right[i];
  if (job->subset != SUBSET_ALL) return;
  real *c = to + basis_column(job, layer, false), *r = to + basis_column(job, layer, true);
  for (int i = 0; i < width; i++) {
    for (int j = 0; j < width; j++) c[i * width + j] += g[i] * (s[j] * right[j]);
    add_outer(1, width, s[i], left + i, input, r + (size_t)i * (size_t)width);
  }
}

static void take_layer(void *data, int layer, const real *g, const real *input) {
  const jacobian_pass *pass = data;
  const jacobian_job *job = pass->job;
  const tile_plan *tile = &job->residual->tile;
  const tile_layer *shape = &tile->layers[layer];
  bool last = layer == tile->layer_count - 1, coded = layer > 0 && !last;
  if (!coded && job->subset == SUBSET_CODES) return;
  int g_stride = last ? shape->outputs : shape->output_stride, rows = pass->tile_points * pass->channels;
  real *left = pass->worker->left;
  const real *right = coded ? right_rows(job, pass->worker, pass->stream, layer - 1) : NULL;
  if (coded)
    tile->kernels->product(rows, shape->outputs, shape->outputs, g, g_stride,
                           job->packed_left + (size_t)(layer - 1) * job->packed_size, false, left,
                           shape->output_stride);
  for (int p = 0; p < pass->units * pass->unit_points; p++) {
    real *to = job->jacobian + (size_t)(pass->row + p / pass->unit_points * pass->row_step) * job->columns;
    for (int c = 0; c < pass->channels; c++) {
      ptrdiff_t row = (ptrdiff_t)(pass->first + p) * pass->channels + c;
      const real *g_row = g + row * g_stride, *in = input + row * shape->input_stride;
      if (coded)
        coded_rows(pass, layer - 1, left + row * shape->output_stride, right + row * shape->output_stride, g_row, in,
                   to);
      else if (last)
        output_rows(pass, c == 0, *g_row, in, to);
      else
        input_rows(pass, c == 0, g_row, in, to);
    }
  }
}

/* R a of every coded layer, from the rows that forward left. */
static void fill_right(const jacobian_job *job, const residual_set *set, const residual_tile *at,
                       jacobian_worker *worker) {
  const tile_plan *tile = &job->residual->tile;
  for (int s = 0; s < tile->shape.streams; s++)
    for (int l = 0; l < job->backbone->layers; l++) {
      const tile_layer *below = &tile->layers[l];
      const real *input = worker->worker->tile + (size_t)s * tile->work_stream + below->y;
      tile->kernels->product(at->points * set->channels, job->backbone->width, job->backbone->width, input,
                             below->output_stride, job->packed_right + (size_t)l * job->packed_size, false,
                             right_rows(job, worker, s, l), below->output_stride);
    }
}

static void pass_row(const jacobian_job *job, const residual_set *set, const residual_tile *at, int run, int r,
                     const double *const *fields, jacobian_worker *worker) {
  const residual *residual = job->residual;
  const residual_segment *segment = &residual->segments[at->runs[run].segment];
  const residual_row *row = &residual->rows[segment->first_row + r];
  double seed[JET_MAX_POINTS];
  size_t field_size = (size_t)set->channels * (size_t)at->points;
  for (int u = 0; u < at->runs[run].units; u++) seed[u] = sqrt(row->weight / segment->units);
  memset(worker->worker->gradients, 0, (size_t)residual->problem->field_count * field_size * sizeof(double));
  residual_row_backward(residual, set, row, segment->pair, at->runs[run].first, at->runs[run].units, at->points, fields,
                        seed, worker->worker);
  for (int f = 0; f < residual->problem->field_count; f++) {
    const double *gradient = worker->worker->gradients + (size_t)f * field_size;
    bool any = false;
    for (size_t i = 0; i < field_size; i++) any = any || gradient[i] != 0;
    if (!any) continue;
    jacobian_pass pass = {.job = job,
                          .worker = worker,
                          .stream = f,
                          .channels = set->channels,
                          .tile_points = at->points,
                          .first = at->runs[run].first,
                          .units = at->runs[run].units,
                          .unit_points = segment->pair ? 2 : 1,
                          .row = job->first_row[at->runs[run].segment] + at->runs[run].unit * segment->row_count + r,
                          .row_step = segment->row_count};
    output_backward(&residual->output, &residual->tile, &set->algebras[f], &residual->chart, f, at->points, gradient,
                    worker->worker->tile, worker->worker->output);
    tile_backward_each(&residual->tile, residual->packed, &set->rules[f], f, at->points, worker->worker->tile,
                       take_layer, &pass);
  }
}

static void chunk_jacobian(const jacobian_job *job, int chunk, jacobian_worker *worker) {
  const residual *residual = job->residual;
  for (int s = 0; s < residual->set_count; s++) {
    const residual_set *set = &residual->sets[s];
    residual_tile at;
    size_t position = residual->segments[set->first_segment].start[chunk];
    while (residual_tile_next(residual, set, chunk, position, &at)) {
      const double *fields[SYSTEM_MAX_FIELDS];
      residual_tile_forward(residual, set, &at, worker->worker, fields);
      fill_right(job, set, &at, worker);
      for (int run = 0; run < at.run_count; run++)
        for (int r = 0; r < residual->segments[at.runs[run].segment].row_count; r++)
          pass_row(job, set, &at, run, r, fields, worker);
      position += (size_t)at.points;
    }
  }
}

static bool take_memory(arena *arena, const residual *residual, const backbone *b, jacobian_job *job,
                        jacobian_worker *workers, real **formed, real **workspace) {
  size_t rows = (size_t)residual->tile.rows * (size_t)kernel_stride(b->width), layers = (size_t)b->layers;
  job->packed_size = (size_t)b->width * (size_t)kernel_padded(b->width);
  job->packed_left = arena_array(arena, real, layers * job->packed_size);
  job->packed_right = arena_array(arena, real, layers * job->packed_size);
  *formed = arena_array(arena, real, network_size(&b->shape));
  *workspace = arena_array(arena, real, backbone_workspace(b) + 1);
  bool all = job->packed_left && job->packed_right && *formed && *workspace;
  for (int t = 0; t < residual->options.threads; t++) {
    workers[t].worker = &residual->workers[t];
    workers[t].right = arena_array(arena, real, size_product((size_t)b->fields * layers, rows));
    workers[t].left = arena_array(arena, real, rows);
    all = all && workers[t].right && workers[t].left;
  }
  return all;
}

static void pack_bases(const jacobian_job *job) {
  const backbone *b = job->backbone;
  for (int l = 0; l < b->layers; l++) {
    const real *c = job->parameters + inputs_size(b) + 2 * (size_t)l * basis_size(b), *r = c + basis_size(b);
    const kernel_table *kernels = job->residual->tile.kernels;
    kernels->pack(c, b->width, false, b->width, b->width, job->packed_left + (size_t)l * job->packed_size);
    kernels->pack(r, b->width, true, b->width, b->width, job->packed_right + (size_t)l * job->packed_size);
  }
}

static void pack_item(void *data, int item, int worker) {
  const jacobian_job *job = data;
  (void)worker;
  tile_pack(&job->residual->tile, job->formed, item, job->residual->packed);
}

static void chunk_item(void *data, int chunk, int worker) {
  const jacobian_job *job = data;
  chunk_jacobian(job, chunk, &job->workers[worker]);
}

static void run(residual *residual, jacobian_job *job, real *formed, real *workspace) {
  int items = tile_pack_items(&residual->tile), row = 0;
  for (int i = 0; i < residual->segment_count; i++) {
    job->first_row[i] = row;
    row += residual->segments[i].units * residual->segments[i].row_count;
  }
  memset(job->jacobian, 0, (size_t)row * job->columns * sizeof *job->jacobian);
  backbone_form(job->backbone, job->parameters, job->codes, workspace, formed);
  pack_bases(job);
  job->formed = formed;
  unsigned before = denormals_off();
  team_run(residual->options.threads, items, pack_item, job);
  team_run(residual->options.threads, RESIDUAL_CHUNKS, chunk_item, job);
  denormals_restore(before);
}

ans_status residual_jacobian(ans_context *context, residual *residual, const backbone *backbone, const real *parameters,
                             const real *codes, residual_subset subset, real *jacobian) {
  FAIL_IF(backbone->kind != BACKBONE_FACTORIZED || backbone->shape.layer_count != residual->tile.layer_count, context,
          ANS_ARGUMENT, "Jacobian rows need the factorized network that the loss was planned for");
  arena *arena = NULL;
  TRY(arena_new(context, &arena));
  jacobian_job job = {.residual = residual,
                      .backbone = backbone,
                      .parameters = parameters,
                      .codes = codes,
                      .subset = subset,
                      .columns = residual_jacobian_columns(backbone, subset),
                      .jacobian = jacobian};
  real *formed = NULL, *workspace = NULL;
  jacobian_worker *workers = arena_array(arena, jacobian_worker, (size_t)residual->options.threads);
  bool ready = workers && take_memory(arena, residual, backbone, &job, workers, &formed, &workspace);
  job.workers = workers;
  if (ready) run(residual, &job, formed, workspace);
  arena_free(arena);
  return ready ? ANS_OK : context_no_memory(context);
}
