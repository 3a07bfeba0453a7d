/* SPDX-License-Identifier: Apache-2.0
 *
 * gauss_newton.c - Levenberg-Marquardt with geodesic acceleration, judged at points that are not trained on.
 *
 *   d  = m - (J^T J + damping D^2)^-1 J^T (r + J m),  m = INERTIA times the last step            (normal.h)
 *   d2 = -1/2 (J^T J + damping D^2)^-1 J^T r_dd,  r_dd = second derivative of r along d, by one more evaluation
 *   x <- x + a d + a^2 d2,  a = 1, 0.6, 0.35, 0.2: what lowers the judged loss most
 *
 * The damping thus holds the step to the last one instead of to nothing (SPRING; Goldshlager, Abrahamsen & Lin, 2024):
 * along a valley whose floor the damping hides, steps add up. The curvature d2 (Transtrum & Sethna, 2012) is used while
 * it is short against d. A step that does not lower the judged loss by some percent is tried again with ten times the
 * damping and without inertia; full steps lower the damping, short ones raise it. It never falls below what the
 * precision could factor.
 * The points begin few and double when the judged loss leaves the trained one behind, or when nothing more is gained:
 * early steps are cheap and the last ones do not fit noise. Until its start is found, a run goes on by small gains too,
 * and is given more points than are enough later. The judged loss never rises, but for once, when the objective lets go
 * of what made its start easier, and where more points judge.
 */
#include "training/gauss_newton.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "training/normal.h"
#include "training/objective.h"

enum { FIRST_POINTS = 256, CHEAP_POINTS = 2048, LENGTHS = 4, MOST_RAISES = 40 };
/* Dampings that a step tries, and steps without a gain after which it ends: while the start is not found, small gains
 * are often the way out of a plateau. */
enum { TRIES = 4, FEW_TRIES = 2, MOST_TRIES = 9, PATIENCE = 3, MOST_PATIENCE = 12 };
static const double lengths[LENGTHS] = {1, 0.6, 0.35, 0.2};
static const double GAIN = 0.9;    /* points are enough while a step leaves less than this part of the judged loss */
static const double ENOUGH = 0.97; /* a step that leaves less than this part is taken without a second try */
static const double GREAT = 0.3;   /* no shorter step is tried below this part */
static const double OVERFIT = 1.5; /* judged over trained loss at which there are too few points */
static const double HONEST = 1.1;  /* below it, points are not what a bad step lacks */
/* The start is found below this judged loss, of an equation in its own units, and this part of the first one. */
static const double EASY = 1e-5, EASY_PART = 1e-3;
static const double LOST = 1e-3;   /* above this judged loss, more than enough points are tried */
static const double PROBE = 0.1;   /* how far along d the second derivative is taken */
static const double CURVED = 0.75; /* most that 2 |d2| / |d| may be */
static const double START = 1e-3;  /* damping of the first step, over the square root of the loss */
static const double INERTIA = 0.9; /* part of the last step that the damping holds the next one to */
#if ANS_PRECISION == 32
static const double FLOOR = 5e-6; /* below it the factor of a matrix in float is noise */
#else
static const double FLOOR = 1e-9;
#endif

typedef struct gauss_newton {
  optimiser optimiser; /* first; its rate is the damping */
  normal normal;
  int threads;
  size_t size, free, row_room;
  bool short_of_memory; /* for the points of a state that was loaded: the next step says so */
  size_t points, most;  /* trained on: now, and at most (known once it is reached) */
  size_t enough;        /* more are for a start that is not found; 0: all there are */
  bool hasty;           /* a start that is not found soon is given up */
  long updates;
  int stalled;            /* steps since the judged loss was last GAIN times its mark, at all the points there are */
  double mark;            /* judged loss then */
  double easy;            /* judged loss at which the objective lets go of what makes the start easier */
  bool eased;             /* it did */
  bool wanting;           /* the judged loss has left the trained one */
  double gained;          /* judged loss of the last step over that before */
  double least;           /* damping that could be factored */
  double *rows, *probed;  /* [row_room] */
  double *step, *bend;    /* [free] */
  double *inertia;        /* [free]: m */
  real *direction;        /* [free] */
  real *base, *kept;      /* [size] */
  real *last, *kept_last; /* [size]: the last step, zero where nothing moves */
  double kept_numbers[OPTIMISER_MAX_NUMBERS];
  long kept_updates;
} gauss_newton;

