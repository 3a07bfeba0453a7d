/* SPDX-License-Identifier: Apache-2.0
 *
 * solve.c - solve one equation of a family, starting from a trained model, and keep the adapted solver.
 *
 *   cc solve.c $(pkg-config --cflags --libs ansatz) -o solve
 *   ./solve fisher-graph.safetensors H1 100 h1.solver
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ansatz.h"

static int failed(const ans_context *context) {
  fprintf(stderr, "%s\n", ans_context_diagnostic(context)->message);
  return 1;
}

static ans_status adapt(ans_context *context, ans_solver *solver, long steps) {
  double before, after;
  ans_status status = ans_solver_residual(context, solver, &before, NULL);
  if (status == ANS_OK) status = ans_solver_step(context, solver, steps);
  if (status == ANS_OK) status = ans_solver_residual(context, solver, &after, NULL);
  long taken = ans_solver_state(solver).step; /* the method may have stopped by itself */
  if (status == ANS_OK) printf("held-out residual %.3e before, %.3e after %ld steps\n", before, after, taken);
  return status;
}

int main(int count, char **words) {
  if (count != 5) {
    fprintf(stderr, "usage: solve MODEL CASE STEPS SOLVER\n");
    return 2;
  }
  ans_context *context;
  ans_model *model = NULL;
  ans_instance *instance = NULL;
  ans_solver *solver = NULL;
  if (ans_context_new(&context) != ANS_OK) return 1;
  ans_choice choice = ANS_CHOICE_DEFAULT;
  choice.case_name = words[2];
  ans_solver_options options;
  memset(&options, 0, sizeof options); /* every setting as the family has it, except: */
  options.seed = 101;

  ans_status status = ans_model_read(context, words[1], &model);
  if (status == ANS_OK) status = ans_instance_new(context, ans_model_problem(model), choice, &instance);
  if (status == ANS_OK) status = ans_solver_begin(context, model, instance, &options, &solver);
  if (status == ANS_OK) status = adapt(context, solver, atol(words[3]));
  if (status == ANS_OK) status = ans_solver_save(context, solver, words[4]);
  int code = status == ANS_OK ? 0 : failed(context);

  ans_solver_free(solver);
  ans_instance_free(instance);
  ans_model_free(model);
  ans_context_free(context);
  return code;
}
