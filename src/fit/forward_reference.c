/* SPDX-License-Identifier: Apache-2.0 */
#include "fit/forward_reference.h"

#include <math.h>

#include "fit/interpolate.h"
#include "reference/reference.h"

enum { POINTS = 256, TIMES = 101, MOST_POINTS = 2049, MOST_TIMES = 1601, ROUNDS = 6 };

static const double DISTANCE = 1e-3; /* of a range: far above the reference's tolerance */
static const double FINE = 0.02;     /* of the noise */

static lattice lattice_of(const ans_problem *problem, const ans_solution *solution) {
  lattice lattice = {.axis_count = solution->coordinate_count};
  for (int a = 0; a < solution->coordinate_count; a++) {
    int coordinate = solution_coordinate(problem, a);
    const system_coordinate *c = &problem->coordinates[coordinate];
    int size = solution->axis_sizes[a];
    const double *nodes = solution->axes[a];
    bool open = c->periodic && size > 1 && nodes[size - 1] < c->low + (1 - 1e-9) * (c->high - c->low);
    lattice.axes[a] =
        (lattice_axis){.nodes = nodes, .size = size, .period = open ? c->high - c->low : 0, .coordinate = coordinate};
  }
  return lattice;
}

/* The point with periodic coordinates inside their period. */
static void wrap(const ans_problem *problem, const double *from, double *to) {
  for (int d = 0; d < problem->coordinate_count; d++) {
    const system_coordinate *c = &problem->coordinates[d];
    double length = c->high - c->low;
    to[d] = c->periodic ? from[d] - length * floor((from[d] - c->low) / length) : from[d];
  }
}

static ans_status read_values(ans_context *context, const reference_forward *r, const ans_solution *solution,
                              double *values) {
  const ans_problem *problem = r->sought->problem;
  lattice lattice = lattice_of(problem, solution);
  for (size_t i = 0; i < r->data->value_count; i++) {
    const measured_value *v = &r->data->values[i];
    double point[SYSTEM_MAX_COORDINATES];
    wrap(problem, r->data->points + (size_t)v->point * (size_t)problem->coordinate_count, point);
    values[i] = lattice_value(&lattice, solution->values[v->field], point);
    FAIL_IF(!isfinite(values[i]), context, ANS_DIVERGED, "the reference is not finite at a measured point");
  }
  return ANS_OK;
}

static ans_status predict(ans_context *context, void *object, const double *z, double *values) {
  reference_forward *r = object;
  double numbers[SYSTEM_MAX_SYMBOLS];
  ans_instance *instance;
  ans_solution *solution = NULL;
  reference_report report;
  sought_values(r->sought, z, numbers);
  TRY(system_instance(context, r->sought->problem, r->sought->structure, numbers, true, &instance));
  ans_status status = reference_solve(context, instance, r->points, r->times, false, &solution, &report);
  if (status == ANS_OK) status = read_values(context, r, solution, values);
  solution_free(solution);
  system_instance_free(instance);
  return status;
}

forward reference_forward_of(reference_forward *r) {
  return (forward){.object = r, .predict = predict, .distance = DISTANCE};
}

static double change_in_noise(const noise *noise, const double *a, const double *b) {
  double most = 0;
  for (size_t i = 0; i < noise->data->value_count; i++) most = fmax(most, fabs(a[i] - b[i]) / noise_of(noise, i));
  return most;
}

/* Twice as fine along one axis; kept where it makes a difference. *matters: worth another time. */
static ans_status try_finer(ans_context *context, reference_forward *r, const noise *noise, const double *z, int *size,
                            int most, double *values, double *other, bool *matters) {
  int before = *size;
  bool asked = *matters;
  *matters = false;
  if (!asked || 2 * before - 1 > most) return ANS_OK;
  *size = 2 * before;
  ans_status status = predict(context, r, z, other);
  bool kept = status == ANS_OK && change_in_noise(noise, values, other) > FINE;
  for (size_t i = 0; kept && i < r->data->value_count; i++) values[i] = other[i];
  if (!kept) *size = before;
  *matters = kept;
  return status == ANS_MEMORY ? status : ANS_OK;
}

ans_status reference_forward_refine(ans_context *context, reference_forward *r, const noise *noise, const double *z,
                                    double *values, double *room) {
  const ans_problem *problem = r->sought->problem;
  if (r->points == 0) r->points = problem->protocol.reference.points > 0 ? problem->protocol.reference.points : POINTS;
  if (r->times == 0) r->times = problem->protocol.reference.times > 0 ? problem->protocol.reference.times : TIMES;
  TRY(predict(context, r, z, values));
  bool times = problem->time >= 0, points = problem->coordinate_count > (times ? 1 : 0);
  for (int i = 0; i < ROUNDS && (times || points); i++) {
    TRY(try_finer(context, r, noise, z, &r->times, MOST_TIMES, values, room, &times));
    TRY(try_finer(context, r, noise, z, &r->points, MOST_POINTS, values, room, &points));
  }
  return ANS_OK;
}
