/* SPDX-License-Identifier: Apache-2.0 */
#include "training/ladder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "training/sharpness.h"

/* A window's own error may be this share of the goal, and the next one is longer below that share of it. */
static const double LOCAL = 0.25, EASY = 0.2;
/* Of the whole time: the shortest window. */
static const double SHORTEST = 1.0 / 512;
/* A window at half the length that keeps more than this share of the error was not made better by it, unless the error
 * is more than so many times what is allowed: then neither was solved. */
static const double USELESS = 0.6, UNSOLVED = 40;
/* A window may take this many times its part of the seconds that are left, and unless it is the last no more than this
 * part of them: so that every window has its turn. */
static const double TURN = 1.5, MOST_OF_REST = 0.5;
/* An error that cannot be trusted counts this many times. */
static const double DOUBT = 3;

typedef struct climb {
  ladder *ladder;
  effort effort;
  bool stopped;                    /* interrupt or watcher */
  double sizes[SYSTEM_MAX_FIELDS]; /* the largest of every field in the windows of this attempt, root mean square */
} climb;

/* ---- Judging ----------------------------------------------------------------------------------------- */

static double score(const ladder_rung *rung) {
  return rung->finished ? rung->error * (rung->trusted ? 1 : DOUBT) : (double)INFINITY;
}

static bool is_met(const ladder *ladder, const ladder_rung *rung) {
  return rung->finished && rung->trusted && rung->error <= ladder->goal;
}

static long steps_of(const windows *windows) {
  long steps = 0;
  for (int i = 0; i < windows->count; i++) steps += windows->list[i].piece->run.step;
  return steps;
}

static ans_status judge(ans_context *context, const windows *windows, ladder_rung *rung) {
  estimate *estimate;
  TRY(windows_estimate(context, windows, &estimate));
  const estimate_summary *summary = estimate_result(estimate);
  rung->error = estimate_worst(summary);
  rung->trusted = summary->available && summary->trusted;
  rung->windows = windows->count;
  rung->steps = steps_of(windows);
  estimate_free(estimate);
  return ANS_OK;
}

/* ---- One piece --------------------------------------------------------------------------------------- */

/* Root mean squares of the fields of a piece, at a few even points. */
static ans_status measure_sizes(ans_context *context, piece *piece, double *sizes) {
  enum { SIDE = 12, POINTS = SIDE * SIDE };
  static const uint8_t value[SYSTEM_MAX_COORDINATES] = {0};
  const ans_problem *problem = piece->instance->problem;
  int dimensions = problem->coordinate_count, fields = problem->field_count;
  double points[POINTS * SYSTEM_MAX_COORDINATES], values[POINTS * SYSTEM_MAX_FIELDS];
  for (int p = 0; p < POINTS; p++)
    for (int d = 0, rest = p; d < dimensions; d++, rest /= SIDE) {
      const system_coordinate *c = &problem->coordinates[d];
      points[p * dimensions + d] = c->low + (c->high - c->low) * (rest % SIDE + 0.5) / SIDE;
    }
  TRY(piece_evaluate(context, piece, points, POINTS, value, values));
  for (int f = 0; f < fields; f++) {
    double sum = 0;
    for (int p = 0; p < POINTS; p++) sum += values[p * fields + f] * values[p * fields + f] / POINTS;
    sizes[f] = sqrt(sum);
  }
  return ANS_OK;
}

/* The worst field's error in a window, beside the field's size in all windows so far: where a field passes through
 * zero, an error that is small beside the whole is not made large by that. */
static ans_status local_error(ans_context *context, climb *climb, piece *piece, const estimate_summary *summary,
                              double *error) {
  double sizes[SYSTEM_MAX_FIELDS], most = 0;
  *error = estimate_worst(summary);
  /* Rows are of size one, so that the root of the judged loss is a cautious guess where the error cannot be followed.
   */
  if (summary->lost) *error = sqrt(piece->engine->judge(piece->adaptation));
  if (summary->lost || !isfinite(*error)) return ANS_OK;
  TRY(measure_sizes(context, piece, sizes));
  for (int f = 0; f < summary->field_count; f++) {
    double share = climb->sizes[f] > sizes[f] ? sizes[f] / climb->sizes[f] : 1;
    most = fmax(most, summary->errors[f] * share);
  }
  if (isfinite(most)) *error = most;
  return ANS_OK;
}

