/* SPDX-License-Identifier: Apache-2.0
 *
 * solve_parts.c - how well each equation and each condition holds, beside the size of what stands in it.
 *
 * A residual of 5e2 or of 1e-6 means nothing by itself. Of an equation we take the root mean square of its residual
 * over that of its largest term; of a condition that is not built into its field, the root mean square of what it is
 * missed by over the size of the same derivative in the whole domain. The points are the midpoints of an even grid.
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solve.h"

enum { ORDERS = 64 };

/* A derivative of every field at the points. */
typedef struct sampled {
  unsigned order[ANS_MAX_COORDINATES];
  double *values; /* [point][field] */
} sampled;

typedef struct sampling {
  ans_context *context;
  ans_solver *solver;
  const ans_problem *problem;
  const ans_instance *instance;
  size_t coordinates, fields, count;
  double *points; /* [count][coordinates] */
  double *sum, *term;
  sampled list[ORDERS];
  size_t sampled_count;
} sampling;

static ans_status no_memory(ans_context *context) {
  return ans_context_fail(context, ANS_MEMORY, "memory is exhausted");
}

/* ---- Points ------------------------------------------------------------------------------------------ */

static ans_status lay_points(sampling *s) {
  static const size_t sides[ANS_MAX_COORDINATES + 1] = {1, 1024, 32, 10, 6};
  size_t side = sides[s->coordinates];
  s->count = 1;
  for (size_t d = 0; d < s->coordinates; d++) s->count *= side;
  s->points = malloc(s->count * s->coordinates * sizeof(double));
  s->sum = malloc(s->count * sizeof(double));
  s->term = malloc(s->count * sizeof(double));
  if (!s->points || !s->sum || !s->term) return no_memory(s->context);
  for (size_t d = 0; d < s->coordinates; d++) {
    ans_coordinate axis = ans_problem_coordinate(s->problem, d);
    for (size_t p = 0; p < s->count; p++) {
      size_t place = p;
      for (size_t i = 0; i < d; i++) place /= side;
      double share = ((double)(place % side) + 0.5) / (double)side;
      s->points[p * s->coordinates + d] = axis.low + (axis.high - axis.low) * share;
    }
  }
  return ANS_OK;
}

/* *values: [point][field], of every derivative once. */
static ans_status sample(sampling *s, const unsigned *order, const double **values) {
  *values = NULL;
  for (size_t i = 0; i < s->sampled_count; i++)
    if (memcmp(s->list[i].order, order, sizeof s->list[i].order) == 0) {
      *values = s->list[i].values;
      return ANS_OK;
    }
  if (s->sampled_count == ORDERS) free(s->list[--s->sampled_count].values); /* the last one makes room */
  sampled *next = &s->list[s->sampled_count];
  if (!(next->values = malloc(s->count * s->fields * sizeof(double)))) return no_memory(s->context);
  memcpy(next->order, order, sizeof next->order);
  s->sampled_count++;
  *values = next->values;
  return ans_solver_evaluate(s->context, s->solver, s->points, s->count, order, next->values);
}

static void drop(sampling *s) {
  for (size_t i = 0; i < s->sampled_count; i++) free(s->list[i].values);
  free(s->points);
  free(s->sum);
  free(s->term);
}

/* Over the places that have a value: a function of the coordinates need not have one everywhere. Squares are taken in
 * units of the largest: those of 1e-170 would be 0. */
static double root_mean_square(const double *values, size_t count) {
  double sum = 0, places = 0, largest = 0;
  for (size_t i = 0; i < count; i++)
    if (isfinite(values[i])) largest = fmax(largest, fabs(values[i]));
  if (largest == 0) return 0;
  for (size_t i = 0; i < count; i++)
    if (isfinite(values[i])) sum += values[i] / largest * (values[i] / largest), places++;
  return largest * sqrt(sum / places);
}

/* ---- Equations --------------------------------------------------------------------------------------- */

/* term <- the term's values. */
static ans_status take_term(sampling *s, size_t index) {
  ans_term term = ans_instance_term(s->instance, index);
  for (size_t p = 0; p < s->count; p++)
    s->term[p] = term.coefficient * ans_instance_source(s->instance, index, s->points + p * s->coordinates);
  for (size_t i = 0; i < term.factor_count; i++) {
    ans_factor factor = ans_instance_factor(s->instance, index, i);
    const double *values = NULL;
    ans_status status = sample(s, factor.order, &values);
    if (status != ANS_OK) return status;
    assert(values);
    for (size_t p = 0; p < s->count; p++)
      for (unsigned k = 0; k < factor.power; k++) s->term[p] *= values[p * s->fields + factor.field];
  }
  return ANS_OK;
}

