/* SPDX-License-Identifier: Apache-2.0
 *
 * read_problem.c - the whole way from text to a checked problem.
 */
#include <string.h>

#include "system/reader.h"

text_place reader_place(const reader *reader, statement_kind kind) {
  for (int i = reader->statement_count; i-- > 0;)
    if (reader->statements[i]->kind == kind) return reader->statements[i]->place;
  return reader->beginning;
}

/* ---- Reading --------------------------------------------------------------------------------------------------- */

static bool fits_label(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

/* "families/fisher.pde" is called fisher unless the text says otherwise. */
static ans_status name_after_file(reader *reader, const char *file) {
  if (reader->problem->name) return ANS_OK;
  const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file, *dot = strrchr(base, '.');
  size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
  char name[65] = "family";
  if (length > 63) length = 63;
  if (length) memcpy(name, base, length), name[length] = '\0';
  for (size_t i = 0; name[i]; i++)
    if (!fits_label(name[i]) || (i == 0 && strchr(".-", name[i]))) name[i] = '_';
  reader->problem->name = arena_string(reader->kept, name, strlen(name));
  return reader->problem->name ? ANS_OK : context_no_memory(reader->context);
}

#define KEEP(member, count)                                                                                            \
  do {                                                                                                                 \
    size_t bytes_ = size_product((size_t)reader->problem->count, sizeof *reader->member);                              \
    void *kept_ = arena_take(reader->kept, bytes_);                                                                    \
    if (!kept_) return context_no_memory(reader->context);                                                             \
    memcpy(kept_, reader->member, bytes_);                                                                             \
    reader->problem->member = kept_;                                                                                   \
  } while (0)

static ans_status keep_parts(reader *reader) {
  KEEP(coordinates, coordinate_count);
  KEEP(fields, field_count);
  KEEP(symbols, symbol_count);
  KEEP(equations, equation_count);
  KEEP(conditions, condition_count);
  KEEP(structures, structure_count);
  return ANS_OK;
}

static ans_status read_all(reader *reader, const char *name, const char *directory, const char *text, size_t length) {
  syntax_statement *statements;
  TRY(text_parse(reader->context, reader->scratch, name, directory, text, length, &statements));
  TRY(reader_assemble(reader, statements));
  TRY(name_after_file(reader, name));
  TRY(reader_coordinates(reader));
  TRY(reader_fields(reader));
  TRY(reader_symbols(reader));
  TRY(reader_transforms(reader));
  TRY(reader_equations(reader));
  TRY(reader_conditions(reader));
  TRY(reader_structures(reader));
  TRY(reader_cases(reader));
  TRY(reader_settings(reader));
  TRY(reader_check(reader));
  return keep_parts(reader);
}

static ans_status read_with(ans_context *context, arena *scratch, arena *kept, const char *name, const char *directory,
                            const char *text, size_t length, const system_variation *variation, ans_problem **result) {
  reader *reader = arena_take(scratch, sizeof *reader);
  ans_problem *problem = arena_take(kept, sizeof *problem);
  if (!reader || !problem) return context_no_memory(context);
  reader->context = context;
  reader->scratch = scratch;
  reader->kept = kept;
  reader->builder = (formula_builder){context, scratch};
  reader->work = (polynomial_work){.context = context, .arena = scratch};
  reader->problem = problem;
  reader->variation = variation;
  problem->thickening = variation ? variation->thickening : 0;
  reader->beginning = (text_place){.file = name, .line = 1, .column = 1, .length = 1};
  TRY(read_all(reader, name, directory, text, length));
  problem->arena = kept;
  *result = problem;
  return ANS_OK;
}

/* Multiplied out, a short text can become a long one. Models, solvers and fields keep it in that form, and it must be
 * read back from there: what could be shown but not trained is refused here. The text is kept, because every solution
 * holds it. */
static ans_status keep_text(ans_context *context, const char *name, ans_problem *problem) {
  char *text;
  TRY(system_print(context, problem, &text));
  size_t length = strlen(text);
  if (length <= TEXT_MAX_BYTES) problem->text = arena_string(problem->arena, text, length);
  memory_give(text);
  if (length <= TEXT_MAX_BYTES) return problem->text ? ANS_OK : context_no_memory(context);
  text_place beginning = {.file = name, .line = 1, .column = 1, .length = 1};
  return context_fail_at(
      context, ANS_UNSUPPORTED, beginning,
      "with its equations multiplied out the problem has %zu bytes, and a model can hold %d: shorten "
      "names or products of sums",
      length, (int)TEXT_MAX_BYTES);
}

static ans_status parse(ans_context *context, const char *name, const char *directory, const char *text, size_t length,
                        const system_variation *variation, ans_problem **result) {
  arena *scratch, *kept = NULL;
  *result = NULL;
  TRY(arena_new(context, &scratch));
  ans_status status = arena_new(context, &kept);
  if (status == ANS_OK) status = read_with(context, scratch, kept, name, directory, text, length, variation, result);
  if (status != ANS_OK) {
    arena_free(kept);
    *result = NULL;
  }
  arena_free(scratch);
  return status;
}

ans_status system_parse(ans_context *context, const char *name, const char *directory, const char *text, size_t length,
                        ans_problem **result) {
  TRY(parse(context, name, directory, text, length, NULL, result));
  ans_status status = keep_text(context, name, *result);
  if (status == ANS_OK) return ANS_OK;
  system_free(*result);
  *result = NULL;
  return status;
}

ans_status system_vary(ans_context *context, const ans_problem *problem, const system_variation *variation,
                       ans_problem **result) {
  char *text;
  *result = NULL;
  for (int f = 0; variation->numbers && f < problem->field_count; f++)
    FAIL_IF(problem->fields[f].declared, context, ANS_UNSUPPORTED,
            "the transform of '%s' has its initial value inside, and cannot begin at another time",
            problem->fields[f].name);
  TRY(system_print(context, problem, &text));
  ans_status status = parse(context, problem->name, NULL, text, strlen(text), variation, result);
  memory_give(text);
  return status;
}

ans_status system_read(ans_context *context, const char *path, ans_problem **result) {
  char *text, directory[4096];
  size_t length;
  *result = NULL;
  const char *slash = strrchr(path, '/');
  size_t base = slash ? (size_t)(slash - path) : 0;
  FAIL_IF(base >= sizeof directory, context, ANS_FILE, "the path is too long");
  memcpy(directory, path, base);
  directory[base] = '\0';
  if (slash == path) strcpy(directory, "/");
  TRY(file_read(context, path, TEXT_MAX_BYTES, &text, &length));
  /* Safetensors: the length of a header in eight bytes, then its JSON object. */
  bool model = length > 8 && text[8] == '{' && memchr(text, '\0', 8);
  ans_status status = model ? context_fail(context, ANS_SYNTAX, "%s is a model or a solver, not a problem file", path)
                            : system_parse(context, path, directory, text, length, result);
  memory_give(text);
  return status;
}

ans_problem *system_share(const ans_problem *problem) {
  arena_share(problem->arena);
  return (ans_problem *)problem; /* which is not changed through it */
}

void system_free(ans_problem *problem) {
  if (problem) arena_free(problem->arena);
}
