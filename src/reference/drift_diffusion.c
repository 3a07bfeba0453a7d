/* SPDX-License-Identifier: Apache-2.0
 *
 * drift_diffusion.c - Scharfetter-Gummel finite volumes, backward Euler, Gummel sweeps.
 *
 * Nodes x_j = low + j h; the volume of node j reaches half a cell to either side. Between nodes the flux of
 * -d n_x + m n p_x is that of constant flux and field,
 *   J = d/h (B(-w) n_j - B(w) n_{j+1}),   w = m (p_{j+1} - p_j)/d,   B(w) = w/(e^w - 1),
 * which keeps densities positive for any w. One sweep solves Poisson's equation for the potential, then the
 * implicit transport step for the density. Poisson's equation anticipates the transport that the change of
 * potential will cause (dn = -dt m (n (p' - p)_x)_x): the converged step is that of backward Euler, and steps longer
 * than the dielectric relaxation time stay stable.
 */
#include "reference/drift_diffusion.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SOURCE_SAMPLES = 64, MAX_CELLS = 1 << 14, MAX_STEPS_IN_ALL = 50 * 1000 * 1000, MAX_VALUES = 1 << 26 };

typedef struct drift {
  const drift_model *model;
  drift_settings settings;
  arena *arena;
  double low, h, period, begin;
  double *x;                   /* [nodes] */
  double *density, *potential; /* the state */
  double *before;              /* density at the step's beginning */
  double *production, *background;
  bool production_moves, background_moves;  /* with time */
  double *lower, *diagonal, *upper, *right; /* of the tridiagonal systems */
  double *rate_out, *rate_in;               /* per face j+1/2: J = rate_out[j] n_j - rate_in[j] n_{j+1} */
  double *first_density, *first_potential;  /* when the last period began */
} drift;

/* w/(e^w - 1); near zero by its series, whose next term is below rounding there. */
static double bernoulli(double w) {
  if (fabs(w) > 0.1) return w / (exp(w) - 1);
  double v = w * w;
  return 1 - w / 2 + v * (1.0 / 12 - v * (1.0 / 720 - v * (1.0 / 30240 - v / 1209600)));
}

/* Overwrites `right` with the solution of the tridiagonal system over entries 1 .. n-2 of the arrays; the diagonal
 * ends as the reciprocals of the pivots, so that each row divides once. */
static void solve_tridiagonal(int n, const double *lower, double *diagonal, const double *upper, double *right) {
  diagonal[1] = 1 / diagonal[1];
  for (int j = 2; j < n - 1; j++) {
    double factor = lower[j] * diagonal[j - 1];
    diagonal[j] = 1 / (diagonal[j] - factor * upper[j - 1]);
    right[j] -= factor * right[j - 1];
  }
  right[n - 2] *= diagonal[n - 2];
  for (int j = n - 3; j > 0; j--) right[j] = (right[j] - upper[j] * right[j + 1]) * diagonal[j];
}

/* ---- Sources and walls ------------------------------------------------------------------------------- */

static double expression_at(const drift *d, const expression *expression, double x, double t) {
  const ans_problem *problem = d->model->instance->problem;
  double place[SYSTEM_MAX_COORDINATES] = {0};
  place[d->model->coordinate] = x;
  place[problem->time] = t;
  return expression_value(expression, d->model->instance->values, place, 0);
}

/* Mean over the volume of each node by the midpoint rule: a jump at a node counts half. */
static void average_sources(const drift *d, int count, const drift_source *sources, double t, double *result) {
  for (int j = 0; j <= d->settings.cells; j++) {
    result[j] = 0;
    for (int i = 0; i < count; i++) {
      double sum = 0;
      for (int s = 0; sources[i].source && s < SOURCE_SAMPLES; s++)
        sum += expression_at(d, sources[i].source, d->x[j] + d->h * ((s + 0.5) / SOURCE_SAMPLES - 0.5), t);
      result[j] += sources[i].coefficient * (sources[i].source ? sum / SOURCE_SAMPLES : 1);
    }
  }
}