static ans_status hold_equation(sampling *s, size_t equation, double *relative) {
  double largest = 0;
  memset(s->sum, 0, s->count * sizeof *s->sum);
  for (size_t i = 0; i < ans_instance_term_count(s->instance); i++) {
    if (ans_instance_term(s->instance, i).equation != equation) continue;
    ans_status status = take_term(s, i);
    if (status != ANS_OK) return status;
    for (size_t p = 0; p < s->count; p++) s->sum[p] += s->term[p];
    largest = fmax(largest, root_mean_square(s->term, s->count));
  }
  double residual = root_mean_square(s->sum, s->count);
  *relative = residual > 0 ? residual / largest : residual;
  return ANS_OK;
}

/* ---- Conditions -------------------------------------------------------------------------------------- */

/* Of one derivative of one field in the domain: what varies of it where that is little beside its mean. */
static double size_of(const sampling *s, const double *values, size_t field) {
  double mean = 0, whole = 0, varying = 0;
  for (size_t p = 0; p < s->count; p++) mean += values[p * s->fields + field] / (double)s->count;
  for (size_t p = 0; p < s->count; p++) {
    double value = values[p * s->fields + field];
    whole += value * value;
    varying += (value - mean) * (value - mean);
  }
  double share = sqrt(varying / whole);
  return sqrt((ans_varies_little(share) ? varying : whole) / (double)s->count);
}

static ans_status hold_condition(sampling *s, size_t index, double *relative) {
  ans_condition condition = ans_problem_condition(s->problem, index);
  const double *inside = NULL;
  assert(s->count > 0 && s->coordinates > 0 && s->fields > 0);
  double *faces = malloc(s->count * s->coordinates * sizeof(double)),
         *values = malloc(s->count * s->fields * sizeof(double));
  ans_status status = faces && values ? sample(s, condition.order, &inside) : no_memory(s->context);
  if (status == ANS_OK) {
    assert(faces && values && inside);
    memcpy(faces, s->points, s->count * s->coordinates * sizeof *faces);
    for (size_t p = 0; p < s->count; p++) faces[p * s->coordinates + condition.coordinate] = condition.at;
    status = ans_solver_evaluate(s->context, s->solver, faces, s->count, condition.order, values);
  }
  if (status == ANS_OK) {
    for (size_t p = 0; p < s->count; p++)
      s->sum[p] = values[p * s->fields + condition.field] -
                  ans_instance_condition_value(s->instance, index, faces + p * s->coordinates);
    double missed = root_mean_square(s->sum, s->count);
    *relative = missed > 0 ? missed / size_of(s, inside, condition.field) : missed;
  }
  free(values);
  free(faces);
  return status;
}

/* ---- All of them ------------------------------------------------------------------------------------- */

static ans_status add_part(ans_context *context, solve_parts *parts, const char *of, double relative) {
  solve_part *larger = realloc(parts->list, (parts->count + 1) * sizeof *larger);
  if (!larger) return no_memory(context);
  parts->list = larger;
  solve_part *part = &parts->list[parts->count++];
  part->relative = relative;
  snprintf(part->of, sizeof part->of, "%s", of);
  return ANS_OK;
}

static ans_status add_equations(sampling *s, solve_parts *parts) {
  ans_status status = ANS_OK;
  for (size_t e = 0; status == ANS_OK && e < ans_problem_count(s->problem, ANS_EQUATIONS); e++) {
    char of[100];
    double relative;
    snprintf(of, sizeof of, "equation of %s", ans_problem_name(s->problem, ANS_FIELDS, e));
    status = hold_equation(s, e, &relative);
    if (status == ANS_OK) status = add_part(s->context, parts, of, relative);
  }
  return status;
}

static ans_status add_conditions(sampling *s, solve_parts *parts) {
  ans_status status = ANS_OK;
  for (size_t i = 0; status == ANS_OK && i < ans_problem_count(s->problem, ANS_CONDITIONS); i++) {
    char *of = NULL;
    double relative;
    if (ans_problem_condition(s->problem, i).built_in) continue;
    status = hold_condition(s, i, &relative);
    if (status == ANS_OK) status = ans_problem_describe(s->context, s->problem, ANS_CONDITIONS, i, &of);
    if (status == ANS_OK) status = add_part(s->context, parts, of, relative);
    ans_free(of);
  }
  return status;
}

ans_status solve_parts_take(ans_context *context, ans_solver *solver, solve_parts *parts) {
  const ans_instance *instance = ans_solver_instance(solver);
  const ans_problem *problem = ans_instance_problem(instance);
  sampling s = {.context = context,
                .solver = solver,
                .problem = problem,
                .instance = instance,
                .coordinates = ans_problem_count(problem, ANS_COORDINATES),
                .fields = ans_problem_count(problem, ANS_FIELDS)};
  ans_status status = lay_points(&s);
  if (status == ANS_OK) status = add_equations(&s, parts);
  if (status == ANS_OK) status = add_conditions(&s, parts);
  drop(&s);
  return status;
}

void solve_parts_drop(solve_parts *parts) {
  free(parts->list);
  *parts = (solve_parts){0};
}
