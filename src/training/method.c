/* SPDX-License-Identifier: Apache-2.0
 *
 * method.c - see method.h.
 *
 * Gauss-Newton goes to the minimum of the residual. That is the solution where equations and conditions determine it;
 * where they do not (a time without initial values: the plasma's period, whose residual hardly sees the total charge)
 * the minimum is another state, and Adam, which does not get there, is kept.
 */
#include "training/method.h"

#include <math.h>

#include "training/sharpness.h"

enum { NEWTON_STEPS = 100 };

/* Points in all for one front's thickness of the space coordinate: fewer step over the front, and the minimum of the
 * residual at them is another state. */
static const double POINTS_PER_FRONT = 20;

/* Growth over the whole interval from which on what happens first has to count more, and the most that helps. */
static const double FAST_GROWTH = 3, MOST_WEIGHT = 10;

static bool has_initial_value(const ans_problem *problem, int field) {
  for (int c = 0; c < problem->condition_count; c++)
    if (problem->conditions[c].kind == CONDITION_INITIAL && problem->conditions[c].field == field) return true;
  return false;
}

static bool evolves(const ans_problem *problem, int field) {
  for (int t = 0; t < problem->term_count; t++)
    for (int i = 0; i < problem->terms[t].factor_count; i++)
      if (problem->terms[t].factors[i].field == field && problem->terms[t].factors[i].order[problem->time] > 0)
        return true;
  return false;
}

int method_undetermined(const ans_problem *problem) {
  for (int f = 0; problem->time >= 0 && f < problem->field_count; f++)
    if (evolves(problem, f) && !has_initial_value(problem, f)) return f;
  return -1;
}

static ans_method choose_optimiser(const ans_problem *problem, const ans_solver_options *options, bool decoder) {
  if (decoder) return ANS_ADAM;
  if (options->method != ANS_METHOD_AUTOMATIC) return options->method;
  if (problem->protocol.adapt.method == METHOD_ADAM) return ANS_ADAM;
  if (problem->protocol.adapt.method == METHOD_GAUSS_NEWTON) return ANS_GAUSS_NEWTON;
  return method_undetermined(problem) < 0 ? ANS_GAUSS_NEWTON : ANS_ADAM;
}

/* Coefficients of u and of u_t where they stand alone in the field's own equation. */
static double linear_coefficient(const ans_instance *instance, int field, int time_order) {
  const ans_problem *problem = instance->problem;
  double sum = 0;
  for (int t = 0; t < instance->term_count; t++) {
    const system_term *term = instance->terms[t].term;
    if (term->arity != 1 || term->source || problem->equations[term->equation].field != field) continue;
    const system_factor *factor = &term->factors[0];
    if (factor->field == field && factor_order(factor) == time_order && factor->order[problem->time] == time_order)
      sum += instance->terms[t].coefficient;
  }
  return sum;
}

/* The largest rate at which a small field grows, times the length of time. */
static double linear_growth(const ans_instance *instance) {
  const ans_problem *problem = instance->problem;
  double most = 0;
  if (problem->time < 0) return 0;
  const system_coordinate *axis = &problem->coordinates[problem->time];
  for (int f = 0; f < problem->field_count; f++) {
    double slope = linear_coefficient(instance, f, 1), value = linear_coefficient(instance, f, 0);
    if (slope != 0) most = fmax(most, -value / slope * (axis->high - axis->low));
  }
  return most;
}

/* From scratch a state that never leaves an unstable rest is a tempting minimum: its residual vanishes, too. */
static double choose_weight(const ans_instance *instance, const ans_solver_options *options, bool newton, bool known,
                            bool *eases) {
  double growth = linear_growth(instance);
  *eases = false;
  if (options->time_weight != 0) return fmax(options->time_weight, 0);
  if (instance->problem->protocol.adapt.time_weight > 0) return instance->problem->protocol.adapt.time_weight;
  *eases = newton && !known && growth > FAST_GROWTH;
  return *eases ? fmin(growth, MOST_WEIGHT) : 0;
}

static int choose_points(const ans_instance *instance, bool known) {
  double wanted = known ? 0 : POINTS_PER_FRONT / sharpness_of(instance);
  int points = instance->problem->coordinate_count == 1 ? METHOD_LINE_POINTS : METHOD_POINTS;
  while (points < METHOD_MOST_POINTS && points < wanted) points *= 2;
  return points;
}

/* Four times as many while a start is sought: at few points, the least residual of a thin front is another state. */
static int choose_most_points(int points, bool known) {
  const int TIMES = 4;
  if (known) return points;
  return points < METHOD_MOST_POINTS / TIMES ? TIMES * points : METHOD_MOST_POINTS;
}

static bool choose_moving(const ans_problem *problem, bool newton) {
  protocol_frame frame = problem->protocol.network.frame;
  return frame == FRAME_MOVING || (frame == FRAME_AUTOMATIC && newton);
}

static const ans_mode public_modes[] = {[SOLVER_FULL] = ANS_FULL,
                                        [SOLVER_CODES] = ANS_CODES,
                                        [SOLVER_FROZEN_BASES] = ANS_FROZEN_BASES,
                                        [SOLVER_WEIGHTS] = ANS_WEIGHTS};

static solver_mode choose_mode(ans_mode mode, bool newton) {
  if (mode == ANS_MODE_AUTOMATIC) return newton ? SOLVER_FROZEN_BASES : SOLVER_FULL;
  for (int i = 0; i < (int)(sizeof public_modes / sizeof *public_modes); i++)
    if (public_modes[i] == mode) return (solver_mode)i;
  return SOLVER_FROZEN_BASES;
}

ans_mode method_public_mode(solver_mode mode) { return public_modes[mode]; }

long method_steps(const ans_problem *problem, const ans_solver_options *options, bool decoder) {
  bool newton = choose_optimiser(problem, options, decoder) == ANS_GAUSS_NEWTON;
  return newton && problem->protocol.adapt.method != METHOD_GAUSS_NEWTON ? NEWTON_STEPS : problem->protocol.adapt.steps;
}

method_choice method_choose(const ans_instance *instance, const ans_solver_options *options, bool decoder, bool known) {
  const protocol_budget *budget = &instance->problem->protocol.adapt;
  bool newton = choose_optimiser(instance->problem, options, decoder) == ANS_GAUSS_NEWTON, eases;
  double weight = choose_weight(instance, options, newton, known, &eases);
  int points = newton ? choose_points(instance, known) : 0;
  return (method_choice){.optimiser = newton ? OPTIMISER_GAUSS_NEWTON : OPTIMISER_ADAM,
                         .mode = choose_mode(options->mode, newton),
                         .smooth = budget->seam == SEAM_SMOOTH || (budget->seam == SEAM_AUTOMATIC && newton),
                         .moving = choose_moving(instance->problem, newton),
                         .scaled = newton && !known,
                         .time_weight = weight,
                         .eases = eases,
                         .points = points,
                         .most_points = choose_most_points(points, known),
                         .steps = method_steps(instance->problem, options, decoder)};
}

int method_points(const ans_instance *instance, int points, size_t columns, int bits) {
  size_t row = columns * (size_t)(bits / 8), rows = METHOD_JACOBIAN_BYTES / (row > 0 ? row : 1);
  size_t most = rows / (size_t)(instance->problem->equation_count + 1);
  return most < 1 ? 1 : most < (size_t)points ? (int)most : points;
}