static ans_status grow_sizes(ans_context *context, climb *climb, piece *piece) {
  double sizes[SYSTEM_MAX_FIELDS];
  TRY(measure_sizes(context, piece, sizes));
  for (int f = 0; f < piece->instance->problem->field_count; f++)
    if (isfinite(sizes[f])) climb->sizes[f] = fmax(climb->sizes[f], sizes[f]);
  return ANS_OK;
}

/* Runs a piece that was drafted to its end, or to that of its share of the time. Divergence is no failure of the climb:
 * the piece has the last good state. */
static ans_status run_piece(ans_context *context, climb *climb, piece *piece, double share, double *error) {
  run_rules rules = climb->ladder->rules;
  estimate *estimate;
  rules.goal = piece->choice.steps;
  effort_bound(&climb->effort, share, &rules);
  ans_status status = piece_run(context, piece, rules);
  climb->effort.work += piece->run.work;
  *error = (double)INFINITY;
  if (status == ANS_DIVERGED) return ANS_OK;
  TRY(status);
  piece_settle(piece);
  climb->stopped = piece->run.ended == ANS_END_INTERRUPTED || piece->run.ended == ANS_END_WATCHER;
  TRY(piece_estimate(context, piece, true, &estimate));
  status = local_error(context, climb, piece, estimate_result(estimate), error);
  estimate_free(estimate);
  return status;
}

/* ---- Windows ----------------------------------------------------------------------------------------- */

/* How one attempt is made. */
typedef struct plan {
  const char *what;
  bool windows;
  double strictness; /* over which the windows' share of the goal is divided */
  network_wish network;
  bool thinning; /* begins where layers are thick, and follows them as they become thin */
  int other;     /* added to the seed */
} plan;

/* Between walls an estimate costs as much as many steps (dense matrices): a piece goes to its end instead of asking
 * whether it is there. */
static bool estimate_is_dear(const ans_problem *problem) {
  for (int d = 0; d < problem->coordinate_count; d++)
    if (d != problem->time && !problem->coordinates[d].periodic) return true;
  return false;
}

static ans_solver_options piece_options(const ladder *ladder, const plan *plan, bool narrow) {
  ans_solver_options options = ladder->options;
  options.seed += (uint64_t)plan->other;
  if (narrow) options.mode = ANS_WEIGHTS;
  options.tolerance = plan->windows ? LOCAL * EASY * ladder->goal / plan->strictness : ladder->goal / 2;
  options.patience = 0;
  /* A tolerance would go on in double where float ends: only where the goal needs it. */
  if (!options.precision && options.tolerance > 20 * GOAL_SINGLE / 4) options.precision = 32;
  if (!options.precision && options.tolerance < GOAL_SINGLE) options.precision = 64;
  options.tolerance = fmax(options.tolerance, options.precision == 64 ? 1e-11 : GOAL_SINGLE);
  if (estimate_is_dear(ladder->instance->problem)) options.tolerance = 0;
  return options;
}

/* The control of the windows: their lengths and networks. */
typedef struct pace {
  double length;  /* to try next */
  double allowed; /* error of a window by itself */
  bool narrow;    /* the network that solved the last window, or comes first */
} pace;

/* A window of the present length and network, behind the others and not yet one of them. */
static ans_status try_window(ans_context *context, climb *climb, const plan *plan, windows *windows, const pace *pace,
                             double *error) {
  const ans_problem *problem = climb->ladder->instance->problem;
  const system_coordinate *time = &problem->coordinates[problem->time];
  ans_solver_options options = piece_options(climb->ladder, plan, pace->narrow);
  double begin = windows_reached(windows), end = begin + pace->length;
  if (end > time->high - pace->length / 4) end = time->high;
  window *next = &windows->list[windows->count];
  window_draft wanted = {.end = end, .network = {.finer = plan->network.finer, .narrow = pace->narrow}, .hasty = true};
  TRY(windows_draft(context, windows, &wanted, &options, next));
  double share = end < time->high ? fmin(TURN * (end - begin) / (time->high - begin), MOST_OF_REST) : 1;
  ans_status status = run_piece(context, climb, next->piece, share, error);
  if (status != ANS_OK) window_free(next);
  return status;
}