static gauss_newton *of(optimiser *optimiser) { return (gauss_newton *)optimiser; }

/* ---- Memory ----------------------------------------------------------------------------------------------- */

static void newton_end(optimiser *optimiser) {
  gauss_newton *g = of(optimiser);
  if (!g) return;
  void *blocks[] = {g->rows,      g->probed, g->step, g->bend, g->inertia,
                    g->direction, g->base,   g->kept, g->last, g->kept_last};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) memory_give(blocks[i]);
  normal_free(&g->normal);
  memory_give(g);
}

static bool take_vectors(gauss_newton *g) {
  g->step = memory_take(size_product(g->free, sizeof *g->step));
  g->bend = memory_take(size_product(g->free, sizeof *g->bend));
  g->direction = memory_take(size_product(g->free, sizeof *g->direction));
  g->base = memory_take(size_product(g->size, sizeof *g->base));
  g->kept = memory_take(size_product(g->size, sizeof *g->kept));
  g->inertia = memory_take(size_product(g->free, sizeof *g->inertia));
  g->last = memory_take(size_product(g->size, sizeof *g->last));
  g->kept_last = memory_take(size_product(g->size, sizeof *g->kept_last));
  return g->step && g->bend && g->direction && g->base && g->kept && g->inertia && g->last && g->kept_last;
}

/* Vectors over rows, for as many as there are now. */
static ans_status reserve_rows(ans_context *context, gauss_newton *g) {
  size_t rows = g->optimiser.objective->class->row_count(g->optimiser.objective);
  if (rows <= g->row_room) return ANS_OK;
  memory_give(g->rows), memory_give(g->probed);
  g->rows = memory_take(size_product(rows, sizeof *g->rows));
  g->probed = memory_take(size_product(rows, sizeof *g->probed));
  g->row_room = g->rows && g->probed ? rows : 0;
  return g->row_room ? ANS_OK : context_no_memory(context);
}

/* The start is not found yet, and worth the search. */
static bool is_seeking(const gauss_newton *g) { return !g->hasty && g->optimiser.judged > EASY; }

static ans_status grow(ans_context *context, gauss_newton *g, size_t points) {
  objective *objective = g->optimiser.objective;
  size_t reached = 0;
  TRY(objective->class->grow(context, objective, points, &reached));
  if (reached < points) g->most = reached;
  g->points = reached;
  return reserve_rows(context, g);
}

/* Everything but the memory as at the beginning. */
static ans_status set_out(ans_context *context, gauss_newton *g, objective *objective,
                          const optimiser_settings *settings) {
  gauss_newton old = *g;
  *g = (gauss_newton){.optimiser = {.class = &gauss_newton_class,
                                    .objective = objective,
                                    .rate = settings->rate,
                                    .judged = (double)NAN,
                                    .worst = objective->worst},
                      .normal = old.normal,
                      .threads = settings->threads > 0 ? settings->threads : 1,
                      .hasty = settings->hasty,
                      .enough = settings->enough > 0 ? (size_t)settings->enough : 0,
                      .size = old.size,
                      .free = old.free,
                      .row_room = old.row_room,
                      .least = FLOOR,
                      .rows = old.rows,
                      .probed = old.probed,
                      .step = old.step,
                      .bend = old.bend,
                      .inertia = old.inertia,
                      .direction = old.direction,
                      .base = old.base,
                      .kept = old.kept,
                      .last = old.last,
                      .kept_last = old.kept_last};
  memset(g->last, 0, g->size * sizeof *g->last);
  return grow(context, g, settings->points > FIRST_POINTS ? (size_t)settings->points : FIRST_POINTS);
}

