/* SPDX-License-Identifier: Apache-2.0
 *
 * jacobian.c - every row's derivative with respect to codes, input and output layers, and bases.
 *
 * One reverse pass per row of a segment serves all its units of a tile at once, because units do not
 * mix: layer l shows g (of its linear part) and a (its input) for each point and channel, and
 *
 *   W = C diag(s) R:   ds = sum over channels of (C^T g) (R a),   dC = g (s R a)^T,   dR = (s C^T g) a^T
 *
 * R a does not depend on the row and is computed once per tile. In a thin layer, B A with A = the rows of
 * diag(s) R whose code is not zero, the gradient of A's output is C^T g in those places; codes at zero have
 * zero columns, as they have no gradient.
 */
#include <assert.h>
#include <string.h>

#include "numeric/denormal.h"
#include "residual/pass.h"

typedef enum layer_role { ROLE_INPUT, ROLE_CODED, ROLE_RIGHT, ROLE_LEFT, ROLE_OUTPUT } layer_role;

/* What one thread needs besides the residual's worker. */
typedef struct jacobian_worker {
  real *right;  /* [stream][layer][tile rows][stride]: R a */
  real *left;   /* [tile rows][stride]: C^T g */
  real *turned; /* [features][width]: of one unit's input layer */
} jacobian_worker;

struct jacobian {
  arena *arena;
  residual *residual;
  backbone backbone; /* the dense one, whose parameters the columns are */
  residual_subset subset;
  size_t columns, packed_size;      /* packed_size: reals of one packed basis */
  real *packed_left, *packed_right; /* of each layer: C as it is, R transposed */
  jacobian_worker *workers;         /* [threads] */
  /* of the present call */
  const real *codes;
  layer_role roles[NETWORK_MAX_LAYERS];
  int coded[NETWORK_MAX_LAYERS]; /* the coded layer that a layer of the network belongs to */
  int first_row[RESIDUAL_MAX_SEGMENTS];
  real *matrix;
  size_t stride;
};

static size_t input_size(const backbone *b) { return (size_t)b->width * (size_t)(b->shape.features + 1); }
static size_t inputs_size(const backbone *b) { return input_size(b) * (size_t)(b->shared_input ? 1 : b->fields); }
static size_t basis_size(const backbone *b) { return (size_t)b->width * (size_t)b->width; }
static size_t outputs_size(const backbone *b) { return (size_t)b->fields * ((size_t)b->width + 1); }

/* Of every coded layer: neither basis, R alone, or both. */
static size_t bases_of_layer(residual_subset subset) { return subset == SUBSET_ALL ? 2 : subset == SUBSET_WEIGHTS; }

static size_t bases_size(const backbone *b, residual_subset subset) {
  return bases_of_layer(subset) * (size_t)b->layers * basis_size(b);
}

size_t jacobian_columns(const backbone *backbone, residual_subset subset) {
  size_t codes = code_count(backbone->codes);
  if (subset == SUBSET_CODES) return codes;
  return codes + inputs_size(backbone) + bases_size(backbone, subset) + outputs_size(backbone);
}

/* Column of the first input or output parameter of a field, and of a basis. */
static size_t input_column(const jacobian *j, int field) {
  return code_count(j->backbone.codes) + (j->backbone.shared_input ? 0 : (size_t)field * input_size(&j->backbone));
}

static size_t output_column(const jacobian *j, int field) {
  const backbone *b = &j->backbone;
  return code_count(b->codes) + inputs_size(b) + bases_size(b, j->subset) + (size_t)field * ((size_t)b->width + 1);
}

static size_t basis_column(const jacobian *j, int layer, bool right) {
  size_t before = bases_of_layer(j->subset) * (size_t)layer + (right && j->subset == SUBSET_ALL);
  return code_count(j->backbone.codes) + inputs_size(&j->backbone) + before * basis_size(&j->backbone);
}

