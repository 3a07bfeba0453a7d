/* SPDX-License-Identifier: Apache-2.0 */
#include "training/meta.h"

#include <stdio.h>
#include <string.h>

#include "residual/residual.h"
#include "training/architecture.h"
#include "training/sampler.h"

typedef struct meta {
  objective objective; /* first */
  arena *arena;
  const ans_problem *problem;
  descriptor_kind kind;
  uint64_t seed;
  architecture *architecture;
  residual *residual;
  ans_instance *instance; /* the one that residual looks at */
  arena *instances[2];    /* its own, and that of the next one */
  arena *descriptors;
  backbone thin;  /* the backbone for the present codes, which end in a ReLU */
  int trained;    /* structures that are not held */
  double *values; /* [symbols] */
  real *codes, *code_gradient, *formed, *formed_gradient, *workspace;
} meta;

static ans_status draw_instance(ans_context *context, meta *meta, int structure, long step, ans_instance **result) {
  arena_clear(meta->instances[1]);
  sampler_draw(meta->problem, structure, meta->seed, step, meta->values);
  ans_status status =
      system_instance_in(context, meta->instances[1], meta->problem, structure, meta->values, false, result);
  if (status != ANS_ARGUMENT) return status;
  char reason[256]; /* the values are not the caller's: the text allows them */
  snprintf(reason, sizeof reason, "%s", ans_context_diagnostic(context)->message);
  FAIL(context, ANS_MEANING, "structure '%s' cannot be trained on all of its ranges: at step %ld %s",
       meta->problem->structures[structure].name, step, reason);
}

/* The instance that was drawn is the one in use. */
static void exchange_arenas(meta *meta) {
  arena *used = meta->instances[0];
  meta->instances[0] = meta->instances[1];
  meta->instances[1] = used;
}

static ans_status plan_residual(ans_context *context, meta *meta, int threads) {
  const protocol_budget *budget = &meta->problem->protocol.train;
  network_shape thickest = backbone_thickest(&meta->architecture->backbone);
  residual_options options = {.points = budget->points,
                              .initial_points = budget->initial_points,
                              .period_points = budget->period_points,
                              .boundary_points = budget->boundary_points,
                              .threads = threads,
                              .spare = &thickest};
  int first = 0;
  while (first < meta->problem->structure_count && meta->problem->structures[first].held) first++;
  FAIL_IF(first == meta->problem->structure_count, context, ANS_MEANING,
          "every structure is held, so there is nothing to train on");
  TRY(draw_instance(context, meta, first, 1, &meta->instance));
  exchange_arenas(meta);
  TRY(residual_new(context, meta->instance, &meta->architecture->backbone.shape, &options, &meta->residual));
  residual_set_time_weight(meta->residual, meta->problem->protocol.train.time_weight);
  return ANS_OK;
}

static ans_status take_blocks(ans_context *context, meta *meta) {
  const backbone *backbone = &meta->architecture->backbone;
  network_shape thickest = backbone_thickest(backbone);
  size_t codes = code_count(backbone->codes), formed = network_size(&backbone->shape) + network_size(&thickest);
  meta->codes = arena_array(meta->arena, real, codes);
  meta->code_gradient = arena_array(meta->arena, real, codes);
  meta->formed = arena_array(meta->arena, real, formed);
  meta->formed_gradient = arena_array(meta->arena, real, formed);
  meta->workspace = arena_array(meta->arena, real, backbone_workspace(backbone));
  bool complete = meta->codes && meta->code_gradient && meta->formed && meta->formed_gradient && meta->workspace;
  return complete ? ANS_OK : context_no_memory(context);
}

static ans_status fill(ans_context *context, meta *meta, int rounds, int threads) {
  const ans_problem *problem = meta->problem;
  TRY(arena_new(context, &meta->arena));
  TRY(arena_new(context, &meta->instances[0]));
  TRY(arena_new(context, &meta->instances[1]));
  TRY(arena_new(context, &meta->descriptors));
  meta->values = arena_array(meta->arena, double, (size_t)problem->symbol_count + 1);
  if (!meta->values) return context_no_memory(context);
  for (int s = 0; s < problem->structure_count; s++) meta->trained += !problem->structures[s].held;
  TRY(architecture_new(context, problem, meta->kind, rounds, &meta->architecture));
  meta->architecture->backbone.threads = threads;
  TRY(take_blocks(context, meta));
  TRY(plan_residual(context, meta, threads));
  TRY(architecture_describe(context, meta->arena, meta->architecture, &meta->objective.unknowns));
  meta->objective.values = memory_take(size_product(meta->architecture->size, sizeof *meta->objective.values));
  if (!meta->objective.values) return context_no_memory(context);
  architecture_initialise(meta->architecture, meta->seed, meta->objective.values);
  return ANS_OK;
}

