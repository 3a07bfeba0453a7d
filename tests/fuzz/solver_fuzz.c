/* SPDX-License-Identifier: Apache-2.0
 *
 * solver_fuzz.c - any header into the reader of solvers, with as many numbers as it asks for. What is accepted can be
 * evaluated and stepped, and is the same after it is saved and loaded.
 */
#include "budget.h"

#include <math.h>

#include "ansatz.h"
#include "whole.h"

/* Numbers of its own making may be anything; a status says so when they are no solution. */
static void use(ans_context *context, ans_solver *solver) {
  double point[4] = {0.3, 0.2, 0.1, 0.4}, before[ANS_MAX_FIELDS], after[ANS_MAX_FIELDS], loss = NAN, grid = NAN;
  insist(ans_solver_evaluate(context, solver, point, 1, NULL, before) == ANS_OK, "it cannot be evaluated");
  insist(ans_solver_evaluate(context, solver, point, 1, NULL, after) == ANS_OK, "it cannot be evaluated twice");
  insist(memcmp(before, after, sizeof *before) == 0, "two evaluations differ");
  ans_status status = ans_solver_residual(context, solver, &loss, &grid);
  insist(status == ANS_DIVERGED || status == ANS_MEMORY || (status == ANS_OK && isfinite(loss) && isfinite(grid)),
         "a residual that is not a number");
  status = ans_solver_step(context, solver, 1);
  insist(status == ANS_OK || status == ANS_DIVERGED || status == ANS_MEMORY, "a step that fails");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  double begun = seconds_used();
  ans_context *context;
  ans_solver *solver;
  if (ans_context_new(&context) != ANS_OK) return 0;
  size_t whole_size;
  char *bytes = whole_file(data, size, &whole_size);
  ans_status status = ans_solver_load(context, memory_file(bytes, whole_size), 1, &solver);
  insist((status == ANS_OK) == (solver != NULL), "a failure with a result");
  insist(status == ANS_OK || ans_context_diagnostic(context)->message[0], "a refusal without a sentence");
  insist_on_budget(begun);
  if (solver && whole_is_cheap(data, size)) use(context, solver);
  ans_solver_free(solver);
  ans_context_free(context);
  free(bytes);
  return 0;
}
