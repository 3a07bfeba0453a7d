/* SPDX-License-Identifier: Apache-2.0 */
#include "training/windows_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Columns of the array `windows`. */
enum { BEGIN, END, WIDTH, LAYERS, FOURIER, BITS, TIME_WEIGHT, MOVING, SCALED, STEPS, COLUMNS };

/* ---- Writing ----------------------------------------------------------------------------------------- */

/* Whether the time weight, chosen for the start, was let go. */
static bool has_eased(const piece *piece) {
  const optimiser_class *class = piece->optimiser->class;
  optimiser_state state = {.unknowns = NULL};
  class->store(piece->optimiser, false, &state);
  for (int i = 0; class->numbers[i]; i++)
    if (strcmp(class->numbers[i], "eased") == 0) return state.numbers[i] > 0;
  return false;
}

static void fill_row(const window *window, double *row) {
  const piece *piece = window->piece;
  row[BEGIN] = window->begin;
  row[END] = window->end;
  row[WIDTH] = window->network.width;
  row[LAYERS] = window->network.layers;
  row[FOURIER] = window->network.fourier;
  row[BITS] = piece->engine->bits;
  row[TIME_WEIGHT] = has_eased(piece) ? 0 : piece->choice.time_weight;
  row[MOVING] = piece->choice.moving;
  row[SCALED] = piece->choice.scaled;
  row[STEPS] = (double)piece->run.step;
}

/* What the window begins with, condition after condition. */
static void add_initial(model_sheet *sheet, const window *window, int number, const ans_problem *problem) {
  char name[64];
  for (int c = 0; window->numbers && c < problem->condition_count; c++) {
    if (problem->conditions[c].kind != CONDITION_INITIAL) continue;
    const system_profile *profile = window->profiles[c];
    snprintf(name, sizeof name, "window.%d.initial.%d", number, c);
    sheet_tensor(sheet, name, 64, profile ? (size_t)profile->count : 1, 0,
                 profile ? profile->coefficients[0] : &window->numbers[c]);
  }
}

static ans_status add_window(ans_context *context, model_sheet *sheet, const windows *windows, int number,
                             double *rows) {
  const window *window = &windows->list[number];
  char name[64];
  double *numbers = arena_array(sheet->arena, double, window->piece->unknowns.size);
  if (!numbers) return context_no_memory(context);
  fill_row(window, rows + number * COLUMNS);
  window->piece->engine->store(window->piece->adaptation, numbers);
  snprintf(name, sizeof name, "window.%d.unknowns", number);
  sheet_tensor(sheet, name, window->piece->engine->bits, window->piece->unknowns.size, 0, numbers);
  add_initial(sheet, window, number, windows->instance->problem);
  return ANS_OK;
}

static ans_status fill_sheet(ans_context *context, model_sheet *sheet, const windows *windows,
                             const ans_problem *problem, const char *values) {
  const piece *first = windows->list[0].piece;
  ans_model head = {.kind = DESCRIPTOR_NONE, .seed = first->seed, .bits = 32, .problem = (ans_problem *)problem};
  double *rows = arena_array(sheet->arena, double, (size_t)(windows->count * COLUMNS));
  if (!rows) return context_no_memory(context);
  for (int i = 0; i < windows->count; i++) head.steps += windows->list[i].piece->run.step;
  TRY(sheet_model(context, sheet, "solver", &head));
  sheet_note(sheet, "structure", "%s", problem->structures[windows->instance->structure].name);
  sheet_note(sheet, "values", "%s", values);
  sheet_note(sheet, "method", "%s", first->optimiser->class->name);
  sheet_note(sheet, "windows", "%d", windows->count);
  sheet_tensor(sheet, "windows", 64, (size_t)windows->count, COLUMNS, rows);
  for (int i = 0; i < windows->count; i++) TRY(add_window(context, sheet, windows, i, rows));
  return ANS_OK;
}

ans_status windows_save(ans_context *context, const windows *windows, const ans_problem *problem, const char *path) {
  char *values;
  model_sheet *sheet;
  TRY(system_print_values(context, windows->instance, &values));
  ans_status status = sheet_new(context, &sheet);
  if (status == ANS_OK) {
    status = fill_sheet(context, sheet, windows, problem, values);
    if (status == ANS_OK) status = sheet_write(context, sheet, path);
    sheet_free(sheet);
  }
  memory_give(values);
  return status;
}

/* ---- Reading ----------------------------------------------------------------------------------------- */

static bool is_whole(double number, double low, double high) {
  return number >= low && number <= high && floor(number) == number;
}

/* Windows follow each other from the beginning of time to its end. */
static ans_status check_row(ans_context *context, const char *path, const ans_problem *problem, const double *rows,
                            int number, int count) {
  const double *row = rows + number * COLUMNS;
  const system_coordinate *time = problem->time < 0 ? NULL : &problem->coordinates[problem->time];
  double begin = number > 0 ? row[END - COLUMNS] : time ? time->low : 0;
  bool follows = row[BEGIN] == begin && (time ? row[END] > row[BEGIN] && row[END] <= time->high : row[END] == 0);
  bool ends = number + 1 < count || row[END] == (time ? time->high : 0);
  FAIL_IF(!follows || !ends, context, ANS_MODEL, "the windows of %s do not follow each other through time", path);
  bool sound = is_whole(row[WIDTH], 0, 4096) && is_whole(row[LAYERS], 0, 12) && is_whole(row[FOURIER], 0, 64) &&
               (row[BITS] == 32 || row[BITS] == 64) && row[TIME_WEIGHT] >= 0 && row[TIME_WEIGHT] <= 100 &&
               is_whole(row[MOVING], 0, 1) && is_whole(row[SCALED], 0, 1) && is_whole(row[STEPS], 0, 1e15);
  FAIL_IF(!sound, context, ANS_MODEL, "window %d of %s has no usable settings", number, path);
  return ANS_OK;
}