static ans_status newton_restart(ans_context *context, optimiser *optimiser, const optimiser_settings *settings) {
  return set_out(context, of(optimiser), optimiser->objective, settings);
}

static ans_status newton_begin(ans_context *context, objective *objective, const optimiser_settings *settings,
                               optimiser **result) {
  *result = NULL;
  FAIL_IF(!objective->class->rows, context, ANS_ARGUMENT, "Gauss-Newton needs an objective that is a sum of squares");
  gauss_newton *g = memory_take(sizeof *g);
  if (!g) return context_no_memory(context);
  *g = (gauss_newton){.size = objective->unknowns.size, .free = unknown_free_count(&objective->unknowns)};
  ans_status status = take_vectors(g) ? set_out(context, g, objective, settings) : context_no_memory(context);
  if (status == ANS_OK)
    *result = &g->optimiser;
  else
    newton_end(&g->optimiser);
  return status;
}

/* ---- Looking ---------------------------------------------------------------------------------------------- */

static double square(const double *values, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += values[i] * values[i];
  return sum;
}

static ans_status take_rows(ans_context *context, gauss_newton *g, double *loss) {
  assert(g->rows && g->points > 0);
  objective *objective = g->optimiser.objective;
  TRY(objective->class->rows(context, objective, g->rows));
  *loss = square(g->rows, objective->class->row_count(objective));
  return ANS_OK;
}

static bool has_enough(const gauss_newton *g) { return g->enough > 0 && g->points >= g->enough; }

static bool may_grow(const gauss_newton *g) { return g->most == 0 && (!has_enough(g) || g->optimiser.judged > LOST); }

static size_t next_points(const gauss_newton *g) {
  size_t twice = 2 * g->points;
  return !has_enough(g) && g->enough > 0 && twice > g->enough ? g->enough : twice;
}

/* What is judged now cannot be compared with what was before. */
static bool ease(gauss_newton *g) {
  objective *objective = g->optimiser.objective;
  if (g->eased || !objective->class->ease || !objective->class->ease(objective)) return false;
  g->eased = true;
  g->mark = g->gained = 0;
  g->stalled = 0;
  return true;
}

/* A step that gains little although the two losses agree lacks something else: it has to fail, or to go on so, before
 * there are more points. */
static bool has_few_points(const gauss_newton *g, double loss) {
  double judged = g->optimiser.judged;
  if (g->updates == 0) return false;
  return judged > OVERFIT * loss || (judged > HONEST * loss && g->gained > GAIN) || g->gained >= 1 ||
         (g->stalled >= PATIENCE && !has_enough(g));
}

static ans_status newton_look(ans_context *context, optimiser *optimiser, long step, double *loss) {
  (void)step;
  gauss_newton *g = of(optimiser);
  if (g->short_of_memory) return context_no_memory(context);
  TRY(take_rows(context, g, loss));
  if (isnan(optimiser->judged)) optimiser->judged = objective_judge(optimiser->objective);
  if (g->updates == 0) g->easy = fmin(EASY, EASY_PART * optimiser->judged);
  if (optimiser->judged < g->easy && ease(g)) {
    optimiser->judged = objective_judge(optimiser->objective);
    TRY(take_rows(context, g, loss));
  }
  if (has_few_points(g, *loss) && may_grow(g)) {
    TRY(grow(context, g, next_points(g)));
    TRY(take_rows(context, g, loss));
    optimiser->judged = objective_judge(optimiser->objective); /* maybe at more points, too */
    g->stalled = 0;
  }
  g->wanting = optimiser->judged > HONEST * *loss;
  if (optimiser->rate <= 0) optimiser->rate = fmax(START * sqrt(optimiser->judged), g->least);
  if (!isfinite(optimiser->judged)) *loss = optimiser->judged;
  return ANS_OK;
}

/* ---- One step --------------------------------------------------------------------------------------------- */

