/* SPDX-License-Identifier: Apache-2.0 */
#include "training/adaptation.h"

#include <string.h>

#include "field/backbone.h"
#include "residual/residual.h"
#include "training/descent.h"

struct adaptation {
  arena *arena;
  const ans_instance *instance;
  adaptation_options options;
  backbone backbone, present; /* present: for the codes as they are now, thin where a ReLU leaves few */
  unknown_table unknowns;
  bool relu;                 /* before the codes */
  size_t code_count;         /* the codes come first */
  residual *residual, *grid; /* grid: made when first asked for */
  descent *descent;
  real *codes, *formed, *formed_gradient, *workspace; /* codes: as the network sees them */
};

static ans_status take_blocks(ans_context *context, adaptation *a) {
  network_shape thickest = backbone_thickest(&a->backbone);
  size_t formed = network_size(&a->backbone.shape) + network_size(&thickest);
  a->codes = arena_array(a->arena, real, a->code_count);
  a->formed = arena_array(a->arena, real, formed);
  a->formed_gradient = arena_array(a->arena, real, formed);
  a->workspace = arena_array(a->arena, real, backbone_workspace(&a->backbone));
  return a->codes && a->formed && a->formed_gradient && a->workspace ? ANS_OK : context_no_memory(context);
}

static unknown_state state_of(const unknown_part *part, solver_mode mode, bool relu) {
  if (part->role == UNKNOWN_CODE) return relu ? UNKNOWN_RELU : UNKNOWN_FREE;
  bool frozen = mode == SOLVER_CODES || (mode == SOLVER_FROZEN_BASES && part->role == UNKNOWN_BASIS);
  return frozen ? UNKNOWN_FROZEN : UNKNOWN_FREE;
}

static backbone_kind network_kind(const adaptation_options *options) {
  return options->decoder ? BACKBONE_DECODER : BACKBONE_FACTORIZED;
}

static ans_status take_unknowns(ans_context *context, arena *arena, const ans_problem *problem,
                                const adaptation_options *options, const backbone *backbone, unknown_table *table) {
  *table = (unknown_table){.limit = backbone->part_count + 1};
  table->parts = arena_array(arena, unknown_part, (size_t)table->limit);
  if (!table->parts) return context_no_memory(context);
  unknown_add(table, UNKNOWN_CODE, backbone->codes.fields * backbone->codes.layers, backbone->codes.width, "codes");
  unknown_append(table, "backbone.", backbone->parts, backbone->part_count);
  bool relu = problem->network.relu_codes && !options->decoder;
  for (int i = 0; i < table->count; i++) table->parts[i].state = state_of(&table->parts[i], options->mode, relu);
  return ANS_OK;
}

ans_status adaptation_unknowns(ans_context *context, arena *arena, const ans_problem *problem,
                               const adaptation_options *options, unknown_table *result) {
  backbone backbone;
  TRY(backbone_plan(context, problem, network_kind(options), &backbone));
  return take_unknowns(context, arena, problem, options, &backbone, result);
}

static ans_status fill(ans_context *context, adaptation *a) {
  const ans_problem *problem = a->instance->problem;
  const system_budget *budget = &problem->adapt;
  TRY(arena_new(context, &a->arena));
  TRY(backbone_plan(context, problem, network_kind(&a->options), &a->backbone));
  TRY(take_unknowns(context, a->arena, problem, &a->options, &a->backbone, &a->unknowns));
  a->backbone.threads = a->options.threads;
  a->code_count = code_count(a->backbone.codes);
  a->relu = a->unknowns.parts[0].state == UNKNOWN_RELU;
  TRY(take_blocks(context, a));
  network_shape thickest = backbone_thickest(&a->backbone);
  residual_options options = {.points = budget->points,
                              .initial_points = budget->initial_points,
                              .period_points = budget->period_points,
                              .boundary_points = budget->boundary_points,
                              .threads = a->options.threads,
                              .spare = &thickest};
  TRY(residual_new(context, a->instance, &a->backbone.shape, &options, &a->residual));
  TRY(descent_new(context, a->unknowns.size, &a->descent));
  for (size_t i = 0; i < a->code_count; i++) a->descent->parameters[i] = REAL(1.0);
  backbone_initialise(&a->backbone, a->options.seed, a->descent->parameters + a->code_count);
  return ANS_OK;
}

ans_status adaptation_new(ans_context *context, const ans_instance *instance, const adaptation_options *options,
                          adaptation **result) {
  *result = NULL;
  adaptation *a = memory_take(sizeof *a);
  if (!a) return context_no_memory(context);
  a->instance = instance;
  a->options = *options;
  ans_status status = fill(context, a);
  if (status == ANS_OK)
    *result = a;
  else
    adaptation_free(a);
  return status;
}

