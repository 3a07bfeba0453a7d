/* SPDX-License-Identifier: Apache-2.0
 *
 * evaluate.c - see evaluate.h. Tiles are independent, so threads share them freely.
 */
#include "field/evaluate.h"

#include <string.h>

#include "base/team.h"
#include "codes/plan.h"
#include "field/features.h"
#include "field/output.h"
#include "numeric/denormal.h"

enum { EVALUATE_POINTS = 48 }; /* two groups of a tile's rows where only values are wanted */

struct evaluator {
  arena *arena;
  const ans_instance *instance;
  const field_chart *chart;
  algebra algebra;
  kernel_rule rule;
  int order_count, channels[SYSTEM_ORDER_LIST];
  tile_plan tile;
  output_plan output;
  real *packed;
  int threads;
  real *tile_work; /* [threads][tile.work_size] */
  double *work;    /* [threads][output.work_size] */

  /* Of the present run. */
  const double *points;
  double *values;
  size_t count, tiles, parts; /* parts: of the tiles, one for a thread */
};

static void evaluate_tile(const evaluator *job, size_t first, real *tile_work, double *work) {
  const ans_problem *problem = job->instance->problem;
  int dimensions = problem->coordinate_count, fields = problem->field_count;
  int points = job->count - first < EVALUATE_POINTS ? (int)(job->count - first) : EVALUATE_POINTS;
  double coordinates[SYSTEM_MAX_COORDINATES * EVALUATE_POINTS], moved[SYSTEM_MAX_COORDINATES * EVALUATE_POINTS],
      places[SYSTEM_MAX_COORDINATES * EVALUATE_POINTS];
  for (int p = 0; p < points; p++)
    for (int d = 0; d < dimensions; d++)
      coordinates[d * points + p] =
          chart_enter(problem, job->chart, d, job->points[(first + (size_t)p) * (size_t)dimensions + (size_t)d]);
  for (int s = 0; s < job->tile.shape.streams; s++) {
    chart_coordinates(problem, job->chart, s, points, coordinates, NULL, moved);
    features_fill(problem, job->chart, s, &job->algebra, points, moved, job->tile.layers[0].input_stride,
                  tile_features(&job->tile, s, tile_work));
    tile_forward(&job->tile, job->packed, &job->rule, s, points, tile_work);
  }
  for (int f = 0; f < fields; f++) {
    chart_coordinates(problem, job->chart, f, points, coordinates, NULL, moved);
    chart_places(problem, job->chart, points, moved, places);
    const double *u = output_forward(&job->output, &job->tile, &job->algebra, job->chart, f, job->instance->values,
                                     points, places, tile_work, work);
    for (int o = 0; o < job->order_count; o++) {
      double unit = algebra_factorial(&job->algebra, job->channels[o]) *
                    chart_derivative_unit(problem, job->chart, f, job->algebra.index[job->channels[o]]);
      double *values = job->values + (size_t)o * job->count * (size_t)fields;
      for (int p = 0; p < points; p++)
        values[(first + (size_t)p) * (size_t)fields + (size_t)f] = unit * u[job->channels[o] * points + p];
    }
  }
}

static void evaluate_part(void *data, int part, int worker) {
  const evaluator *job = data;
  size_t at = (size_t)part;
  (void)worker;
  for (size_t i = job->tiles * at / job->parts; i < job->tiles * (at + 1) / job->parts; i++)
    evaluate_tile(job, i * EVALUATE_POINTS, job->tile_work + at * job->tile.work_size,
                  job->work + at * job->output.work_size);
}

void evaluator_set(evaluator *job, const ans_instance *instance, const field_chart *chart, const real *formed) {
  job->instance = instance;
  job->chart = chart;
  for (int i = 0; i < tile_pack_items(&job->tile); i++) tile_pack_forward(&job->tile, formed, i, job->packed);
}

static ans_status prepare(ans_context *context, const network_shape *shape, const real *formed,
                          const system_orders *orders, evaluator *job) {
  const ans_problem *problem = job->instance->problem;
  uint8_t indices[SYSTEM_ORDER_LIST][ALGEBRA_MAX_COORDINATES] = {{0}};
  job->order_count = orders->count;
  for (int o = 0; o < orders->count; o++) memcpy(indices[o], orders->list[o], (size_t)problem->coordinate_count);
  FAIL_IF(!algebra_taylor(problem->coordinate_count, orders->count, (const uint8_t(*)[ALGEBRA_MAX_COORDINATES])indices,
                          &job->algebra),
          context, ANS_UNSUPPORTED, "derivatives beyond order %d are not available", ALGEBRA_MAX_DEGREE);
  job->rule = kernel_rule_of(&job->algebra);
  for (int o = 0; o < orders->count; o++) job->channels[o] = algebra_channel(&job->algebra, indices[o]);
  FAIL_IF(plan_features(problem) != shape->features ||
              !tile_plan_make(shape, EVALUATE_POINTS * job->algebra.channels, &job->tile),
          context, ANS_ARGUMENT, "the network's shape does not fit the problem");
  TRY(output_plan_make(context, job->arena, problem, &job->tile, &job->output));
  job->packed = arena_array(job->arena, real, job->tile.packed_size);
  job->tile_work = arena_array(job->arena, real, size_product((size_t)job->threads, job->tile.work_size));
  job->work = arena_array(job->arena, double, size_product((size_t)job->threads, job->output.work_size));
  if (!job->packed || !job->tile_work || !job->work) return context_no_memory(context);
  evaluator_set(job, job->instance, job->chart, formed);
  return ANS_OK;
}

ans_status evaluator_new(ans_context *context, const ans_instance *instance, const field_chart *chart,
                         const network_shape *shape, const real *formed, const system_orders *orders, int threads,
                         evaluator **result) {
  arena *arena = NULL;
  *result = NULL;
  TRY(arena_new(context, &arena));
  evaluator *job = arena_take(arena, sizeof *job);
  if (job)
    *job = (evaluator){.arena = arena, .instance = instance, .chart = chart, .threads = threads > 1 ? threads : 1};
  ans_status status = job ? prepare(context, shape, formed, orders, job) : context_no_memory(context);
  if (status == ANS_OK)
    *result = job;
  else
    arena_free(arena);
  return status;
}

void evaluator_run(evaluator *job, const double *points, size_t count, double *values) {
  job->points = points;
  job->values = values;
  job->count = count;
  job->tiles = (count + EVALUATE_POINTS - 1) / EVALUATE_POINTS;
  job->parts = job->tiles == 0 ? 1 : (size_t)job->threads > job->tiles ? job->tiles : (size_t)job->threads;
  unsigned before = denormals_off();
  team_run((int)job->parts, (int)job->parts, evaluate_part, job);
  denormals_restore(before);
}

void evaluator_free(evaluator *evaluator) {
  if (evaluator) arena_free(evaluator->arena);
}

ans_status field_evaluate(ans_context *context, const ans_instance *instance, const field_chart *chart,
                          const network_shape *shape, const real *formed, const double *points, size_t count,
                          const uint8_t *order, int threads, double *values) {
  evaluator *job;
  system_orders only = {.count = 1};
  memcpy(only.list[0], order, (size_t)instance->problem->coordinate_count);
  size_t tiles = (count + EVALUATE_POINTS - 1) / EVALUATE_POINTS;
  int parts = tiles < (size_t)(threads > 0 ? threads : 1) ? (int)tiles : threads;
  TRY(evaluator_new(context, instance, chart, shape, formed, &only, parts, &job));
  evaluator_run(job, points, count, values);
  evaluator_free(job);
  return ANS_OK;
}
