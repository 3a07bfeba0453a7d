/* SPDX-License-Identifier: Apache-2.0 */
#include "reference/refine.h"

#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "reference/evolution.h"
#include "reference/rewrite.h"

enum { FOURIER_MOST = 8192, GRADED_FIRST = 257, GRADED_MOST = 8193, GRADED_MOST_HIGH_ORDER = 1025, MOST_DIVERGED = 2 };

/* A solution that changes by more at half the nodes is tried on more of them. */
static const double CHANGE_LIMIT = 1e-3;

typedef struct attempt {
  evolution_settings settings;
  evolution_outcome outcome;
  ans_solution *solution; /* may be NULL */
  double seconds;
  space_density density, needed;
} attempt;

typedef struct refinement {
  const ans_instance *instance;
  attempt attempts[2], *now, *before; /* before->solution NULL: none */
  double change;                      /* of the present one against fewer nodes; NaN: not known */
  double work;                        /* of all attempts */
  int diverged;
} refinement;

bool refine_only_check_failed(ans_status status) {
  return status == ANS_DIVERGED || status == ANS_TOLERANCE || status == ANS_ARGUMENT;
}

/* ---- Settings ---------------------------------------------------------------------------------------- */

static int most_nodes(const ans_problem *problem) {
  int coordinate = evolution_coordinate(problem);
  if (coordinate < 0) return 1;
  if (problem->coordinates[coordinate].periodic) return FOURIER_MOST;
  return evolution_order(problem, coordinate) > 2 ? GRADED_MOST_HIGH_ORDER : GRADED_MOST;
}

/* The settings of the next attempt in `before`, which is the older one; false: there is none. */
static bool next_settings(refinement *r) {
  const ans_problem *problem = r->instance->problem;
  int coordinate = evolution_coordinate(problem), nodes = r->now->settings.resolution;
  if (coordinate < 0) return false;
  attempt *next = r->before;
  next->settings = r->now->settings;
  if (problem->coordinates[coordinate].periodic) {
    next->settings.resolution = 2 * nodes;
  } else {
    bool graded = r->now->settings.density != NULL;
    next->settings.resolution = graded ? 2 * nodes - 1 : GRADED_FIRST;
    for (int i = 0; i < SPACE_DENSITY_CELLS; i++)
      next->density.cells[i] = r->now->solution ? r->now->needed.cells[i] : 1;
    next->settings.density = &next->density;
  }
  return next->settings.resolution <= most_nodes(problem);
}

/* ---- One attempt ------------------------------------------------------------------------------------- */

static ans_status solve(ans_context *context, refinement *r) {
  attempt *a = r->now;
  a->settings.max_work -= r->work;
  a->outcome = (evolution_outcome){.needed = &a->needed};
  double begin = clock_seconds();
  ans_status status = evolution_solve(context, r->instance, a->settings, &a->solution, &a->outcome);
  a->seconds = clock_seconds() - begin;
  a->settings.max_work += r->work;
  r->work += a->outcome.work;
  r->change = NAN;
  return status;
}

static ans_status difference_of(ans_context *context, const ans_solution *other, const ans_solution *solution,
                                double *difference) {
  double errors[SYSTEM_MAX_FIELDS];
  *difference = INFINITY;
  TRY(solution_compare(context, other, solution, errors));
  *difference = 0;
  for (int f = 0; f < solution->field_count; f++) *difference = fmax(*difference, errors[f]);
  return ANS_OK;
}

/* Solves with other settings for a check; a failure of its own leaves no solution and is no error. */
static ans_status solve_check(ans_context *context, const refinement *r, evolution_settings settings,
                              ans_solution **result) {
  evolution_outcome outcome = {0};
  ans_status status = evolution_solve(context, r->instance, settings, result, &outcome);
  /* Fewer nodes may resolve less: what they say is still worth a comparison. */
  return *result || refine_only_check_failed(status) ? ANS_OK : status;
}

/* Against fewer nodes: the attempt before, or one on half of the present nodes. */
static ans_status check_space(ans_context *context, refinement *r) {
  if (r->now->settings.points == 1) return ANS_OK;
  r->change = INFINITY;
  if (!r->before->solution) {
    r->before->settings = r->now->settings;
    r->before->settings.resolution = (r->now->settings.resolution + 1) / 2;
    TRY(solve_check(context, r, r->before->settings, &r->before->solution));
  }
  if (!r->before->solution) return ANS_OK;
  TRY(difference_of(context, r->before->solution, r->now->solution, &r->change));
  r->change = fmax(r->change, r->now->outcome.difference);
  return ANS_OK;
}

