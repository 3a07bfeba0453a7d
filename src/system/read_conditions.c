/* SPDX-License-Identifier: Apache-2.0
 *
 * read_conditions.c - initial and boundary values. (What a hard one does to its field: build_transform.c.)
 */
#include <string.h>

#include "system/reader.h"

static ans_status find_target(reader *reader, const syntax_statement *s, system_factor *target) {
  const syntax_word *word = &s->condition.target;
  if (!reader_factor(reader, word->text, target)) return failure(reader_unknown(reader, word->text, word->place));
  if (factor_order(target) > SYSTEM_MAX_ORDER)
    READER_FAIL(reader, ANS_UNSUPPORTED, word->place, "orders up to %d are supported", SYSTEM_MAX_ORDER);
  return ANS_OK;
}

/* The space coordinate along which profiles are given. */
static int profile_coordinate(const reader *reader) {
  for (int i = 0; i < reader->problem->coordinate_count; i++)
    if (i != reader->problem->time) return i;
  return -1;
}

ans_status reader_condition_value(reader *reader, const syntax_statement *s, int i, const char *what,
                                  const formula **result) {
  const system_variation *variation = reader->variation;
  text_place place = s->condition.value->place;
  if (s->kind != STATEMENT_INITIAL || !variation || !variation->numbers) {
    reader_scope scope = {USES_SYMBOL | USES_COORDINATE, reader->problem->symbol_count, what};
    return reader_resolve(reader, s->condition.value, scope, result);
  }
  const system_profile *from = variation->profiles ? variation->profiles[i] : NULL, *own;
  if (!from) return formula_number(&reader->builder, place, variation->numbers[i], result);
  const formula *along;
  TRY(formula_leaf(&reader->builder, place, EXPRESSION_COORDINATE, profile_coordinate(reader), &along));
  TRY(profile_new(reader->context, reader->kept, from->periodic, from->low, from->high, from->count,
                  from->coefficients[0], &own));
  return formula_profile(&reader->builder, own, 0, along, result);
}

static ans_status read_value(reader *reader, const syntax_statement *s, const char *what, system_condition *c) {
  const formula *value;
  TRY(reader_condition_value(reader, s, reader->problem->condition_count, what, &value));
  TRY(formula_flatten(reader->context, reader->kept, value, &c->value));
  if (expression_uses_index(c->value, EXPRESSION_COORDINATE, c->coordinate))
    READER_FAIL(reader, ANS_MEANING, s->condition.value->place,
                "the value is given at one '%s' and cannot depend on it", reader->coordinates[c->coordinate].name);
  c->hard = !s->condition.strictness.soft;
  TRY(reader_weight(reader, &s->condition.strictness, &c->weight));
  if (c->hard) c->weight = 0;
  return ANS_OK;
}

static ans_status leave_unknown(reader *reader, const syntax_statement *s, system_condition *c) {
  const char *field = reader->fields[c->field].name;
  if (c->order[c->coordinate] > 0)
    READER_FAIL(reader, ANS_UNSUPPORTED, s->condition.value->place,
                "the value of '%s' can be unknown, not that of its time derivatives", field);
  if (reader->fields[c->field].declared)
    READER_FAIL(reader, ANS_UNSUPPORTED, s->condition.value->place,
                "'%s' has a transform of its own, which states its initial value: that cannot be unknown", field);
  c->unknown = true;
  c->hard = false;
  c->weight = 0;
  return ANS_OK;
}

