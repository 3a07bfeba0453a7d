/* SPDX-License-Identifier: Apache-2.0
 *
 * read_declarations.c - coordinates, fields, coefficients, parameters and derived values.
 */
#include <math.h>
#include <string.h>

#include "system/reader.h"

static ans_status keep_name(reader *reader, const syntax_word *name, const char **kept) {
  if (reader_is_reserved(name->text))
    READER_FAIL(reader, ANS_MEANING, name->place, "'%s' is reserved and cannot be declared", name->text);
  *kept = arena_string(reader->kept, name->text, strlen(name->text));
  return *kept ? ANS_OK : context_no_memory(reader->context);
}

static ans_status read_interval(reader *reader, const syntax_node *low, const syntax_node *high, const char *what,
                                double *low_value, double *high_value) {
  TRY(reader_constant(reader, low, what, low_value));
  TRY(reader_constant(reader, high, what, high_value));
  if (!(*low_value < *high_value))
    READER_FAIL(reader, ANS_MEANING, low->place, "the range is empty: its lower end %g must be below its upper end %g",
                *low_value, *high_value);
  if (!isfinite(*high_value - *low_value)) READER_FAIL(reader, ANS_MEANING, low->place, "the range is too wide");
  return ANS_OK;
}

ans_status reader_weight(reader *reader, const syntax_strictness *strictness, double *weight) {
  *weight = 1;
  if (!strictness->weight) return ANS_OK;
  TRY(reader_constant(reader, strictness->weight, "a weight", weight));
  if (!(*weight > 0)) READER_FAIL(reader, ANS_MEANING, strictness->weight->place, "a weight must be positive");
  return ANS_OK;
}

/* ---- Coordinates --------------------------------------------------------------------------------------- */

static ans_status read_coordinate(reader *reader, const syntax_statement *s) {
  ans_problem *problem = reader->problem;
  if (problem->coordinate_count == SYSTEM_MAX_COORDINATES)
    READER_FAIL(reader, ANS_UNSUPPORTED, s->name.place, "a problem has at most %d coordinates", SYSTEM_MAX_COORDINATES);
  system_coordinate *c = &reader->coordinates[problem->coordinate_count];
  TRY(keep_name(reader, &s->name, &c->name));
  if (strchr(c->name, '_'))
    READER_FAIL(reader, ANS_MEANING, s->name.place,
                "the name of a coordinate has no '_', which separates a field from its derivatives, as in u_x");
  TRY(read_interval(reader, s->coordinate.low, s->coordinate.high, "the interval of a coordinate", &c->low, &c->high));
  c->periodic = s->coordinate.periodic;
  c->time = s->coordinate.time;
  c->soft_period = s->coordinate.strictness.soft;
  TRY(reader_weight(reader, &s->coordinate.strictness, &c->period_weight));
  if (!c->soft_period) c->period_weight = 0;
  if (s->coordinate.half_open && !c->periodic)
    READER_FAIL(reader, ANS_MEANING, s->name.place,
                "only a periodic coordinate leaves out its upper end; write 'periodic', or ']' to include it");
  if (c->time && problem->time >= 0)
    READER_FAIL(reader, ANS_MEANING, s->name.place, "'%s' is already the time coordinate",
                reader->coordinates[problem->time].name);
  if (c->time) problem->time = problem->coordinate_count;
  problem->coordinate_count++;
  return ANS_OK;
}

ans_status reader_coordinates(reader *reader) {
  reader->problem->time = -1;
  for (int i = 0; i < reader->statement_count; i++)
    if (reader->statements[i]->kind == STATEMENT_COORDINATE) TRY(read_coordinate(reader, reader->statements[i]));
  if (reader->variation && reader->variation->window && reader->problem->time >= 0) {
    reader->coordinates[reader->problem->time].low = reader->variation->begin;
    reader->coordinates[reader->problem->time].high = reader->variation->end;
  }
  if (!reader->problem->coordinate_count)
    READER_FAIL(reader, ANS_MEANING, reader->beginning,
                "the problem has no coordinates; 'coordinate x in [0, 1]' declares one");
  return ANS_OK;
}

/* ---- Fields ---------------------------------------------------------------------------------------------- */

ans_status reader_fields(reader *reader) {
  ans_problem *problem = reader->problem;
  for (int i = 0; i < reader->statement_count; i++) {
    const syntax_statement *s = reader->statements[i];
    if (s->kind != STATEMENT_FIELD) continue;
    if (problem->field_count == SYSTEM_MAX_FIELDS)
      READER_FAIL(reader, ANS_UNSUPPORTED, s->name.place, "a problem has at most %d fields", SYSTEM_MAX_FIELDS);
    TRY(keep_name(reader, &s->name, &reader->fields[problem->field_count].name));
    reader->field_statements[problem->field_count++] = s;
  }
  if (!problem->field_count)
    READER_FAIL(reader, ANS_MEANING, reader->beginning, "the problem has no fields; 'field u' declares one");
  return reader_check_names(reader);
}