/* x <- base + length * step + length^2 * bend; returns the judged loss there, infinite when it is not a number. */
static double try_length(gauss_newton *g, double length, bool bent) {
  objective *objective = g->optimiser.objective;
  for (size_t i = 0; i < g->free; i++)
    g->direction[i] = (real)(length * g->step[i] + (bent ? length * length * g->bend[i] : 0));
  objective_scatter(objective, g->base, 1, g->direction, objective->values);
  double judged = objective_judge(objective);
  return isfinite(judged) ? judged : (double)INFINITY;
}

/* step <- d, with or without inertia. `probed` is free here. */
static void propose(gauss_newton *g, bool inert) {
  objective *objective = g->optimiser.objective;
  size_t rows = objective->class->row_count(objective);
  if (!inert) {
    normal_solve(&g->normal, g->rows, g->step);
    return;
  }
  objective_gather(objective, g->last, g->direction);
  for (size_t i = 0; i < g->free; i++) g->inertia[i] = INERTIA * (double)g->direction[i];
  normal_push(&g->normal, g->inertia, g->probed);
  for (size_t i = 0; i < rows; i++) g->probed[i] += g->rows[i];
  normal_solve(&g->normal, g->probed, g->step);
  for (size_t i = 0; i < g->free; i++) g->step[i] += g->inertia[i];
}

/* bend <- d2; false when it is not to be used. */
static ans_status curve(ans_context *context, gauss_newton *g, bool *bent) {
  objective *objective = g->optimiser.objective;
  size_t rows = objective->class->row_count(objective);
  for (size_t i = 0; i < g->free; i++) g->direction[i] = (real)(PROBE * g->step[i]);
  objective_scatter(objective, g->base, 1, g->direction, objective->values);
  TRY(objective->class->rows(context, objective, g->probed));
  normal_push(&g->normal, g->step, g->normal.slopes);
  for (size_t i = 0; i < rows; i++)
    g->probed[i] = 2 / PROBE * ((g->probed[i] - g->rows[i]) / PROBE - g->normal.slopes[i]);
  normal_solve(&g->normal, g->probed, g->bend);
  for (size_t i = 0; i < g->free; i++) g->bend[i] *= 0.5;
  double ratio = 2 * normal_length(&g->normal, g->bend) / normal_length(&g->normal, g->step);
  *bent = ratio < CURVED;
  return ANS_OK;
}

/* The best of the lengths, down to the first that makes it worse again. */
static double best_length(gauss_newton *g, bool bent, double *best) {
  assert(isfinite(g->optimiser.judged));
  double now = g->optimiser.judged, length = 0;
  *best = (double)INFINITY;
  for (int i = 0; i < LENGTHS; i++) {
    double judged = try_length(g, lengths[i], bent);
    if (judged >= *best && isfinite(*best)) break;
    *best = judged;
    length = lengths[i];
    if (judged < GREAT * now) break;
  }
  return length;
}

static void adjust_damping(gauss_newton *g, double length) {
  assert(length > 0 && length <= 1);
  double *damping = &g->optimiser.rate;
  if (length == 1) *damping /= 3;
  if (length < 0.5) *damping *= 2;
  if (*damping < g->least) *damping = g->least;
}

/* Raises the damping until the matrix can be factored; that is its floor from then on. */
static bool factor(gauss_newton *g) {
  double *damping = &g->optimiser.rate;
  for (int i = 0; i < MOST_RAISES; i++) {
    if (normal_factor(&g->normal, *damping)) return true;
    *damping *= 3;
    g->least = *damping;
  }
  return false;
}

static void note_step(gauss_newton *g) {
  const real *now = g->optimiser.objective->values;
  for (size_t i = 0; i < g->size; i++) g->last[i] = now[i] - g->base[i];
}

/* One damping that was tried, and where its best step leads. */
typedef struct trial {
  double damping, length, judged;
  bool inert, bent;
} trial;