static size_t code_column(const jacobian *j, int stream, int layer) {
  return (size_t)(stream * j->backbone.layers + layer) * (size_t)j->backbone.width;
}

static real *right_rows(const jacobian *j, const jacobian_worker *worker, int stream, int layer) {
  size_t size = (size_t)j->residual->tile.rows * (size_t)kernel_stride(j->backbone.width);
  return worker->right + (size_t)(stream * j->backbone.layers + layer) * size;
}

/* ---- One layer of one reverse pass ------------------------------------------------------------------------ */

static void add_scaled(int count, real factor, const real *restrict from, real *restrict to) {
  for (int i = 0; i < count; i++) to[i] += factor * from[i];
}

static void add_products(int count, const real *restrict a, const real *restrict b, real *restrict to) {
  for (int i = 0; i < count; i++) to[i] += a[i] * b[i];
}

/* The unit's share of the input layer, summed with full vectors as [features][width], then turned. */
static void input_rows(const jacobian *j, const row_pass *pass, const jacobian_worker *worker, int first_point,
                       const pass_layer *layer, real *to) {
  const backbone *b = &j->backbone;
  int width = b->width, features = b->shape.features;
  real *weight = to + input_column(j, pass->stream), *bias = weight + (size_t)width * (size_t)features;
  real *turned = worker->turned;
  memset(turned, 0, (size_t)features * (size_t)width * sizeof *turned);
  for (int row = first_point * pass->channels; row < (first_point + pass->unit_points) * pass->channels; row++) {
    const real *g = layer->g + (size_t)row * (size_t)layer->g_stride;
    const real *a = layer->input + (size_t)row * (size_t)layer->input_stride;
    for (int f = 0; f < features; f++)
      if (a[f] != 0) add_scaled(width, a[f], g, turned + f * width);
    if (row % pass->channels == 0) add_scaled(width, 1, g, bias);
  }
  for (int i = 0; i < width; i++)
    for (int f = 0; f < features; f++) weight[i * features + f] += turned[f * width + i];
}

static void output_rows(const jacobian *j, const row_pass *pass, int row, const pass_layer *layer, real *to) {
  int width = j->backbone.width;
  real *weight = to + output_column(j, pass->stream), g = layer->g[(size_t)row * (size_t)layer->g_stride];
  add_scaled(width, g, layer->input + (size_t)row * (size_t)layer->input_stride, weight);
  if (row % pass->channels == 0) weight[width] += g;
}

/* dC = g (s R a)^T */
static void left_basis(const jacobian *j, const row_pass *pass, int coded, const real *g, const real *right, real *to) {
  int width = j->backbone.width;
  const real *s = j->codes + code_column(j, pass->stream, coded);
  real *c = to + basis_column(j, coded, false);
  for (int i = 0; i < width; i++)
    for (int k = 0; k < width; k++) c[i * width + k] += g[i] * (s[k] * right[k]);
}

/* dR = (s C^T g) a^T */
static void right_basis(const jacobian *j, const row_pass *pass, int coded, const real *left, const real *a, real *to) {
  int width = j->backbone.width;
  const real *s = j->codes + code_column(j, pass->stream, coded);
  real *r = to + basis_column(j, coded, true);
  for (int i = 0; i < width; i++) add_scaled(width, s[i] * left[i], a, r + (size_t)i * (size_t)width);
}

/* left <- C^T g, of all rows of the tile: multiplied out, or where a thin layer has it already. */
static void fill_left(const jacobian *j, const row_pass *pass, const pass_layer *layer, real *left) {
  const tile_plan *tile = &j->residual->tile;
  int width = j->backbone.width, stride = kernel_stride(width), coded = j->coded[layer->index];
  int rows = pass->tile_points * pass->channels;
  if (j->roles[layer->index] == ROLE_CODED) {
    tile->kernels->product(rows, width, width, layer->g, layer->g_stride,
                           j->packed_left + (size_t)coded * j->packed_size, false, left, stride);
    return;
  }
  const real *s = j->codes + code_column(j, pass->stream, coded);
  for (int row = 0; row < rows; row++) {
    const real *g = layer->g + (size_t)row * (size_t)layer->g_stride;
    for (int i = 0; i < width; i++) left[(size_t)row * (size_t)stride + (size_t)i] = s[i] != 0 ? *g++ : REAL(0.0);
  }
}

