/* SPDX-License-Identifier: Apache-2.0
 *
 * residual.c - planning: everything a loss needs is found and allocated here, once.
 */
#include "residual/plan.h"

#include <assert.h>
#include <string.h>

#include "codes/plan.h"
#include "field/features.h"
#include "field/settle.h"
#include "numeric/blas.h"

/* Rows of a tile: about this many keep a narrow or a wide network inside the second-level cache. */
enum { NARROW_ROWS = 48, WIDE_ROWS = 96, NARROW_WIDTH = 128 };

static int widest_layer(const network_shape *shape) {
  int widest = 0;
  for (int l = 0; l + 1 < shape->layer_count; l++)
    if (shape->layers[l].outputs > widest) widest = shape->layers[l].outputs;
  return widest;
}

/* Channels of the Taylor set of all terms of the problem: no structure and no operator channel needs more. */
static int most_channels(const ans_problem *problem) {
  enum { ALL = 256 };
  uint8_t indices[ALL][ALGEBRA_MAX_COORDINATES] = {{0}};
  int count = 0;
  algebra algebra;
  for (int t = 0; t < problem->term_count; t++)
    for (int i = 0; i < problem->terms[t].factor_count && count < ALL; i++) {
      bool known = false;
      for (int k = 0; k < count; k++)
        known = known || memcmp(indices[k], problem->terms[t].factors[i].order, SYSTEM_MAX_COORDINATES) == 0;
      if (!known) memcpy(indices[count++], problem->terms[t].factors[i].order, SYSTEM_MAX_COORDINATES);
    }
  for (int c = 0; c < problem->condition_count && count < ALL; c++)
    memcpy(indices[count++], problem->conditions[c].order, SYSTEM_MAX_COORDINATES);
  if (!algebra_taylor(problem->coordinate_count, count, (const uint8_t(*)[ALGEBRA_MAX_COORDINATES])indices, &algebra))
    return -1;
  return algebra.channels;
}

static ans_status compile_sources(ans_context *context, residual *residual) {
  const ans_problem *problem = residual->problem;
  residual->sources = arena_array(residual->arena, const jet_plan *, (size_t)problem->term_count + 1);
  residual->conditions = arena_array(residual->arena, const jet_plan *, (size_t)problem->condition_count + 1);
  if (!residual->sources || !residual->conditions) return context_no_memory(context);
  for (int i = 0; i < problem->term_count + problem->condition_count; i++) {
    bool term = i < problem->term_count;
    const expression *from = term ? problem->terms[i].source : problem->conditions[i - problem->term_count].value;
    const jet_plan **to = term ? &residual->sources[i] : &residual->conditions[i - problem->term_count];
    if (!from) continue;
    TRY(jet_compile(context, residual->arena, from, to));
    size_t size = jet_workspace(*to, JET_MAX_POINTS);
    if (size > residual->source_size) residual->source_size = size;
  }
  return ANS_OK;
}

static ans_status take_programs(ans_context *context, residual *residual) {
  const ans_problem *problem = residual->problem;
  size_t fields = (size_t)problem->field_count, conditions = (size_t)problem->condition_count;
  size_t periods = (size_t)problem->coordinate_count * fields * SYSTEM_MAX_ORDER,
         factors = fields + conditions + 2 * periods;
  for (int t = 0; t < problem->term_count; t++) factors += (size_t)problem->terms[t].factor_count;
  residual->rows = arena_array(residual->arena, residual_row, (size_t)problem->equation_count + conditions + periods);
  residual->terms =
      arena_array(residual->arena, row_term, (size_t)problem->term_count + fields + 2 * conditions + 2 * periods);
  residual->factors = arena_array(residual->arena, row_factor, factors);
  residual->own_terms = arena_array(residual->arena, instance_term, (size_t)problem->term_count + 1);
  return residual->rows && residual->terms && residual->factors && residual->own_terms ? ANS_OK
                                                                                       : context_no_memory(context);
}

