/* SPDX-License-Identifier: Apache-2.0 */
#include "training/adaptation.h"

#include <assert.h>
#include <string.h>

#include "field/backbone.h"
#include "residual/residual.h"
#include "training/least_squares.h"

/* Single points of one network are evaluated again and again, and one equation after another: an estimate asks for
 * derivatives, a grid for values. */
typedef struct evaluation {
  system_orders orders;
  evaluator *evaluator; /* NULL: none yet */
  bool current;         /* it knows the present instance, and the network that `unknowns` make */
  real *unknowns;
} evaluation;

enum { EVALUATIONS = 2 };

typedef struct adaptation {
  objective objective; /* first */
  arena *arena;
  const ans_instance *instance;
  adaptation_options options;
  backbone backbone, present; /* present: for the codes as they are now, thin where a ReLU leaves few */
  bool relu;                  /* before the codes */
  size_t code_count;          /* the codes come first */
  residual *residual, *grid;  /* grid: made when first asked for */
  least_squares squares;      /* with options.fixed_points */
  real *codes, *formed, *formed_gradient, *workspace; /* codes: as the network sees them */

  /* The last judgement: the start is judged for the report and for the method, a step where it was tried. */
  bool is_judged;
  double judgement;
  real *judged; /* the unknowns at that time */

  evaluation evaluations[EVALUATIONS]; /* the last ones', the latest first */
} adaptation;

static const real *backbone_values(const adaptation *a) { return a->objective.values + a->code_count; }

/* ---- Unknowns ---------------------------------------------------------------------------------------- */

static unknown_state state_of(const unknown_part *part, solver_mode mode, bool relu) {
  if (part->role == UNKNOWN_CODE) return relu ? UNKNOWN_RELU : UNKNOWN_FREE;
  bool frozen = mode == SOLVER_CODES || (mode == SOLVER_FROZEN_BASES && unknown_is_basis(part)) ||
                (mode == SOLVER_WEIGHTS && part->role == UNKNOWN_LEFT_BASIS);
  return frozen ? UNKNOWN_FROZEN : UNKNOWN_FREE;
}

static backbone_kind network_kind(const adaptation_options *options) {
  return options->decoder ? BACKBONE_DECODER : BACKBONE_FACTORIZED;
}

static ans_status describe(ans_context *context, arena *arena, const ans_problem *problem,
                           const adaptation_options *options, const backbone *backbone, unknown_table *table) {
  *table = (unknown_table){.limit = backbone->part_count + 1};
  table->parts = arena_array(arena, unknown_part, (size_t)table->limit);
  if (!table->parts) return context_no_memory(context);
  unknown_add(table, UNKNOWN_CODE, backbone->codes.fields * backbone->codes.layers, backbone->codes.width, "codes");
  unknown_append(table, "backbone.", backbone->parts, backbone->part_count);
  /* At fixed points every code is free: a ReLU would hide those at zero from the second-order step. */
  bool relu = problem->protocol.network.relu_codes && !options->decoder && options->fixed_points == 0;
  for (int i = 0; i < table->count; i++) table->parts[i].state = state_of(&table->parts[i], options->mode, relu);
  return ANS_OK;
}

ans_status adaptation_unknowns(ans_context *context, arena *arena, const ans_problem *problem,
                               const adaptation_options *options, unknown_table *result) {
  backbone backbone;
  TRY(backbone_plan(context, problem, network_kind(options), &backbone));
  return describe(context, arena, problem, options, &backbone, result);
}

/* ---- Loss and gradient ------------------------------------------------------------------------------- */

/* codes <- as the network sees them. */
static void see_codes(adaptation *a) {
  const real *own = a->objective.values;
  for (size_t i = 0; i < a->code_count; i++) a->codes[i] = a->relu && !(own[i] > 0) ? REAL(0.0) : own[i];
}

/* formed <- the network of the present codes and backbone, which `residual`, unless NULL, then looks at. */
static void form(adaptation *a, residual *residual) {
  see_codes(a);
  if (a->relu)
    backbone_thin(&a->backbone, a->codes, &a->present);
  else
    a->present = a->backbone;
  if (residual) residual_set_shape(residual, &a->present.shape);
  backbone_form(&a->present, backbone_values(a), a->codes, a->workspace, a->formed);
}

