/* SPDX-License-Identifier: Apache-2.0
 *
 * check_sizes.c - how large each term of an equation is at a typical member: the root mean square of coefficient,
 * source and factors over the nodes of its reference, or of its initial value when there is no reference. Derivatives
 * are central differences, which is enough to tell orders of magnitude apart.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { NODES = 33, AXES = ANS_MAX_COORDINATES, FIELDS = ANS_MAX_FIELDS };
static const double WITHIN = 1e4, BETWEEN = 1e3; /* ratios that are reported: of terms, of equations */

/* Fields on an even grid, the last axis fastest. */
typedef struct sample {
  size_t axis_count, count;
  size_t coordinate[AXES], size[AXES];
  double first[AXES], step[AXES];
  const double *values[FIELDS];
  double *own[FIELDS]; /* values that this sample has made itself */
} sample;

static bool add_axis(sample *s, size_t coordinate, size_t size, double first, double last) {
  if (s->axis_count == AXES || size == 0) return false;
  s->coordinate[s->axis_count] = coordinate;
  s->size[s->axis_count] = size;
  s->first[s->axis_count] = first;
  s->step[s->axis_count++] = size > 1 ? (last - first) / (double)(size - 1) : 1;
  s->count *= size;
  return true;
}

static void point_at(const sample *s, size_t node, double *point) {
  for (size_t a = s->axis_count; a-- > 0; node /= s->size[a])
    point[s->coordinate[a]] = s->first[a] + s->step[a] * (double)(node % s->size[a]);
}

static bool sample_reference(sample *s, const ans_problem *problem, const ans_solution *reference) {
  const char *name;
  size_t count;
  for (size_t a = 0; a < ans_solution_axis_count(reference); a++) {
    size_t size, coordinate;
    const double *nodes = ans_solution_axis(reference, a, &name, &size);
    if (!ans_problem_find(problem, ANS_COORDINATES, name, &coordinate) ||
        !add_axis(s, coordinate, size, nodes[0], nodes[size - 1]))
      return false;
  }
  for (size_t f = 0; f < ans_solution_field_count(reference) && f < FIELDS; f++) {
    s->values[f] = ans_solution_values(reference, f, &name, &count);
    if (!s->values[f] || count != s->count) return false;
  }
  return true;
}

static bool sample_field(sample *s, const ans_instance *instance, size_t field) {
  const ans_problem *problem = ans_instance_problem(instance);
  double point[AXES] = {0};
  for (size_t i = 0; i < ans_problem_count(problem, ANS_CONDITIONS); i++) {
    ans_condition condition = ans_problem_condition(problem, i);
    if (!condition.initial || condition.field != field || condition.order[condition.coordinate]) continue;
    if (!(s->own[field] = malloc(s->count * sizeof(double)))) return false;
    for (size_t node = 0; node < s->count; node++) {
      point_at(s, node, point);
      s->own[field][node] = ans_instance_condition_value(instance, i, point);
    }
    s->values[field] = s->own[field];
    return true;
  }
  return false;
}

static bool sample_initial(sample *s, const ans_instance *instance) {
  const ans_problem *problem = ans_instance_problem(instance);
  for (size_t c = 0; c < ans_problem_count(problem, ANS_COORDINATES); c++) {
    ans_coordinate axis = ans_problem_coordinate(problem, c);
    if (!add_axis(s, c, axis.time ? 1 : NODES, axis.low, axis.high)) return false;
  }
  for (size_t f = 0; f < ans_problem_count(problem, ANS_FIELDS); f++)
    if (!sample_field(s, instance, f)) return false;
  return true;
}

/* ---- Sizes ------------------------------------------------------------------------------------------- */

/* values <- their first difference along an axis; the outermost nodes take their neighbour's. */
static void differentiate(const sample *s, size_t axis, double *values, double *spare) {
  size_t stride = 1, size = s->size[axis];
  for (size_t a = axis + 1; a < s->axis_count; a++) stride *= s->size[a];
  memcpy(spare, values, s->count * sizeof *values);
  for (size_t node = 0; node < s->count; node++) {
    size_t place = node / stride % size, inner = place == 0 ? 1 : place == size - 1 ? size - 2 : place;
    size_t centre = node + stride * inner - stride * place;
    values[node] = size < 3 ? 0 : (spare[centre + stride] - spare[centre - stride]) / (2 * s->step[axis]);
  }
}