ans_status reader_transforms(reader *reader) {
  reader_scope scope = {USES_SYMBOL | USES_COORDINATE | USES_RAW, reader->problem->symbol_count,
                        "the transform of a field"};
  for (int f = 0; f < reader->problem->field_count; f++) {
    const syntax_node *text = reader->field_statements[f]->field.transform;
    if (!text) continue;
    const formula *transform;
    TRY(reader_resolve(reader, text, scope, &transform));
    if (!(transform->uses & USES_RAW))
      READER_FAIL(reader, ANS_MEANING, text->place, "the transform of '%s' must contain '_', the raw network output",
                  reader->fields[f].name);
    TRY(formula_flatten(reader->context, reader->kept, transform, &reader->fields[f].transform));
    reader->fields[f].declared = true;
  }
  return ANS_OK;
}

/* ---- Symbols ----------------------------------------------------------------------------------------------- */

static ans_status read_sampled(reader *reader, const syntax_statement *s, int index) {
  system_symbol *symbol = &reader->symbols[index];
  TRY(read_interval(reader, s->symbol.low, s->symbol.high, "a range", &symbol->low, &symbol->high));
  symbol->logarithmic = s->symbol.logarithmic;
  symbol->optional = s->symbol.optional;
  if (symbol->logarithmic && !(symbol->low > 0))
    READER_FAIL(reader, ANS_MEANING, s->symbol.low->place, "a logarithmic range must be positive");
  if (symbol->optional && symbol->kind == SYMBOL_PARAMETER)
    READER_FAIL(reader, ANS_MEANING, s->name.place, "a parameter cannot be optional; only a coefficient can");
  if (s->symbol.grid) {
    double grid;
    TRY(reader_constant(reader, s->symbol.grid, "the size of a grid", &grid));
    if (!(grid >= 2 && grid <= 10000 && floor(grid) == grid))
      READER_FAIL(reader, ANS_MEANING, s->symbol.grid->place, "a grid has a whole number of nodes, from 2 to 10000");
    symbol->grid = (int)grid;
  }
  reader->centre[index] = system_symbol_middle(symbol);
  reader->varies[index] = true;
  return ANS_OK;
}

static ans_status read_derived(reader *reader, const syntax_statement *s, int index) {
  system_symbol *symbol = &reader->symbols[index];
  const formula *value;
  TRY(reader_resolve(reader, s->let.value, (reader_scope){USES_SYMBOL, index, "a derived value"}, &value));
  TRY(formula_flatten(reader->context, reader->kept, value, &symbol->value));
  double number = expression_value(symbol->value, reader->centre, NULL, 0);
  for (int i = 0; i < index; i++)
    if (reader->varies[i] && expression_uses_index(symbol->value, EXPRESSION_SYMBOL, i)) reader->varies[index] = true;
  if (!isfinite(number))
    READER_FAIL(reader, ANS_MEANING, s->let.value->place, "'%s' has no finite value%s; is something divided by zero?",
                symbol->name, reader->varies[index] ? " with every range at its centre" : "");
  reader->centre[index] = number;
  return ANS_OK;
}

static ans_status name_symbol(reader *reader, const syntax_statement *s) {
  ans_problem *problem = reader->problem;
  if (problem->symbol_count == SYSTEM_MAX_SYMBOLS)
    READER_FAIL(reader, ANS_UNSUPPORTED, s->name.place,
                "a problem has at most %d coefficients, parameters and derived values", SYSTEM_MAX_SYMBOLS);
  system_symbol *symbol = &reader->symbols[problem->symbol_count];
  system_factor factor;
  TRY(keep_name(reader, &s->name, &symbol->name));
  if (reader_factor(reader, s->name.text, &factor))
    READER_FAIL(reader, ANS_MEANING, s->name.place, "'%s' already means a derivative of '%s'", s->name.text,
                reader->fields[factor.field].name);
  symbol->kind = s->kind == STATEMENT_LET         ? SYMBOL_DERIVED
                 : s->kind == STATEMENT_PARAMETER ? SYMBOL_PARAMETER
                                                  : SYMBOL_COEFFICIENT;
  reader->symbol_statements[problem->symbol_count++] = s;
  return ANS_OK;
}

/* Names come first, so that a derived value that uses a later one can be told so. */
ans_status reader_symbols(reader *reader) {
  for (int i = 0; i < reader->statement_count; i++) {
    statement_kind kind = reader->statements[i]->kind;
    if (kind == STATEMENT_COEFFICIENT || kind == STATEMENT_PARAMETER || kind == STATEMENT_LET)
      TRY(name_symbol(reader, reader->statements[i]));
  }
  for (int i = 0; i < reader->problem->symbol_count; i++) {
    const syntax_statement *s = reader->symbol_statements[i];
    TRY(s->kind == STATEMENT_LET ? read_derived(reader, s, i) : read_sampled(reader, s, i));
  }
  return ANS_OK;
}