static ans_status take_workers(ans_context *context, residual *residual) {
  size_t rows = (size_t)residual->tile.rows, fields = (size_t)residual->problem->field_count;
  residual->workers = arena_array(residual->arena, residual_worker, (size_t)residual->options.threads);
  if (!residual->workers) return context_no_memory(context);
  for (int t = 0; t < residual->options.threads; t++) {
    residual_worker *worker = &residual->workers[t];
    worker->tile = arena_array(residual->arena, real, residual->work_room);
    worker->output = arena_array(residual->arena, double, residual->output.work_size);
    worker->sources = arena_array(residual->arena, double, residual->source_size + 1);
    worker->gradients = arena_array(residual->arena, double, size_product(rows, fields));
    worker->coordinates = arena_array(residual->arena, double, SYSTEM_MAX_COORDINATES *JET_MAX_POINTS);
    worker->moved = arena_array(residual->arena, double, SYSTEM_MAX_COORDINATES *JET_MAX_POINTS);
    worker->places = arena_array(residual->arena, double, SYSTEM_MAX_COORDINATES *JET_MAX_POINTS);
    worker->moved_places = arena_array(residual->arena, double, SYSTEM_MAX_COORDINATES *JET_MAX_POINTS);
    worker->known = arena_array(residual->arena, double, JET_MAX_POINTS);
    if (!worker->tile || !worker->output || !worker->sources || !worker->gradients || !worker->coordinates ||
        !worker->moved || !worker->places || !worker->moved_places || !worker->known)
      return context_no_memory(context);
    if (!residual->options.tangents) continue;
    worker->changes = arena_array(residual->arena, real, size_product(rows, residual->change_room));
    if (!worker->changes) return context_no_memory(context);
  }
  return ANS_OK;
}

static ans_status take_points(ans_context *context, residual *residual) {
  for (int s = 0; s < residual->set_count; s++) {
    residual_set *set = &residual->sets[s];
    size_t points = 0;
    for (int i = set->first_segment; i < set->first_segment + set->segment_count; i++)
      points += (size_t)residual->segments[i].capacity * (residual->segments[i].pair ? 2 : 1);
    set->points =
        arena_array(residual->arena, double, size_product(points, (size_t)residual->problem->coordinate_count));
    if (!set->points) return context_no_memory(context);
    residual_arrange(residual, set);
  }
  return ANS_OK;
}

static ans_status take_accumulators(ans_context *context, residual *residual) {
  residual->packed = arena_array(residual->arena, real, residual->packed_room);
  if (residual->options.tangents) residual->packed_tangent = arena_array(residual->arena, real, residual->packed_room);
  if (!residual->packed || (residual->options.tangents && !residual->packed_tangent)) return context_no_memory(context);
  for (int c = 0; c < RESIDUAL_CHUNKS; c++) {
    residual->accumulators[c] = arena_array(residual->arena, real, residual->gradient_room);
    if (!residual->accumulators[c]) return context_no_memory(context);
  }
  return ANS_OK;
}

/* The highest derivative that each smooth seam ties, and with it all below. */
static int seam_orders(const residual *residual, uint8_t (*orders)[ALGEBRA_MAX_COORDINATES]) {
  int count = 0;
  for (int d = 0; d < residual->problem->coordinate_count; d++) {
    int most = 0;
    for (int f = 0; residual->problem->coordinates[d].soft_period && f < residual->problem->field_count; f++)
      if (residual_seam_order(residual, d, f) - 1 > most) most = residual_seam_order(residual, d, f) - 1;
    if (most == 0) continue;
    memset(orders[count], 0, ALGEBRA_MAX_COORDINATES);
    orders[count++][d] = (uint8_t)most;
  }
  return count;
}

