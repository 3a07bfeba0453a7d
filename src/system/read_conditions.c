/* SPDX-License-Identifier: Apache-2.0
 *
 * read_conditions.c - initial and boundary values.
 *
 * A hard initial value is built into the field's transform,
 *   u = u0(x) + (t - t0)*u1(x) + ... + (t - t0)^k * _ ,
 * where u1 is the initial value of u_t and k the number of initial values. A field that declares a transform
 * of its own, and any hard boundary value, must already satisfy the condition: that is tried at sample points.
 */
#include <math.h>
#include <string.h>

#include "system/reader.h"

static ans_status find_target(reader *reader, const syntax_statement *s, system_factor *target) {
  const syntax_word *word = &s->condition.target;
  if (!reader_factor(reader, word->text, target)) return reader_unknown(reader, word->text, word->place);
  if (factor_order(target) > SYSTEM_MAX_ORDER)
    READER_FAIL(reader, ANS_UNSUPPORTED, word->place, "orders up to %d are supported", SYSTEM_MAX_ORDER);
  return ANS_OK;
}

static ans_status read_value(reader *reader, const syntax_statement *s, const char *what, system_condition *c) {
  const formula *value;
  reader_scope scope = {USES_SYMBOL | USES_COORDINATE, reader->problem->symbol_count, what};
  TRY(reader_resolve(reader, s->condition.value, scope, &value));
  TRY(formula_flatten(reader->context, reader->kept, value, &c->value));
  if (expression_uses_index(c->value, EXPRESSION_COORDINATE, c->coordinate))
    READER_FAIL(reader, ANS_MEANING, s->condition.value->place,
                "the value is given at one '%s' and cannot depend on it", reader->coordinates[c->coordinate].name);
  c->hard = !s->condition.strictness.soft;
  TRY(reader_weight(reader, &s->condition.strictness, &c->weight));
  if (c->hard) c->weight = 0;
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
  return read_value(reader, s, "an initial value", c);
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
  if (field < 0) return reader_unknown(reader, s->name.text, s->name.place);
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

/* ---- Hard conditions ------------------------------------------------------------------------------------------ */

/* (t - t0)^power, or NULL for power 0 */
static ans_status elapsed(reader *reader, text_place place, int power, const formula **result) {
  const system_coordinate *time = &reader->coordinates[reader->problem->time];
  const formula *start, *exponent;
  *result = NULL;
  if (power == 0) return ANS_OK;
  TRY(formula_leaf(&reader->builder, place, EXPRESSION_COORDINATE, reader->problem->time, result));
  if (time->low != 0) {
    TRY(formula_number(&reader->builder, place, time->low, &start));
    TRY(formula_binary(&reader->builder, EXPRESSION_SUBTRACT, *result, start, result));
  }
  if (power == 1) return ANS_OK;
  TRY(formula_number(&reader->builder, place, power, &exponent));
  return formula_binary(&reader->builder, EXPRESSION_POWER, *result, exponent, result);
}

/* sum <- sum + (t - t0)^power / power! * value */
static ans_status add_taylor_part(reader *reader, const syntax_statement *s, int power, const formula *value,
                                  const formula **sum) {
  const formula *weight, *part = value;
  double factorial = 1;
  for (int i = 2; i <= power; i++) factorial *= i;
  if (factorial != 1) {
    const formula *number;
    TRY(formula_number(&reader->builder, s->place, factorial, &number));
    TRY(formula_binary(&reader->builder, EXPRESSION_DIVIDE, value, number, &part));
  }
  TRY(elapsed(reader, s->place, power, &weight));
  if (weight) TRY(formula_binary(&reader->builder, EXPRESSION_MULTIPLY, weight, part, &part));
  if (!*sum)
    *sum = part;
  else
    TRY(formula_binary(&reader->builder, EXPRESSION_ADD, *sum, part, sum));
  return ANS_OK;
}

static int find_initial(const reader *reader, int field, int order) {
  for (int i = 0; i < reader->problem->condition_count; i++) {
    const system_condition *c = &reader->conditions[i];
    if (c->kind == CONDITION_INITIAL && c->hard && c->field == field && c->order[reader->problem->time] == order)
      return i;
  }
  return -1;
}

/* The transform that hard initial values of u, u_t, ... make. NULL when there is no hard value of u itself. */
static ans_status initial_transform(reader *reader, int field, const expression **result) {
  reader_scope scope = {USES_SYMBOL | USES_COORDINATE, reader->problem->symbol_count, "an initial value"};
  const formula *sum = NULL, *value, *raw, *weight;
  const syntax_statement *s = NULL;
  int power = 0;
  *result = NULL;
  for (int i; (i = find_initial(reader, field, power)) >= 0; power++) {
    s = reader->condition_statements[i];
    TRY(reader_resolve(reader, s->condition.value, scope, &value));
    TRY(add_taylor_part(reader, s, power, value, &sum));
  }
  if (!s) return ANS_OK;
  TRY(formula_leaf(&reader->builder, s->place, EXPRESSION_RAW, 0, &raw));
  TRY(elapsed(reader, s->place, power, &weight));
  TRY(formula_binary(&reader->builder, EXPRESSION_MULTIPLY, weight, raw, &weight));
  TRY(formula_binary(&reader->builder, EXPRESSION_ADD, sum, weight, &sum));
  return formula_flatten(reader->context, reader->kept, sum, result);
}

enum { TRIED_POINTS = 9, TRIED_OUTPUTS = 4 };

/* One of the points spread over the domain, with one of the values of the coefficients. */
static void try_point(const reader *reader, int sample, double *point, double *values) {
  reader_sample_point(reader, sample, point);
  reader_sample_values(reader, fmod(sample * 0.754877666246693, 1), values);
}

static double field_at(const expression *transform, const double *values, const double *point, int output) {
  static const double raw[TRIED_OUTPUTS] = {-1.3, 0, 0.4, 2.1};
  return transform ? expression_value(transform, values, point, raw[output]) : raw[output];
}

/* The largest size that the field has inside the domain: what counts as nothing is measured by it. */
static double field_size(const reader *reader, const expression *transform) {
  double point[SYSTEM_MAX_COORDINATES], values[SYSTEM_MAX_SYMBOLS], size = 0;
  for (int sample = 1; sample <= TRIED_POINTS; sample++) {
    try_point(reader, sample, point, values);
    for (int k = 0; k < TRIED_OUTPUTS; k++) {
      double value = fabs(field_at(transform, values, point, k));
      if (isfinite(value)) size = fmax(size, value);
    }
  }
  return size;
}

/* Is the condition true whatever the network gives? */
static bool satisfied(const reader *reader, const system_condition *c, const expression *transform) {
  double point[SYSTEM_MAX_COORDINATES], values[SYSTEM_MAX_SYMBOLS], size = field_size(reader, transform);
  for (int sample = 1; sample <= TRIED_POINTS; sample++) {
    try_point(reader, sample, point, values);
    point[c->coordinate] = c->at;
    double wanted = expression_value(c->value, values, point, 0);
    for (int k = 0; k < TRIED_OUTPUTS; k++)
      if (!(fabs(field_at(transform, values, point, k) - wanted) <= 1e-9 * fmax(size, fabs(wanted)))) return false;
  }
  return true;
}

static ans_status check_hard(reader *reader, int i) {
  const system_condition *c = &reader->conditions[i];
  const syntax_statement *s = reader->condition_statements[i];
  const char *field = reader->fields[c->field].name;
  bool value = true;
  for (int k = 0; k < SYSTEM_MAX_COORDINATES; k++) value = value && !c->order[k];
  if (!value)
    READER_FAIL(reader, ANS_UNSUPPORTED, s->condition.target.place,
                "a hard condition gives the value of '%s' itself; for a derivative write 'soft' at the end of the line",
                field);
  if (satisfied(reader, c, reader->fields[c->field].transform)) return ANS_OK;
  if (c->kind == CONDITION_INITIAL)
    READER_FAIL(reader, ANS_MEANING, s->condition.value->place,
                "the transform of '%s' contradicts this hard initial value; change it, leave it out, or write 'soft'",
                field);
  READER_FAIL(
      reader, ANS_MEANING, s->condition.value->place,
      "a hard boundary value must follow from the transform of '%s', as in 'field %s = x*(1-x)*_'; else write 'soft'",
      field, field);
}

/* Does the field's own transform hold it? It is made of the hard initial values up to the first order without one. */
static bool is_built_in(const reader *reader, const system_condition *c) {
  if (c->kind != CONDITION_INITIAL || reader->fields[c->field].declared) return false;
  for (int order = 0; order <= c->order[reader->problem->time]; order++)
    if (find_initial(reader, c->field, order) < 0) return false;
  return true;
}

static ans_status apply_hard(reader *reader) {
  for (int f = 0; f < reader->problem->field_count; f++)
    if (!reader->fields[f].declared) TRY(initial_transform(reader, f, &reader->fields[f].transform));
  for (int i = 0; i < reader->problem->condition_count; i++) {
    const system_condition *c = &reader->conditions[i];
    if (c->hard && !is_built_in(reader, c)) TRY(check_hard(reader, i));
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
  return apply_hard(reader);
}
