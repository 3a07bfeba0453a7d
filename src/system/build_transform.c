/* SPDX-License-Identifier: Apache-2.0
 *
 * build_transform.c - hard conditions become part of their field.
 *
 * Without a transform of its own, a field is   u = W(x, t) + (t - t0)^k phi(x) * _   where W satisfies all hard
 * conditions and the factor of the raw output leaves them alone. W begins with the k initial values,
 *
 *   W = u0(x) + (t - t0) u1(x) + ...,
 *
 * and every coordinate that is not periodic adds what the values g or slopes h at its ends still lack:
 *
 *   W <- W + b_low(s) (g_low - W at low) + b_high(s) (g_high - W at high),   s = (x - low)/(high - low),
 *
 * with W_x in place of W where a slope is given. b_low, b_high and phi are the quadratics of the table below. Where a
 * slope is given the network reads the coordinate through an even function (MIRROR_), so that _ has no slope there.
 *
 * A boundary value that contradicts the initial value at their corner cannot be built in: it becomes soft, with a
 * remark, unless the text insists on `hard`. A field that declares a transform must satisfy its hard conditions by
 * it; that is tried at sample points.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "system/reader.h"

/* A number this small against the field is zero: sin(pi) and its kin. */
static const double ROUNDING = 1e-14;
/* Two conditions that differ by less than this part of the field's size at their corner mean the same: the tail of a
 * pulse at a wall, a constant that was rounded. The built one has the boundary's value there. */
static const double CONTRADICTION = 1e-6;

typedef enum end_kind { END_FREE, END_VALUE, END_SLOPE } end_kind;

/* Quadratics c0 + c1 s + c2 s^2. Those of a slope are to be multiplied by the length. */
typedef struct blend_rule {
  double low[3], high[3], raw[3];
  uint8_t mirror;
} blend_rule;

static const blend_rule blend_rules[3][3] = {
    [END_FREE] = {[END_FREE] = {.raw = {1}},
                  [END_VALUE] = {.high = {1}, .raw = {1, -1}},
                  [END_SLOPE] = {.high = {-1, 1}, .raw = {1}, .mirror = MIRROR_HIGH}},
    [END_VALUE] = {[END_FREE] = {.low = {1}, .raw = {0, 1}},
                   [END_VALUE] = {.low = {1, -1}, .high = {0, 1}, .raw = {0, 4, -4}},
                   [END_SLOPE] = {.low = {1}, .high = {0, 1}, .raw = {0, 2, -1}, .mirror = MIRROR_HIGH}},
    [END_SLOPE] =
        {[END_FREE] = {.low = {0, 1}, .raw = {1}, .mirror = MIRROR_LOW},
         [END_VALUE] = {.low = {-1, 1}, .high = {1}, .raw = {1, 0, -1}, .mirror = MIRROR_LOW},
         [END_SLOPE] = {.low = {0, 1, -0.5}, .high = {0, 0, 0.5}, .raw = {1}, .mirror = MIRROR_LOW | MIRROR_HIGH}},
};

/* The condition that is built in at each end of a coordinate; -1: none. */
typedef struct blend_ends {
  int coordinate, low, high;
} blend_ends;

/* A field's transform while it is built: W, and the factor of the raw output. */
typedef struct transform_draft {
  int field, initial_count;
  bool blended[SYSTEM_MAX_COORDINATES];
  const formula *known, *factor;
} transform_draft;

static bool is_value(const system_condition *c) {
  for (int i = 0; i < SYSTEM_MAX_COORDINATES; i++)
    if (c->order[i]) return false;
  return true;
}

static end_kind kind_of(const system_condition *c) {
  if (is_value(c)) return END_VALUE;
  int order = 0;
  for (int i = 0; i < SYSTEM_MAX_COORDINATES; i++) order += c->order[i];
  return order == 1 && c->order[c->coordinate] == 1 ? END_SLOPE : END_FREE;
}

