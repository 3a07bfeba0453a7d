/* SPDX-License-Identifier: Apache-2.0
 *
 * single.c - see single.h.
 */
#include "single.h"

#include "residual/residual.h"

ans_status single_gradient(ans_context *context, const ans_instance *instance, const network_shape *shape,
                           const double *formed, int points, double *loss, double *gradient) {
  residual_options options = {
      .points = points, .initial_points = 11, .period_points = 9, .boundary_points = 7, .threads = 1};
  residual *residual = NULL;
  size_t count = network_size(shape);
  TRY(residual_new(context, instance, shape, &options, &residual));
  float *weights = memory_take(count * sizeof *weights), *result = memory_take(count * sizeof *result);
  if (weights && result) {
    for (size_t i = 0; i < count; i++) weights[i] = (float)formed[i];
    residual_sample(residual, 3, RANDOM_TEST, 1, 0);
    *loss = residual_loss(residual, weights, 1, result);
    for (size_t i = 0; i < count; i++) gradient[i] = (double)result[i];
  }
  bool ready = weights && result;
  memory_give(weights), memory_give(result);
  residual_free(residual);
  return ready ? ANS_OK : context_no_memory(context);
}
