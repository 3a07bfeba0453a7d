/* SPDX-License-Identifier: Apache-2.0
 *
 * check_problem.c - does the problem hold together? Conditions fit the equations, every coefficient is used,
 * and at sample points every number exists.
 */
#include <math.h>

#include "system/reader.h"

/* ---- Samples ------------------------------------------------------------------------------------------------- */

/* Points spread over the domain, never on its boundary (Weyl sequences of irrational steps). */
void reader_sample_point(const reader *reader, int sample, double *point) {
  for (int i = 0; i < reader->problem->coordinate_count; i++) {
    const system_coordinate *c = &reader->coordinates[i];
    point[i] = c->low + fmod(sample * (0.618033988749895 + 0.1 * i), 1) * (c->high - c->low);
  }
}

static void derive(const reader *reader, double *values) {
  for (int i = 0; i < reader->problem->symbol_count; i++)
    if (reader->symbols[i].value) values[i] = expression_value(reader->symbols[i].value, values, NULL, 0);
}

void reader_sample_values(const reader *reader, double fraction, double *values) {
  for (int i = 0; i < reader->problem->symbol_count; i++)
    values[i] = reader->symbols[i].low + fraction * (reader->symbols[i].high - reader->symbols[i].low);
  derive(reader, values);
}

/* ---- Do equations and conditions fit? ------------------------------------------------------------------------ */

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

static bool has_initial(const reader *reader, int field, int order) {
  for (int i = 0; i < reader->problem->condition_count; i++) {
    const system_condition *c = &reader->conditions[i];
    if (c->kind == CONDITION_INITIAL && c->field == field && c->order[reader->problem->time] == order) return true;
  }
  return false;
}

static ans_status refuse_extra_initial(reader *reader, int field, int needed) {
  const char *name = reader->fields[field].name, *time = reader->coordinates[reader->problem->time].name;
  for (int i = 0; i < reader->problem->condition_count; i++) {
    const system_condition *c = &reader->conditions[i];
    if (c->kind != CONDITION_INITIAL || c->field != field || c->order[c->coordinate] < needed) continue;
    if (!needed)
      READER_FAIL(reader, ANS_MEANING, reader->equation_statements[field]->name.place,
                  "'%s' has an initial value, but its equation has no time derivative such as %s_%s", name, name, time);
    READER_FAIL(reader, ANS_MEANING, reader->condition_statements[i]->condition.target.place,
                "the equation for '%s' has time derivatives up to order %d, so this initial value is one too many",
                name, needed);
  }
  return ANS_OK;
}

static ans_status check_initial(reader *reader, int field) {
  int time = reader->problem->time;
  const char *name = reader->fields[field].name;
  if (time < 0 || reader->coordinates[time].periodic) return ANS_OK;
  int needed = highest_order(reader, field, time);
  TRY(refuse_extra_initial(reader, field, needed));
  for (int order = 0; order < needed; order++) {
    if (has_initial(reader, field, order)) continue;
    if (order == 0)
      READER_FAIL(reader, ANS_MEANING, reader->equation_statements[field]->name.place,
                  "'%s' needs an initial value; 'initial %s = ...' states it", name, name);
    READER_FAIL(reader, ANS_MEANING, reader->equation_statements[field]->name.place,
                "'%s' has time derivatives up to order %d and needs the initial value of its %s derivative too", name,
                needed,
                order == 1   ? "first"
                : order == 2 ? "second"
                             : "third");
  }
  return ANS_OK;
}

static ans_status check_boundaries(reader *reader, int field) {
  for (int c = 0; c < reader->problem->coordinate_count; c++) {
    if (reader->coordinates[c].time || reader->coordinates[c].periodic) continue;
    int needed = highest_order(reader, field, c), given = 0;
    for (int i = 0; i < reader->problem->condition_count; i++)
      given += reader->conditions[i].kind == CONDITION_BOUNDARY && reader->conditions[i].field == field &&
               reader->conditions[i].coordinate == c;
    if (given < needed)
      READER_FAIL(reader, ANS_MEANING, reader->equation_statements[field]->name.place,
                  "'%s' has derivatives up to order %d in '%s' and needs %d boundary condition%s there; %d %s given",
                  reader->fields[field].name, needed, reader->coordinates[c].name, needed, needed == 1 ? "" : "s",
                  given, given == 1 ? "is" : "are");
  }
  return ANS_OK;
}

/* ---- Is everything used? --------------------------------------------------------------------------------------- */

static bool uses(const expression *expression, int symbol) {
  return expression && expression_uses_index(expression, EXPRESSION_SYMBOL, symbol);
}