static void coded_rows(const jacobian *j, const row_pass *pass, const jacobian_worker *worker, int row,
                       const pass_layer *layer, real *to) {
  int width = j->backbone.width, coded = j->coded[layer->index];
  layer_role role = j->roles[layer->index];
  size_t at = (size_t)row * (size_t)kernel_stride(width);
  const real *left = worker->left + at, *right = right_rows(j, worker, pass->stream, coded) + at;
  if (role != ROLE_LEFT) add_products(width, left, right, to + code_column(j, pass->stream, coded));
  if (role != ROLE_RIGHT && j->subset == SUBSET_ALL)
    left_basis(j, pass, coded, layer->g + (size_t)row * (size_t)layer->g_stride, right, to);
  if (role != ROLE_LEFT && bases_of_layer(j->subset) > 0)
    right_basis(j, pass, coded, left, layer->input + (size_t)row * (size_t)layer->input_stride, to);
}

static void take_layer(void *data, const row_pass *pass, const pass_layer *layer) {
  const jacobian *j = data;
  const jacobian_worker *worker = &j->workers[pass->worker];
  layer_role role = j->roles[layer->index];
  bool coded = role != ROLE_INPUT && role != ROLE_OUTPUT;
  if (j->subset == SUBSET_CODES && !coded) return;
  if (j->subset != SUBSET_ALL && role == ROLE_LEFT) return;
  if (coded && role != ROLE_LEFT) fill_left(j, pass, layer, worker->left);
  for (int u = 0; u < pass->units; u++) {
    real *to = j->matrix + (size_t)(pass->row + u * pass->row_step) * j->stride;
    int point = pass->first + u * pass->unit_points;
    if (role == ROLE_INPUT) {
      input_rows(j, pass, worker, point, layer, to);
      continue;
    }
    for (int row = point * pass->channels; row < (point + pass->unit_points) * pass->channels; row++)
      if (coded)
        coded_rows(j, pass, worker, row, layer, to);
      else
        output_rows(j, pass, row, layer, to);
  }
}

/* ---- Tiles ------------------------------------------------------------------------------------------------ */

/* R a of every coded layer, from the rows that forward left. */
static void fill_right(const jacobian *j, const residual_set *set, const residual_tile *at, int thread) {
  const tile_plan *tile = &j->residual->tile;
  int width = j->backbone.width;
  for (int s = 0; s < tile->shape.streams; s++)
    for (int l = 1; l + 1 < tile->layer_count; l++) {
      if (j->roles[l] == ROLE_LEFT) continue;
      const tile_layer *below = &tile->layers[l - 1];
      const real *input = j->residual->workers[thread].tile + (size_t)s * tile->work_stream + below->y;
      tile->kernels->product(at->points * set->channels, width, width, input, below->output_stride,
                             j->packed_right + (size_t)j->coded[l] * j->packed_size, false,
                             right_rows(j, &j->workers[thread], s, j->coded[l]), kernel_stride(width));
    }
}

static void open_tile(void *data, const residual_set *set, const residual_tile *at, int thread) {
  const jacobian *j = data;
  for (int run = 0; run < at->run_count; run++) {
    int rows = j->residual->segments[at->runs[run].segment].row_count;
    size_t first = (size_t)(j->first_row[at->runs[run].segment] + at->runs[run].unit * rows);
    memset(j->matrix + first * j->stride, 0, (size_t)(at->runs[run].units * rows) * j->stride * sizeof *j->matrix);
  }
  fill_right(j, set, at, thread);
}

