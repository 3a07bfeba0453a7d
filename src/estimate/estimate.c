/* SPDX-License-Identifier: Apache-2.0
 *
 * estimate.c - which resolutions are tried, which form of the equation is believed, and the verdict.
 */
#include "estimate/estimate.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "estimate/level.h"

/* Resolutions are refined until the last two differ by this share of the error. */
static const double SHARP = 0.02;
/* The same where a factor of two is enough. */
static const double ROUGH = 0.3;
/* The two finest may differ by this share, and the two forms by the other, in an answer that is trusted. */
static const double TRUSTED = 0.2, AGREEING = 0.1;

/* Spectral meshes whose last two differ by more than half of the error are far from it: a graded mesh goes first. */
static const double FAR = 0.5;
/* The solution's own norm may be wrong by this share before a graded mesh is asked. */
static const double STEEP = 0.05;

struct estimate {
  estimate_summary summary;
  level *finest; /* what the answer is from; until then the finest spectral one */
  level *graded; /* the sharpest graded one; NULL: none */
  level_form form;
  double steepness; /* of level_steepness, of the finest */
};

static double thread_seconds(void) {
  struct timespec now;
  return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0 ? (double)now.tv_sec + 1e-9 * (double)now.tv_nsec : 0;
}

/* ---- What is not estimated --------------------------------------------------------------------------- */

static ans_status refuse(estimate *estimate, const char *reason) {
  estimate->summary.available = estimate->summary.trusted = false;
  snprintf(estimate->summary.reason, sizeof estimate->summary.reason, "%s", reason);
  return ANS_OK;
}

/* Periodicity that the network only approaches: its derivatives do not know the jump at the seam. */
static bool has_seam(const ans_problem *problem) {
  for (int c = 0; c < problem->coordinate_count; c++)
    if (problem->coordinates[c].soft_period) return true;
  return false;
}

static const char *outside(const ans_problem *problem) {
  int space = 0;
  for (int c = 0; c < problem->coordinate_count; c++) space += c != problem->time;
  if (problem->time >= 0 && problem->coordinates[problem->time].periodic)
    return "time is periodic, so no initial value fixes the error";
  if (space > 1) return "it follows errors along one space coordinate, and the problem has more";
  return NULL;
}

static void tell_outcome(const level *level, const level_answer *answer, char *reason, size_t room) {
  const ans_problem *problem = level->defect->instance->problem;
  const char *time = problem->time < 0 ? "t" : problem->coordinates[problem->time].name;
  switch (answer->outcome) {
  case MARCH_DONE: snprintf(reason, room, "the error is not finite"); break;
  case MARCH_BLOWN:
    snprintf(reason, room, "the error grows without bound near %s = %.3g", time, answer->reached);
    break;
  case MARCH_STEPS:
    snprintf(reason, room, "the error's equation is too stiff or too fast to follow: %s = %.3g was reached", time,
             answer->reached);
    break;
  case MARCH_SINGULAR:
    snprintf(reason, room, "the equations and conditions do not determine the solution on the mesh");
    break;
  case MARCH_STUCK: snprintf(reason, room, "no solution was found near the network's"); break;
  }
}

/* ---- The verdict ------------------------------------------------------------------------------------- */

static bool solved(const level_answer *answer) { return answer->tried && answer->outcome == MARCH_DONE; }

/* The form whose resolutions differ less. */
static level_form better(const level *level) {
  const level_answer *residual = &level->answers[FORM_RESIDUAL], *direct = &level->answers[FORM_DIRECT];
  if (!solved(residual)) return FORM_DIRECT;
  if (!solved(direct)) return FORM_RESIDUAL;
  return residual->score < direct->score ? FORM_RESIDUAL : FORM_DIRECT;
}

/* Whether both forms claim to be sharp and yet differ. */
static bool disagree(const level *level) {
  const level_answer *a = &level->answers[FORM_RESIDUAL], *b = &level->answers[FORM_DIRECT];
  if (!solved(a) || !solved(b) || a->score > AGREEING || b->score > AGREEING) return false;
  double most = 0, difference = 0;
  for (int f = 0; f < level->defect->field_count; f++) {
    most = fmax(most, fmax(a->errors[f], b->errors[f]));
    difference = fmax(difference, fabs(a->errors[f] - b->errors[f]));
  }
  return difference > 2 * AGREEING * most && difference > 1e-9;
}

/* The form with the larger error: of two that disagree, neither is trusted, and the smaller would mislead. */
static level_form worse(const level *level) {
  double most[FORM_COUNT] = {0};
  for (int form = 0; form < FORM_COUNT; form++)
    for (int f = 0; f < level->defect->field_count; f++) most[form] = fmax(most[form], level->answers[form].errors[f]);
  return most[FORM_RESIDUAL] > most[FORM_DIRECT] ? FORM_RESIDUAL : FORM_DIRECT;
}

