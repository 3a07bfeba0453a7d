/* SPDX-License-Identifier: Apache-2.0
 *
 * piece_file.c - the file of a solver that is one piece.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "training/piece.h"

static descriptor_kind plan_kind(bool decoder) { return decoder ? DESCRIPTOR_DICTIONARY : DESCRIPTOR_NONE; }

/* What a file says of the frame: 0 at rest, 1 moving, */
enum { WILL_MOVE = 2 }; /* or at rest until the first step */

/* Writes (file NULL) or reads the optimiser's block of the unknowns that move; of the others it is zero. */
static ans_status pass_block(ans_context *context, const piece *piece, const char *path, const safetensors *file,
                             model_sheet *sheet, double *block) {
  for (int i = 0; i < piece->unknowns.count; i++) {
    const unknown_part *part = &piece->unknowns.parts[i];
    size_t rows = (size_t)part->rows, columns = (size_t)part->columns;
    char name[128];
    if (part->state == UNKNOWN_FROZEN) continue;
    snprintf(name, sizeof name, "%s.%s", piece->optimiser->class->blocks[0], part->name);
    if (file)
      TRY(model_read_tensor(context, path, file, name, rows, columns, block + part->offset));
    else
      sheet_tensor(sheet, name, piece->engine->bits, rows, columns, block + part->offset);
  }
  return ANS_OK;
}

/* What Gauss-Newton needs to go on with the same bits; a file of Adam's is as it always was. block: [unknowns], zero.
 */
static ans_status note_method(ans_context *context, model_sheet *sheet, const piece *piece, double *block) {
  const optimiser_class *class = piece->optimiser->class;
  optimiser_state state = {.blocks = {block}};
  if (piece->choice.optimiser == OPTIMISER_ADAM) return ANS_OK;
  class->store(piece->optimiser, false, &state);
  sheet_note(sheet, "method", "%s", class->name);
  sheet_note(sheet, "time_weight", "%a", piece->choice.time_weight);
  sheet_note(sheet, "eases", "%d", piece->choice.eases);
  sheet_note(sheet, "moving", "%d", piece->guessing ? WILL_MOVE : piece->choice.moving);
  sheet_note(sheet, "scaled", "%d", piece->choice.scaled);
  sheet_note(sheet, "goal_bits", "%d", piece->bits);
  if (piece->choice.points > METHOD_POINTS) sheet_note(sheet, "points_allowed", "%d", piece->choice.points);
  if (piece->choice.most_points > piece->choice.points)
    sheet_note(sheet, "points_spare", "%d", piece->choice.most_points);
  sheet_note(sheet, "updates", "%ld", state.updates);
  for (int i = 0; class->numbers[i]; i++) sheet_note(sheet, class->numbers[i], "%a", state.numbers[i]);
  return pass_block(context, piece, NULL, NULL, sheet, block);
}

static ans_status fill_sheet(ans_context *context, model_sheet *sheet, const piece *piece, const char *values,
                             double *numbers) {
  const ans_instance *instance = piece->instance;
  ans_model head = {.kind = plan_kind(piece->decoder),
                    .rounds = 0,
                    .seed = piece->seed,
                    .steps = piece->run.step,
                    .bits = piece->engine->bits,
                    .problem = piece->problem};
  TRY(sheet_model(context, sheet, "solver", &head));
  sheet_note(sheet, "structure", "%s", instance->problem->structures[instance->structure].name);
  sheet_note(sheet, "values", "%s", values);
  sheet_note(sheet, "mode", "%d", (int)piece->choice.mode);
  TRY(note_method(context, sheet, piece, numbers + piece->unknowns.size));
  if (piece->choice.optimiser == OPTIMISER_ADAM) sheet_note(sheet, "rate", "%a", piece->optimiser->rate);
  sheet_note(sheet, "patience", "%d", piece->run.patience);
  sheet_unknowns(sheet, "", &piece->unknowns, head.bits, numbers);
  return ANS_OK;
}