/* The same nodes, fewer of them if there is such a solution, with half the largest step and ten times the tolerance. */
static ans_status check_time(ans_context *context, refinement *r, double *difference) {
  const attempt *against = r->before->solution ? r->before : r->now;
  const system_coordinate *time = &r->instance->problem->coordinates[r->instance->problem->time];
  evolution_settings settings = against->settings;
  double distance = (time->high - time->low) / (settings.times - 1);
  ans_solution *other = NULL;
  settings.max_step = 0.5 * (settings.max_step > 0 ? settings.max_step : distance);
  settings.relative *= 10;
  settings.absolute *= 10;
  *difference = NAN;
  if (settings.steady) return ANS_OK;
  *difference = INFINITY;
  ans_status status = solve_check(context, r, settings, &other);
  if (status == ANS_OK && other) status = difference_of(context, other, against->solution, difference);
  solution_free(other);
  return status;
}

/* ---- Until it holds ---------------------------------------------------------------------------------- */

static void swap_attempts(refinement *r) {
  attempt *kept = r->now;
  r->now = r->before;
  r->before = kept;
}

/* Whether more nodes may help. */
static bool worth_more(refinement *r, ans_status status, bool self_check) {
  if (status == ANS_OK) return self_check && r->change > CHANGE_LIMIT;
  if (status == ANS_DIVERGED) return ++r->diverged <= MOST_DIVERGED;
  return status == ANS_TOLERANCE && r->now->outcome.unresolved;
}

static ans_status name_limit(ans_context *context, const refinement *r, ans_status status) {
  char message[512];
  snprintf(message, sizeof message, "%s", ans_context_diagnostic(context)->message);
  if (!r->now->outcome.unresolved) return status;
  FAIL(context, status, "%s; the reference takes no more than %d nodes", message, most_nodes(r->instance->problem));
}

/* The present attempt is the one to keep, or the one that failed. */
static ans_status refine(ans_context *context, refinement *r, bool self_check) {
  ans_status status = solve(context, r);
  for (;;) {
    if (status == ANS_OK && self_check) TRY(check_space(context, r));
    if (!worth_more(r, status, self_check)) return status;
    attempt *older = r->before;
    ans_solution *kept = older->solution;
    older->solution = NULL;
    if (!next_settings(r)) {
      older->solution = kept;
      return status == ANS_OK ? status : name_limit(context, r, status);
    }
    solution_free(kept);
    double change = r->change;
    swap_attempts(r);
    ans_status finer = solve(context, r);
    /* Too much work, for example: the coarser one stays, with what is known of it. */
    if (finer != ANS_OK && status == ANS_OK && !r->now->outcome.unresolved) {
      solution_free(r->now->solution);
      r->now->solution = NULL;
      swap_attempts(r);
      r->change = change;
      return ANS_OK;
    }
    status = finer;
  }
}

static ans_status deliver(ans_context *context, refinement *r, bool self_check, ans_solution **result,
                          reference_report *report) {
  TRY(refine(context, r, self_check));
  report->seconds = r->now->seconds;
  report->method = evolution_method(r->instance->problem, r->now->settings);
  report->steps = r->now->outcome.steps;
  report->nodes = evolution_coordinate(r->instance->problem) < 0 ? 0 : r->now->settings.resolution;
  if (self_check) {
    report->self_difference = r->change;
    TRY(check_time(context, r, &report->time_difference));
  }
  *result = r->now->solution;
  r->now->solution = NULL;
  return ANS_OK;
}

static ans_status solve_rewritten(ans_context *context, const rewritten *rewritten, int points, int times,
                                  bool self_check, ans_solution **result, reference_report *report) {
  const ans_instance *instance = rewritten->instance;
  refinement *r = memory_take(sizeof *r);
  if (!r) return context_no_memory(context);
  *r = (refinement){.instance = instance, .now = &r->attempts[0], .before = &r->attempts[1]};
  r->now->settings = evolution_defaults(instance->problem, points, rewritten->steady ? 2 : times);
  r->now->settings.steady = rewritten->steady;
  ans_status status = deliver(context, r, self_check, result, report);
  solution_free(r->attempts[0].solution);
  solution_free(r->attempts[1].solution);
  memory_give(r);
  return status;
}

ans_status refine_solve(ans_context *context, const ans_instance *instance, int points, int times, bool self_check,
                        ans_solution **result, reference_report *report) {
  rewritten rewritten;
  TRY(rewrite(context, instance, &rewritten));
  ans_status status = solve_rewritten(context, &rewritten, points, times, self_check, result, report);
  if (status == ANS_OK) status = rewrite_back(context, &rewritten, instance, result);
  rewrite_free(&rewritten);
  return status;
}