static void conclude(estimate *estimate) {
  assert(estimate->finest && estimate->finest->finite);
  const level *level = estimate->finest;
  estimate_summary *summary = &estimate->summary;
  estimate->form = disagree(level) ? worse(level) : better(level);
  const level_answer *answer = &level->answers[estimate->form];
  summary->nodes = level->space->nodes;
  summary->times = level->time_count;
  summary->available = solved(answer) && isfinite(answer->score);
  summary->lost = !summary->available;
  if (!summary->available) {
    tell_outcome(level, answer, summary->reason, sizeof summary->reason);
    return;
  }
  int fields = summary->field_count;
  for (int f = 0; f < fields; f++) {
    summary->errors[f] = answer->errors[f];
    summary->absolute[f] = answer->absolute[f];
    summary->varying[f] = answer->varying[f];
    summary->differences[f] = answer->changes[f];
    summary->mean += answer->errors[f] / fields;
    summary->mean_difference += answer->changes[f] / fields;
  }
  bool steep = estimate->steepness > TRUSTED;
  summary->trusted = answer->score <= TRUSTED && !disagree(level) && !steep;
  if (summary->trusted) return;
  if (answer->score > TRUSTED)
    snprintf(summary->reason, sizeof summary->reason,
             "at half the resolution it differs by %.0f %%: %d nodes and %d times do not resolve the error",
             100 * answer->score, summary->nodes, summary->times);
  else if (steep)
    snprintf(summary->reason, sizeof summary->reason, "%d nodes do not resolve the solution, whose norm is %.0f %% off",
             summary->nodes, 100 * estimate->steepness);
  else
    snprintf(summary->reason, sizeof summary->reason, "the network's residual and its values tell different errors");
}

/* ---- Resolutions ------------------------------------------------------------------------------------- */

static double sharpness(const level *level) { return level->answers[better(level)].score; }

static bool is_worth_more(const level *level, bool rough) {
  double score = sharpness(level);
  int usual = level->space->kind == MESH_POINT ? LEVEL_COUNT : LEVEL_USUAL; /* without space the last is cheap, too */
  if (level->number + 1 < usual) return !(score <= (rough ? ROUGH : SHARP));
  return !rough && isfinite(score) && score > TRUSTED;
}

/* What no spectral mesh resolves: fronts and layers. Leaves the sharpest graded level. */
static ans_status refine_graded(ans_context *context, const ans_instance *instance, const estimate_network *network,
                                estimate *estimate) {
  level *last = NULL; /* the level before, when it is not the sharpest */
  ans_status status = ANS_OK;
  bool more = true;
  for (int grade = 1; more && status == ANS_OK; grade++) {
    level *level;
    status = level_solve_graded(context, instance, network, grade, last ? last : estimate->graded, &level);
    level_free(last);
    last = level;
    if (status != ANS_OK) break;
    estimate->summary.steps += level->steps;
    estimate->summary.points += level->points;
    more = level->finite && level_regradable(level) && !(sharpness(level) <= AGREEING);
    if (!level->finite || (estimate->graded && !(sharpness(level) < sharpness(estimate->graded)))) continue;
    level_free(estimate->graded);
    estimate->graded = level;
    last = NULL;
  }
  level_free(last);
  return status;
}

static bool is_settled(const estimate *estimate) { return estimate->graded && sharpness(estimate->graded) <= TRUSTED; }

/* Far from an answer, the next mesh being much dearer than graded ones. */
static bool is_far(const level *level) {
  return level->number + 2 == LEVEL_USUAL && !defect_splits(level->defect) && level_gradable(level) &&
         !(sharpness(level) <= FAR);
}

static bool is_doubtful(const level *level, double steepness) {
  return level_gradable(level) && (!(sharpness(level) <= TRUSTED) || disagree(level) || steepness > STEEP);
}

static ans_status refine(ans_context *context, const ans_instance *instance, const estimate_network *network,
                         estimate *estimate) {
  bool residual = !has_seam(instance->problem), more = true;
  for (int number = 0; more; number++) {
    level *level;
    TRY(level_solve(context, instance, network, number, residual, estimate->finest, &level));
    level_free(estimate->finest);
    estimate->finest = level;
    estimate->summary.steps += level->steps;
    estimate->summary.points += level->points;
    if (!level->finite) return ANS_OK;
    more = level_refinable(level) && is_worth_more(level, network->rough);
    if (more && !network->rough && is_far(level)) TRY(refine_graded(context, instance, network, estimate));
    more = more && !is_settled(estimate);
  }
  if (network->rough) return ANS_OK;
  TRY(level_steepness(context, estimate->finest, better(estimate->finest), &estimate->steepness));
  if (!estimate->graded && is_doubtful(estimate->finest, estimate->steepness))
    TRY(refine_graded(context, instance, network, estimate));
  return ANS_OK;
}

