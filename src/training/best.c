/* SPDX-License-Identifier: Apache-2.0 */
#include "training/best.h"

#include <math.h>
#include <string.h>

ans_status best_begin(ans_context *context, arena *arena, const engine *engine, objective *adaptation, size_t count,
                      best *best) {
  best->count = count;
  best->room = arena_array(arena, double, count);
  double *numbers = arena_array(arena, double, count);
  if (!best->room || !numbers) return context_no_memory(context);
  best->numbers = numbers;
  engine->store(adaptation, best->numbers);
  best->loss = engine->judge(adaptation);
  return ANS_OK;
}

void best_look(best *best, const engine *engine, objective *adaptation) {
  double loss = engine->judge(adaptation);
  if (!(loss < best->loss)) return;
  best->loss = loss;
  engine->store(adaptation, best->numbers);
}

/* Both are judged as the objective is by now: it may have let go of what made its start easier. */
void best_settle(best *best, const engine *engine, objective *adaptation) {
  double loss = engine->judge(adaptation);
  engine->store(adaptation, best->room);
  engine->load(adaptation, best->numbers);
  best->loss = engine->judge(adaptation);
  if (best->loss < loss || !isfinite(loss)) return;
  engine->load(adaptation, best->room);
  memcpy(best->numbers, best->room, best->count * sizeof *best->numbers);
  best->loss = loss;
}