static void meta_drop(objective *objective) {
  meta *meta = (struct meta *)objective;
  residual_free(meta->residual);
  arena_free(meta->instances[0]);
  arena_free(meta->instances[1]);
  arena_free(meta->descriptors);
  memory_give(objective->values);
  architecture_free(meta->architecture);
  arena_free(meta->arena);
  memory_give(meta);
}

/* Looks at the structure's equation of this step; predicts its codes. */
static ans_status configure(ans_context *context, meta *meta, int structure, long step) {
  ans_instance *instance;
  TRY(draw_instance(context, meta, structure, step, &instance));
  TRY(residual_set_instance(context, meta->residual, instance));
  meta->instance = instance;
  exchange_arenas(meta);
  descriptor *descriptor;
  arena_clear(meta->descriptors);
  TRY(descriptor_build_in(context, meta->descriptors, instance, meta->kind, &descriptor));
  const real *parameters = meta->objective.values + meta->architecture->backbone.size;
  return hypernetwork_forward(context, meta->architecture->hypernetwork, descriptor, parameters, meta->codes);
}

/* gradient += d (loss / structures) */
static ans_status add_structure(ans_context *context, meta *meta, int structure, long step, double *loss,
                                real *gradient) {
  const backbone *backbone = &meta->thin;
  const real *parameters = meta->objective.values;
  TRY(configure(context, meta, structure, step));
  backbone_thin(&meta->architecture->backbone, meta->codes, &meta->thin);
  residual_set_shape(meta->residual, &backbone->shape);
  backbone_form(backbone, parameters, meta->codes, meta->workspace, meta->formed);
  residual_sample(meta->residual, meta->seed, RANDOM_POINTS, (uint64_t)step, sampler_part(meta->problem, structure));
  *loss = residual_loss(meta->residual, meta->formed, 1.0 / meta->trained, meta->formed_gradient);
  backbone_form_backward(backbone, parameters, meta->codes, meta->formed_gradient, meta->workspace, gradient,
                         meta->code_gradient);
  hypernetwork_backward(meta->architecture->hypernetwork, parameters + backbone->size, meta->code_gradient,
                        gradient + backbone->size);
  return ANS_OK;
}

static ans_status meta_gradient(ans_context *context, objective *objective, long step, double *loss, real *gradient) {
  meta *meta = (struct meta *)objective;
  const ans_problem *problem = meta->problem;
  memset(gradient, 0, objective->unknowns.size * sizeof *gradient);
  double sum = 0, largest = -1;
  for (int s = 0; s < problem->structure_count; s++) {
    if (problem->structures[s].held) continue;
    double one;
    TRY(add_structure(context, meta, s, step, &one, gradient));
    sum += one;
    if (!(one <= largest) && isfinite(largest)) {
      largest = one;
      objective->worst = problem->structures[s].name;
    }
  }
  *loss = sum / meta->trained;
  if (problem->protocol.train.orthogonality > 0)
    *loss += backbone_penalty(&meta->architecture->backbone, objective->values, problem->protocol.train.orthogonality,
                              meta->workspace, gradient);
  return ANS_OK;
}

static const objective_class meta_class = {.drop = meta_drop, .gradient = meta_gradient};

void meta_share(objective *objective, const ans_fellows *fellows) {
  residual_share(((meta *)objective)->residual, fellows);
}

ans_status meta_new(ans_context *context, const ans_problem *problem, descriptor_kind kind, int rounds, uint64_t seed,
                    int threads, objective **result) {
  *result = NULL;
  FAIL_IF(kind == DESCRIPTOR_NONE, context, ANS_ARGUMENT,
          "a model needs a descriptor to train; without one, solve from scratch");
  meta *made = memory_take(sizeof *made);
  if (!made) return context_no_memory(context);
  made->objective.class = &meta_class;
  made->objective.worst = "";
  made->problem = problem;
  made->kind = kind;
  made->seed = seed;
  ans_status status = fill(context, made, rounds, threads);
  if (status == ANS_OK)
    *result = &made->objective;
  else
    meta_drop(&made->objective);
  return status;
}
