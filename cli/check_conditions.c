/* SPDX-License-Identifier: Apache-2.0
 *
 * check_conditions.c - does the initial value fit the boundaries? A periodic field must begin periodic, and where a
 * boundary meets the beginning both must ask for the same value. A contradiction is no error of the text, but no smooth
 * solution meets it, and neither network nor reference converges there as they should.
 */
#include <math.h>

#include "check.h"

static double initial_at(const ans_instance *instance, size_t initial, size_t coordinate, double at) {
  const ans_problem *problem = ans_instance_problem(instance);
  double point[ANS_MAX_COORDINATES] = {0};
  for (size_t c = 0; c < ans_problem_count(problem, ANS_COORDINATES); c++) {
    ans_coordinate other = ans_problem_coordinate(problem, c);
    point[c] = other.time ? other.low : other.low + 0.37 * (other.high - other.low);
  }
  point[coordinate] = at;
  return ans_instance_condition_value(instance, initial, point);
}

/* One-sided, from inside the interval, of second order. */
static double slope_at(const ans_instance *instance, size_t initial, size_t coordinate, double at) {
  ans_coordinate axis = ans_problem_coordinate(ans_instance_problem(instance), coordinate);
  double h = 1e-4 * (axis.high - axis.low) * (at > 0.5 * (axis.low + axis.high) ? -1 : 1);
  return (4 * initial_at(instance, initial, coordinate, at + h) - 3 * initial_at(instance, initial, coordinate, at) -
          initial_at(instance, initial, coordinate, at + 2 * h)) /
         (2 * h);
}

/* The largest magnitude along the coordinate: what a difference is compared with. */
static double size_of(const ans_instance *instance, size_t initial, size_t coordinate) {
  enum { NODES = 32 };
  ans_coordinate axis = ans_problem_coordinate(ans_instance_problem(instance), coordinate);
  double size = 0;
  for (int i = 0; i <= NODES; i++)
    size = fmax(size, fabs(initial_at(instance, initial, coordinate, axis.low + (axis.high - axis.low) * i / NODES)));
  return size;
}

static void check_period(const ans_instance *instance, size_t initial, size_t coordinate, findings *findings) {
  const ans_problem *problem = ans_instance_problem(instance);
  ans_coordinate axis = ans_problem_coordinate(problem, coordinate);
  const char *field = ans_problem_name(problem, ANS_FIELDS, ans_problem_condition(problem, initial).field);
  double low = initial_at(instance, initial, coordinate, axis.low),
         high = initial_at(instance, initial, coordinate, axis.high);
  double size = size_of(instance, initial, coordinate), length = axis.high - axis.low;
  double jump = slope_at(instance, initial, coordinate, axis.high) - slope_at(instance, initial, coordinate, axis.low);
  if (fabs(high - low) > 1e-6 * size)
    findings_add(
        findings, FINDING_DOUBTFUL,
        "%s is periodic, but the initial value of %s is %g at %s = %g and %g at %s = %g: a jump in the solution",
        axis.name, field, low, axis.name, axis.low, high, axis.name, axis.high);
  else if (fabs(jump) > 1e-3 * size / length)
    findings_add(findings, FINDING_DOUBTFUL,
                 "%s is periodic, but the slope of the initial value of %s jumps by %g there: a kink", axis.name, field,
                 jump);
}

static unsigned order_along(const ans_condition *condition) { return condition->order[condition->coordinate]; }

static bool only_along(const ans_condition *condition) {
  for (size_t c = 0; c < ANS_MAX_COORDINATES; c++)
    if (c != condition->coordinate && condition->order[c]) return false;
  return order_along(condition) <= 1;
}

static void check_corner(const ans_instance *instance, size_t initial, size_t boundary, findings *findings) {
  const ans_problem *problem = ans_instance_problem(instance);
  ans_condition at = ans_problem_condition(problem, boundary);
  if (!only_along(&at)) return;
  double point[ANS_MAX_COORDINATES] = {0}, size = size_of(instance, initial, at.coordinate);
  ans_coordinate axis = ans_problem_coordinate(problem, at.coordinate);
  for (size_t c = 0; c < ans_problem_count(problem, ANS_COORDINATES); c++) {
    ans_coordinate other = ans_problem_coordinate(problem, c);
    point[c] = other.time ? other.low : other.low + 0.37 * (other.high - other.low);
  }
  point[at.coordinate] = at.at;
  bool slope = order_along(&at) == 1;
  double wanted = ans_instance_condition_value(instance, boundary, point);
  double begun =
      slope ? slope_at(instance, initial, at.coordinate, at.at) : initial_at(instance, initial, at.coordinate, at.at);
  double tolerance = slope ? 1e-4 * fmax(size / (axis.high - axis.low), fabs(wanted)) : 1e-6 * fmax(size, fabs(wanted));
  if (!(fabs(wanted - begun) > tolerance)) return;
  findings_add(findings, FINDING_DOUBTFUL,
               "at the beginning, the boundary at %s = %g asks for %s%s%s = %g, where the initial value has %g",
               axis.name, at.at, ans_problem_name(problem, ANS_FIELDS, at.field), slope ? "_" : "",
               slope ? axis.name : "", wanted, begun);
}

void check_conditions(const ans_instance *instance, findings *findings) {
  const ans_problem *problem = ans_instance_problem(instance);
  size_t conditions = ans_problem_count(problem, ANS_CONDITIONS);
  for (size_t i = 0; i < conditions; i++) {
    ans_condition initial = ans_problem_condition(problem, i);
    if (!initial.initial || initial.unknown || order_along(&initial)) continue;
    for (size_t c = 0; c < ans_problem_count(problem, ANS_COORDINATES); c++)
      if (ans_problem_coordinate(problem, c).periodic && !ans_problem_coordinate(problem, c).time)
        check_period(instance, i, c, findings);
    for (size_t b = 0; b < conditions; b++) {
      ans_condition boundary = ans_problem_condition(problem, b);
      if (!boundary.initial && boundary.field == initial.field) check_corner(instance, i, b, findings);
    }
  }
}