/* The different derivatives in soft conditions; how many. Up to the highest order there are as many as channels. */
static int condition_orders(const residual *residual, uint8_t (*orders)[ALGEBRA_MAX_COORDINATES]) {
  const ans_problem *problem = residual->problem;
  int count = seam_orders(residual, orders);
  for (int c = 0; c < problem->condition_count; c++) {
    const uint8_t *order = problem->conditions[c].order;
    bool known = problem->conditions[c].hard;
    for (int i = 0; i < count && !known; i++) known = memcmp(orders[i], order, ALGEBRA_MAX_COORDINATES) == 0;
    if (!known && count < ALGEBRA_MAX_CHANNELS) memcpy(orders[count++], order, ALGEBRA_MAX_COORDINATES);
  }
  return count;
}

/* Condition sets carry Taylor channels that do not change with the instance. */
static ans_status plan_condition_sets(ans_context *context, residual *residual) {
  const ans_problem *problem = residual->problem;
  for (int s = 1; s < residual->set_count; s++) {
    residual_set *set = &residual->sets[s];
    uint8_t orders[ALGEBRA_MAX_CHANNELS][ALGEBRA_MAX_COORDINATES];
    int count = s == residual->value_set ? 0 : condition_orders(residual, orders);
    FAIL_IF(!algebra_taylor(problem->coordinate_count, count, (const uint8_t(*)[ALGEBRA_MAX_COORDINATES])orders,
                            &set->algebras[0]),
            context, ANS_UNSUPPORTED, "the conditions need more derivatives than a network can carry");
    for (int f = 0; f < problem->field_count; f++) {
      if (f > 0) set->algebras[f] = set->algebras[0];
      set->rules[f] = kernel_rule_of(&set->algebras[f]);
    }
    set->channels = set->algebras[0].channels;
  }
  return ANS_OK;
}

static void size_tiles(residual *residual, int target) {
  for (int s = 0; s < residual->set_count; s++) {
    residual_set *set = &residual->sets[s];
    int points = target / set->channels, most = target < JET_MAX_POINTS ? target : JET_MAX_POINTS;
    set->tile_points = points < 2 ? 2 : points > most ? most : points;
  }
}

static int tile_target(const network_shape *shape) {
  return widest_layer(shape) > NARROW_WIDTH ? WIDE_ROWS : NARROW_ROWS;
}

/* Each layer of a later shape is as large as one of the two shapes' layers, so that their sum has room for all. */
static bool plan_room(residual *residual) {
  tile_plan spare = {0};
  const network_shape *shape = residual->options.spare;
  if (shape && !tile_plan_make(shape, residual->tile.rows, &spare)) return false;
  residual->packed_room = residual->tile.packed_size + spare.packed_size;
  residual->gradient_room = residual->tile.gradient_size + spare.gradient_size;
  residual->work_room = residual->tile.work_size + spare.work_size;
  residual->change_room = (size_t)kernel_stride(widest_layer(&residual->tile.shape));
  residual->options.spare = NULL; /* the caller's */
  return true;
}

static ans_status plan_all(ans_context *context, residual *residual, const network_shape *shape) {
  int channels = most_channels(residual->problem), rows = tile_target(shape);
  FAIL_IF(channels < 0, context, ANS_UNSUPPORTED,
          "the equations need more derivatives than a network can carry (order %d)", ALGEBRA_MAX_DEGREE);
  if (rows < 2 * channels) rows = 2 * channels;
  FAIL_IF(plan_features(residual->problem) != shape->features || !tile_plan_make(shape, rows, &residual->tile) ||
              !plan_room(residual),
          context, ANS_ARGUMENT, "the network's shape does not fit the problem");
  TRY(output_plan_make(context, residual->arena, residual->problem, &residual->tile, &residual->output));
  residual->output.settles = sizeof(real) < sizeof(double);
  algebra_taylor(residual->problem->coordinate_count, 0, NULL, &residual->values_only);
  TRY(compile_sources(context, residual));
  TRY(residual_plan_segments(context, residual));
  TRY(take_programs(context, residual));
  TRY(plan_condition_sets(context, residual));
  TRY(take_workers(context, residual));
  TRY(take_points(context, residual));
  return take_accumulators(context, residual);
}

