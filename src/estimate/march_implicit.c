/* SPDX-License-Identifier: Apache-2.0
 *
 * march_implicit.c - see march.h. RODAS (Hairer and Wanner, Solving Ordinary Differential Equations II, IV.7): six
 * stages, order four with an embedded three, L-stable, exact at the end of a step for algebraic rows. With
 * W = M/(h gamma) - J a stage is
 *
 *   W k_i = F(t + alpha_i h, y + sum A_ij k_j) + M sum C_ij k_j / h + gamma_i h F_t
 */
#include <math.h>
#include <string.h>

#include "estimate/march.h"

enum { STAGES = 6 };

static const double GAMMA = 0.25;
static const double ALPHA[STAGES] = {0, 0.386, 0.21, 0.63, 1, 1};
static const double SLOPE[STAGES] = {0.25, -0.1043, 0.1035, -0.0362, 0, 0};
static const double A[STAGES][STAGES] = {
    {0},
    {1.544},
    {0.9466785280815826, 0.2557011698983284},
    {3.314825187068521, 2.896124015972201, 0.9986419139977817},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1}};
static const double C[STAGES][STAGES] = {
    {0},
    {-5.6688},
    {-2.430093356833875, -0.2063599157091915},
    {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
    {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
    {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054}};

typedef struct stepper {
  march *march;
  defect *defect;
  int size;
  defect_base base;
  matrix jacobian, matrix;
  double *y, *stage, *slope, *value, *k[STAGES]; /* [size] each */
  double sizes[DEFECT_MAX_COMPONENTS];           /* largest of each component so far */
  double first[DEFECT_MAX_COMPONENTS];           /* of network and error together, at the beginning */
} stepper;

static ans_status prepare(ans_context *context, arena *arena, stepper *s) {
  size_t n = (size_t)s->size;
  bool enough = true;
  TRY(defect_base_new(context, arena, s->defect, &s->base));
  double **const arrays[] = {&s->y, &s->stage, &s->slope, &s->value};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    *arrays[i] = arena_array(arena, double, n);
    enough = enough && *arrays[i];
  }
  for (int i = 0; i < STAGES; i++) {
    s->k[i] = arena_array(arena, double, n);
    enough = enough && s->k[i];
  }
  TRY(matrix_new(context, arena, s->defect->mesh, s->defect->component_count, &s->jacobian));
  TRY(matrix_new(context, arena, s->defect->mesh, s->defect->component_count, &s->matrix));
  return enough ? ANS_OK : context_no_memory(context);
}

static double component_size(const stepper *s, int component, const double *values) {
  double most = 0;
  int n = s->defect->mesh->nodes;
  for (int j = 0; j < n; j++) most = fmax(most, fabs(values[component * n + j]));
  return most;
}

static bool all_finite(const stepper *s, const double *values) {
  for (int i = 0; i < s->size; i++)
    if (!(fabs(values[i]) < 1e100)) return false;
  return true;
}

/* ---- Algebraic rows ---------------------------------------------------------------------------------- */

/* Solves for the correction of the algebraic rows: identity in the others. */
static bool newton_step(stepper *s, double t, double *correction) {
  defect_rows(s->defect, t, &s->base, s->y, correction);
  defect_jacobian(s->defect, t, &s->base, s->y, &s->matrix);
  for (int i = 0; i < s->size; i++) {
    correction[i] = s->defect->differential[i] ? 0 : -correction[i];
    if (!s->defect->differential[i]) continue;
    matrix_clear_row(&s->matrix, i);
    *matrix_entry(&s->matrix, i, i) = 1;
  }
  if (!all_finite(s, correction) || !matrix_factor(&s->matrix)) return false;
  matrix_solve(&s->matrix, correction);
  return true;
}

/* The largest change of a component beside its own size and, a little, beside that of the whole field. */
static double relative_change(const stepper *s, const double *correction) {
  double most = 0;
  for (int c = 0; c < s->defect->component_count; c++) {
    double change = component_size(s, c, correction), size = component_size(s, c, s->y);
    int slot = defect_slot_of(s->defect, c, 0);
    double field = component_size(s, 0, s->base.slots + (size_t)(slot * s->defect->mesh->nodes));
    if (change > 0) most = fmax(most, change / (size + 1e-6 * field + 1e-290));
  }
  return most;
}

static march_outcome settle(stepper *s, double t) {
  enum { MOST = 40 };
  double before = INFINITY, share = 1;
  for (int i = 0; i < MOST; i++) {
    if (!newton_step(s, t, s->stage)) return MARCH_SINGULAR;
    double change = relative_change(s, s->stage);
    if (!isfinite(change)) return MARCH_BLOWN;
    share = change > before && i > 1 ? fmax(share / 2, 1.0 / 64) : fmin(2 * share, 1);
    for (int j = 0; j < s->size; j++) s->y[j] += share * s->stage[j];
    if (change < 1e-8) return MARCH_DONE;
    before = change;
  }
  return before < 1e-5 ? MARCH_DONE : MARCH_STUCK;
}

/* ---- A step ------------------------------------------------------------------------------------------ */

/* dF/dt by a difference inside the interval of time. */
static void fill_slope(stepper *s, double t) {
  double span = s->defect->end - s->defect->begin;
  double aside = t + 1e-7 * span <= s->defect->end ? 1e-7 * span : -1e-7 * span;
  sample_at(s->march->sample, t + aside, &s->base);
  defect_rows(s->defect, t + aside, &s->base, s->y, s->slope);
  for (int i = 0; i < s->size; i++) s->slope[i] = (s->slope[i] - s->value[i]) / aside;
}

static void begin_step(stepper *s, double t) {
  sample_at(s->march->sample, t, &s->base);
  defect_rows(s->defect, t, &s->base, s->y, s->value);
  defect_jacobian(s->defect, t, &s->base, s->y, &s->jacobian);
  fill_slope(s, t);
}

static void take_stage(stepper *s, double t, double h, int i) {
  for (int j = 0; j < s->size; j++) {
    double sum = s->y[j];
    for (int l = 0; l < i; l++) sum += A[i][l] * s->k[l][j];
    s->stage[j] = sum;
  }
  if (i > 0) {
    sample_at(s->march->sample, t + ALPHA[i] * h, &s->base);
    defect_rows(s->defect, t + ALPHA[i] * h, &s->base, s->stage, s->k[i]);
  } else {
    memcpy(s->k[0], s->value, (size_t)s->size * sizeof *s->value);
  }
  for (int j = 0; j < s->size; j++) {
    double sum = 0;
    for (int l = 0; l < i && s->defect->differential[j]; l++) sum += C[i][l] * s->k[l][j];
    s->k[i][j] += sum / h + SLOPE[i] * h * s->slope[j];
  }
  matrix_solve(&s->matrix, s->k[i]);
}

/* The error of the step beside the tolerance; not finite when the step failed. Leaves the new state in `stage`. */
static double try_step(stepper *s, double t, double h) {
  size_t n = (size_t)s->size;
  matrix_negate(&s->jacobian, &s->matrix);
  for (int i = 0; i < s->size; i++)
    if (s->defect->differential[i]) *matrix_entry(&s->matrix, i, i) += 1 / (GAMMA * h);
  if (!matrix_factor(&s->matrix)) return INFINITY;
  for (int i = 0; i < STAGES; i++) take_stage(s, t, h, i);
  for (size_t i = 0; i < n; i++) s->stage[i] += s->k[STAGES - 1][i];
  if (!all_finite(s, s->stage)) return INFINITY;
  double error = 0;
  for (int c = 0; c < s->defect->component_count; c++) {
    double size = fmax(s->sizes[c], component_size(s, c, s->stage));
    error = fmax(error, component_size(s, c, s->k[STAGES - 1]) / (s->march->tolerance * size + 1e-290));
  }
  return error;
}

static void accept(stepper *s) {
  memcpy(s->y, s->stage, (size_t)s->size * sizeof *s->y);
  for (int c = 0; c < s->defect->component_count; c++) s->sizes[c] = fmax(s->sizes[c], component_size(s, c, s->y));
}

/* ---- Through time ------------------------------------------------------------------------------------ */

/* Below a billionth of the field the error is not followed. */
static void begin_sizes(stepper *s) {
  int n = s->defect->mesh->nodes;
  for (int c = 0; c < s->defect->component_count; c++) {
    int slot = defect_slot_of(s->defect, c, 0);
    double error = component_size(s, c, s->y), field = component_size(s, 0, s->base.slots + (size_t)(slot * n));
    s->sizes[c] = fmax(error, 1e-9 * field);
    s->first[c] = error + field;
  }
}

/* Steps that shrink for ever while a component grows have met a pole, not stiffness. */
static march_outcome out_of_steps(const stepper *s) {
  for (int c = 0; c < s->defect->component_count; c++)
    if (s->first[c] > 0 && s->sizes[c] > 10 * s->first[c]) return MARCH_BLOWN;
  return MARCH_STEPS;
}

/* From one time of the history to the next. *step: the length to try first, and then to go on with. */
static march_outcome cross(stepper *s, double t, double end, double *step) {
  double span = s->defect->end - s->defect->begin;
  bool fresh = true;
  while (end - t > 1e-12 * span) {
    double h = fmin(*step, end - t);
    if (s->march->taken++ >= s->march->most_steps) return out_of_steps(s);
    if (fresh) begin_step(s, t);
    double error = try_step(s, t, h);
    double factor = isfinite(error) ? fmin(5, fmax(0.2, 0.9 * pow(error + 1e-10, -0.25))) : 0.1;
    fresh = error <= 1;
    if (fresh) {
      accept(s);
      t += h;
      s->march->reached = t;
      if (h < *step && factor > 1) continue; /* a short step before a time of the history says little of the next */
    } else if (h < 1e-13 * span) {
      return MARCH_BLOWN;
    }
    *step = h * factor;
  }
  return MARCH_DONE;
}

static march_outcome run(stepper *s) {
  march *m = s->march;
  double span = s->defect->end - s->defect->begin, step = span * 1e-3;
  sample_at(m->sample, s->defect->begin, &s->base);
  if (m->start)
    memcpy(s->y, m->start, (size_t)s->size * sizeof *s->y);
  else
    defect_start(s->defect, &s->base, s->y);
  march_outcome outcome = s->defect->algebraic ? settle(s, s->defect->begin) : MARCH_DONE;
  begin_sizes(s);
  for (int k = 0; k < m->times->nodes && outcome == MARCH_DONE; k++) {
    if (k > 0) outcome = cross(s, m->times->places[k - 1], m->times->places[k], &step);
    memcpy(march_level(m, k), s->y, (size_t)s->size * sizeof *s->y);
  }
  return outcome;
}

ans_status march_implicit(ans_context *context, march *m, march_outcome *outcome) {
  arena *arena;
  TRY(arena_new(context, &arena));
  stepper s = {.march = m, .defect = m->defect, .size = m->defect->size};
  m->taken = 0;
  ans_status status = prepare(context, arena, &s);
  if (status == ANS_OK) *outcome = run(&s);
  arena_free(arena);
  return status;
}

ans_status march_settle(ans_context *context, march *m, const defect_base *base, double t, double *values,
                        march_outcome *outcome) {
  arena *arena;
  TRY(arena_new(context, &arena));
  stepper s = {.march = m, .defect = m->defect, .size = m->defect->size};
  ans_status status = prepare(context, arena, &s);
  if (status == ANS_OK) {
    s.base = *base;
    memcpy(s.y, values, (size_t)s.size * sizeof *values);
    *outcome = settle(&s, t);
    memcpy(values, s.y, (size_t)s.size * sizeof *values);
  }
  arena_free(arena);
  return status;
}