static bool uses_time(const drift *d, int count, const drift_source *sources) {
  for (int i = 0; i < count; i++)
    if (sources[i].source &&
        expression_uses_index(sources[i].source, EXPRESSION_COORDINATE, d->model->instance->problem->time))
      return true;
  return false;
}

static void set_sources(drift *d, double t, bool first) {
  const drift_model *m = d->model;
  if (first || d->production_moves) average_sources(d, m->production_count, m->production, t, d->production);
  if (first || d->background_moves) average_sources(d, m->background_count, m->background, t, d->background);
}

static void set_walls(const drift *d, int which, double t, double *values) {
  int last = d->settings.cells;
  values[0] = expression_at(d, d->model->walls[which][0], d->x[0], t);
  values[last] = expression_at(d, d->model->walls[which][1], d->x[last], t);
}

/* ---- One step ---------------------------------------------------------------------------------------- */

/* p_xx = response n + background; with dt > 0, n is corrected by the transport that the change of p causes. */
static void solve_poisson(drift *d, double t, double dt, double *potential) {
  int n = d->settings.cells + 1;
  double h2 = d->h * d->h, anticipation = fmax(0.5 * dt * d->model->mobility * d->model->response, 0);
  double wall_low = potential[0], wall_high = potential[n - 1];
  set_walls(d, 1, t, potential);
  for (int j = 1; j < n - 1; j++) {
    double left = anticipation * (d->density[j - 1] + d->density[j]),
           right = anticipation * (d->density[j] + d->density[j + 1]);
    double before_left = j == 1 ? wall_low : potential[j - 1], before_right = j == n - 2 ? wall_high : potential[j + 1];
    d->lower[j] = 1 + left;
    d->upper[j] = 1 + right;
    d->diagonal[j] = -(2 + left + right);
    d->right[j] = h2 * (d->model->response * d->density[j] + d->background[j]) + right * (before_right - potential[j]) -
                  left * (potential[j] - before_left);
  }
  d->right[1] -= d->lower[1] * potential[0];
  d->right[n - 2] -= d->upper[n - 2] * potential[n - 1];
  solve_tridiagonal(n, d->lower, d->diagonal, d->upper, d->right);
  memcpy(potential + 1, d->right + 1, (size_t)(n - 2) * sizeof *potential);
}

static void set_fluxes(drift *d) {
  double scale = d->model->diffusion / d->h, drift_scale = d->model->mobility / d->model->diffusion;
  for (int j = 0; j < d->settings.cells; j++) {
    double w = drift_scale * (d->potential[j + 1] - d->potential[j]), b = bernoulli(w);
    d->rate_in[j] = scale * b;
    d->rate_out[j] = scale * (b + w); /* B(-w) = B(w) + w */
  }
}

static void solve_transport(drift *d, double t, double dt) {
  int n = d->settings.cells + 1;
  double ratio = dt / d->h;
  set_fluxes(d);
  set_walls(d, 0, t, d->density);
  for (int j = 1; j < n - 1; j++) {
    d->lower[j] = -ratio * d->rate_out[j - 1];
    d->upper[j] = -ratio * d->rate_in[j];
    d->diagonal[j] = 1 + ratio * (d->rate_out[j] + d->rate_in[j - 1]);
    d->right[j] = d->before[j] + dt * d->production[j];
  }
  d->right[1] -= d->lower[1] * d->density[0];
  d->right[n - 2] -= d->upper[n - 2] * d->density[n - 1];
  solve_tridiagonal(n, d->lower, d->diagonal, d->upper, d->right);
  memcpy(d->density + 1, d->right + 1, (size_t)(n - 2) * sizeof *d->density);
}

