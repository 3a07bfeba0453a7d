/* SPDX-License-Identifier: Apache-2.0 */
#include "training/guess.h"

#include <string.h>

#include "field/chart.h"
#include "training/piece.h"
#include "training/resting.h"

void guess_drop(guess *guess) {
  if (guess->engine) guess->engine->drop_predictor(guess->predictor);
  memory_give(guess->numbers);
  *guess = (struct guess){0};
}

/* numbers <- what the model has of the table's parts, by name. */
static void copy_shared(const unknown_table *to, double *numbers, const ans_model *model) {
  for (int i = 0; i < to->count; i++) {
    const unknown_part *part = &to->parts[i], *from = unknown_find(&model->unknowns, part->name);
    if (from) memcpy(numbers + part->offset, model->parameters + from->offset, unknown_count(part) * sizeof *numbers);
  }
}

static ans_status prepare(ans_context *context, piece *piece, const ans_model *model) {
  guess *guess = &piece->guess;
  if (guess->model == model->number && guess->engine == piece->engine) return ANS_OK;
  guess_drop(guess);
  guess->numbers = memory_take(size_product(piece->unknowns.size, sizeof *guess->numbers));
  if (!guess->numbers) return context_no_memory(context);
  copy_shared(&piece->unknowns, guess->numbers, model);
  guess->engine = piece->engine;
  TRY(piece->engine->predictor(context, piece->problem, model->kind, model->rounds, model->parameters,
                               &guess->predictor));
  guess->model = model->number;
  return ANS_OK;
}

ans_status guess_take(ans_context *context, piece *piece, const ans_model *model, bool *rests) {
  field_chart chart =
      chart_of(piece->instance, (chart_options){.moving = piece->choice.moving, .common = piece->decoder});
  ans_instance *resting = NULL;
  TRY(prepare(context, piece, model));
  TRY(resting_member(context, piece->instance, &chart, &resting));
  *rests = chart.moves && !resting;
  double *codes = piece->guess.numbers + unknown_find(&piece->unknowns, "codes")->offset;
  ans_status status =
      piece->engine->predict(context, piece->guess.predictor, resting ? resting : piece->instance, codes);
  system_instance_free(resting);
  return status;
}