/* Length 0: no matrix could be factored. */
static ans_status try_damping(ans_context *context, gauss_newton *g, bool inert, trial *trial) {
  *trial = (struct trial){.inert = inert, .judged = (double)INFINITY};
  if (!factor(g)) return ANS_OK;
  trial->damping = g->optimiser.rate;
  propose(g, inert);
  TRY(curve(context, g, &trial->bent));
  trial->length = best_length(g, trial->bent, &trial->judged);
  return ANS_OK;
}

/* Raises the damping until a step gains enough. While the start is sought, a small gain is taken where more damping
 * gains less; later, only of the last damping: what little is gained then is not worth its steps. */
static ans_status try_dampings(ans_context *context, gauss_newton *g, int tries, trial *best, trial *last) {
  double now = g->optimiser.judged;
  bool seeking = is_seeking(g);
  *best = (trial){.judged = now};
  for (int i = 0; i < tries; i++, g->optimiser.rate *= 10) {
    TRY(try_damping(context, g, i == 0 && g->updates > 0, last));
    bool gains = last->judged < best->judged, enough = last->judged < ENOUGH * now;
    if (last->length == 0 || (!gains && best->length > 0)) return ANS_OK;
    if (gains && (enough || seeking || i == tries - 1)) *best = *last;
    if (enough) return ANS_OK;
  }
  return ANS_OK;
}

/* Moves to the best of a few dampings; stays where it was when none is better. */
static ans_status search(ans_context *context, gauss_newton *g) {
  objective *objective = g->optimiser.objective;
  int tries = may_grow(g) && g->wanting ? FEW_TRIES : is_seeking(g) ? MOST_TRIES : TRIES;
  trial best, last;
  TRY(try_dampings(context, g, tries, &best, &last));
  if (best.length == 0) {
    memcpy(objective->values, g->base, g->size * sizeof *g->base);
  } else {
    g->optimiser.rate = best.damping;
    if (last.damping != best.damping) TRY(try_damping(context, g, best.inert, &best));
    g->optimiser.judged = try_length(g, best.length, best.bent);
    adjust_damping(g, best.length);
  }
  note_step(g);
  return ANS_OK;
}

static bool is_exhausted(const gauss_newton *g) {
  int patience = is_seeking(g) && g->points <= CHEAP_POINTS ? MOST_PATIENCE : PATIENCE;
  return g->updates > 0 && !may_grow(g) && (g->stalled >= patience || g->gained >= 1);
}

/* Many small gains are a gain. */
static void note_gain(gauss_newton *g) {
  double judged = g->optimiser.judged;
  g->stalled++;
  if (g->mark > 0 && !(judged <= GAIN * g->mark)) return;
  g->mark = judged;
  g->stalled = 0;
}

static ans_status newton_step(ans_context *context, optimiser *optimiser) {
  gauss_newton *g = of(optimiser);
  objective *objective = optimiser->objective;
  double before = optimiser->judged, damping = optimiser->rate;
  TRY(normal_reserve(context, &g->normal, (int)objective->class->row_count(objective), (int)g->free, g->threads));
  TRY(objective->class->jacobian(context, objective, g->normal.jacobian));
  memcpy(g->base, objective->values, g->size * sizeof *g->base);
  FAIL_IF(!normal_form(&g->normal), context, ANS_DIVERGED,
          "the derivatives of equation %s are not finite: look at the sizes of coefficients, weights and functions",
          objective->worst);
  optimiser->work += normal_work(&g->normal);
  TRY(search(context, g));
  g->gained = optimiser->judged < before ? optimiser->judged / before : 1;
  note_gain(g);
  /* What little was gained is for want of points, or of precision: a damping raised for it would stay in the way. */
  if (g->gained > (g->wanting ? GAIN : ENOUGH))
    optimiser->rate = fmin(optimiser->rate, may_grow(g) ? damping : 10 * damping);
  g->updates++;
  optimiser->exhausted = is_exhausted(g);
  return ANS_OK;
}

static void newton_refresh(optimiser *optimiser) {
  gauss_newton *g = of(optimiser);
  g->stalled = 0;
  g->mark = 0;
  g->gained = 0;
  g->least = FLOOR;
  optimiser->rate = 0; /* chosen anew: the old one was raised against noise */
  optimiser->exhausted = false;
}