/* The same once more with the other kind of network, where the first did not solve it at all; whatever is better is
 * left, and has the next window. */
static ans_status try_other(ans_context *context, climb *climb, const plan *plan, windows *windows, pace *pace,
                            double *error) {
  window *next = &windows->list[windows->count], first = *next;
  double other;
  if (climb->ladder->instance->problem->protocol.network.stated || climb->stopped) return ANS_OK;
  pace->narrow = !pace->narrow;
  *next = (window){0};
  ans_status status = try_window(context, climb, plan, windows, pace, &other);
  if (status == ANS_OK && other < *error) {
    window_free(&first);
    *error = other;
    return ANS_OK;
  }
  if (status == ANS_OK) window_free(next);
  pace->narrow = !pace->narrow;
  *next = first;
  if (status == ANS_OK || status == ANS_UNSUPPORTED) return ANS_OK;
  window_free(next);
  return status;
}

/* Where half the length is not much better, length is not what lacks; unless nothing is solved yet. */
static bool is_useless(const pace *pace, double error, double rejected) {
  return error > USELESS * rejected && error < UNSOLVED * pace->allowed;
}

/* After a window that is kept. The rest of the attempt does not ask for what shorter windows do not give. */
static void keep_pace(pace *pace, double error, bool useless) {
  if (error <= EASY * pace->allowed) pace->length *= 2;
  if (useless) pace->allowed = fmax(pace->allowed, 2 * error);
}

/* One window more, of a length that its own error allows. */
static ans_status add_window(ans_context *context, climb *climb, const plan *plan, windows *windows, pace *pace) {
  const ans_problem *problem = climb->ladder->instance->problem;
  const system_coordinate *time = &problem->coordinates[problem->time];
  double whole = time->high - time->low, rejected = (double)INFINITY;
  for (;;) {
    double begun = effort_spent(&climb->effort), begin = windows_reached(windows), error;
    window *next = &windows->list[windows->count];
    TRY(try_window(context, climb, plan, windows, pace, &error));
    double cost = effort_spent(&climb->effort) - begun;
    if (error > UNSOLVED * pace->allowed) TRY(try_other(context, climb, plan, windows, pace, &error));
    double shorter = pace->length / (error > 100 * pace->allowed ? 4 : 2);
    bool affordable = cost * (time->high - begin) / shorter / 2 < effort_left(&climb->effort);
    bool possible = shorter >= SHORTEST * whole && affordable && windows->count + 1 < WINDOWS_MAX;
    bool useless = is_useless(pace, error, rejected);
    if (climb->stopped || error <= pace->allowed || !possible || useless) {
      windows->count++;
      keep_pace(pace, error, useless);
      return grow_sizes(context, climb, next->piece);
    }
    window_free(next);
    rejected = error;
    pace->length = shorter;
  }
}

static ans_status march(ans_context *context, climb *climb, const plan *plan, windows *windows, bool *finished) {
  const ans_problem *problem = climb->ladder->instance->problem;
  const system_coordinate *time = &problem->coordinates[problem->time];
  pace pace = {.length = (time->high - time->low) / (climb->ladder->rungs[0].error > 0.05 ? 8 : 4),
               .allowed = LOCAL * climb->ladder->goal / plan->strictness,
               .narrow = plan->network.narrow};
  *finished = false;
  while (windows_reached(windows) < time->high) {
    if (climb->stopped || effort_left(&climb->effort) <= 0 || windows->count == WINDOWS_MAX) return ANS_OK;
    TRY(add_window(context, climb, plan, windows, &pace));
  }
  *finished = !climb->stopped;
  return ANS_OK;
}

/* ---- One network for the whole ------------------------------------------------------------------------ */

/* Layers thinner than this part of the domain are easier to find from thicker ones. */
static const double THICK = 0.25;
/* A step to thinner layers begins with this ratio, takes the square root of it where that was too much, and gives up
 * below the least. It has arrived when the judged loss of its rows, which are of size one, is below ARRIVED. */
static const double THINNING = 4, LEAST_THINNING = 1.1, ARRIVED = 1e-3;

/* A thickness that goes with the square root of the highest coefficient, as in a reaction, grows slowest. */
static double first_thickening(const ans_instance *instance) {
  static const double MOST = 1 << 20;
  double times = THICK / sharpness_of(instance);
  return times > 1 ? fmin(times * times, MOST) : 0;
}

