/* SPDX-License-Identifier: Apache-2.0
 *
 * follow.c - a solver and the other members of its family: the same network as a start for another equation, the
 * model's guess for it, and how the network follows a change of the coefficients. It has not climbed: one piece.
 */
#include <assert.h>
#include <string.h>

#include "training/solver.h"

static piece *only_piece(const ans_solver *solver) {
  assert(solver->windows.count == 1 && solver_first_piece(solver)->problem == solver->problem);
  return solver_first_piece(solver);
}

/* Takes the instance when it returns ANS_OK. */
static ans_status retarget_piece(ans_context *context, piece *piece, ans_instance *instance) {
  ans_status status = piece->engine->retarget(context, piece->adaptation, instance);
  if (status != ANS_OK) {
    ans_status back = piece->engine->retarget(NULL, piece->adaptation, piece->instance);
    assert(back == ANS_OK);
    (void)back;
    return status;
  }
  system_instance_free(piece->instance);
  piece->instance = instance;
  piece_begin_anew(piece);
  return ANS_OK;
}

ans_status solver_retarget(ans_context *context, ans_solver *solver, const double *values) {
  ans_instance *whole, *own = NULL;
  int structure = solver->instance->structure;
  TRY(system_instance(context, solver->problem, structure, values, true, &whole));
  ans_status status = system_instance(context, solver->problem, structure, values, true, &own);
  if (status == ANS_OK) status = retarget_piece(context, only_piece(solver), own);
  if (status != ANS_OK) {
    system_instance_free(own);
    system_instance_free(whole);
    return status;
  }
  system_instance_free(solver->instance);
  solver->instance = whole;
  solver->windows.instance = whole;
  return ANS_OK;
}

size_t solver_size(const ans_solver *solver) { return only_piece(solver)->unknowns.size; }

void solver_store(const ans_solver *solver, double *numbers) {
  const piece *piece = only_piece(solver);
  piece->engine->store(piece->adaptation, numbers);
}

void solver_restore(ans_solver *solver, const double *numbers) {
  piece *piece = only_piece(solver);
  piece->engine->load(piece->adaptation, numbers);
  piece_begin_anew(piece);
}

ans_status solver_guess(ans_context *context, ans_solver *solver, const ans_model *model) {
  piece *piece = only_piece(solver);
  bool rests;
  TRY(guess_take(context, piece, model, &rests));
  solver_restore(solver, piece->guess.numbers);
  return ANS_OK;
}

/* All points at once: between few of them a tangent is free to be anything. */
static void take_all_points(piece *piece) {
  const optimiser_class *class = piece->optimiser->class;
  optimiser_state state = {0};
  class->store(piece->optimiser, false, &state);
  for (int i = 0; class->numbers[i]; i++)
    if (strcmp(class->numbers[i], "points") == 0) state.numbers[i] = (double)piece->choice.points;
  class->load(piece->optimiser, &state);
}

ans_status solver_tangents(ans_context *context, ans_solver *solver, const tangent_changes *changes,
                           double *directions) {
  piece *piece = only_piece(solver);
  FAIL_IF(piece->choice.optimiser != OPTIMISER_GAUSS_NEWTON, context, ANS_UNSUPPORTED,
          "how a solution follows its coefficients is known with Gauss-Newton only");
  tangent_changes own = *changes;
  own.present = piece->instance;
  take_all_points(piece);
  return piece->engine->tangents(context, piece->adaptation, &own, piece->threads, directions);
}
