/* SPDX-License-Identifier: Apache-2.0
 *
 * read_problem.c - the whole way from text to a checked problem.
 */
#include <math.h>
#include <string.h>

#include "system/reader.h"

text_place reader_place(const reader *reader, statement_kind kind) {
  for (int i = reader->statement_count; i-- > 0;)
    if (reader->statements[i]->kind == kind) return reader->statements[i]->place;
  return reader->beginning;
}

/* ---- Do equations and conditions fit? -------------------------------------------------------------------- */

/* Highest derivative of the field by the coordinate in its own equation. */
static int highest_order(const reader *reader, int field, int coordinate) {
  int highest = 0;
  for (int i = 0; i < reader->problem->term_count; i++) {
    const system_term *term = &reader->problem->terms[i];
    for (int k = 0; term->equation == field && k < term->factor_count; k++)
      if (term->factors[k].field == field && term->factors[k].order[coordinate] > highest)
        highest = term->factors[k].order[coordinate];
  }
  return highest;
}

static int count_conditions(const reader *reader, int field, system_condition_kind kind, int coordinate, int *last) {
  int count = 0;
  for (int i = 0; i < reader->problem->condition_count; i++) {
    const system_condition *c = &reader->conditions[i];
    if (c->field != field || c->kind != kind || c->coordinate != coordinate) continue;
    count++;
    *last = i;
  }
  return count;
}

static ans_status check_initial(reader *reader, int field) {
  int time = reader->problem->time, last = -1;
  const char *name = reader->fields[field].name;
  if (time < 0 || reader->coordinates[time].periodic) return ANS_OK;
  int needed = highest_order(reader, field, time), given = count_conditions(reader, field, CONDITION_INITIAL, time, &last);
  const syntax_statement *equation = reader->equation_statements[field];
  if (given && !needed)
    READER_FAIL(reader, ANS_MEANING, equation->name.place, "'%s' has an initial value, but its equation has no time derivative such as %s_%s",
                name, name, reader->coordinates[time].name);
  if (given > needed)
    READER_FAIL(reader, ANS_MEANING, reader->condition_statements[last]->place, "'%s' has %d initial values, but its equation needs %d",
                name, given, needed);
  if (given < needed)
    READER_FAIL(reader, ANS_MEANING, equation->name.place, "'%s' needs %s; 'initial %s = ...' states %s", name,
                needed == 1 ? "an initial value" : "initial values of itself and its time derivatives", name,
                needed == 1 ? "it" : "the first");
  return ANS_OK;
}

static ans_status check_boundaries(reader *reader, int field) {
  for (int c = 0; c < reader->problem->coordinate_count; c++) {
    int last = -1;
    if (reader->coordinates[c].time || reader->coordinates[c].periodic) continue;
    int needed = highest_order(reader, field, c), given = count_conditions(reader, field, CONDITION_BOUNDARY, c, &last);
    if (given < needed)
      READER_FAIL(reader, ANS_MEANING, reader->equation_statements[field]->name.place,
                  "'%s' has derivatives up to order %d in '%s' and needs %d boundary condition%s there; %d %s given",
                  reader->fields[field].name, needed, reader->coordinates[c].name, needed, needed == 1 ? "" : "s", given,
                  given == 1 ? "is" : "are");
  }
  return ANS_OK;
}

/* ---- Does every number exist? ------------------------------------------------------------------------------ */

static bool symbol_is_used(const reader *reader, int symbol) {
  const ans_problem *problem = reader->problem;
  for (int i = 0; i < problem->term_count; i++) {
    const system_term *term = &problem->terms[i];
    if (expression_uses_index(term->coefficient, EXPRESSION_SYMBOL, symbol)) return true;
    if (term->source && expression_uses_index(term->source, EXPRESSION_SYMBOL, symbol)) return true;
  }
  for (int i = 0; i < problem->condition_count; i++)
    if (expression_uses_index(reader->conditions[i].value, EXPRESSION_SYMBOL, symbol)) return true;
  for (int i = 0; i < problem->field_count; i++)
    if (reader->fields[i].transform && expression_uses_index(reader->fields[i].transform, EXPRESSION_SYMBOL, symbol)) return true;
  for (int i = symbol + 1; i < problem->symbol_count; i++)
    if (reader->symbols[i].value && expression_uses_index(reader->symbols[i].value, EXPRESSION_SYMBOL, symbol)) return true;
  return false;
}