static void step(drift *d, double t, double dt) {
  set_sources(d, t, false);
  memcpy(d->before, d->density, (size_t)(d->settings.cells + 1) * sizeof *d->before);
  for (int sweep = 0; sweep < d->settings.sweeps; sweep++) {
    solve_poisson(d, t, dt, d->potential);
    solve_transport(d, t, dt);
  }
}

static double outflow(const drift *d) {
  int last = d->settings.cells;
  double high = d->rate_out[last - 1] * d->density[last - 1] - d->rate_in[last - 1] * d->density[last];
  return high - (d->rate_out[0] * d->density[0] - d->rate_in[0] * d->density[1]);
}

static double produced(const drift *d) {
  double sum = 0;
  for (int j = 1; j < d->settings.cells; j++) sum += d->h * d->production[j];
  return sum;
}

/* ---- Periods ----------------------------------------------------------------------------------------- */

/* Neutral inside: the density that leaves the potential straight. */
static void start(drift *d) {
  int last = d->settings.cells;
  set_sources(d, d->begin, true);
  for (int j = 0; j <= last; j++) d->density[j] = fmax(-d->background[j] / d->model->response, 0);
  set_walls(d, 0, d->begin, d->density);
  solve_poisson(d, d->begin, 0, d->potential);
}

/* The stored potential belongs to the stored density exactly, without the sweep's anticipation. */
static void store(drift *d, double t, int level, ans_solution *solution) {
  size_t nodes = (size_t)d->settings.cells + 1;
  double *potential = solution->values[d->model->potential] + (size_t)level * nodes;
  memcpy(solution->values[d->model->density] + (size_t)level * nodes, d->density, nodes * sizeof *d->density);
  solve_poisson(d, t, 0, potential);
}

static double relative_change(const double *now, const double *then, int count) {
  double change = 0, size = 0;
  for (int j = 0; j < count; j++) {
    change += (now[j] - then[j]) * (now[j] - then[j]);
    size += then[j] * then[j];
  }
  return size > 0 ? sqrt(change / size) : sqrt(change);
}

static ans_status check_state(ans_context *context, const drift *d, int period) {
  for (int j = 0; j <= d->settings.cells; j++)
    FAIL_IF(!isfinite(d->density[j]) || !isfinite(d->potential[j]), context, ANS_DIVERGED,
            "drift_diffusion diverged in period %d: %s is not finite at node %d", period + 1,
            d->model->instance->problem->fields[isfinite(d->density[j]) ? d->model->potential : d->model->density].name,
            j);
  return ANS_OK;
}

static ans_status march(ans_context *context, drift *d, ans_solution *solution, drift_outcome *outcome) {
  int steps = d->settings.steps, every = steps / d->settings.times, nodes = d->settings.cells + 1;
  double dt = d->period / steps, out = 0, in = 0;
  assert(every > 0);
  start(d);
  for (int period = 0; period < d->settings.periods; period++) {
    bool last = period + 1 == d->settings.periods;
    if (last) {
      memcpy(d->first_density, d->density, (size_t)nodes * sizeof(double));
      memcpy(d->first_potential, d->potential, (size_t)nodes * sizeof(double));
    }
    for (int k = 0; k < steps; k++) {
      if (last && k % every == 0) store(d, d->begin + k * dt, k / every, solution);
      step(d, d->begin + (k + 1) * dt, dt);
      if (last) out += dt * outflow(d), in += dt * produced(d);
    }
    TRY(check_state(context, d, period));
  }
  outcome->steps = (long)steps * d->settings.periods;
  outcome->periodicity = fmax(relative_change(d->density, d->first_density, nodes),
                              relative_change(d->potential, d->first_potential, nodes));
  outcome->balance = fabs(out - in) / fmax(fabs(in), 1e-300);
  return ANS_OK;
}

static bool take(drift *d) {
  double **arrays[] = {&d->x,          &d->density, &d->potential,     &d->before,         &d->production,
                       &d->background, &d->lower,   &d->diagonal,      &d->upper,          &d->right,
                       &d->rate_out,   &d->rate_in, &d->first_density, &d->first_potential};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    *arrays[i] = arena_array(d->arena, double, (size_t)d->settings.cells + 1);
    if (!*arrays[i]) return false;
  }
  return true;
}