ans_status piece_save(ans_context *context, const piece *piece, const char *path) {
  double *numbers = memory_take(size_product(2 * piece->unknowns.size, sizeof *numbers));
  char *values = NULL;
  model_sheet *sheet = NULL;
  ans_status status = numbers ? system_print_values(context, piece->instance, &values) : context_no_memory(context);
  if (status == ANS_OK) status = sheet_new(context, &sheet);
  if (status == ANS_OK) {
    piece->engine->store(piece->adaptation, numbers);
    status = fill_sheet(context, sheet, piece, values, numbers);
    if (status == ANS_OK) status = sheet_write(context, sheet, path);
  }
  sheet_free(sheet);
  memory_give(values);
  memory_give(numbers);
  return status;
}

ans_status piece_read_instance(ans_context *context, const char *path, const safetensors *file,
                               const ans_problem *problem, ans_instance **result) {
  double values[SYSTEM_MAX_SYMBOLS];
  const char *structure = safetensors_note(file, "structure"), *assignments = safetensors_note(file, "values");
  FAIL_IF(!structure || !assignments, context, ANS_MODEL, "%s has no structure or no values", path);
  int index = system_find_structure(problem, structure);
  FAIL_IF(index < 0, context, ANS_MODEL, "%s has the structure \"%s\", which its problem has not", path, structure);
  for (int i = 0; i < problem->symbol_count; i++) values[i] = (double)NAN;
  if (*assignments) TRY(system_assign(context, problem, assignments, values));
  return system_instance(context, problem, index, values, true, result);
}

/* Nothing of the network's size is allocated before the file is known to hold as many numbers. */
static ans_status start_from_file(ans_context *context, const char *path, const safetensors *file, piece *piece,
                                  const ans_solver_options *options) {
  TRY(model_check_size(context, path, file, &piece->unknowns));
  double *numbers = memory_take(size_product(piece->unknowns.size, sizeof *numbers));
  if (!numbers) return context_no_memory(context);
  ans_status status = model_read_unknowns(context, path, file, "", &piece->unknowns, numbers);
  if (status == ANS_OK) status = piece_start(context, piece, options, numbers, 0);
  memory_give(numbers);
  return status;
}

/* How it was adapted. Files of 0.1.0 and of the first builds of 0.2.0 do not say so; these
 * go on with the defaults. */
static ans_status read_options(ans_context *context, const char *path, const safetensors *file,
                               ans_solver_options *options) {
  if (!safetensors_note(file, "mode")) return ANS_OK;
  long mode, patience;
  TRY(model_read_integer(context, path, file, "mode", SOLVER_FULL, SOLVER_WEIGHTS, &mode));
  TRY(model_read_integer(context, path, file, "patience", 0, INT_MAX, &patience));
  options->mode = method_public_mode((solver_mode)mode);
  options->patience = (int)patience;
  if (safetensors_note(file, "method")) return ANS_OK; /* its damping is part of its state */
  return model_read_rate(context, path, file, &options->rate);
}

/* Not every file says it. */
static ans_status read_points(ans_context *context, const char *path, const safetensors *file, const char *name,
                              int *points) {
  long number = 0;
  if (!safetensors_note(file, name)) return ANS_OK;
  TRY(model_read_integer(context, path, file, name, 1, METHOD_MOST_POINTS, &number));
  *points = (int)number;
  return ANS_OK;
}

/* A file without a method is Adam's. */
static ans_status read_method(ans_context *context, const char *path, const safetensors *file, piece *piece,
                              ans_solver_options *options, int *bits, method_choice *charts) {
  const char *method = safetensors_note(file, "method");
  long flag, goal;
  if (!method) return ANS_OK;
  FAIL_IF(strcmp(method, "gauss_newton") != 0 || piece->decoder, context, ANS_MODEL,
          "%s was adapted by \"%.40s\", which is not known here", path, method);
  options->method = ANS_GAUSS_NEWTON;
  TRY(model_read_number(context, path, file, "time_weight", &options->time_weight));
  FAIL_IF(!(options->time_weight >= 0 && options->time_weight <= 100), context, ANS_MODEL,
          "%s has no usable time weight", path);
  if (options->time_weight == 0) options->time_weight = -1; /* none, not: chosen anew */
  TRY(model_read_integer(context, path, file, "eases", 0, 1, &flag));
  charts->eases = flag;
  TRY(model_read_integer(context, path, file, "goal_bits", *bits, 64, &goal));
  TRY(model_read_integer(context, path, file, "moving", 0, WILL_MOVE, &flag));
  charts->moving = flag == 1;
  piece->guessing = flag == WILL_MOVE;
  TRY(model_read_integer(context, path, file, "scaled", 0, 1, &flag));
  charts->scaled = flag;
  *bits = goal == 32 ? 32 : 64;
  TRY(read_points(context, path, file, "points_allowed", &piece->most_points));
  return read_points(context, path, file, "points_spare", &piece->spare_points);
}