static ans_status check_used(reader *reader) {
  for (int i = 0; i < reader->problem->symbol_count; i++)
    if (reader->symbols[i].kind != SYMBOL_DERIVED && !symbol_is_used(reader, i))
      READER_FAIL(reader, ANS_MEANING, reader->symbol_statements[i]->name.place, "'%s' is declared but never used",
                  reader->symbols[i].name);
  return ANS_OK;
}

/* With every range at its centre and what is absent at zero, all coefficients must be finite. */
static ans_status check_structure(reader *reader, const system_structure *structure) {
  double values[SYSTEM_MAX_SYMBOLS];
  for (int i = 0; i < reader->problem->symbol_count; i++) {
    const system_symbol *symbol = &reader->symbols[i];
    values[i] = structure->absent[i] ? 0 : symbol->value ? expression_value(symbol->value, values, NULL, 0) : reader->centre[i];
  }
  for (int i = 0; i < reader->problem->term_count; i++) {
    const system_term *term = &reader->problem->terms[i];
    if (!isfinite(expression_value(term->coefficient, values, NULL, 0)))
      READER_FAIL(reader, ANS_MEANING, reader->equation_statements[term->equation]->equation.left->place,
                  "a coefficient of this equation has no finite value in the structure '%s'", structure->name);
  }
  return ANS_OK;
}

static ans_status check_values(reader *reader) {
  double point[SYSTEM_MAX_COORDINATES];
  for (int i = 0; i < reader->problem->coordinate_count; i++)
    point[i] = reader->coordinates[i].low + 0.381966 * (reader->coordinates[i].high - reader->coordinates[i].low);
  for (int i = 0; i < reader->problem->condition_count; i++)
    if (!isfinite(expression_value(reader->conditions[i].value, reader->centre, point, 0)))
      READER_FAIL(reader, ANS_MEANING, reader->condition_statements[i]->condition.value->place, "the value is not finite everywhere");
  for (int i = 0; i < reader->problem->structure_count; i++) TRY(check_structure(reader, &reader->structures[i]));
  return ANS_OK;
}

ans_status reader_check(reader *reader) {
  for (int f = 0; f < reader->problem->field_count; f++) {
    TRY(check_initial(reader, f));
    TRY(check_boundaries(reader, f));
  }
  TRY(check_used(reader));
  return check_values(reader);
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
    if (!fits_label(name[i]) || (i == 0 && strchr(".-0123456789", name[i]))) name[i] = '_';
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
                            const char *text, size_t length, ans_problem **result) {
  enum { MAX_WORK = 20000 };
  reader *reader = arena_take(scratch, sizeof *reader);
  ans_problem *problem = arena_take(kept, sizeof *problem);
  if (!reader || !problem) return context_no_memory(context);
  reader->context = context;
  reader->scratch = scratch;
  reader->kept = kept;
  reader->builder = (formula_builder){context, scratch};
  reader->work = (polynomial_work){context, scratch, MAX_WORK};
  reader->problem = problem;
  reader->beginning = (text_place){.file = name, .line = 1, .column = 1, .length = 1};
  TRY(read_all(reader, name, directory, text, length));
  problem->arena = kept;
  *result = problem;
  return ANS_OK;
}

ans_status system_parse(ans_context *context, const char *name, const char *directory, const char *text, size_t length,
                        ans_problem **result) {
  arena *scratch, *kept = NULL;
  *result = NULL;
  TRY(arena_new(context, &scratch));
  ans_status status = arena_new(context, &kept);
  if (status == ANS_OK) status = read_with(context, scratch, kept, name, directory, text, length, result);
  if (status != ANS_OK) arena_free(kept);
  arena_free(scratch);
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
  ans_status status = system_parse(context, path, directory, text, length, result);
  memory_give(text);
  return status;
}

void system_free(ans_problem *problem) {
  if (problem) arena_free(problem->arena);
}
