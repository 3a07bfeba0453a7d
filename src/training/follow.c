/* SPDX-License-Identifier: Apache-2.0
 *
 * follow.c - a solver and the other members of its family: the same network as a start for another equation, the
 * model's guess for it, and how the network follows a change of the coefficients.
 */
#include <assert.h>
#include <string.h>

#include "training/solver.h"

/* Losses and steps from before do not count any more: what comes is a new problem from a good start. */
static void begin_anew(ans_solver *solver) {
  const optimiser_class *class = solver->optimiser->class;
  optimiser_state state = {0};
  class->store(solver->optimiser, false, &state);
  class->load(solver->optimiser, &state); /* without the blocks, which are then zero */
  if (class->refresh) class->refresh(solver->optimiser);
  class->keep(solver->optimiser);
  solver->run.kept_step = solver->run.step;
  solver->run.ended = ANS_END_NONE;
}

ans_status solver_retarget(ans_context *context, ans_solver *solver, const double *values) {
  ans_instance *instance;
  TRY(system_instance(context, solver->problem, solver->instance->structure, values, true, &instance));
  ans_status status = solver->engine->retarget(context, solver->adaptation, instance);
  if (status != ANS_OK) {
    ans_status back = solver->engine->retarget(NULL, solver->adaptation, solver->instance);
    assert(back == ANS_OK);
    (void)back;
    system_instance_free(instance);
    return status;
  }
  system_instance_free(solver->instance);
  solver->instance = instance;
  begin_anew(solver);
  return ANS_OK;
}

size_t solver_size(const ans_solver *solver) { return solver->unknowns.size; }
void solver_store(const ans_solver *solver, double *numbers) { solver->engine->store(solver->adaptation, numbers); }

void solver_restore(ans_solver *solver, const double *numbers) {
  solver->engine->load(solver->adaptation, numbers);
  begin_anew(solver);
}

ans_status solver_guess(ans_context *context, ans_solver *solver, const ans_model *model) {
  double *numbers = memory_take(size_product(solver->unknowns.size, sizeof *numbers));
  if (!numbers) return context_no_memory(context);
  const unknown_part *codes = unknown_find(&solver->unknowns, "codes");
  bool rests;
  solver_copy_shared(&solver->unknowns, numbers, model);
  ans_status status = solver_codes(context, solver, model, numbers + codes->offset, &rests);
  if (status == ANS_OK) solver_restore(solver, numbers);
  memory_give(numbers);
  return status;
}

/* All points at once: between few of them a tangent is free to be anything. */
static void take_all_points(ans_solver *solver) {
  const optimiser_class *class = solver->optimiser->class;
  optimiser_state state = {0};
  class->store(solver->optimiser, false, &state);
  for (int i = 0; class->numbers[i]; i++)
    if (strcmp(class->numbers[i], "points") == 0) state.numbers[i] = (double)solver->choice.points + 1;
  class->load(solver->optimiser, &state);
}

ans_status solver_tangents(ans_context *context, ans_solver *solver, const tangent_changes *changes,
                           double *directions) {
  FAIL_IF(solver->choice.optimiser != OPTIMISER_GAUSS_NEWTON, context, ANS_UNSUPPORTED,
          "how a solution follows its coefficients is known with Gauss-Newton only");
  tangent_changes own = *changes;
  own.present = solver->instance;
  take_all_points(solver);
  return solver->engine->tangents(context, solver->adaptation, &own, solver->threads, directions);
}
