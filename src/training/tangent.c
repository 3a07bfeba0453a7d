/* SPDX-License-Identifier: Apache-2.0 */
#include "training/tangent.h"

#include <math.h>
#include <string.h>

#include "training/adaptation.h"
#include "training/normal.h"

enum { TIMES = 4, TRIES = 8 };
#if ANS_PRECISION == 32
static const double DAMPING = 3e-5;
#else
static const double DAMPING = 1e-9;
#endif

typedef struct tangent {
  normal normal;
  size_t rows, free;
  double *change, *left; /* [rows] */
  double *step, *sum;    /* [free] */
  real *direction, *all; /* [free], [unknowns] */
} tangent;

static ans_status take(ans_context *context, const objective *objective, int threads, tangent *t) {
  t->rows = objective->class->row_count(objective);
  t->free = unknown_free_count(&objective->unknowns);
  t->change = memory_take(size_product(t->rows, sizeof *t->change));
  t->left = memory_take(size_product(t->rows, sizeof *t->left));
  t->step = memory_take(size_product(t->free, sizeof *t->step));
  t->sum = memory_take(size_product(t->free, sizeof *t->sum));
  t->direction = memory_take(size_product(t->free, sizeof *t->direction));
  t->all = memory_take(size_product(objective->unknowns.size, sizeof *t->all));
  if (!t->change || !t->left || !t->step || !t->sum || !t->direction || !t->all) return context_no_memory(context);
  return normal_reserve(context, &t->normal, (int)t->rows, (int)t->free, threads);
}

static void drop(tangent *t) {
  void *blocks[] = {t->change, t->left, t->step, t->sum, t->direction, t->all};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) memory_give(blocks[i]);
  normal_free(&t->normal);
}

static ans_status factor(ans_context *context, objective *objective, tangent *t) {
  TRY(objective->class->jacobian(context, objective, t->normal.jacobian));
  bool good = normal_form(&t->normal);
  double damping = DAMPING;
  for (int i = 0; good && i < TRIES; i++, damping *= 10)
    if (normal_factor(&t->normal, damping)) return ANS_OK;
  FAIL(context, ANS_DIVERGED, "the derivatives of equation %s have no usable inverse", objective->worst);
}

/* change <- how the rows change with change number `index`. */
static ans_status take_change(ans_context *context, objective *objective, const tangent_changes *changes, int index,
                              tangent *t) {
  TRY(adaptation_retarget(context, objective, changes->above[index]));
  TRY(objective->class->rows(context, objective, t->change));
  TRY(adaptation_retarget(context, objective, changes->below[index]));
  TRY(objective->class->rows(context, objective, t->left));
  for (size_t i = 0; i < t->rows; i++) t->change[i] = (t->change[i] - t->left[i]) / changes->distances[index];
  return ANS_OK;
}

/* left <- what the direction so far leaves of the change; its square. */
static double measure(tangent *t) {
  double square = 0;
  normal_push(&t->normal, t->sum, t->left);
  for (size_t i = 0; i < t->rows; i++) {
    t->left[i] += t->change[i];
    square += t->left[i] * t->left[i];
  }
  return square;
}

/* Each time what is left is followed, as long as that makes it smaller: a factor in float may be too rough for more. */
static ans_status follow(ans_context *context, const objective *objective, tangent *t, double *direction) {
  memset(t->sum, 0, t->free * sizeof *t->sum);
  double before = measure(t), now;
  for (int n = 0; n < TIMES; n++, before = now) {
    normal_solve(&t->normal, t->left, t->step);
    for (size_t i = 0; i < t->free; i++) t->sum[i] += t->step[i];
    now = measure(t);
    if (now < before) continue;
    for (size_t i = 0; i < t->free; i++) t->sum[i] -= t->step[i];
    break;
  }
  for (size_t i = 0; i < t->free; i++) {
    t->direction[i] = (real)t->sum[i];
    FAIL_IF(!isfinite(t->sum[i]), context, ANS_DIVERGED,
            "the change of equation %s with its coefficients is not finite", objective->worst);
  }
  memset(t->all, 0, objective->unknowns.size * sizeof *t->all);
  objective_scatter(objective, t->all, 1, t->direction, t->all);
  for (size_t i = 0; i < objective->unknowns.size; i++) direction[i] = (double)t->all[i];
  return ANS_OK;
}

static ans_status solve(ans_context *context, objective *objective, const tangent_changes *changes, tangent *t,
                        double *directions) {
  TRY(factor(context, objective, t));
  for (int i = 0; i < changes->count; i++) {
    TRY(take_change(context, objective, changes, i, t));
    TRY(follow(context, objective, t, directions + (size_t)i * objective->unknowns.size));
  }
  return ANS_OK;
}

ans_status tangent_solve(ans_context *context, objective *objective, const tangent_changes *changes, int threads,
                         double *directions) {
  tangent t = {0};
  ans_status status = take(context, objective, threads, &t);
  if (status == ANS_OK) status = solve(context, objective, changes, &t, directions);
  ans_status back = adaptation_retarget(context, objective, changes->present);
  drop(&t);
  return status == ANS_OK ? back : status;
}
