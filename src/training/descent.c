/* SPDX-License-Identifier: Apache-2.0 */
#include "training/descent.h"

#include <string.h>

#include "numeric/adam.h"

enum { BLOCKS = 7 }; /* parameters, gradient, first, second; kept parameters, first, second */

/* Blocks start at multiples of this many reals, so that each is aligned for vector loads. */
static size_t rounded(size_t count) { return (count + 15) / 16 * 16; }

ans_status descent_new(ans_context *context, size_t count, descent **result) {
  *result = NULL;
  size_t stride = rounded(count);
  descent *made = memory_take(sizeof *made);
  real *block = memory_take(size_product(size_product(stride, BLOCKS), sizeof *block));
  if (!made || !block) {
    memory_give(block);
    memory_give(made);
    return context_no_memory(context);
  }
  *made = (descent){.count = count,
                    .parameters = block,
                    .gradient = block + stride,
                    .first = block + 2 * stride,
                    .second = block + 3 * stride,
                    .kept = block + 4 * stride};
  *result = made;
  return ANS_OK;
}

void descent_free(descent *descent) {
  if (!descent) return;
  memory_give(descent->parameters);
  memory_give(descent);
}

double descent_norm(const descent *descent) { return sqrt(numeric_square_norm(descent->gradient, descent->count)); }

void descent_update(descent *descent, double rate, double scale) {
  descent->updates++;
  adam_step(descent->parameters, descent->gradient, descent->first, descent->second, descent->count, descent->updates,
            rate, 0.9, 0.999, 1e-8, scale);
}

static void copy(real *to, const real *from, size_t count) { memcpy(to, from, count * sizeof *to); }

void descent_keep(descent *descent) {
  size_t stride = rounded(descent->count);
  copy(descent->kept, descent->parameters, descent->count);
  copy(descent->kept + stride, descent->first, descent->count);
  copy(descent->kept + 2 * stride, descent->second, descent->count);
  descent->kept_updates = descent->updates;
}

void descent_return(descent *descent) {
  size_t stride = rounded(descent->count);
  copy(descent->parameters, descent->kept, descent->count);
  copy(descent->first, descent->kept + stride, descent->count);
  copy(descent->second, descent->kept + 2 * stride, descent->count);
  descent->updates = descent->kept_updates;
}

static void widen(double *to, const real *from, size_t count) {
  for (size_t i = 0; to && i < count; i++) to[i] = (double)from[i];
}

static void narrow(real *to, const double *from, size_t count) {
  for (size_t i = 0; from && i < count; i++) to[i] = (real)from[i];
}

void descent_export(const descent *descent, descent_state *state) {
  widen(state->parameters, descent->parameters, descent->count);
  widen(state->first, descent->first, descent->count);
  widen(state->second, descent->second, descent->count);
  state->updates = descent->updates;
}

void descent_export_kept(const descent *descent, descent_state *state) {
  size_t stride = rounded(descent->count);
  widen(state->parameters, descent->kept, descent->count);
  widen(state->first, descent->kept + stride, descent->count);
  widen(state->second, descent->kept + 2 * stride, descent->count);
  state->updates = descent->kept_updates;
}

void descent_import(descent *descent, const descent_state *state) {
  narrow(descent->parameters, state->parameters, descent->count);
  narrow(descent->first, state->first, descent->count);
  narrow(descent->second, state->second, descent->count);
  descent->updates = state->updates;
}