static void multiply_factor(const sample *s, const ans_factor *factor, double *product, double *values, double *spare) {
  memcpy(values, s->values[factor->field], s->count * sizeof *values);
  for (size_t a = 0; a < s->axis_count; a++)
    for (unsigned k = 0; k < factor->order[s->coordinate[a]]; k++) differentiate(s, a, values, spare);
  for (size_t node = 0; node < s->count; node++)
    for (unsigned k = 0; k < factor->power; k++) product[node] *= values[node];
}

/* work: three arrays of the sample's size. */
static double term_size(const sample *s, const ans_instance *instance, size_t index, double *work) {
  ans_term term = ans_instance_term(instance, index);
  double sum = 0, point[AXES] = {0};
  for (size_t node = 0; node < s->count; node++) {
    point_at(s, node, point);
    work[node] = term.coefficient * ans_instance_source(instance, index, point);
  }
  for (size_t f = 0; f < term.factor_count; f++) {
    ans_factor factor = ans_instance_factor(instance, index, f);
    multiply_factor(s, &factor, work, work + s->count, work + 2 * s->count);
  }
  for (size_t node = 0; node < s->count; node++) sum += work[node] * work[node];
  return sqrt(sum / (double)s->count);
}

/* ---- The report ------------------------------------------------------------------------------------- */

typedef struct extremes {
  size_t least, most; /* terms */
  double small, large;
} extremes;

static void tell_terms(ans_context *context, const ans_instance *instance, const char *member, const extremes *e,
                       findings *findings) {
  char *least = NULL, *most = NULL;
  if (ans_instance_term_text(context, instance, e->least, &least) == ANS_OK &&
      ans_instance_term_text(context, instance, e->most, &most) == ANS_OK)
    findings_add(
        findings, FINDING_DOUBTFUL,
        "at %s the term %s is about %.0e times smaller than %s in the same equation: it hardly shows in the residual",
        member, least, e->large / e->small, most);
  ans_free(least);
  ans_free(most);
}

static void compare_equations(const ans_problem *problem, const char *member, const extremes *list,
                              findings *findings) {
  size_t least = 0, most = 0, equations = ans_problem_count(problem, ANS_EQUATIONS);
  double small = INFINITY, large = 0;
  for (size_t e = 0; e < equations; e++) {
    double size = sqrt(ans_problem_equation_weight(problem, e)) * list[e].large;
    if (size <= 0) continue;
    if (size < small) small = size, least = e;
    if (size > large) large = size, most = e;
  }
  if (large > BETWEEN * small)
    findings_add(
        findings, FINDING_DOUBTFUL,
        "at %s the equation for %s weighs about %.0e times as much in the loss as that for %s: give weights or rescale",
        member, ans_problem_name(problem, ANS_FIELDS, most), large / small,
        ans_problem_name(problem, ANS_FIELDS, least));
}

static void compare(ans_context *context, const ans_instance *instance, const char *member, const sample *s,
                    double *work, findings *findings) {
  extremes list[FIELDS] = {{0}};
  for (size_t i = 0; i < ans_instance_term_count(instance); i++) {
    extremes *e = &list[ans_instance_term(instance, i).equation];
    double size = term_size(s, instance, i, work);
    if (!isfinite(size) || size <= 0) continue;
    if (e->small == 0 || size < e->small) e->small = size, e->least = i;
    if (size > e->large) e->large = size, e->most = i;
  }
  for (size_t e = 0; e < ans_problem_count(ans_instance_problem(instance), ANS_EQUATIONS); e++)
    if (list[e].large > WITHIN * list[e].small) tell_terms(context, instance, member, &list[e], findings);
  compare_equations(ans_instance_problem(instance), member, list, findings);
}

void check_sizes(ans_context *context, const ans_instance *instance, const char *member, const ans_solution *reference,
                 findings *findings) {
  sample s = {.count = 1};
  const ans_problem *problem = ans_instance_problem(instance);
  double *work = NULL;
  if (ans_problem_count(problem, ANS_FIELDS) <= FIELDS &&
      (reference ? sample_reference(&s, problem, reference) : sample_initial(&s, instance)) &&
      (work = malloc(3 * s.count * sizeof *work)))
    compare(context, instance, member, &s, work, findings);
  for (size_t f = 0; f < FIELDS; f++) free(s.own[f]);
  free(work);
}
