/* SPDX-License-Identifier: Apache-2.0 */
#include "codes_float.h"

#include "codes/codes.h"

static void widen(size_t count, const real *from, double *to) {
  for (size_t i = 0; i < count; i++) to[i] = (double)from[i];
}

ans_status codes_in_float(ans_context *context, const ans_problem *problem, code_shape shape,
                          const descriptor *descriptor, uint64_t seed, const double *code_gradient, double *parameters,
                          double *codes, double *gradient) {
  hypernetwork *h;
  TRY(hypernetwork_new(context, problem, shape, descriptor->kind, 0, &h));
  size_t size = hypernetwork_size(h), count = code_count(shape);
  real *block = memory_take((2 * size + 2 * count) * sizeof *block);
  real *sums = block + size, *values = sums + size, *weights = values + count;
  hypernetwork_initialise(h, seed, block);
  ans_status status = hypernetwork_forward(context, h, descriptor, block, values);
  for (size_t i = 0; i < count; i++) weights[i] = (real)code_gradient[i];
  if (status == ANS_OK) hypernetwork_backward(h, block, weights, sums);
  widen(size, block, parameters);
  widen(size, sums, gradient);
  widen(count, values, codes);
  memory_give(block);
  hypernetwork_free(h);
  return status;
}