/* The graded level instead of the spectral one, where it says more. */
static void choose(estimate *estimate) {
  level *finest = estimate->finest, *graded = estimate->graded;
  if (!graded || !isfinite(sharpness(graded))) return;
  if (!is_settled(estimate) && sharpness(finest) <= sharpness(graded)) return;
  estimate->finest = graded;
  estimate->graded = finest;
  estimate->steepness = 0;
}

static ans_status run(ans_context *context, const ans_instance *instance, const estimate_network *network,
                      estimate *estimate) {
  const char *reason = outside(instance->problem);
  if (reason) return refuse(estimate, reason);
  ans_status status = refine(context, instance, network, estimate);
  if (status == ANS_UNSUPPORTED) return refuse(estimate, ans_context_diagnostic(context)->message);
  TRY(status);
  if (!estimate->finest->finite) return refuse(estimate, "the network is not finite everywhere");
  choose(estimate);
  TRY(level_even_times(context, estimate->finest, network, better(estimate->finest)));
  conclude(estimate);
  return ANS_OK;
}

ans_status estimate_new(ans_context *context, const ans_instance *instance, const estimate_network *network,
                        estimate **result) {
  *result = NULL;
  estimate *estimate = memory_take(sizeof *estimate);
  if (!estimate) return context_no_memory(context);
  double begun = thread_seconds();
  estimate->summary.field_count = instance->problem->field_count;
  ans_status status = run(context, instance, network, estimate);
  estimate->summary.seconds = thread_seconds() - begun;
  if (status == ANS_OK)
    *result = estimate;
  else
    estimate_free(estimate);
  return status;
}

void estimate_free(estimate *estimate) {
  if (!estimate) return;
  level_free(estimate->finest);
  level_free(estimate->graded);
  memory_give(estimate);
}

const estimate_summary *estimate_result(const estimate *estimate) { return &estimate->summary; }

bool estimate_varies_little(double varying) {
  const double mostly_constant = 0.2; /* the mean is about five times what varies, or more */
  return varying > 1e-9 && varying < mostly_constant;
}

double estimate_worst(const estimate_summary *summary) {
  double most = 0;
  if (!summary->available) return (double)INFINITY;
  for (int f = 0; f < summary->field_count; f++) {
    double part = estimate_varies_little(summary->varying[f]) ? summary->varying[f] : 1;
    most = fmax(most, summary->errors[f] / part);
  }
  return isfinite(most) ? most : (double)INFINITY;
}

/* ---- Correction -------------------------------------------------------------------------------------- */

/* One time: node values of the error, or of the solution, to the places. */
static void correct_time(const estimate *estimate, const double *fields, int time, const double *places, int count,
                         double *weights, double *const *values) {
  assert(time >= 0 && count > 0 && fields && weights);
  const level *level = estimate->finest;
  int nodes = level->space->nodes, all = level->defect->field_count;
  for (int i = 0; i < count; i++) {
    mesh_interpolation(level->space, places ? places[i] : 0, weights);
    for (int f = 0; f < all; f++) {
      double sum = 0, *value = &values[f][(size_t)time * (size_t)count + (size_t)i];
      for (int j = 0; j < nodes; j++) sum += weights[j] * fields[f * nodes + j];
      *value = estimate->form == FORM_DIRECT ? sum : *value + sum;
    }
  }
}

ans_status estimate_correct(ans_context *context, estimate *estimate, const double *times, int time_count,
                            const double *places, int place_count, double *const *values) {
  assert(estimate->finest && estimate->summary.available);
  level *level = estimate->finest;
  bool steady = level->defect->instance->problem->time < 0;
  size_t stride = (size_t)level->defect->field_count * (size_t)level->space->nodes;
  march_outcome outcome = MARCH_DONE;
  if (steady) time_count = 1;
  if (!places) place_count = 1;
  double *fields = memory_take(size_product((size_t)time_count, stride * sizeof *fields));
  double *weights = memory_take((size_t)level->space->nodes * sizeof *weights);
  ans_status status = fields && weights ? ANS_OK : context_no_memory(context);
  if (status == ANS_OK)
    status = level_fields(context, level, estimate->form, steady ? &(double){0} : times, time_count, fields, &outcome);
  if (status == ANS_OK && outcome != MARCH_DONE)
    status = context_fail(context, ANS_DIVERGED, "the error's equation could not be followed to all times of the grid");
  for (int k = 0; status == ANS_OK && k < time_count; k++)
    correct_time(estimate, fields + (size_t)k * stride, k, places, place_count, weights, values);
  memory_give(fields);
  memory_give(weights);
  return status;
}