ans_status residual_new(ans_context *context, const ans_instance *instance, const network_shape *shape,
                        const residual_options *options, residual **result) {
  *result = NULL;
  FAIL_IF(options->points < 1 || options->threads < 1, context, ANS_ARGUMENT,
          "a loss needs at least one point and one thread");
  if (!blas_ready()) return context_no_memory(context);
  arena *arena = NULL;
  TRY(arena_new(context, &arena));
  residual *residual = arena_take(arena, sizeof *residual);
  ans_status status = residual ? ANS_OK : context_no_memory(context);
  if (status == ANS_OK) {
    assert(residual);
    residual->arena = arena;
    residual->options = *options;
    residual->problem = instance->problem;
    status = plan_all(context, residual, shape);
  }
  if (status == ANS_OK) status = residual_set_instance(context, residual, instance);
  if (status == ANS_OK)
    *result = residual;
  else
    arena_free(arena);
  return status;
}

void residual_free(residual *residual) {
  if (residual) arena_free(residual->arena);
}

/* Coefficients near one, whatever the units: float has no room for 1e-45, nor double for the square of 1e-170. */
static void convert_terms(residual *residual, const ans_instance *instance) {
  residual->own = *instance;
  for (int t = 0; t < instance->term_count; t++)
    residual->own_terms[t] =
        (instance_term){.term = instance->terms[t].term,
                        .coefficient = chart_coefficient(instance, &residual->chart, &instance->terms[t])};
  residual->own.terms = residual->own_terms;
  residual->instance = &residual->own;
}

ans_status residual_set_instance(ans_context *context, residual *residual, const ans_instance *instance) {
  FAIL_IF(instance->problem != residual->problem, context, ANS_ARGUMENT, "an instance of another problem");
  residual->instance = instance;
  residual->chart = chart_of(instance, (chart_options){.moving = residual->options.moving,
                                                       .scaled = residual->options.scaled,
                                                       .common = residual->tile.shape.stream_outputs > 1});
  if (residual->chart.scaled) convert_terms(residual, instance);
  TRY(residual_plan_rows(context, residual));
  size_tiles(residual, tile_target(&residual->tile.shape));
  return ANS_OK;
}

void residual_set_moving(residual *residual, bool moving) { residual->options.moving = moving; }

void residual_set_time_weight(residual *residual, double rate) {
  residual->time_weight = residual->chart.scaled ? settle_number(rate) : rate;
}

void residual_set_shape(residual *residual, const network_shape *shape) {
  bool good = tile_plan_make(shape, residual->tile.rows, &residual->tile);
  assert(good && residual->tile.packed_size <= residual->packed_room &&
         residual->tile.gradient_size <= residual->gradient_room && residual->tile.work_size <= residual->work_room);
  (void)good;
}

int residual_channels(const residual *residual) { return residual->sets[0].channels; }

const field_chart *residual_chart(const residual *residual) { return &residual->chart; }

/* Forward, and backward twice: with respect to inputs (not of the first layer) and to weights. */
double residual_flops(const residual *residual) {
  double total = 0;
  for (int s = 0; s < residual->set_count; s++) {
    const residual_set *set = &residual->sets[s];
    double rows = 0;
    for (int i = set->first_segment; i < set->first_segment + set->segment_count; i++)
      rows += (double)residual->segments[i].units * (residual->segments[i].pair ? 2 : 1) * set->channels;
    for (int l = 0; l < residual->tile.layer_count; l++) {
      const tile_layer *layer = &residual->tile.layers[l];
      total += 2 * rows * layer->inputs * layer->outputs * (l > 0 ? 3 : 2) * residual->tile.shape.streams;
    }
  }
  return total;
}