static void assign_roles(jacobian *j, const backbone *present) {
  int at = 0;
  j->roles[at++] = ROLE_INPUT;
  for (int l = 0; l < present->layers; l++) {
    j->coded[at] = l;
    j->roles[at++] = present->rank[l] ? ROLE_RIGHT : ROLE_CODED;
    if (!present->rank[l]) continue;
    j->coded[at] = l;
    j->roles[at++] = ROLE_LEFT;
  }
  j->roles[at] = ROLE_OUTPUT;
}

static void pack_bases(const jacobian *j, const real *parameters) {
  const backbone *b = &j->backbone;
  const kernel_table *kernels = j->residual->tile.kernels;
  for (int l = 0; l < b->layers; l++) {
    const real *c = parameters + inputs_size(b) + 2 * (size_t)l * basis_size(b), *r = c + basis_size(b);
    kernels->pack(c, b->width, false, b->width, b->width, j->packed_left + (size_t)l * j->packed_size);
    kernels->pack(r, b->width, true, b->width, b->width, j->packed_right + (size_t)l * j->packed_size);
  }
}

void jacobian_fill(jacobian *j, const backbone *present, const real *parameters, const real *codes, const real *formed,
                   real *matrix, size_t stride) {
  assert(present->shape.layer_count == j->residual->tile.layer_count && stride >= j->columns);
  j->codes = codes;
  j->matrix = matrix;
  j->stride = stride;
  residual_number_rows(j->residual, j->first_row);
  assign_roles(j, present);
  pack_bases(j, parameters);
  residual_walk(j->residual, formed, &(row_walk){.data = j, .open = open_tile, .take = take_layer});
}

/* ---- Making one ------------------------------------------------------------------------------------------- */

static ans_status take_memory(ans_context *context, jacobian *j) {
  const backbone *b = &j->backbone;
  size_t rows = (size_t)j->residual->tile.rows * (size_t)kernel_stride(b->width), layers = (size_t)b->layers;
  size_t threads = (size_t)j->residual->options.threads;
  j->packed_size = (size_t)b->width * (size_t)kernel_padded(b->width);
  j->packed_left = arena_array(j->arena, real, layers * j->packed_size);
  j->packed_right = arena_array(j->arena, real, layers * j->packed_size);
  j->workers = arena_array(j->arena, jacobian_worker, threads);
  bool all = j->packed_left && j->packed_right && j->workers;
  for (size_t t = 0; all && t < threads; t++) {
    jacobian_worker *worker = &j->workers[t];
    worker->right = arena_array(j->arena, real, size_product((size_t)b->fields * layers, rows));
    worker->left = arena_array(j->arena, real, rows);
    worker->turned = arena_array(j->arena, real, (size_t)b->width * (size_t)b->shape.features);
    all = worker->right && worker->left && worker->turned;
  }
  return all ? ANS_OK : context_no_memory(context);
}

ans_status jacobian_new(ans_context *context, residual *residual, const backbone *dense, residual_subset subset,
                        jacobian **result) {
  *result = NULL;
  FAIL_IF(dense->kind != BACKBONE_FACTORIZED || dense->shape.stream_size != residual->tile.shape.stream_size, context,
          ANS_ARGUMENT, "Jacobian rows need the factorized network that the loss was planned for");
  arena *arena = NULL;
  TRY(arena_new(context, &arena));
  jacobian *j = arena_take(arena, sizeof *j);
  ans_status status = j ? ANS_OK : context_no_memory(context);
  if (status == ANS_OK) {
    assert(j);
    *j = (jacobian){.arena = arena,
                    .residual = residual,
                    .backbone = *dense,
                    .subset = subset,
                    .columns = jacobian_columns(dense, subset)};
    status = take_memory(context, j);
  }
  if (status == ANS_OK)
    *result = j;
  else
    arena_free(arena);
  return status;
}

void jacobian_free(jacobian *j) {
  if (j) arena_free(j->arena);
}