/* ---- Initial values ------------------------------------------------------------------------------------------- */

/* (t - t0)^power, or 1 */
static ans_status elapsed(reader *reader, text_place place, int power, const formula **result) {
  const system_coordinate *time = &reader->coordinates[reader->problem->time];
  const formula *start, *exponent;
  if (power == 0) return formula_number(&reader->builder, place, 1, result);
  TRY(formula_leaf(&reader->builder, place, EXPRESSION_COORDINATE, reader->problem->time, result));
  if (time->low != 0) {
    TRY(formula_number(&reader->builder, place, time->low, &start));
    TRY(formula_binary(&reader->builder, EXPRESSION_SUBTRACT, *result, start, result));
  }
  if (power == 1) return ANS_OK;
  TRY(formula_number(&reader->builder, place, power, &exponent));
  return formula_binary(&reader->builder, EXPRESSION_POWER, *result, exponent, result);
}

/* sum <- sum + (t - t0)^power / power! * value; NULL: no sum yet */
static ans_status add_taylor_part(reader *reader, text_place place, int power, const formula *value,
                                  const formula **sum) {
  const formula *weight, *part = value;
  double factorial = 1;
  for (int i = 2; i <= power; i++) factorial *= i;
  if (factorial != 1) {
    const formula *number;
    TRY(formula_number(&reader->builder, place, factorial, &number));
    TRY(formula_binary(&reader->builder, EXPRESSION_DIVIDE, value, number, &part));
  }
  TRY(elapsed(reader, place, power, &weight));
  if (power > 0) TRY(formula_binary(&reader->builder, EXPRESSION_MULTIPLY, weight, part, &part));
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

static ans_status condition_value(reader *reader, int i, const formula **result) {
  return reader_condition_value(reader, reader->condition_statements[i], i, "a condition", result);
}

/* known and factor stay NULL when there is no hard initial value of the field itself. */
static ans_status begin_draft(reader *reader, int field, transform_draft *draft) {
  const formula *value;
  *draft = (transform_draft){.field = field};
  for (int i; (i = find_initial(reader, field, draft->initial_count)) >= 0; draft->initial_count++) {
    text_place place = reader->condition_statements[i]->place;
    TRY(condition_value(reader, i, &value));
    TRY(add_taylor_part(reader, place, draft->initial_count, value, &draft->known));
    TRY(elapsed(reader, place, draft->initial_count + 1, &draft->factor));
  }
  return ANS_OK;
}

/* ---- Sample points ----------------------------------------------------------------------------------------------- */

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

/* ---- Boundary values ------------------------------------------------------------------------------------------ */

/* sum <- sum + number * part */
static ans_status add_multiple(formula_builder *builder, double number, const formula *part, const formula **sum) {
  const formula *size;
  TRY(formula_number(builder, part->place, fabs(number), &size));
  TRY(formula_product(builder, size, part, &part));
  return number < 0 ? formula_difference(builder, *sum, part, sum) : formula_sum(builder, *sum, part, sum);
}

/* (x - low)/(high - low) */
static ans_status fraction(reader *reader, text_place place, int coordinate, const formula **result) {
  const system_coordinate *x = &reader->coordinates[coordinate];
  const formula *one, *length;
  TRY(formula_leaf(&reader->builder, place, EXPRESSION_COORDINATE, coordinate, result));
  TRY(formula_number(&reader->builder, place, 1, &one));
  TRY(add_multiple(&reader->builder, -x->low, one, result));
  TRY(formula_number(&reader->builder, place, x->high - x->low, &length));
  return x->high - x->low == 1 ? ANS_OK : formula_binary(&reader->builder, EXPRESSION_DIVIDE, *result, length, result);
}

/* c0 + c1 s + c2 s^2 times `scale` */
static ans_status quadratic(reader *reader, text_place place, int coordinate, const double *c, double scale,
                            const formula **result) {
  formula_builder *builder = &reader->builder;
  const formula *s, *two, *square;
  TRY(fraction(reader, place, coordinate, &s));
  TRY(formula_number(builder, place, 2, &two));
  TRY(formula_binary(builder, EXPRESSION_POWER, s, two, &square));
  TRY(formula_number(builder, place, scale * c[0], result));
  TRY(add_multiple(builder, scale * c[1], s, result));
  return add_multiple(builder, scale * c[2], square, result);
}

/* known <- known + b(s) (value of the condition - what `from` has there) */
static ans_status add_end(reader *reader, int i, const double *shape, const formula *from, double scale,
                          const formula **known) {
  formula_builder *builder = &reader->builder;
  const system_condition *c = &reader->conditions[i];
  const system_coordinate *x = &reader->coordinates[c->coordinate];
  const formula *wanted, *there = from, *blend;
  bool slope = kind_of(c) == END_SLOPE;
  TRY(condition_value(reader, i, &wanted));
  if (slope) TRY(formula_slope(builder, there, c->coordinate, &there));
  TRY(formula_at(builder, there, c->coordinate, c->at, &there));
  TRY(formula_difference(builder, wanted, there, &wanted));
  if (wanted->op == EXPRESSION_NUMBER && fabs(wanted->number) <= ROUNDING * scale) return ANS_OK; /* sin(pi) is none */
  TRY(quadratic(reader, wanted->place, c->coordinate, shape, slope ? x->high - x->low : 1, &blend));
  TRY(formula_product(builder, blend, wanted, &wanted));
  return formula_sum(builder, *known, wanted, known);
}

static const blend_rule *rule_of(const reader *reader, const blend_ends *ends) {
  end_kind low = ends->low < 0 ? END_FREE : kind_of(&reader->conditions[ends->low]);
  end_kind high = ends->high < 0 ? END_FREE : kind_of(&reader->conditions[ends->high]);
  return &blend_rules[low][high];
}

static ans_status blend(reader *reader, const blend_ends *ends, transform_draft *draft) {
  const blend_rule *rule = rule_of(reader, ends);
  text_place place = reader->condition_statements[ends->low >= 0 ? ends->low : ends->high]->place;
  const formula *phi, *from;
  const expression *values;
  if (!draft->known) TRY(formula_number(&reader->builder, place, 0, &draft->known));
  if (!draft->factor) TRY(formula_number(&reader->builder, place, 1, &draft->factor));
  from = draft->known;
  TRY(formula_flatten(reader->context, reader->scratch, from, &values));
  double scale = field_size(reader, values);
  if (ends->low >= 0) TRY(add_end(reader, ends->low, rule->low, from, scale, &draft->known));
  if (ends->high >= 0) TRY(add_end(reader, ends->high, rule->high, from, scale, &draft->known));
  TRY(quadratic(reader, place, ends->coordinate, rule->raw, 1, &phi));
  return formula_product(&reader->builder, draft->factor, phi, &draft->factor);
}

/* ---- Trials of what was built ----------------------------------------------------------------------------------- */

/* Is the condition true whatever the network gives? */
static bool satisfied(const reader *reader, const system_condition *c, const expression *transform, double size) {
  double point[SYSTEM_MAX_COORDINATES], values[SYSTEM_MAX_SYMBOLS];
  for (int sample = 1; sample <= TRIED_POINTS; sample++) {
    try_point(reader, sample, point, values);
    point[c->coordinate] = c->at;
    double wanted = expression_value(c->value, values, point, 0);
    for (int k = 0; k < TRIED_OUTPUTS; k++)
      if (!(fabs(field_at(transform, values, point, k) - wanted) <= CONTRADICTION * fmax(size, fabs(wanted))))
        return false;
  }
  return true;
}

/* Does W still have the initial values, and boundary values of coordinates that were blended before? */
static ans_status is_consistent(reader *reader, const transform_draft *draft, bool *result) {
  const formula *slope = draft->known;
  const expression *tried;
  *result = true;
  /* A later window begins where the one before ended, to rounding and no further: what could be built in at the start
   * of time is built in here. */
  if (reader->variation && reader->variation->numbers) return ANS_OK;
  for (int order = 0; *result && order < draft->initial_count; order++) {
    if (order > 0) TRY(formula_slope(&reader->builder, slope, reader->problem->time, &slope));
    TRY(formula_flatten(reader->context, reader->scratch, slope, &tried));
    *result = satisfied(reader, &reader->conditions[find_initial(reader, draft->field, order)], tried,
                        field_size(reader, tried));
  }
  TRY(formula_flatten(reader->context, reader->scratch, draft->known, &tried));
  for (int i = 0; *result && i < reader->problem->condition_count; i++) {
    const system_condition *c = &reader->conditions[i];
    if (c->kind != CONDITION_BOUNDARY || !c->hard || c->field != draft->field || kind_of(c) != END_VALUE) continue;
    if (draft->blended[c->coordinate]) *result = satisfied(reader, c, tried, field_size(reader, tried));
  }
  return ANS_OK;
}

/* ---- Which conditions ------------------------------------------------------------------------------------------- */

static ans_status soften(reader *reader, int i, const char *why) {
  system_condition *c = &reader->conditions[i];
  const syntax_statement *s = reader->condition_statements[i];
  if (s->condition.strictness.hard)
    READER_FAIL(reader, ANS_MEANING, s->condition.value->place, "this condition cannot be hard: %s; write 'soft'", why);
  c->hard = false;
  c->weight = 1;
  c->remark = why;
  return ANS_OK;
}

/* The conditions to build in: at each end a value if there is one, else a slope. Whatever is left becomes soft. */
static ans_status choose_ends(reader *reader, int field, int coordinate, blend_ends *ends) {
  *ends = (blend_ends){.coordinate = coordinate, .low = -1, .high = -1};
  for (int kind = END_VALUE; kind <= END_SLOPE; kind++)
    for (int i = 0; i < reader->problem->condition_count; i++) {
      const system_condition *c = &reader->conditions[i];
      if (c->kind != CONDITION_BOUNDARY || !c->hard || c->field != field || c->coordinate != coordinate) continue;
      int *place = c->at == reader->coordinates[coordinate].low ? &ends->low : &ends->high;
      if (*place < 0 && (int)kind_of(c) == kind) *place = i;
    }
  for (int i = 0; i < reader->problem->condition_count; i++) {
    const system_condition *c = &reader->conditions[i];
    if (c->kind == CONDITION_BOUNDARY && c->hard && c->field == field && c->coordinate == coordinate &&
        i != ends->low && i != ends->high)
      TRY(soften(reader, i, "one value or first derivative at each end is built into the field, and no more"));
  }
  return ANS_OK;
}

/* Blends these ends if that leaves everything else as it was; *done says whether. A formula that cannot be
 * differentiated, or has no value at the end, is no reason to give up. */
static ans_status try_ends(reader *reader, blend_ends ends, transform_draft *draft, bool *done) {
  transform_draft next = *draft;
  *done = false;
  if (ends.low < 0 && ends.high < 0) return ANS_OK;
  ans_status status = blend(reader, &ends, &next);
  if (status == ANS_OK) status = is_consistent(reader, &next, done);
  if (status == ANS_MEMORY) return status;
  if (status != ANS_OK) *done = false;
  if (!*done) return ANS_OK;
  next.blended[ends.coordinate] = true;
  *draft = next;
  reader->fields[draft->field].mirror[ends.coordinate] = rule_of(reader, &ends)->mirror;
  return ANS_OK;
}

static ans_status blend_coordinate(reader *reader, int coordinate, transform_draft *draft) {
  static const char why[] = "it contradicts another condition where the two meet";
  blend_ends ends;
  bool done;
  TRY(choose_ends(reader, draft->field, coordinate, &ends));
  if (ends.low < 0 && ends.high < 0) return ANS_OK;
  TRY(try_ends(reader, ends, draft, &done));
  if (done) return ANS_OK;
  blend_ends tries[2] = {{coordinate, ends.low, -1}, {coordinate, -1, ends.high}};
  int left[2] = {ends.high, ends.low};
  for (int k = 0; k < 2; k++) {
    TRY(try_ends(reader, tries[k], draft, &done));
    if (done) return left[k] < 0 ? ANS_OK : soften(reader, left[k], why);
  }
  for (int k = 0; k < 2; k++)
    if (left[k] >= 0) TRY(soften(reader, left[k], why));
  return ANS_OK;
}

static ans_status build_field(reader *reader, int field) {
  transform_draft draft;
  const formula *raw, *sum;
  TRY(begin_draft(reader, field, &draft));
  for (int d = 0; d < reader->problem->coordinate_count; d++)
    if (!reader->coordinates[d].time && !reader->coordinates[d].periodic) TRY(blend_coordinate(reader, d, &draft));
  if (!draft.known) return ANS_OK;
  TRY(formula_leaf(&reader->builder, draft.known->place, EXPRESSION_RAW, 0, &raw));
  TRY(formula_product(&reader->builder, draft.factor, raw, &raw));
  TRY(formula_sum(&reader->builder, draft.known, raw, &sum));
  return formula_flatten(reader->context, reader->kept, sum, &reader->fields[field].transform);
}

/* ---- Transforms that are declared ------------------------------------------------------------------------------- */

static ans_status check_hard(reader *reader, int i) {
  const system_condition *c = &reader->conditions[i];
  const syntax_statement *s = reader->condition_statements[i];
  const char *field = reader->fields[c->field].name;
  const expression *transform = reader->fields[c->field].transform;
  if (!is_value(c))
    READER_FAIL(reader, ANS_UNSUPPORTED, s->condition.target.place,
                "a hard condition gives the value of '%s' itself; for a derivative write 'soft' at the end of the line",
                field);
  if (satisfied(reader, c, transform, field_size(reader, transform))) return ANS_OK;
  if (c->kind == CONDITION_INITIAL)
    READER_FAIL(reader, ANS_MEANING, s->condition.value->place,
                "the transform of '%s' contradicts this hard initial value; change it, leave it out, or write 'soft'",
                field);
  READER_FAIL(
      reader, ANS_MEANING, s->condition.value->place,
      "a hard boundary value must follow from the transform of '%s', as in 'field %s = x*(1-x)*_'; else write 'soft'",
      field, field);
}

/* Is it in the transform that was built? That has the hard initial values up to the first order without one. */
static bool is_built_in(const reader *reader, const system_condition *c) {
  if (reader->fields[c->field].declared) return false;
  if (c->kind == CONDITION_BOUNDARY) return true;
  for (int order = 0; order <= c->order[reader->problem->time]; order++)
    if (find_initial(reader, c->field, order) < 0) return false;
  return true;
}

/* A time derivative that is given beside an unknown value: a fit builds both in, once it has a value. */
static bool waits_for_value(const reader *reader, const system_condition *c) {
  for (int i = 0; i < reader->problem->condition_count; i++)
    if (c->kind == CONDITION_INITIAL && reader->conditions[i].unknown && reader->conditions[i].field == c->field)
      return true;
  return false;
}

ans_status reader_build_transforms(reader *reader) {
  for (int f = 0; f < reader->problem->field_count; f++)
    if (!reader->fields[f].declared) TRY(build_field(reader, f));
  for (int i = 0; i < reader->problem->condition_count; i++) {
    const system_condition *c = &reader->conditions[i];
    if (c->hard && !is_built_in(reader, c) && !waits_for_value(reader, c)) TRY(check_hard(reader, i));
  }
  return ANS_OK;
}
