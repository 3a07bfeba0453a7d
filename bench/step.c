/* SPDX-License-Identifier: Apache-2.0
 *
 * step.c - see step.h.
 */
#include "step.h"

#include <string.h>
#include <time.h>

#include "base/team.h"
#include "numeric/moments.h"

static double seconds_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double bench_cpu_seconds(void) { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }

static bool take_memory(bench_step *step) {
  const backbone *b = &step->backbone;
  size_t formed = network_size(&b->shape);
  step->codes = code_count(b->codes);
  step->size = b->size + step->codes;
  step->parameters = arena_array(step->arena, real, step->size);
  step->gradient = arena_array(step->arena, real, step->size);
  step->m = arena_array(step->arena, real, step->size);
  step->v = arena_array(step->arena, real, step->size);
  step->formed = arena_array(step->arena, real, formed);
  step->formed_gradient = arena_array(step->arena, real, formed);
  step->workspace = arena_array(step->arena, real, backbone_workspace(b) + 1);
  return step->parameters && step->gradient && step->m && step->v && step->formed && step->formed_gradient &&
         step->workspace;
}

static ans_status prepare(ans_context *context, const ans_instance *instance, bool plain, bench_step *step) {
  const protocol_budget *budget = &instance->problem->protocol.adapt;
  TRY(backbone_plan(context, instance->problem, BACKBONE_FACTORIZED, &step->backbone));
  step->backbone.threads = step->threads;
  if (!take_memory(step)) return context_no_memory(context);
  backbone_initialise(&step->backbone, 1, step->parameters);
  for (size_t i = 0; i < step->codes; i++) step->parameters[step->backbone.size + i] = 1;
  residual_options options = {.points = budget->points,
                              .initial_points = budget->initial_points,
                              .period_points = budget->period_points,
                              .boundary_points = budget->boundary_points,
                              .threads = step->threads,
                              .plain = plain};
  return residual_new(context, instance, &step->backbone.shape, &options, &step->residual);
}

ans_status bench_step_open(ans_context *context, const ans_instance *instance, int threads, bool plain,
                           bench_step **result) {
  arena *arena = NULL;
  *result = NULL;
  TRY(arena_new(context, &arena));
  bench_step *step = arena_take(arena, sizeof *step);
  ans_status status = step ? ANS_OK : context_no_memory(context);
  if (status == ANS_OK) {
    *step = (bench_step){.arena = arena, .threads = threads, .best = INFINITY, .wall = INFINITY, .forming = INFINITY};
    status = prepare(context, instance, plain, step);
  }
  if (status == ANS_OK)
    *result = step;
  else
    arena_free(arena);
  return status;
}

void bench_step_close(bench_step *step) {
  if (!step) return;
  residual_free(step->residual);
  arena_free(step->arena);
}

static void run_step(bench_step *step) {
  const backbone *b = &step->backbone;
  real *codes = step->parameters + b->size;
  residual_sample(step->residual, 1, RANDOM_TEST, (uint64_t)++step->count, 0);
  double start = bench_cpu_seconds();
  backbone_form(b, step->parameters, codes, step->workspace, step->formed);
  double forming = bench_cpu_seconds() - start;
  residual_loss(step->residual, step->formed, 1, step->formed_gradient);
  memset(step->gradient, 0, step->size * sizeof(real));
  start = bench_cpu_seconds();
  backbone_form_backward(b, step->parameters, codes, step->formed_gradient, step->workspace, step->gradient,
                         step->gradient + b->size);
  step->forming = fmin(step->forming, forming + bench_cpu_seconds() - start);
  double norm = sqrt(numeric_square_norm(step->gradient, step->size));
  adam_step(step->parameters, step->gradient, step->m, step->v, step->size, step->count, 1e-5, 0.9, 0.999, 1e-8,
            norm > 10 ? 10 / norm : 1);
}

void bench_step_run(bench_step *step) {
  enum { MOST_THREADS = 64 };
  double before[MOST_THREADS] = {0}, after[MOST_THREADS] = {0}, longest = 0;
  int threads = step->threads < MOST_THREADS ? step->threads : MOST_THREADS;
  team_seconds(threads, before);
  bench_timed_begin();
  double start = seconds_of(CLOCK_MONOTONIC), own = bench_cpu_seconds();
  run_step(step);
  double wall = seconds_of(CLOCK_MONOTONIC) - start;
  longest = bench_cpu_seconds() - own;
  team_seconds(threads, after);
  for (int t = 1; t < threads; t++) longest = fmax(longest, after[t] - before[t]);
  step->best = fmin(step->best, longest);
  for (int i = 0; i < BENCH_TIMED; i++)
    step->gflops[i] = fmax(step->gflops[i], bench_timed_gflops((bench_timed_kind)i));
  step->wall = fmin(step->wall, wall);
  if (step->sample_count < STEP_SAMPLES) step->samples[step->sample_count++] = longest;
}

double bench_step_gflop(const bench_step *step) {
  const backbone *b = &step->backbone;
  double width = b->width, forming = 3 * 2 * width * width * width * b->layers * b->fields;
  return 1e-9 * (residual_flops(step->residual) + forming);
}
