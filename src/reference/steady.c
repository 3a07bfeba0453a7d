/* SPDX-License-Identifier: Apache-2.0
 *
 * steady.c - f(y) = 0 with f' = J: (I - gamma J) d = gamma f for a large gamma is Newton's correction but for a part
 * 1/(gamma J). A correction is shortened until the next one, with the same matrix, is smaller: this test does not
 * depend on the units of equations or unknowns (Deuflhard, Newton Methods for Nonlinear Problems).
 */
#include "reference/steady.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 200, MOST_HALVINGS = 30 };

/* Corrections below the first part of the state are rounding; where they stop falling below the second, so be it. */
static const double DONE = 1e-13, GOOD = 1e-8;

static double norm(const double *values, int count) {
  double most = 0, sum = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(values[i]));
  for (int i = 0; most > 0 && i < count; i++) sum += values[i] / most * (values[i] / most);
  return most * sqrt(sum);
}

/* So large that I is nothing beside gamma J, and no larger: the products must not overflow. */
static double choose_gamma(lines *lines, const double *state, double *probe, double *image) {
  for (int i = 0; i < lines->size; i++) probe[i] = i % 2 ? 1 : -1;
  lines_linearise(lines, lines->begin, state);
  lines_product(lines, probe, image);
  double size = norm(image, lines->size) / norm(probe, lines->size);
  return size > 0 && isfinite(size) ? 1e14 / size : 1;
}

static bool correction(lines *lines, preconditioner *preconditioner, double gamma, const double *state,
                       double *result) {
  if (!lines_right_side(lines, lines->begin, state, result)) return false;
  for (int i = 0; i < lines->size; i++) result[i] *= gamma;
  preconditioner->apply(preconditioner, result, result);
  return true;
}

/* One step; *before is the size of the correction, *after of the next one. */
static bool advance(lines *lines, preconditioner *preconditioner, double *state, double *work, double *before,
                    double *after) {
  int n = lines->size;
  double *step = work, *trial = work + n, *next = work + 2 * (size_t)n;
  double gamma = choose_gamma(lines, state, step, next);
  if (!preconditioner->factorise(preconditioner, gamma)) return false;
  if (!correction(lines, preconditioner, gamma, state, step)) return false;
  *before = norm(step, n);
  if (!isfinite(*before)) return false;
  double part = 1;
  for (int halving = 0; halving < MOST_HALVINGS; halving++, part /= 2) {
    for (int i = 0; i < n; i++) trial[i] = state[i] + part * step[i];
    if (!correction(lines, preconditioner, gamma, trial, next)) continue;
    *after = norm(next, n);
    if (*after <= (1 - part / 4) * *before || *after <= DONE * norm(trial, n)) {
      memcpy(state, trial, (size_t)n * sizeof *state);
      return true;
    }
  }
  return false;
}

ans_status steady_solve(ans_context *context, lines *lines, preconditioner *preconditioner, double *state, double *work,
                        long *steps) {
  double before = INFINITY, after = INFINITY;
  for (*steps = 0; *steps < MOST_STEPS; ++*steps) {
    bool better = advance(lines, preconditioner, state, work, &before, &after);
    double size = norm(state, lines->size);
    if (better && after <= DONE * size) return ANS_OK;
    if (!better && before <= GOOD * size) return ANS_OK;
    if (!better) break;
  }
  FAIL(context, ANS_DIVERGED,
       "Newton's method found no solution from zero in %ld steps: its last correction is %.1e times the solution",
       *steps, before / fmax(norm(state, lines->size), 1e-300));
}