static ans_status new_solution(ans_context *context, const drift *d, ans_solution **result) {
  drift_settings s = d->settings;
  int sizes[2] = {s.times, s.cells + 1};
  double *times = arena_array(d->arena, double, (size_t)s.times);
  if (!times) return context_no_memory(context);
  for (int k = 0; k < s.times; k++) times[k] = d->begin + d->period * k / s.times;
  const double *axes[2] = {times, d->x};
  char settings[200];
  snprintf(settings, sizeof settings,
           "reference drift-diffusion, cells %d, times %d, steps per period %d, periods %d, sweeps %d", s.cells,
           s.times, s.steps, s.periods, s.sweeps);
  return solution_new(context, d->model->instance->problem, sizes, axes, settings, result);
}

static ans_status run(ans_context *context, drift *d, ans_solution **result, drift_outcome *outcome) {
  if (!take(d)) return context_no_memory(context);
  for (int j = 0; j <= d->settings.cells; j++) d->x[j] = d->low + d->h * j;
  d->production_moves = uses_time(d, d->model->production_count, d->model->production);
  d->background_moves = uses_time(d, d->model->background_count, d->model->background);
  ans_solution *solution = NULL;
  TRY(new_solution(context, d, &solution));
  ans_status status = march(context, d, solution, outcome);
  if (status == ANS_OK)
    *result = solution;
  else
    solution_free(solution);
  return status;
}

ans_status drift_solve(ans_context *context, const drift_model *model, drift_settings settings, ans_solution **result,
                       drift_outcome *outcome) {
  *result = NULL;
  const ans_problem *problem = model->instance->problem;
  const system_coordinate *along = &problem->coordinates[model->coordinate],
                          *time = &problem->coordinates[problem->time];
  FAIL_IF(settings.cells < 8 || settings.cells > MAX_CELLS, context, ANS_ARGUMENT,
          "drift_diffusion needs 8 to %d cells, not %d", MAX_CELLS, settings.cells);
  FAIL_IF(settings.times < 1 || settings.steps < settings.times || settings.steps % settings.times != 0, context,
          ANS_ARGUMENT, "%d steps per period are not a multiple of %d stored times", settings.steps, settings.times);
  FAIL_IF((double)settings.cells * settings.times > MAX_VALUES, context, ANS_ARGUMENT,
          "%d cells at %d times are more than a reference keeps", settings.cells, settings.times);
  FAIL_IF((double)settings.steps * settings.periods > MAX_STEPS_IN_ALL, context, ANS_ARGUMENT,
          "more than %d steps in all", MAX_STEPS_IN_ALL);
  drift d = {.model = model,
             .settings = settings,
             .low = along->low,
             .h = (along->high - along->low) / settings.cells,
             .begin = time->low,
             .period = time->high - time->low};
  TRY(arena_new(context, &d.arena));
  ans_status status = run(context, &d, result, outcome);
  arena_free(d.arena);
  return status;
}

double drift_difference(const ans_solution *fine, const ans_solution *coarse) {
  double worst = 0;
  size_t fine_nodes = (size_t)fine->axis_sizes[1], nodes = (size_t)coarse->axis_sizes[1];
  for (int f = 0; f < coarse->field_count; f++) {
    double difference = 0, size = 0;
    for (size_t k = 0; k < (size_t)coarse->axis_sizes[0]; k++)
      for (size_t j = 0; j < nodes; j++) {
        double exact = fine->values[f][k * fine_nodes + 2 * j], change = coarse->values[f][k * nodes + j] - exact;
        difference += change * change;
        size += exact * exact;
      }
    worst = fmax(worst, size > 0 ? sqrt(difference / size) : sqrt(difference));
  }
  return worst;
}
