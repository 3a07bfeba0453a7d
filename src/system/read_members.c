/* SPDX-License-Identifier: Apache-2.0
 *
 * read_members.c - structures (which optional coefficients are there) and named cases.
 */
#include <math.h>
#include <string.h>

#include "system/reader.h"

static ans_status unknown_symbol(reader *reader, const syntax_word *name) {
  suggestion suggestion = suggest_for(name->text, strlen(name->text));
  for (int i = 0; i < reader->problem->symbol_count; i++) suggest_offer(&suggestion, reader->symbols[i].name);
  char room[SUGGEST_ROOM];
  READER_FAIL(reader, ANS_MEANING, name->place, "'%s' is not a coefficient%s", name->text,
              suggest_phrase(&suggestion, room));
}

static ans_status read_absent(reader *reader, const syntax_words *without, bool *absent) {
  for (int i = 0; i < without->count; i++) {
    const syntax_word *name = &without->items[i];
    int symbol = reader_symbol(reader, name->text);
    if (symbol < 0) return unknown_symbol(reader, name);
    if (!reader->symbols[symbol].optional)
      READER_FAIL(reader, ANS_MEANING, name->place, "'%s' is not optional, so no structure can be without it",
                  name->text);
    if (absent[symbol]) READER_FAIL(reader, ANS_MEANING, name->place, "'%s' is left out twice", name->text);
    absent[symbol] = true;
  }
  return ANS_OK;
}

static ans_status add_structure(reader *reader, const char *name, bool held, const syntax_words *without) {
  ans_problem *problem = reader->problem;
  system_structure *structure = &reader->structures[problem->structure_count];
  bool *absent = arena_array(reader->kept, bool, (size_t)problem->symbol_count);
  structure->name = arena_string(reader->kept, name, strlen(name));
  structure->held = held;
  structure->absent = absent;
  if (!absent || !structure->name) return context_no_memory(reader->context);
  problem->structure_count++;
  return read_absent(reader, without, absent);
}

ans_status reader_structures(reader *reader) {
  ans_problem *problem = reader->problem;
  const syntax_statement *last = NULL;
  bool trained = false;
  for (int i = 0; i < reader->statement_count; i++) {
    const syntax_statement *s = reader->statements[i];
    if (s->kind != STATEMENT_STRUCTURE && s->kind != STATEMENT_HELD) continue;
    if (problem->structure_count == SYSTEM_MAX_STRUCTURES)
      READER_FAIL(reader, ANS_UNSUPPORTED, s->name.place, "a family has at most %d structures", SYSTEM_MAX_STRUCTURES);
    TRY(add_structure(reader, s->name.text, s->kind == STATEMENT_HELD, &s->structure.without));
    trained = trained || s->kind == STATEMENT_STRUCTURE;
    last = s;
  }
  if (!last) return add_structure(reader, "full", false, &(syntax_words){0});
  if (!trained) READER_FAIL(reader, ANS_MEANING, last->place, "every structure is held, so there is none to train on");
  return ANS_OK;
}

/* ---- Cases ---------------------------------------------------------------------------------------------- */

static ans_status find_structure(reader *reader, const syntax_statement *s, int *structure) {
  const syntax_word *name = &s->member.structure;
  if (!name->text) {
    *structure = 0;
    if (reader->problem->structure_count > 1)
      READER_FAIL(reader, ANS_MEANING, s->name.place,
                  "the family has several structures, so the case must name one, as in 'case %s %s: ...'", s->name.text,
                  reader->structures[0].name);
    return ANS_OK;
  }
  suggestion suggestion = suggest_for(name->text, strlen(name->text));
  for (*structure = 0; *structure < reader->problem->structure_count; (*structure)++) {
    if (strcmp(reader->structures[*structure].name, name->text) == 0) return ANS_OK;
    suggest_offer(&suggestion, reader->structures[*structure].name);
  }
  char room[SUGGEST_ROOM];
  READER_FAIL(reader, ANS_MEANING, name->place, "there is no structure '%s'%s", name->text,
              suggest_phrase(&suggestion, room));
}

static ans_status read_case_value(reader *reader, const syntax_assignment *assignment,
                                  const system_structure *structure, double *values) {
  const syntax_word *name = &assignment->name;
  int i = reader_symbol(reader, name->text);
  if (i < 0) return unknown_symbol(reader, name);
  const system_symbol *symbol = &reader->symbols[i];
  if (symbol->kind == SYMBOL_DERIVED)
    READER_FAIL(reader, ANS_MEANING, name->place, "'%s' is derived from other values and cannot be given", name->text);
  if (structure->absent[i])
    READER_FAIL(reader, ANS_MEANING, name->place, "the structure '%s' is without '%s'", structure->name, name->text);
  if (!isnan(values[i])) READER_FAIL(reader, ANS_MEANING, name->place, "'%s' is given twice", name->text);
  TRY(reader_constant(reader, assignment->value, "the value of a case", &values[i]));
  if (values[i] < symbol->low || values[i] > symbol->high)
    READER_FAIL(reader, ANS_MEANING, assignment->value->place, "'%s' is %g, outside its range [%g, %g]", name->text,
                values[i], symbol->low, symbol->high);
  return ANS_OK;
}

static ans_status read_case(reader *reader, const syntax_statement *s, system_case *result) {
  int count = reader->problem->symbol_count;
  double *values = arena_array(reader->kept, double, (size_t)count);
  result->name = arena_string(reader->kept, s->name.text, strlen(s->name.text));
  if (!values || !result->name) return context_no_memory(reader->context);
  result->values = values;
  for (int i = 0; i < count; i++) values[i] = NAN;
  TRY(find_structure(reader, s, &result->structure));
  const system_structure *structure = &reader->structures[result->structure];
  for (int i = 0; i < s->member.count; i++) TRY(read_case_value(reader, &s->member.values[i], structure, values));
  for (int i = 0; i < count; i++)
    if (isnan(values[i]) && reader->symbols[i].kind != SYMBOL_DERIVED && !structure->absent[i])
      READER_FAIL(reader, ANS_MEANING, s->name.place, "the case '%s' gives no value for '%s'", s->name.text,
                  reader->symbols[i].name);
  return ANS_OK;
}

ans_status reader_cases(reader *reader) {
  int count = 0;
  for (int i = 0; i < reader->statement_count; i++) count += reader->statements[i]->kind == STATEMENT_CASE;
  system_case *cases = arena_array(reader->kept, system_case, (size_t)count);
  if (!cases) return context_no_memory(reader->context);
  reader->problem->cases = cases;
  for (int i = 0; i < reader->statement_count; i++)
    if (reader->statements[i]->kind == STATEMENT_CASE)
      TRY(read_case(reader, reader->statements[i], &cases[reader->problem->case_count++]));
  return ANS_OK;
}
