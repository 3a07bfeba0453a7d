/* SPDX-License-Identifier: Apache-2.0
 *
 * assemble.c - from statements in reading order to one declaration of each thing.
 *
 * "override" replaces an earlier declaration in its place, so that whatever follows may still rely on it;
 * "drop" removes cases or structures. Anything said twice without "override" is an error.
 */
#include <string.h>

#include "system/reader.h"

/* Statements of one group share a name space. */
typedef enum name_space {
  SPACE_NONE,
  SPACE_NAMES,
  SPACE_EQUATIONS,
  SPACE_INITIAL,
  SPACE_BOUNDARY,
  SPACE_STRUCTURES,
  SPACE_CASES
} name_space;

static name_space space_of(statement_kind kind) {
  switch (kind) {
  case STATEMENT_COORDINATE:
  case STATEMENT_FIELD:
  case STATEMENT_COEFFICIENT:
  case STATEMENT_PARAMETER:
  case STATEMENT_LET: return SPACE_NAMES;
  case STATEMENT_EQUATION: return SPACE_EQUATIONS;
  case STATEMENT_INITIAL: return SPACE_INITIAL;
  case STATEMENT_BOUNDARY: return SPACE_BOUNDARY;
  case STATEMENT_STRUCTURE:
  case STATEMENT_HELD: return SPACE_STRUCTURES;
  case STATEMENT_CASE: return SPACE_CASES;
  default: return SPACE_NONE;
  }
}

static bool same_thing(const syntax_statement *a, const syntax_statement *b) {
  if (space_of(a->kind) != space_of(b->kind) || strcmp(a->name.text, b->name.text) != 0) return false;
  if (a->kind != STATEMENT_BOUNDARY) return true;
  return strcmp(a->condition.coordinate.text, b->condition.coordinate.text) == 0 &&
         strcmp(a->condition.target.text, b->condition.target.text) == 0 &&
         syntax_equal(a->condition.at, b->condition.at);
}

static int find_earlier(const reader *reader, const syntax_statement *statement) {
  for (int i = 0; i < reader->statement_count; i++)
    if (same_thing(reader->statements[i], statement)) return i;
  return -1;
}

static ans_status refuse_override(reader *reader, const syntax_statement *statement) {
  suggestion suggestion = suggest_for(statement->name.text, strlen(statement->name.text));
  for (int i = 0; i < reader->statement_count; i++)
    if (space_of(reader->statements[i]->kind) == space_of(statement->kind))
      suggest_offer(&suggestion, reader->statements[i]->name.text);
  char room[SUGGEST_ROOM];
  READER_FAIL(reader, ANS_MEANING, statement->name.place, "there is no earlier '%s %s' to override%s",
              statement_keyword(statement->kind), statement->name.text, suggest_phrase(&suggestion, room));
}

/* Completes "'u' already ...". */
static const char *already(statement_kind kind) {
  switch (kind) {
  case STATEMENT_COORDINATE: return "is a coordinate";
  case STATEMENT_FIELD: return "is a field";
  case STATEMENT_COEFFICIENT: return "is a coefficient";
  case STATEMENT_PARAMETER: return "is a parameter";
  case STATEMENT_LET: return "is a derived value";
  case STATEMENT_EQUATION: return "has an equation";
  case STATEMENT_INITIAL: return "has an initial value";
  case STATEMENT_BOUNDARY: return "has this boundary value";
  case STATEMENT_CASE: return "is a case";
  default: return "is a structure";
  }
}

static ans_status place_named(reader *reader, const syntax_statement *statement) {
  int earlier = find_earlier(reader, statement);
  if (earlier >= 0 && !statement->overriding)
    READER_FAIL(reader, ANS_MEANING, statement->name.place,
                "'%s' already %s, on line %u of %s; begin with 'override' to replace it", statement->name.text,
                already(reader->statements[earlier]->kind), reader->statements[earlier]->place.line,
                reader->statements[earlier]->place.file);
  if (earlier < 0 && statement->overriding) return refuse_override(reader, statement);
  if (earlier >= 0)
    reader->statements[earlier] = statement;
  else
    reader->statements[reader->statement_count++] = statement;
  return ANS_OK;
}

static void remove_at(reader *reader, int index) {
  for (int i = index; i + 1 < reader->statement_count; i++) reader->statements[i] = reader->statements[i + 1];
  reader->statement_count--;
}

static ans_status drop_name(reader *reader, name_space space, const syntax_word *name) {
  suggestion suggestion = suggest_for(name->text, strlen(name->text));
  for (int i = 0; i < reader->statement_count; i++) {
    if (space_of(reader->statements[i]->kind) != space) continue;
    if (strcmp(reader->statements[i]->name.text, name->text) == 0) {
      remove_at(reader, i);
      return ANS_OK;
    }
    suggest_offer(&suggestion, reader->statements[i]->name.text);
  }
  char room[SUGGEST_ROOM];
  READER_FAIL(reader, ANS_MEANING, name->place, "there is no earlier %s '%s' to drop%s",
              space == SPACE_CASES ? "case" : "structure", name->text, suggest_phrase(&suggestion, room));
}

static ans_status drop(reader *reader, const syntax_statement *statement) {
  name_space space = space_of(statement->drop.kind);
  if (!statement->drop.all) {
    for (int i = 0; i < statement->drop.names.count; i++)
      TRY(drop_name(reader, space, &statement->drop.names.items[i]));
    return ANS_OK;
  }
  int kept = 0, before = reader->statement_count;
  for (int i = 0; i < before; i++)
    if (space_of(reader->statements[i]->kind) != space) reader->statements[kept++] = reader->statements[i];
  reader->statement_count = kept;
  if (kept == before)
    READER_FAIL(reader, ANS_MEANING, statement->place, "there are no %s to drop",
                space == SPACE_CASES ? "cases" : "structures");
  return ANS_OK;
}

static ans_status name_family(reader *reader, const syntax_statement *statement, const syntax_statement **earlier) {
  if (statement->included) return ANS_OK; /* the including file names the family */
  if (*earlier)
    READER_FAIL(reader, ANS_MEANING, statement->name.place, "the family was already named '%s'", (*earlier)->name.text);
  *earlier = statement;
  reader->problem->name = arena_string(reader->kept, statement->name.text, strlen(statement->name.text));
  return reader->problem->name ? ANS_OK : context_no_memory(reader->context);
}

ans_status reader_assemble(reader *reader, const syntax_statement *statements) {
  size_t count = 0;
  for (const syntax_statement *s = statements; s; s = s->next) count++;
  if (count > TEXT_MAX_STATEMENTS)
    return context_fail(reader->context, ANS_UNSUPPORTED, "a problem has at most %d statements", TEXT_MAX_STATEMENTS);
  reader->statements = arena_array(reader->scratch, const syntax_statement *, count);
  if (!reader->statements) return context_no_memory(reader->context);
  const syntax_statement *family = NULL;
  for (const syntax_statement *s = statements; s; s = s->next) {
    if (s->kind == STATEMENT_FAMILY)
      TRY(name_family(reader, s, &family));
    else if (s->kind == STATEMENT_DROP)
      TRY(drop(reader, s));
    else if (space_of(s->kind) == SPACE_NONE)
      reader->statements[reader->statement_count++] = s;
    else
      TRY(place_named(reader, s));
  }
  return ANS_OK;
}