static ans_status read_numbers(ans_context *context, const char *path, const safetensors *file,
                               const optimiser_class *class, optimiser_state *state) {
  TRY(model_read_integer(context, path, file, "updates", 0, LONG_MAX, &state->updates));
  for (int i = 0; class->numbers[i]; i++) {
    TRY(model_read_number(context, path, file, class->numbers[i], &state->numbers[i]));
    FAIL_IF(!(state->numbers[i] >= 0 && state->numbers[i] < 1e15), context, ANS_MODEL, "%s has no usable %s", path,
            class->numbers[i]);
  }
  return ANS_OK;
}

static ans_status read_state(ans_context *context, const char *path, const safetensors *file, piece *piece) {
  if (piece->choice.optimiser == OPTIMISER_ADAM) return ANS_OK;
  const optimiser_class *class = piece->optimiser->class;
  double *block = memory_take(size_product(piece->unknowns.size, sizeof *block));
  optimiser_state state = {.blocks = {block}};
  ans_status status = block ? read_numbers(context, path, file, class, &state) : context_no_memory(context);
  if (status == ANS_OK) status = pass_block(context, piece, path, file, NULL, block);
  if (status == ANS_OK) class->load(piece->optimiser, &state);
  memory_give(block);
  return status;
}

/* What the caller asks for comes before what the file says. */
static void ask_for(const ans_solver_options *wanted, ans_solver_options *options) {
  if (wanted->rate > 0) options->rate = wanted->rate;
  if (wanted->patience > 0) options->patience = wanted->patience;
  options->precision = wanted->precision;
  options->tolerance = wanted->tolerance;
}

static ans_status load(ans_context *context, const char *path, const safetensors *file,
                       const ans_solver_options *wanted, piece *piece) {
  ans_model *head;
  TRY(arena_new(context, &piece->arena));
  TRY(model_read_plan(context, path, file, &head));
  ans_solver_options options = {.seed = head->seed, .threads = wanted->threads};
  int bits = head->bits;
  piece->decoder = head->kind == DESCRIPTOR_DICTIONARY;
  piece->run.step = head->steps;
  piece->problem = system_share(head->problem);
  model_free(head);
  TRY(piece_read_instance(context, path, file, piece->problem, &piece->instance));
  TRY(read_options(context, path, file, &options));
  int now = bits;
  options.method = ANS_ADAM;
  method_choice charts = method_choose(piece->instance, &options, piece->decoder, true);
  TRY(read_method(context, path, file, piece, &options, &bits, &charts));
  ask_for(wanted, &options);
  TRY(piece_bits(context, &options, &bits));
  TRY(piece_plan(context, piece, &options, bits, true));
  piece_resume(piece, &options, now);
  piece->choice.moving = charts.moving;
  piece->choice.scaled = charts.scaled;
  piece->choice.eases = charts.eases;
  TRY(start_from_file(context, path, file, piece, &options));
  TRY(read_state(context, path, file, piece));
  if (wanted->rate > 0) piece->optimiser->rate = wanted->rate;
  return ANS_OK;
}

ans_status piece_load(ans_context *context, const char *path, const safetensors *file,
                      const ans_solver_options *options, piece **result) {
  *result = NULL;
  piece *piece = memory_take(sizeof *piece);
  ans_status status = piece ? load(context, path, file, options, piece) : context_no_memory(context);
  if (status == ANS_OK)
    *result = piece;
  else
    piece_free(piece);
  return status;
}
