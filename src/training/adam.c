/* SPDX-License-Identifier: Apache-2.0
 *
 * adam.c - Adam with clipping: gradient, two moments, and a copy of unknowns and moments to go back to.
 */
#include "training/adam.h"

#include <assert.h>
#include <string.h>

#include "numeric/moments.h"
#include "training/objective.h"

typedef struct adam {
  optimiser optimiser; /* first, so that a pointer to it is one to this */
  double clip;
  size_t count;
  real *gradient, *first, *second; /* [count] each */
  long updates;                    /* Adam's t */
  real *kept[3];                   /* [count] each: unknowns, first, second */
  long kept_updates;
} adam;

enum { BLOCKS = 6 }; /* gradient, first, second; kept unknowns, first, second */

/* Blocks start at multiples of this many reals, so that each is aligned for vector loads. */
static size_t rounded(size_t count) { return (count + 15) / 16 * 16; }

static ans_status adam_begin(ans_context *context, objective *objective, const optimiser_settings *settings,
                             optimiser **result) {
  *result = NULL;
  size_t count = objective->unknowns.size, stride = rounded(count);
  adam *made = memory_take(sizeof *made);
  real *block = memory_take(size_product(size_product(stride, BLOCKS), sizeof *block));
  if (!made || !block) {
    memory_give(block);
    memory_give(made);
    return context_no_memory(context);
  }
  *made = (adam){.optimiser = {.class = &adam_class,
                               .objective = objective,
                               .rate = settings->rate,
                               .judged = (double)NAN,
                               .worst = ""},
                 .clip = settings->clip,
                 .count = count,
                 .gradient = block,
                 .first = block + stride,
                 .second = block + 2 * stride,
                 .kept = {block + 3 * stride, block + 4 * stride, block + 5 * stride}};
  *result = &made->optimiser;
  return ANS_OK;
}

static void adam_end(optimiser *optimiser) {
  adam *adam = (struct adam *)optimiser;
  if (adam) memory_give(adam->gradient);
  memory_give(adam);
}

static ans_status adam_look(ans_context *context, optimiser *optimiser, long step, double *loss) {
  adam *adam = (struct adam *)optimiser;
  objective *objective = optimiser->objective;
  TRY(objective->class->gradient(context, objective, step, loss, adam->gradient));
  optimiser->norm = sqrt(numeric_square_norm(adam->gradient, adam->count));
  optimiser->worst = objective->worst;
  return ANS_OK;
}

static ans_status adam_move(ans_context *context, optimiser *optimiser) {
  assert(optimiser->class == &adam_class);
  (void)context;
  adam *adam = (struct adam *)optimiser;
  double norm = optimiser->norm, scale = adam->clip > 0 && norm > adam->clip ? adam->clip / norm : 1;
  adam->updates++;
  assert(adam->updates > 0);
  adam_step(optimiser->objective->values, adam->gradient, adam->first, adam->second, adam->count, adam->updates,
            optimiser->rate, 0.9, 0.999, 1e-8, scale);
  return ANS_OK;
}

static void adam_soften(optimiser *optimiser) { optimiser->rate /= 2; }

/* ---- Kept state, and files ---------------------------------------------------------------------------- */

static void copy(real *to, const real *from, size_t count) { memcpy(to, from, count * sizeof *to); }

static void adam_keep(optimiser *optimiser) {
  adam *adam = (struct adam *)optimiser;
  copy(adam->kept[0], optimiser->objective->values, adam->count);
  copy(adam->kept[1], adam->first, adam->count);
  copy(adam->kept[2], adam->second, adam->count);
  adam->kept_updates = adam->updates;
}

static void adam_back(optimiser *optimiser) {
  assert(optimiser->class == &adam_class);
  adam *adam = (struct adam *)optimiser;
  copy(optimiser->objective->values, adam->kept[0], adam->count);
  copy(adam->first, adam->kept[1], adam->count);
  copy(adam->second, adam->kept[2], adam->count);
  adam->updates = adam->kept_updates;
}

static void widen(double *to, const real *from, size_t count) {
  for (size_t i = 0; to && i < count; i++) to[i] = (double)from[i];
}

static void narrow(real *to, const double *from, size_t count) {
  for (size_t i = 0; i < count; i++) to[i] = from ? (real)from[i] : REAL(0.0);
}

static void adam_store(const optimiser *optimiser, bool kept, optimiser_state *state) {
  const adam *adam = (const struct adam *)optimiser;
  widen(state->unknowns, kept ? adam->kept[0] : optimiser->objective->values, adam->count);
  widen(state->blocks[0], kept ? adam->kept[1] : adam->first, adam->count);
  widen(state->blocks[1], kept ? adam->kept[2] : adam->second, adam->count);
  state->updates = kept ? adam->kept_updates : adam->updates;
}

static void adam_load(optimiser *optimiser, const optimiser_state *state) {
  assert(optimiser->class == &adam_class && state->unknowns);
  adam *adam = (struct adam *)optimiser;
  narrow(optimiser->objective->values, state->unknowns, adam->count);
  narrow(adam->first, state->blocks[0], adam->count);
  narrow(adam->second, state->blocks[1], adam->count);
  adam->updates = state->updates;
}

const optimiser_class adam_class = {.name = "adam",
                                    .blocks = {"first", "second"},
                                    .begin = adam_begin,
                                    .end = adam_end,
                                    .look = adam_look,
                                    .step = adam_move,
                                    .soften = adam_soften,
                                    .keep = adam_keep,
                                    .back = adam_back,
                                    .store = adam_store,
                                    .load = adam_load};