/* The equation with layers `times` as thick, from the numbers of `like`. *arrived: it was solved. */
static ans_status solve_thick(ans_context *context, climb *climb, const plan *plan, const windows *windows,
                              const ans_solver_options *options, double times, const piece *like, window *result,
                              bool *arrived) {
  enum { STEPS = 30 };
  window_draft wanted = {.network = plan->network, .thickening = times, .like = like};
  run_rules rules = climb->ladder->rules;
  rules.goal = STEPS;
  effort_bound(&climb->effort, 0.25, &rules);
  *arrived = false;
  TRY(windows_draft(context, windows, &wanted, options, result));
  ans_status status = piece_run(context, result->piece, rules);
  climb->effort.work += result->piece->run.work;
  const run *run = &result->piece->run;
  climb->stopped = run->ended == ANS_END_INTERRUPTED || run->ended == ANS_END_WATCHER;
  *arrived = status == ANS_OK && result->piece->engine->judge(result->piece->adaptation) < ARRIVED;
  if (status == ANS_OK || status == ANS_DIVERGED) return ANS_OK;
  window_free(result);
  return status;
}

/* Follows the solution from thick layers to those of the equation. *last: the thinnest that was solved; none: no
 * piece. */
static ans_status thin_layers(ans_context *context, climb *climb, const plan *plan, const windows *windows,
                              const ans_solver_options *options, window *last) {
  double times = first_thickening(climb->ladder->instance), solved = times * THINNING, ratio = THINNING;
  while (solved > 1 && ratio > LEAST_THINNING && !climb->stopped && effort_left(&climb->effort) > 0) {
    window next;
    bool arrived;
    TRY(solve_thick(context, climb, plan, windows, options, times, last->piece, &next, &arrived));
    window_free(arrived ? last : &next);
    if (arrived) {
      *last = next;
      solved = times;
    } else {
      if (!last->piece) return ANS_OK;
      ratio = sqrt(ratio);
    }
    times = fmax(solved / ratio, 1);
  }
  return ANS_OK;
}

/* Where the first network is nearly right, precision lacks, and windows of time are not needed. */
static double share_of(const ladder *ladder, const plan *plan) {
  const double NEARLY = 1e-3, MOST = 0.9, HALF = 0.5;
  if (!plan->network.narrow) return 1;
  return ladder->rungs[0].error < NEARLY ? MOST : HALF;
}

/* One network for the whole, another one than before. */
static ans_status attempt_whole(ans_context *context, climb *climb, const plan *plan, windows *windows,
                                bool *finished) {
  const ans_problem *problem = climb->ladder->instance->problem;
  ans_solver_options options = piece_options(climb->ladder, plan, plan->network.narrow);
  double end = problem->time < 0 ? 0 : problem->coordinates[problem->time].high, error;
  window *only = &windows->list[0], thicker = {0};
  ans_status status = ANS_OK;
  if (plan->thinning) status = thin_layers(context, climb, plan, windows, &options, &thicker);
  window_draft wanted = {.end = end, .network = plan->network, .hasty = plan->network.narrow, .like = thicker.piece};
  if (status == ANS_OK) status = windows_draft(context, windows, &wanted, &options, only);
  window_free(&thicker);
  TRY(status);
  status = run_piece(context, climb, only->piece, share_of(climb->ladder, plan), &error);
  if (status != ANS_OK) window_free(only);
  TRY(status);
  windows->count = 1;
  *finished = !climb->stopped;
  return ANS_OK;
}

/* ---- Rungs ------------------------------------------------------------------------------------------- */