static ans_status read_initial(reader *reader, const syntax_statement *s, system_condition *c) {
  int time = reader->problem->time;
  system_factor target;
  if (time < 0)
    READER_FAIL(reader, ANS_MEANING, s->place, "an initial value needs a time: mark a coordinate with the word 'time'");
  if (reader->coordinates[time].periodic)
    READER_FAIL(reader, ANS_MEANING, s->place, "'%s' is periodic, so there is no initial time",
                reader->coordinates[time].name);
  TRY(find_target(reader, s, &target));
  for (int i = 0; i < reader->problem->coordinate_count; i++)
    if (i != time && target.order[i])
      READER_FAIL(reader, ANS_MEANING, s->condition.target.place,
                  "an initial value is that of a field or of its time derivatives");
  *c = (system_condition){
      .kind = CONDITION_INITIAL, .field = target.field, .coordinate = time, .at = reader->coordinates[time].low};
  memcpy(c->order, target.order, sizeof c->order);
  TRY(read_value(reader, s, "an initial value", c));
  return s->condition.unknown ? leave_unknown(reader, s, c) : ANS_OK;
}

static ans_status read_place(reader *reader, const syntax_statement *s, system_condition *c) {
  const syntax_word *name = &s->condition.coordinate;
  c->coordinate = reader_coordinate(reader, name->text);
  if (c->coordinate < 0) READER_FAIL(reader, ANS_MEANING, name->place, "'%s' is not a coordinate", name->text);
  const system_coordinate *where = &reader->coordinates[c->coordinate];
  if (where->time && !where->periodic)
    READER_FAIL(reader, ANS_MEANING, name->place, "a value at the start of time is written 'initial %s = ...'",
                s->name.text);
  if (where->periodic)
    READER_FAIL(reader, ANS_MEANING, name->place, "'%s' is periodic and has no boundary", name->text);
  TRY(reader_constant(reader, s->condition.at, "the place of a boundary", &c->at));
  if (c->at != where->low && c->at != where->high)
    READER_FAIL(reader, ANS_MEANING, s->condition.at->place, "a boundary of '%s' is at %g or %g", name->text,
                where->low, where->high);
  return ANS_OK;
}

static ans_status read_boundary(reader *reader, const syntax_statement *s, system_condition *c) {
  system_factor target;
  int field = reader_field(reader, s->name.text);
  if (field < 0) return failure(reader_unknown(reader, s->name.text, s->name.place));
  TRY(find_target(reader, s, &target));
  if (target.field != field)
    READER_FAIL(reader, ANS_MEANING, s->condition.target.place,
                "a boundary value of '%s' gives '%s' or one of its derivatives", s->name.text, s->name.text);
  *c = (system_condition){.kind = CONDITION_BOUNDARY, .field = field};
  memcpy(c->order, target.order, sizeof c->order);
  TRY(read_place(reader, s, c));
  return read_value(reader, s, "a boundary value", c);
}

static ans_status refuse_duplicate(reader *reader, const syntax_statement *s, const system_condition *c) {
  for (int i = 0; i < reader->problem->condition_count; i++) {
    const system_condition *earlier = &reader->conditions[i];
    if (earlier->kind == c->kind && earlier->field == c->field && earlier->coordinate == c->coordinate &&
        earlier->at == c->at && memcmp(earlier->order, c->order, sizeof c->order) == 0)
      READER_FAIL(reader, ANS_MEANING, s->name.place, "this value of '%s' is already given on line %u",
                  s->condition.target.text, reader->condition_statements[i]->place.line);
  }
  return ANS_OK;
}

ans_status reader_conditions(reader *reader) {
  ans_problem *problem = reader->problem;
  for (int i = 0; i < reader->statement_count; i++) {
    const syntax_statement *s = reader->statements[i];
    if (s->kind != STATEMENT_INITIAL && s->kind != STATEMENT_BOUNDARY) continue;
    if (problem->condition_count == READER_MAX_CONDITIONS)
      READER_FAIL(reader, ANS_UNSUPPORTED, s->place, "a problem has at most %d conditions", READER_MAX_CONDITIONS);
    system_condition c;
    TRY(s->kind == STATEMENT_INITIAL ? read_initial(reader, s, &c) : read_boundary(reader, s, &c));
    TRY(refuse_duplicate(reader, s, &c));
    reader->conditions[problem->condition_count] = c;
    reader->condition_statements[problem->condition_count++] = s;
  }
  return reader_build_transforms(reader);
}