void adaptation_free(adaptation *a) {
  if (!a) return;
  residual_free(a->residual);
  residual_free(a->grid);
  descent_free(a->descent);
  arena_free(a->arena);
  memory_give(a);
}

descent *adaptation_descent(adaptation *a) { return a->descent; }

/* formed <- the network of the present codes and backbone, which `residual`, unless NULL, then looks at. */
static void form(adaptation *a, residual *residual) {
  const real *trained = a->descent->parameters;
  for (size_t i = 0; i < a->code_count; i++) a->codes[i] = a->relu && !(trained[i] > 0) ? REAL(0.0) : trained[i];
  if (a->relu)
    backbone_thin(&a->backbone, a->codes, &a->present);
  else
    a->present = a->backbone;
  if (residual) residual_set_shape(residual, &a->present.shape);
  backbone_form(&a->present, trained + a->code_count, a->codes, a->workspace, a->formed);
}

/* What is frozen has no gradient, hence neither moments nor steps, and does not count in the clip; a code at or below
 * zero behind its ReLU has none either. */
static void mask(const unknown_table *table, const real *values, real *gradient) {
  for (int i = 0; i < table->count; i++) {
    const unknown_part *part = &table->parts[i];
    size_t count = unknown_count(part);
    real *own = gradient + part->offset;
    if (part->state == UNKNOWN_FROZEN) memset(own, 0, count * sizeof *own);
    for (size_t k = 0; part->state == UNKNOWN_RELU && k < count; k++)
      if (!(values[part->offset + k] > 0)) own[k] = REAL(0.0);
  }
}

ans_status adaptation_gradient(ans_context *context, void *object, long step, double *loss, const char **worst) {
  (void)context;
  adaptation *a = object;
  const real *trained = a->descent->parameters;
  real *code_gradient = a->descent->gradient, *gradient = code_gradient + a->code_count;
  double orthogonality = a->instance->problem->adapt.orthogonality;
  memset(a->descent->gradient, 0, a->descent->count * sizeof *a->descent->gradient);
  form(a, a->residual);
  residual_sample(a->residual, a->options.seed, RANDOM_POINTS, (uint64_t)step, ADAPTATION_PART);
  *loss = residual_loss(a->residual, a->formed, 1.0, a->formed_gradient);
  backbone_form_backward(&a->present, trained + a->code_count, a->codes, a->formed_gradient, a->workspace, gradient,
                         code_gradient);
  if (orthogonality > 0)
    *loss += backbone_penalty(&a->backbone, trained + a->code_count, orthogonality, a->workspace, gradient);
  mask(&a->unknowns, trained, a->descent->gradient);
  *worst = a->instance->problem->structures[a->instance->structure].name;
  return ANS_OK;
}

double adaptation_check(adaptation *a) {
  form(a, a->residual);
  residual_sample(a->residual, a->options.seed, RANDOM_CHECK, 0, 0);
  return residual_loss(a->residual, a->formed, 1.0, NULL);
}

/* ---- Mean squared residual on a grid of midpoints ---------------------------------------------------- */

static int per_axis(int coordinates) {
  static const int sizes[SYSTEM_MAX_COORDINATES + 1] = {0, 1024, 32, 10, 6};
  return sizes[coordinates];
}

static ans_status make_grid(ans_context *context, adaptation *a) {
  const ans_problem *problem = a->instance->problem;
  int coordinates = problem->coordinate_count, side = per_axis(coordinates), count = 1;
  for (int i = 0; i < coordinates; i++) count *= side;
  network_shape thickest = backbone_thickest(&a->backbone);
  residual_options options = {.points = count, .threads = a->options.threads, .spare = &thickest};
  double *points = memory_take(size_product((size_t)count * (size_t)coordinates, sizeof *points));
  if (!points) return context_no_memory(context);
  for (int p = 0; p < count; p++)
    for (int i = 0, rest = p; i < coordinates; i++, rest /= side) {
      const system_coordinate *coordinate = &problem->coordinates[i];
      points[p * coordinates + i] = coordinate->low + (coordinate->high - coordinate->low) * (rest % side + 0.5) / side;
    }
  ans_status status = residual_new(context, a->instance, &a->backbone.shape, &options, &a->grid);
  if (status == ANS_OK) residual_set_points(a->grid, points, count);
  memory_give(points);
  return status;
}

ans_status adaptation_grid(ans_context *context, adaptation *a, double *mean_square) {
  if (!a->grid) TRY(make_grid(context, a));
  form(a, a->grid);
  *mean_square = residual_loss(a->grid, a->formed, 1.0, NULL);
  return ANS_OK;
}

ans_status adaptation_evaluate(ans_context *context, adaptation *a, const double *points, size_t count,
                               const uint8_t *order, double *values) {
  form(a, NULL);
  return field_evaluate(context, a->instance, &a->present.shape, a->formed, points, count, order, a->options.threads,
                        values);
}