static ans_status attempt(ans_context *context, climb *climb, const plan *plan) {
  ladder *ladder = climb->ladder;
  ladder_rung *rung = &ladder->rungs[ladder->rung_count];
  double begun = clock_seconds(), spent = effort_spent(&climb->effort);
  memset(climb->sizes, 0, sizeof climb->sizes);
  windows *made = memory_take(sizeof *made);
  if (!made) return context_no_memory(context);
  made->instance = ladder->instance;
  *rung = (ladder_rung){.error = (double)INFINITY, .narrow = plan->network.narrow && !plan->windows};
  ans_status status = plan->windows ? march(context, climb, plan, made, &rung->finished)
                                    : attempt_whole(context, climb, plan, made, &rung->finished);
  if (status == ANS_OK && rung->finished) status = judge(context, made, rung);
  /* What cannot be drafted is a rung that leads nowhere, and not the end of the solver. */
  if (status == ANS_UNSUPPORTED || status == ANS_DIVERGED) status = ANS_OK;
  rung->windows = made->count;
  rung->steps = steps_of(made);
  rung->seconds = clock_seconds() - begun;
  rung->effort = effort_spent(&climb->effort) - spent;
  if (plan->windows)
    snprintf(rung->what, sizeof rung->what, "%d windows of time%s%s", made->count,
             plan->network.narrow ? ", narrow network" : "", plan->network.finer ? ", finer network" : "");
  else
    snprintf(rung->what, sizeof rung->what, "%s", plan->what);
  if (status == ANS_OK && score(rung) < score(&ladder->rungs[ladder->kept])) {
    ladder->kept = ladder->rung_count;
    windows swap = *ladder->best;
    *ladder->best = *made;
    *made = swap;
  }
  ladder->rung_count++;
  windows_clear(made);
  memory_give(made);
  return status;
}

/* A narrow network of which every weight is adapted holds fronts that a wide one with fixed bases does not, and goes
 * further where much is asked for; the wide one finds a start more often. */
/* clang-format off */
#define NARROW                                                                                                         \
  { .what = "narrow network, all weights", .strictness = 1, .network.narrow = true }
/* clang-format on */
static const plan evolving[] = {
    NARROW, {.windows = true, .strictness = 1}, {.windows = true, .strictness = 4, .network.finer = 1}};
static const plan other[] = {{.what = "layers made thin by steps", .strictness = 1, .thinning = true},
                             NARROW,
                             {.what = "finer network", .strictness = 1, .network.finer = 1},
                             {.what = "finer network, another start", .strictness = 1, .network.finer = 2, .other = 1}};

/* A plan that this instance has no use for. */
static bool is_idle(const ladder *ladder, const plan *plan) {
  if (plan->thinning) return !(first_thickening(ladder->instance) > 1);
  return plan->network.narrow && ladder->instance->problem->protocol.network.stated;
}

/* Windows take more than the one network before them; a narrow network is cheaper, and has its share at most. */
static bool is_affordable(const climb *climb, const plan *plan) {
  const ladder *ladder = climb->ladder;
  double first = ladder->rungs[0].effort, last = ladder->rungs[ladder->rung_count - 1].effort;
  double needed = plan->network.narrow ? first / 2 : fmax(first, last);
  return effort_left(&climb->effort) >= needed;
}

ans_status ladder_climb(ans_context *context, ladder *ladder, double already, double work, ans_end *end) {
  climb climb = {.ladder = ladder, .effort = effort_begin(ladder->seconds, ladder->by_work, already, work)};
  bool cut = !windows_obstacle(ladder->instance);
  const plan *plans = cut ? evolving : other;
  int count = cut ? (int)(sizeof evolving / sizeof *evolving) : (int)(sizeof other / sizeof *other);
  ladder_rung *first = &ladder->rungs[0];
  *first =
      (ladder_rung){.what = "one network", .finished = true, .seconds = already, .effort = effort_spent(&climb.effort)};
  ladder->rung_count = 1;
  ladder->kept = 0;
  TRY(judge(context, ladder->best, first));
  /* Without an estimate there is no telling which attempt is better. */
  for (int i = 0; i < count && isfinite(first->error); i++) {
    plan next = plans[i];
    if (is_met(ladder, &ladder->rungs[ladder->kept])) break;
    if (is_idle(ladder, &next)) continue;
    if (climb.stopped || !is_affordable(&climb, &next) || (ladder->most > 0 && ladder->rung_count >= ladder->most))
      break;
    /* Windows begin with narrow networks where one for the whole was the best so far. */
    if (next.windows) next.network.narrow = ladder->rungs[ladder->kept].narrow;
    TRY(attempt(context, &climb, &next));
  }
  if (ladder->kept > 0 && is_met(ladder, &ladder->rungs[ladder->kept])) *end = ANS_END_TOLERANCE;
  return ANS_OK;
}