static ans_status adaptation_gradient(ans_context *context, objective *objective, long step, double *loss,
                                      real *gradient) {
  (void)context;
  adaptation *a = (adaptation *)objective;
  double orthogonality = a->instance->problem->protocol.adapt.orthogonality;
  real *own = gradient + a->code_count;
  memset(gradient, 0, objective->unknowns.size * sizeof *gradient);
  form(a, a->residual);
  residual_sample(a->residual, a->options.seed, RANDOM_POINTS, (uint64_t)step, ADAPTATION_PART);
  *loss = residual_loss(a->residual, a->formed, 1.0, a->formed_gradient);
  backbone_form_backward(&a->present, backbone_values(a), a->codes, a->formed_gradient, a->workspace, own, gradient);
  if (orthogonality > 0) *loss += backbone_penalty(&a->backbone, backbone_values(a), orthogonality, a->workspace, own);
  objective_mask(objective, gradient);
  return ANS_OK;
}

static double adaptation_judge(objective *objective) {
  adaptation *a = (adaptation *)objective;
  residual *judge = a->squares.judged ? a->squares.judged : a->residual;
  size_t bytes = objective->unknowns.size * sizeof *a->judged;
  if (a->is_judged && memcmp(a->judged, objective->values, bytes) == 0) return a->judgement;
  form(a, judge);
  if (judge == a->residual) residual_sample(judge, a->options.seed, RANDOM_CHECK, 0, 0);
  a->judgement = residual_loss(judge, a->formed, 1.0, NULL);
  memcpy(a->judged, objective->values, bytes);
  a->is_judged = true;
  return a->judgement;
}

/* ---- Least squares ----------------------------------------------------------------------------------- */

static size_t adaptation_row_count(const objective *objective) {
  return (size_t)residual_row_count(((const adaptation *)objective)->squares.trained);
}

static ans_status adaptation_rows(ans_context *context, objective *objective, double *rows) {
  (void)context;
  adaptation *a = (adaptation *)objective;
  form(a, a->squares.trained);
  residual_rows(a->squares.trained, a->formed, rows);
  return ANS_OK;
}

/* Columns of codes that a ReLU cuts off are zero. */
static void mask_columns(const adaptation *a, size_t rows, size_t columns, real *jacobian) {
  for (size_t c = 0; a->relu && c < a->code_count; c++)
    for (size_t r = 0; !(a->objective.values[c] > 0) && r < rows; r++) jacobian[r * columns + c] = REAL(0.0);
}

static ans_status adaptation_jacobian(ans_context *context, objective *objective, real *jacobian) {
  (void)context;
  adaptation *a = (adaptation *)objective;
  size_t columns = unknown_free_count(&objective->unknowns);
  form(a, a->squares.trained);
  jacobian_fill(a->squares.jacobian, &a->present, backbone_values(a), a->codes, a->formed, jacobian, columns);
  mask_columns(a, adaptation_row_count(objective), columns, jacobian);
  return ANS_OK;
}

static void weigh_time(adaptation *a) {
  residual *all[] = {a->squares.trained, a->squares.judged, a->residual};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i]) residual_set_time_weight(all[i], a->options.time_weight);
}

static bool adaptation_ease(objective *objective) {
  adaptation *a = (adaptation *)objective;
  if (!a->options.eases || !(a->options.time_weight > 0)) return false;
  a->options.time_weight = 0;
  a->is_judged = false;
  weigh_time(a);
  return true;
}

