/* SPDX-License-Identifier: Apache-2.0
 *
 * forward_guess.c - the fields that a trained model guesses, without any adaptation: rough, and a thousand times
 * faster.
 */
#include "fit/forward_guess.h"

#include <math.h>

static const double DISTANCE = 1e-2; /* of a range; the guesses are float */

static ans_status predict(ans_context *context, void *object, const double *z, double *values) {
  guess_forward *g = object;
  double numbers[SYSTEM_MAX_SYMBOLS];
  sought_values(g->sought, z, numbers);
  TRY(solver_retarget(context, g->solver, numbers));
  TRY(solver_guess(context, g->solver, g->model));
  TRY(solver_evaluate(context, g->solver, g->data->points, g->data->point_count, NULL, g->fields));
  forward_pick(g->data, g->fields, values);
  for (size_t i = 0; i < g->data->value_count; i++)
    FAIL_IF(!isfinite(values[i]), context, ANS_DIVERGED, "the guess is not finite at a measured point");
  return ANS_OK;
}

forward guess_forward_of(guess_forward *g) { return (forward){.object = g, .predict = predict, .distance = DISTANCE}; }
