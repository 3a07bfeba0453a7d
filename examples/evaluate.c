/* SPDX-License-Identifier: Apache-2.0
 *
 * evaluate.c - an adapted solver is a function: its fields and their derivatives at any points, in a loop.
 *
 *   cc evaluate.c $(pkg-config --cflags --libs ansatz) -o evaluate
 *   ./evaluate h1.solver
 */
#include <stdio.h>

#include "ansatz.h"

enum { POINTS = 5 };

/* The first field and its first derivative in the first coordinate, along that coordinate. */
static ans_status walk(ans_context *context, ans_solver *solver) {
  const ans_problem *problem = ans_instance_problem(ans_solver_instance(solver));
  size_t coordinates = ans_problem_count(problem, ANS_COORDINATES);
  const unsigned first[ANS_MAX_COORDINATES] = {1};
  for (int i = 0; i < POINTS; i++) {
    double point[ANS_MAX_COORDINATES], values[ANS_MAX_FIELDS], slopes[ANS_MAX_FIELDS];
    for (size_t k = 0; k < coordinates; k++) {
      ans_coordinate coordinate = ans_problem_coordinate(problem, k);
      double part = k == 0 ? (double)i / POINTS : 0.5;
      point[k] = coordinate.low + part * (coordinate.high - coordinate.low);
    }
    ans_status status = ans_solver_evaluate(context, solver, point, 1, NULL, values);
    if (status == ANS_OK) status = ans_solver_evaluate(context, solver, point, 1, first, slopes);
    if (status != ANS_OK) return status;
    printf("%g  %s = %.6f  slope %.6f\n", point[0], ans_problem_name(problem, ANS_FIELDS, 0), values[0], slopes[0]);
  }
  return ANS_OK;
}

int main(int count, char **words) {
  if (count != 2) {
    fprintf(stderr, "usage: evaluate SOLVER\n");
    return 2;
  }
  ans_context *context;
  ans_solver *solver = NULL;
  if (ans_context_new(&context) != ANS_OK) return 1;
  ans_status status = ans_solver_load(context, words[1], 1, &solver);
  if (status == ANS_OK) status = walk(context, solver);
  if (status != ANS_OK) fprintf(stderr, "%s\n", ans_context_diagnostic(context)->message);
  ans_solver_free(solver);
  ans_context_free(context);
  return status == ANS_OK ? 0 : 1;
}