static ans_status adaptation_grow(ans_context *context, objective *objective, size_t points, size_t *reached) {
  (void)context;
  adaptation *a = (adaptation *)objective;
  int judging = a->squares.judging;
  least_squares_grow(&a->squares, points < (size_t)a->squares.most ? (int)points : a->squares.most);
  if (a->squares.judging > judging) a->is_judged = false;
  *reached = (size_t)a->squares.points;
  return ANS_OK;
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
  residual_options options = {.points = count,
                              .threads = a->options.threads,
                              .moving = a->options.moving,
                              .scaled = a->options.scaled,
                              .spare = &thickest};
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

ans_status adaptation_grid(ans_context *context, objective *objective, double *mean_square) {
  adaptation *a = (adaptation *)objective;
  if (!a->grid) TRY(make_grid(context, a));
  form(a, a->grid);
  *mean_square = residual_loss(a->grid, a->formed, 1.0, NULL);
  return ANS_OK;
}

/* ---- The fields at points ---------------------------------------------------------------------------- */

static bool same_orders(const system_orders *a, const system_orders *b) {
  return a->count == b->count && memcmp(a->list, b->list, (size_t)a->count * sizeof *a->list) == 0;
}

/* The evaluation with these orders, else the one that was last used longest ago; it is then the first. */
static evaluation *evaluation_of(adaptation *a, const system_orders *orders) {
  int at = 0;
  while (at < EVALUATIONS - 1 && !same_orders(&a->evaluations[at].orders, orders)) at++;
  evaluation found = a->evaluations[at];
  memmove(&a->evaluations[1], &a->evaluations[0], (size_t)at * sizeof found);
  a->evaluations[0] = found;
  return &a->evaluations[0];
}

static void drop_evaluator(evaluation *evaluation) {
  evaluator_free(evaluation->evaluator);
  evaluation->evaluator = NULL;
  evaluation->current = false;
}

/* evaluation <- of the present instance and network. */
static ans_status renew_evaluation(ans_context *context, adaptation *a, const system_orders *orders,
                                   evaluation *evaluation) {
  const field_chart *chart = residual_chart(a->residual);
  size_t bytes = size_product(a->objective.unknowns.size, sizeof *evaluation->unknowns);
  if (!evaluation->unknowns) evaluation->unknowns = memory_take(bytes);
  if (!evaluation->unknowns) return context_no_memory(context);
  form(a, NULL);
  /* Behind a ReLU networks differ in shape. */
  if (a->relu || !same_orders(&evaluation->orders, orders)) drop_evaluator(evaluation);
  if (evaluation->evaluator)
    evaluator_set(evaluation->evaluator, a->instance, chart, a->formed);
  else
    TRY(evaluator_new(context, a->instance, chart, &a->present.shape, a->formed, orders, a->options.threads,
                      &evaluation->evaluator));
  evaluation->orders = *orders;
  evaluation->current = true;
  assert(evaluation->unknowns); /* which no call above changes */
  memcpy(evaluation->unknowns, a->objective.values, bytes);
  return ANS_OK;
}

ans_status adaptation_evaluate(ans_context *context, objective *objective, const double *points, size_t count,
                               const system_orders *orders, double *values) {
  adaptation *a = (adaptation *)objective;
  evaluation *evaluation = evaluation_of(a, orders);
  if (!evaluation->current || !same_orders(&evaluation->orders, orders) ||
      memcmp(evaluation->unknowns, objective->values, objective->unknowns.size * sizeof *objective->values) != 0)
    TRY(renew_evaluation(context, a, orders, evaluation));
  evaluator_run(evaluation->evaluator, points, count, values);
  return ANS_OK;
}

/* ---- Another member of the family -------------------------------------------------------------------- */

ans_status adaptation_retarget(ans_context *context, objective *objective, const ans_instance *instance) {
  adaptation *a = (adaptation *)objective;
  residual *planned[] = {a->residual, a->squares.trained, a->squares.judged, a->grid};
  for (size_t i = 0; i < sizeof planned / sizeof *planned; i++)
    if (planned[i]) TRY(residual_set_instance(context, planned[i], instance));
  for (int i = 0; i < EVALUATIONS; i++) a->evaluations[i].current = false;
  a->is_judged = false;
  a->instance = instance;
  return ANS_OK;
}

static void set_moving(adaptation *a, bool moving) {
  residual *planned[] = {a->residual, a->squares.trained, a->squares.judged, a->grid};
  for (size_t i = 0; i < sizeof planned / sizeof *planned; i++)
    if (planned[i]) residual_set_moving(planned[i], moving);
  a->options.moving = moving;
}

ans_status adaptation_reframe(ans_context *context, objective *objective, bool moving) {
  adaptation *a = (adaptation *)objective;
  set_moving(a, moving);
  return adaptation_retarget(context, objective, a->instance);
}

/* ---- Beginning and end ------------------------------------------------------------------------------- */

static void adaptation_drop(objective *objective) {
  adaptation *a = (adaptation *)objective;
  residual_free(a->residual);
  residual_free(a->grid);
  least_squares_free(&a->squares);
  for (int i = 0; i < EVALUATIONS; i++) {
    evaluator_free(a->evaluations[i].evaluator);
    memory_give(a->evaluations[i].unknowns);
  }
  memory_give(objective->values);
  arena_free(a->arena);
  memory_give(a);
}

static const objective_class adaptation_class = {
    .drop = adaptation_drop, .gradient = adaptation_gradient, .judge = adaptation_judge};

/* The same with fixed points. */
static const objective_class squares_class = {.drop = adaptation_drop,
                                              .gradient = adaptation_gradient,
                                              .row_count = adaptation_row_count,
                                              .rows = adaptation_rows,
                                              .jacobian = adaptation_jacobian,
                                              .judge = adaptation_judge,
                                              .ease = adaptation_ease,
                                              .grow = adaptation_grow};

static ans_status take_blocks(ans_context *context, adaptation *a) {
  network_shape thickest = backbone_thickest(&a->backbone);
  size_t formed = network_size(&a->backbone.shape) + network_size(&thickest);
  a->codes = arena_array(a->arena, real, a->code_count);
  a->formed = arena_array(a->arena, real, formed);
  a->formed_gradient = arena_array(a->arena, real, formed);
  a->workspace = arena_array(a->arena, real, backbone_workspace(&a->backbone));
  a->judged = arena_array(a->arena, real, a->objective.unknowns.size);
  a->objective.values = memory_take(size_product(a->objective.unknowns.size, sizeof *a->objective.values));
  return a->codes && a->formed && a->formed_gradient && a->workspace && a->judged && a->objective.values
             ? ANS_OK
             : context_no_memory(context);
}

static void start(adaptation *a) {
  if (a->options.start) {
    objective_import(&a->objective, a->options.start);
    return;
  }
  for (size_t i = 0; i < a->code_count; i++) a->objective.values[i] = REAL(1.0);
  backbone_initialise(&a->backbone, a->options.seed, a->objective.values + a->code_count);
}

ans_status adaptation_renew(ans_context *context, objective *objective, const ans_instance *instance,
                            const adaptation_options *options) {
  adaptation *a = (adaptation *)objective;
  set_moving(a, options->moving);
  a->options = *options;
  a->objective.worst = instance->problem->structures[instance->structure].name;
  TRY(adaptation_retarget(context, objective, instance));
  weigh_time(a);
  if (a->squares.trained) least_squares_shrink(&a->squares);
  start(a);
  a->options.start = NULL; /* the caller's */
  return ANS_OK;
}

static ans_status fix_points(ans_context *context, adaptation *a) {
  static const residual_subset subsets[] = {[SOLVER_FULL] = SUBSET_ALL,
                                            [SOLVER_CODES] = SUBSET_CODES,
                                            [SOLVER_FROZEN_BASES] = SUBSET_TANGENT,
                                            [SOLVER_WEIGHTS] = SUBSET_WEIGHTS};
  int judged = a->options.judging_points > 0 ? a->options.judging_points : a->options.fixed_points / 2;
  least_squares_plan plan = {.subset = subsets[a->options.mode],
                             .most = a->options.fixed_points,
                             .judged = judged > 1 ? judged : 1,
                             .threads = a->options.threads,
                             .time_weight = a->options.time_weight,
                             .smooth = a->options.smooth,
                             .moving = a->options.moving,
                             .scaled = a->options.scaled};
  return least_squares_new(context, a->instance, &a->backbone, &plan, &a->squares);
}

static ans_status fill(ans_context *context, adaptation *a) {
  const ans_problem *problem = a->instance->problem;
  const protocol_budget *budget = &problem->protocol.adapt;
  TRY(arena_new(context, &a->arena));
  TRY(backbone_plan(context, problem, network_kind(&a->options), &a->backbone));
  TRY(describe(context, a->arena, problem, &a->options, &a->backbone, &a->objective.unknowns));
  a->backbone.threads = a->options.threads;
  a->code_count = code_count(a->backbone.codes);
  a->relu = a->objective.unknowns.parts[0].state == UNKNOWN_RELU;
  TRY(take_blocks(context, a));
  network_shape thickest = backbone_thickest(&a->backbone);
  residual_options options = {.points = budget->points,
                              .initial_points = budget->initial_points,
                              .period_points = budget->period_points,
                              .boundary_points = budget->boundary_points,
                              .threads = a->options.threads,
                              .smooth = a->options.smooth,
                              .moving = a->options.moving,
                              .scaled = a->options.scaled,
                              .spare = &thickest};
  TRY(residual_new(context, a->instance, &a->backbone.shape, &options, &a->residual));
  residual_set_time_weight(a->residual, a->options.time_weight);
  if (a->options.fixed_points > 0) TRY(fix_points(context, a));
  start(a);
  return ANS_OK;
}

ans_status adaptation_new(ans_context *context, const ans_instance *instance, const adaptation_options *options,
                          objective **result) {
  *result = NULL;
  adaptation *a = memory_take(sizeof *a);
  if (!a) return context_no_memory(context);
  a->objective.class = options->fixed_points > 0 ? &squares_class : &adaptation_class;
  a->objective.worst = instance->problem->structures[instance->structure].name;
  a->instance = instance;
  a->options = *options;
  ans_status status = fill(context, a);
  a->options.start = NULL; /* the caller's */
  if (status == ANS_OK)
    *result = &a->objective;
  else
    adaptation_drop(&a->objective);
  return status;
}
