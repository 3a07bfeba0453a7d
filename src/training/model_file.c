/* SPDX-License-Identifier: Apache-2.0
 *
 * What model, checkpoint and solver files have in common: notes and tensors, checked against a plan.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "training/model.h"

/* The version counts what the numbers mean as well: it rises when a network computes something else with them. */
static const char FORMAT[] = "ansatz", FORMAT_VERSION[] = "2";

/* ---- Writing ----------------------------------------------------------------------------------------- */

ans_status sheet_new(ans_context *context, model_sheet **result) {
  *result = memory_take(sizeof **result);
  if (!*result) return context_no_memory(context);
  ans_status status = arena_new(context, &(*result)->arena);
  if (status == ANS_OK) return ANS_OK;
  memory_give(*result);
  *result = NULL;
  return status;
}

void sheet_free(model_sheet *sheet) {
  if (!sheet) return;
  arena_free(sheet->arena);
  memory_give(sheet);
}

void sheet_note(model_sheet *sheet, const char *key, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  size_t length = (size_t)number_print(NULL, 0, format, arguments);
  char *text = arena_take(sheet->arena, length + 1), *name = arena_string(sheet->arena, key, strlen(key));
  if (text && name && sheet->note_count < MODEL_MAX_NOTES) {
    number_print(text, length + 1, format, again);
    sheet->notes[sheet->note_count++] = (tensor_note){name, text};
  } else {
    sheet->failed = true;
  }
  va_end(again);
  va_end(arguments);
}

void sheet_tensor(model_sheet *sheet, const char *name, int bits, size_t rows, size_t columns, const double *values) {
  char *copy = arena_string(sheet->arena, name, strlen(name));
  if (!copy || sheet->tensor_count == SAFETENSORS_MAX_TENSORS) {
    sheet->failed = true;
    return;
  }
  sheet->tensors[sheet->tensor_count++] = (tensor){.name = copy,
                                                   .type = bits == 64 ? TENSOR_F64 : TENSOR_F32,
                                                   .rank = columns ? 2 : 1,
                                                   .shape = {rows, columns},
                                                   .count = rows * (columns ? columns : 1),
                                                   .values = values};
}

void sheet_unknowns(model_sheet *sheet, const char *prefix, const unknown_table *unknowns, int bits,
                    const double *block) {
  for (int i = 0; i < unknowns->count; i++) {
    const unknown_part *part = &unknowns->parts[i];
    char name[128];
    snprintf(name, sizeof name, "%s%s", prefix, part->name);
    sheet_tensor(sheet, name, bits, (size_t)part->rows, (size_t)part->columns, block + part->offset);
  }
}

ans_status sheet_write(ans_context *context, model_sheet *sheet, const char *path) {
  if (sheet->failed) return context_no_memory(context);
  return safetensors_write(context, path, sheet->notes, sheet->note_count, sheet->tensors, sheet->tensor_count);
}

ans_status sheet_model(ans_context *context, model_sheet *sheet, const char *kind, const ans_model *model) {
  char *text;
  TRY(system_print(context, model->problem, &text));
  sheet_note(sheet, "format", "%s", FORMAT);
  sheet_note(sheet, "format_version", "%s", FORMAT_VERSION);
  sheet_note(sheet, "kind", "%s", kind);
  sheet_note(sheet, "program_version", "%s", ans_version());
  sheet_note(sheet, "descriptor", "%s", descriptor_name(model->kind));
  sheet_note(sheet, "rounds", "%d", model->rounds);
  sheet_note(sheet, "seed", "%" PRIu64, model->seed);
  sheet_note(sheet, "steps", "%ld", model->steps);
  sheet_note(sheet, "precision", "%d", model->bits);
  sheet_note(sheet, "problem", "%s", text);
  memory_give(text);
  return ANS_OK;
}

/* ---- Reading ----------------------------------------------------------------------------------------- */

static ans_status find_note(ans_context *context, const char *path, const safetensors *file, const char *key,
                            const char **text) {
  *text = safetensors_note(file, key);
  FAIL_IF(!*text, context, ANS_MODEL, "%s is no file of this program: it has no \"%s\"", path, key);
  return ANS_OK;
}

ans_status model_read_integer(ans_context *context, const char *path, const safetensors *file, const char *key,
                              long low, long high, long *result) {
  const char *text;
  char *end;
  TRY(find_note(context, path, file, key, &text));
  errno = 0;
  *result = strtol(text, &end, 10);
  FAIL_IF(end == text || *end || errno || *result < low || *result > high, context, ANS_MODEL,
          "%s has \"%s\" as its %s", path, text, key);
  return ANS_OK;
}

ans_status model_read_number(ans_context *context, const char *path, const safetensors *file, const char *key,
                             double *result) {
  const char *text;
  char *end;
  TRY(find_note(context, path, file, key, &text));
  *result = number_read(text, &end);
  FAIL_IF(end == text || *end || !isfinite(*result), context, ANS_MODEL, "%s has no usable %s", path, key);
  return ANS_OK;
}

ans_status model_read_rate(ans_context *context, const char *path, const safetensors *file, double *rate) {
  TRY(model_read_number(context, path, file, "rate", rate));
  FAIL_IF(!(*rate > 0 && *rate < 1e6), context, ANS_MODEL, "%s has no usable rate", path);
  return ANS_OK;
}