static bool symbol_is_used(const reader *reader, int symbol) {
  const ans_problem *problem = reader->problem;
  for (int i = 0; i < problem->term_count; i++)
    if (uses(problem->terms[i].coefficient, symbol) || uses(problem->terms[i].source, symbol)) return true;
  for (int i = 0; i < problem->condition_count; i++)
    if (uses(reader->conditions[i].value, symbol)) return true;
  for (int i = 0; i < problem->field_count; i++)
    if (uses(reader->fields[i].transform, symbol)) return true;
  for (int i = symbol + 1; i < problem->symbol_count; i++)
    if (uses(reader->symbols[i].value, symbol)) return true;
  return false;
}

static ans_status check_used(reader *reader) {
  for (int i = 0; i < reader->problem->symbol_count; i++)
    if (reader->symbols[i].kind != SYMBOL_DERIVED && !symbol_is_used(reader, i))
      READER_FAIL(reader, ANS_MEANING, reader->symbol_statements[i]->name.place, "'%s' is declared but never used",
                  reader->symbols[i].name);
  return ANS_OK;
}

/* ---- Does every number exist? ---------------------------------------------------------------------------------- */

/* The first term without a finite coefficient for these values; -1: none. */
static int undefined_term(const reader *reader, const double *values) {
  for (int i = 0; i < reader->problem->term_count; i++)
    if (!isfinite(expression_value(reader->problem->terms[i].coefficient, values, NULL, 0))) return i;
  return -1;
}

static text_place equation_place(const reader *reader, int equation) {
  return reader->equation_statements[equation]->equation.left->place;
}

/* Sources, transforms and conditions at one point. */
static ans_status check_at(reader *reader, const char *structure, const double *values, const double *point) {
  for (int i = 0; i < reader->problem->term_count; i++) {
    const system_term *term = &reader->problem->terms[i];
    if (term->source && !isfinite(expression_value(term->source, values, point, 0)))
      READER_FAIL(reader, ANS_MEANING, equation_place(reader, term->equation),
                  "a source of this equation is not finite inside the domain (structure '%s')", structure);
  }
  for (int i = 0; i < reader->problem->condition_count; i++)
    if (!isfinite(expression_value(reader->conditions[i].value, values, point, 0)))
      READER_FAIL(reader, ANS_MEANING, reader->condition_statements[i]->condition.value->place,
                  "the value is not finite everywhere (structure '%s')", structure);
  for (int i = 0; i < reader->problem->field_count; i++)
    if (reader->fields[i].declared && !isfinite(expression_value(reader->fields[i].transform, values, point, 0.1)))
      READER_FAIL(reader, ANS_MEANING, reader->field_statements[i]->field.transform->place,
                  "the transform is not finite everywhere (structure '%s')", structure);
  return ANS_OK;
}

/* With every range at its centre and what is absent at zero. */
static ans_status check_structure(reader *reader, const system_structure *structure) {
  double values[SYSTEM_MAX_SYMBOLS], point[SYSTEM_MAX_COORDINATES];
  for (int i = 0; i < reader->problem->symbol_count; i++) values[i] = structure->absent[i] ? 0 : reader->centre[i];
  derive(reader, values);
  for (int i = 0; i < reader->problem->symbol_count; i++)
    if (!isfinite(values[i]))
      READER_FAIL(reader, ANS_MEANING, reader->symbol_statements[i]->let.value->place,
                  "'%s' has no finite value in the structure '%s'", reader->symbols[i].name, structure->name);
  int undefined = undefined_term(reader, values);
  if (undefined >= 0)
    READER_FAIL(reader, ANS_MEANING, equation_place(reader, reader->problem->terms[undefined].equation),
                "a coefficient of this equation has no finite value in the structure '%s'", structure->name);
  for (int sample = 1; sample <= 5; sample++) {
    reader_sample_point(reader, sample, point);
    TRY(check_at(reader, structure->name, values, point));
  }
  return ANS_OK;
}

static ans_status check_case(reader *reader, const system_case *member, text_place place) {
  double values[SYSTEM_MAX_SYMBOLS];
  for (int i = 0; i < reader->problem->symbol_count; i++) values[i] = isnan(member->values[i]) ? 0 : member->values[i];
  derive(reader, values);
  bool finite = undefined_term(reader, values) < 0;
  for (int i = 0; i < reader->problem->symbol_count; i++) finite = finite && isfinite(values[i]);
  if (!finite)
    READER_FAIL(reader, ANS_MEANING, place, "not every coefficient has a finite value in the case '%s'", member->name);
  return ANS_OK;
}

ans_status reader_check(reader *reader) {
  for (int f = 0; f < reader->problem->field_count; f++) {
    TRY(check_initial(reader, f));
    TRY(check_boundaries(reader, f));
  }
  TRY(check_used(reader));
  for (int i = 0; i < reader->problem->structure_count; i++) TRY(check_structure(reader, &reader->structures[i]));
  for (int i = 0, c = 0; i < reader->statement_count; i++)
    if (reader->statements[i]->kind == STATEMENT_CASE)
      TRY(check_case(reader, &reader->problem->cases[c++], reader->statements[i]->name.place));
  return ANS_OK;
}