static ans_status read_vector(ans_context *context, const char *path, const safetensors *file, const char *name,
                              arena *arena, double **values, size_t *count) {
  const tensor *tensor = safetensors_find(file, name);
  FAIL_IF(!tensor || tensor->rank != 1 || tensor->count == 0, context, ANS_MODEL, "%s has no array %s", path, name);
  *count = tensor->count;
  *values = arena_array(arena, double, tensor->count);
  if (!*values) return context_no_memory(context);
  tensor_values(tensor, *values);
  return ANS_OK;
}

static ans_status read_initial(ans_context *context, const char *path, const safetensors *file,
                               const ans_problem *problem, int number, window *window) {
  const system_coordinate *space = NULL;
  for (int d = 0; d < problem->coordinate_count; d++)
    if (d != problem->time) space = &problem->coordinates[d];
  window->profiles = arena_array(window->arena, const system_profile *, (size_t)problem->condition_count + 1);
  window->numbers = arena_array(window->arena, double, (size_t)problem->condition_count + 1);
  if (!window->profiles || !window->numbers) return context_no_memory(context);
  for (int c = 0; c < problem->condition_count; c++) {
    char name[64];
    double *values;
    size_t count = 0;
    if (problem->conditions[c].kind != CONDITION_INITIAL) continue;
    snprintf(name, sizeof name, "window.%d.initial.%d", number, c);
    TRY(read_vector(context, path, file, name, window->arena, &values, &count));
    FAIL_IF(!isfinite(values[0]) || count > PROFILE_MAX_COUNT || (!space && count != 1), context, ANS_MODEL,
            "%s has an array %s that is no initial value", path, name);
    window->numbers[c] = values[0];
    if (space)
      TRY(profile_new(context, window->arena, space->periodic && !space->soft_period, space->low, space->high,
                      (int)count, values, &window->profiles[c]));
  }
  return ANS_OK;
}

static ans_status read_window(ans_context *context, const char *path, const safetensors *file, const double *rows,
                              int number, ans_solver_options options, windows *windows) {
  const double *row = rows + number * COLUMNS;
  window *window = &windows->list[number];
  char name[64];
  double *unknowns;
  size_t count = 0;
  *window = (struct window){
      .begin = row[BEGIN], .end = row[END], .network = {(int)row[WIDTH], (int)row[LAYERS], (int)row[FOURIER]}};
  windows->count = number + 1; /* to be freed with the others */
  TRY(arena_new(context, &window->arena));
  if (number > 0) TRY(read_initial(context, path, file, windows->instance->problem, number, window));
  snprintf(name, sizeof name, "window.%d.unknowns", number);
  TRY(read_vector(context, path, file, name, window->arena, &unknowns, &count));
  options.time_weight = row[TIME_WEIGHT] > 0 ? row[TIME_WEIGHT] : -1;
  TRY(windows_restore(context, windows, window, &options, (int)row[BITS], row[MOVING] > 0, row[SCALED] > 0, unknowns,
                      count));
  window->piece->run.step = (long)row[STEPS];
  return ANS_OK;
}

static ans_status read_rows(ans_context *context, const char *path, const safetensors *file,
                            const ans_solver_options *wanted, long count, uint64_t seed, arena *arena,
                            windows *windows) {
  ans_solver_options options = {.threads = wanted->threads};
  if (count == 1) options = *wanted; /* several are not adapted further */
  options.seed = seed;
  options.method = ANS_GAUSS_NEWTON;
  double *rows = arena_array(arena, double, (size_t)(count * COLUMNS));
  if (!rows) return context_no_memory(context);
  TRY(model_read_tensor(context, path, file, "windows", (size_t)count, COLUMNS, rows));
  for (int i = 0; i < count; i++) TRY(check_row(context, path, windows->instance->problem, rows, i, (int)count));
  for (int i = 0; i < count; i++) TRY(read_window(context, path, file, rows, i, options, windows));
  return ANS_OK;
}

ans_status windows_load(ans_context *context, const char *path, const safetensors *file,
                        const ans_solver_options *options, ans_problem **problem, ans_instance **instance,
                        windows *windows) {
  ans_model *head;
  arena *arena;
  long count;
  const char *method = safetensors_note(file, "method");
  FAIL_IF(!method || strcmp(method, "gauss_newton") != 0, context, ANS_MODEL, "%s does not say how it was adapted",
          path);
  TRY(model_read_integer(context, path, file, "windows", 1, WINDOWS_MAX, &count));
  TRY(model_read_plan(context, path, file, &head));
  uint64_t seed = head->seed;
  *problem = system_share(head->problem);
  model_free(head);
  TRY(piece_read_instance(context, path, file, *problem, instance));
  windows->instance = *instance;
  FAIL_IF(count > 1 && windows_obstacle(*instance), context, ANS_MODEL, "%s has windows, but %s", path,
          windows_obstacle(*instance));
  TRY(arena_new(context, &arena));
  ans_status status = read_rows(context, path, file, options, count, seed, arena, windows);
  arena_free(arena);
  return status;
}