static ans_status check_kind(ans_context *context, const char *path, const safetensors *file, const char *kind) {
  const char *format, *version, *actual;
  TRY(find_note(context, path, file, "format", &format));
  FAIL_IF(strcmp(format, FORMAT) != 0, context, ANS_MODEL, "%s is no file of this program", path);
  TRY(find_note(context, path, file, "format_version", &version));
  FAIL_IF(strcmp(version, FORMAT_VERSION) != 0, context, ANS_MODEL,
          "%s has format version %s; this program reads version %s", path, version, FORMAT_VERSION);
  TRY(find_note(context, path, file, "kind", &actual));
  FAIL_IF(strcmp(actual, kind) != 0, context, ANS_MODEL, "%s is a %s, and a %s is needed here", path, actual, kind);
  return ANS_OK;
}

ans_status model_open(ans_context *context, const char *path, const char *kind, safetensors **result) {
  TRY(safetensors_read(context, path, result));
  ans_status status = check_kind(context, path, *result, kind);
  if (status != ANS_OK) {
    safetensors_free(*result);
    *result = NULL;
  }
  return status;
}

static ans_status read_problem(ans_context *context, const char *path, const char *text, ans_problem **problem) {
  ans_status status = system_parse(context, path, NULL, text, strlen(text), problem);
  if (status == ANS_OK || status == ANS_MEMORY) return status;
  char sentence[256];
  snprintf(sentence, sizeof sentence, "%s", ans_context_diagnostic(context)->message);
  FAIL(context, ANS_MODEL, "%s holds a problem that cannot be read: %s", path, sentence);
}

static ans_status read_seed(ans_context *context, const char *path, const safetensors *file, uint64_t *seed) {
  const char *text;
  char *end;
  TRY(find_note(context, path, file, "seed", &text));
  errno = 0;
  *seed = strtoull(text, &end, 10);
  FAIL_IF(*text < '0' || *text > '9' || *end || errno, context, ANS_MODEL, "%s has \"%s\" as its seed", path, text);
  return ANS_OK;
}

ans_status model_read_plan(ans_context *context, const char *path, const safetensors *file, ans_model **result) {
  *result = NULL;
  const char *text, *name;
  uint64_t seed;
  descriptor_kind kind;
  long rounds, bits, steps;
  TRY(find_note(context, path, file, "problem", &text));
  TRY(find_note(context, path, file, "descriptor", &name));
  TRY(read_seed(context, path, file, &seed));
  FAIL_IF(!descriptor_parse(name, &kind), context, ANS_MODEL, "%s has the unknown descriptor \"%s\"", path, name);
  TRY(model_read_integer(context, path, file, "rounds", 0, 64, &rounds));
  TRY(model_read_integer(context, path, file, "precision", 32, 64, &bits));
  TRY(model_read_integer(context, path, file, "steps", 0, 1000000000, &steps));
  FAIL_IF(bits != 32 && bits != 64, context, ANS_MODEL, "%s has the unknown precision %ld", path, bits);
  ans_problem *problem;
  TRY(read_problem(context, path, text, &problem));
  ans_status status = model_new(context, problem, kind, (int)rounds, seed, (int)bits, result);
  system_free(problem);
  if (status == ANS_ARGUMENT) { /* a program's mistake elsewhere, but here the file's */
    char reason[256];
    snprintf(reason, sizeof reason, "%s", ans_context_diagnostic(context)->message);
    FAIL(context, ANS_MODEL, "%s is no usable model: %s", path, reason);
  }
  TRY(status);
  (*result)->steps = steps;
  return ANS_OK;
}

ans_status model_read_tensor(ans_context *context, const char *path, const safetensors *file, const char *name,
                             size_t rows, size_t columns, double *values) {
  const tensor *tensor = safetensors_find(file, name);
  FAIL_IF(!tensor, context, ANS_MODEL, "%s has no array %s", path, name);
  bool fits = columns ? tensor->rank == 2 && tensor->shape[1] == columns : tensor->rank == 1;
  FAIL_IF(!fits || tensor->shape[0] != rows, context, ANS_MODEL,
          "%s has an array %s of another shape than its problem needs", path, name);
  tensor_values(tensor, values);
  return ANS_OK;
}

ans_status model_check_size(ans_context *context, const char *path, const safetensors *file,
                            const unknown_table *unknowns) {
  size_t stored = 0;
  for (int i = 0; i < file->tensor_count; i++) stored += file->tensors[i].count; /* at most the file's size */
  FAIL_IF(stored < unknowns->size, context, ANS_MODEL, "%s holds %zu numbers where its problem needs %zu", path, stored,
          unknowns->size);
  return ANS_OK;
}

ans_status model_read_unknowns(ans_context *context, const char *path, const safetensors *file, const char *prefix,
                               const unknown_table *unknowns, double *block) {
  for (int i = 0; i < unknowns->count; i++) {
    const unknown_part *part = &unknowns->parts[i];
    char name[128];
    snprintf(name, sizeof name, "%s%s", prefix, part->name);
    TRY(model_read_tensor(context, path, file, name, (size_t)part->rows, (size_t)part->columns, block + part->offset));
  }
  return ANS_OK;
}

ans_status model_read_parameters(ans_context *context, const char *path, const safetensors *file, ans_model *model) {
  TRY(model_check_size(context, path, file, &model->unknowns));
  TRY(model_take_parameters(context, model));
  return model_read_unknowns(context, path, file, "", &model->unknowns, model->parameters);
}