static void newton_soften(optimiser *optimiser) { optimiser->rate *= 10; }

/* ---- Kept state, and files -------------------------------------------------------------------------------- */

static void put_numbers(const gauss_newton *g, double *numbers) {
  numbers[0] = g->optimiser.rate;
  numbers[1] = (double)g->points;
  numbers[2] = (double)g->most;
  numbers[3] = g->stalled;
  numbers[4] = g->gained;
  numbers[5] = g->least;
  numbers[6] = g->mark;
  numbers[7] = g->easy;
  numbers[8] = g->eased;
}

/* Points are never taken back: those of a later state serve an earlier one. */
static void get_numbers(gauss_newton *g, const double *numbers, long updates) {
  ans_context *none = NULL;
  if (numbers[8] > 0) ease(g);
  g->optimiser.rate = numbers[0];
  if ((double)g->points < numbers[1]) g->short_of_memory = grow(none, g, (size_t)numbers[1]) != ANS_OK;
  if (numbers[2] > 0) g->most = g->points;
  g->stalled = (int)numbers[3];
  g->gained = numbers[4];
  g->least = fmax(numbers[5], FLOOR);
  g->mark = numbers[6];
  g->easy = numbers[7];
  g->updates = updates;
  bool stands = g->gained >= 1 || g->stalled >= PATIENCE;
  g->optimiser.judged = stands ? objective_judge(g->optimiser.objective) : (double)NAN;
  g->optimiser.exhausted = stands && is_exhausted(g);
}

static void newton_keep(optimiser *optimiser) {
  assert(optimiser->class == &gauss_newton_class);
  gauss_newton *g = of(optimiser);
  memcpy(g->kept, optimiser->objective->values, g->size * sizeof *g->kept);
  memcpy(g->kept_last, g->last, g->size * sizeof *g->last);
  put_numbers(g, g->kept_numbers);
  g->kept_updates = g->updates;
}

static void newton_back(optimiser *optimiser) {
  gauss_newton *g = of(optimiser);
  memcpy(optimiser->objective->values, g->kept, g->size * sizeof *g->kept);
  memcpy(g->last, g->kept_last, g->size * sizeof *g->last);
  get_numbers(g, g->kept_numbers, g->kept_updates);
}

static void newton_store(const optimiser *optimiser, bool kept, optimiser_state *state) {
  const gauss_newton *g = (const gauss_newton *)optimiser;
  const real *values = kept ? g->kept : optimiser->objective->values, *last = kept ? g->kept_last : g->last;
  for (size_t i = 0; state->unknowns && i < g->size; i++) state->unknowns[i] = (double)values[i];
  for (size_t i = 0; state->blocks[0] && i < g->size; i++) state->blocks[0][i] = (double)last[i];
  if (kept)
    memcpy(state->numbers, g->kept_numbers, sizeof state->numbers);
  else
    put_numbers(g, state->numbers);
  state->updates = kept ? g->kept_updates : g->updates;
}

static void newton_load(optimiser *optimiser, const optimiser_state *state) {
  gauss_newton *g = of(optimiser);
  if (state->unknowns) objective_import(optimiser->objective, state->unknowns);
  for (size_t i = 0; i < g->size; i++) g->last[i] = state->blocks[0] ? (real)state->blocks[0][i] : REAL(0.0);
  get_numbers(g, state->numbers, state->updates);
}

const optimiser_class gauss_newton_class = {
    .name = "gauss_newton",
    .blocks = {"last_step"},
    .numbers = {"damping", "points", "most", "stalled", "gained", "least", "mark", "easy", "eased"},
    .begin = newton_begin,
    .end = newton_end,
    .restart = newton_restart,
    .look = newton_look,
    .step = newton_step,
    .soften = newton_soften,
    .refresh = newton_refresh,
    .keep = newton_keep,
    .back = newton_back,
    .store = newton_store,
    .load = newton_load};
