/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/terms.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "system/print.h"

/* ---- Order ----------------------------------------------------------------------------------------------- */

bool factor_is_field(const system_factor *factor) { return factor_order(factor) == 0; }

int factor_compare(const system_factor *a, const system_factor *b) {
  if (a->field != b->field) return a->field < b->field ? -1 : 1;
  int difference = factor_order(a) - factor_order(b);
  for (int c = 0; c < SYSTEM_MAX_COORDINATES && difference == 0; c++) difference = b->order[c] - a->order[c];
  return difference;
}

static int compare_factors(const void *a, const void *b) { return factor_compare(a, b); }

void factors_sort(system_factor *factors, int count) {
  assert(count >= 0);
  qsort(factors, (size_t)count, sizeof *factors, compare_factors);
}

static int compare_numbers(double a, double b) { return (a > b) - (a < b); }

static int step_compare(const expression_step *a, const expression_step *b) {
  if (a->op != b->op) return a->op < b->op ? -1 : 1;
  if (a->op == EXPRESSION_NUMBER) return compare_numbers(a->number, b->number);
  return (a->index > b->index) - (a->index < b->index);
}

static int source_compare(const expression *a, const expression *b) {
  if (!a || !b) return (a != NULL) - (b != NULL);
  if (a->count != b->count) return a->count < b->count ? -1 : 1;
  int difference = 0;
  for (size_t i = 0; i < a->count && difference == 0; i++) difference = step_compare(&a->steps[i], &b->steps[i]);
  return difference;
}

static int factors_compare(const ordered_term *a, const ordered_term *b) {
  int difference = 0;
  for (int i = 0; i < a->factor_count && i < b->factor_count && difference == 0; i++) {
    difference = factor_compare(&a->factors[i], &b->factors[i]);
    if (difference == 0) difference = b->factors[i].power - a->factors[i].power;
  }
  return difference ? difference : a->factor_count - b->factor_count;
}

static int compare_terms(const void *first, const void *second) {
  const ordered_term *a = first, *b = second;
  int difference = a->equation - b->equation;
  if (difference == 0) difference = a->arity - b->arity;
  if (difference == 0) difference = factors_compare(a, b);
  if (difference == 0) difference = source_compare(a->source, b->source);
  if (difference == 0) difference = compare_numbers(a->coefficient, b->coefficient);
  return difference ? difference : a->index - b->index;
}

static void copy_term(const ans_instance *instance, size_t index, ordered_term *result) {
  assert(index < (size_t)instance->term_count && instance->terms[index].term);
  const system_term *term = instance->terms[index].term;
  *result = (ordered_term){.index = (int)index,
                           .equation = term->equation,
                           .arity = term->arity,
                           .factor_count = term->factor_count,
                           .coefficient = instance->terms[index].coefficient,
                           .source = term->source};
  if (term->factor_count == 0) return;
  memcpy(result->factors, term->factors, (size_t)term->factor_count * sizeof *term->factors);
  factors_sort(result->factors, term->factor_count);
}

/* ---- Sources of one term --------------------------------------------------------------------------------- */

static bool differ_in_source_only(const ans_instance *instance, const ordered_term *a, const ordered_term *b) {
  if (a->equation != b->equation || factors_compare(a, b) != 0 || !a->source || !b->source) return false;
  int deeper = b->source->depth + 1 > a->source->depth ? b->source->depth + 1 : a->source->depth;
  const expression *c = instance->terms[a->index].term->coefficient, *d = instance->terms[b->index].term->coefficient;
  return deeper <= EXPRESSION_MAX_DEPTH && c && d && expression_equal(c, d);
}

/* a + b; NULL when memory is exhausted. */
static const expression *source_sum(arena *arena, const expression *a, const expression *b) {
  assert(a && b && a->count > 0 && b->count > 0);
  expression *sum = arena_array(arena, expression, 1);
  expression_step *steps = arena_array(arena, expression_step, a->count + b->count + 1);
  if (!sum || !steps) return NULL;
  memcpy(steps, a->steps, a->count * sizeof *steps);
  memcpy(steps + a->count, b->steps, b->count * sizeof *steps);
  steps[a->count + b->count].op = EXPRESSION_ADD;
  *sum = (expression){a->count + b->count + 1, a->depth > b->depth + 1 ? a->depth : b->depth + 1, steps};
  return sum;
}

/* Terms are in order, so those of one equation with the same factors stand together. */
static bool join_sources(arena *arena, const ans_instance *instance, ordered_term *terms, int *count) {
  int kept = 0;
  for (int t = 0; t < *count; t++) {
    int twin = kept - 1;
    while (twin >= 0 && !differ_in_source_only(instance, &terms[twin], &terms[t])) twin--;
    if (twin < 0) {
      terms[kept++] = terms[t];
      continue;
    }
    terms[twin].source = source_sum(arena, terms[twin].source, terms[t].source);
    if (!terms[twin].source) return false;
  }
  *count = kept;
  return true;
}

ordered_term *terms_in_order(arena *arena, const ans_instance *instance, int *count) {
  *count = instance->term_count;
  ordered_term *terms = arena_array(arena, ordered_term, (size_t)*count);
  if (!terms) return NULL;
  for (int t = 0; t < *count; t++) copy_term(instance, (size_t)t, &terms[t]);
  qsort(terms, (size_t)*count, sizeof *terms, compare_terms);
  return join_sources(arena, instance, terms, count) ? terms : NULL;
}

int term_order(const ordered_term *term, int coordinate) {
  assert(coordinate >= 0 && coordinate < SYSTEM_MAX_COORDINATES);
  int sum = 0;
  for (int i = 0; i < term->factor_count; i++) sum += term->factors[i].power * term->factors[i].order[coordinate];
  return sum;
}

/* ---- Where sources act ----------------------------------------------------------------------------------- */

static int compare_spans(const void *first, const void *second) {
  const source_span *a = first, *b = second;
  if (a->coordinate != b->coordinate) return a->coordinate < b->coordinate ? -1 : 1;
  int difference = compare_numbers(a->low, b->low);
  return difference ? difference : compare_numbers(a->high, b->high);
}

/* Steps from `start` up to `end` of a source, as an expression of their own. */
static expression part_of(const expression *source, size_t start, size_t end) {
  assert(start < end && end <= source->count);
  return (expression){end - start, source->depth, source->steps + start};
}

static bool bound_value(const ans_instance *instance, expression bound, double *value) {
  if (expression_uses(&bound, EXPRESSION_COORDINATE)) return false;
  *value = expression_value(&bound, instance->values, NULL, 0);
  return isfinite(*value);
}

/* Keeps the lowest `room` spans, sorted. */
static void keep_span(source_span span, int found, int room, source_span *spans) {
  int kept = found < room ? found : room;
  if (kept < room)
    spans[kept++] = span;
  else if (room > 0 && compare_spans(&span, &spans[room - 1]) < 0)
    spans[room - 1] = span;
  qsort(spans, (size_t)kept, sizeof *spans, compare_spans);
}

/* A subexpression while the program is walked. */
typedef struct source_part {
  size_t start; /* its first step */
  bool spans;   /* it is a sum of intervals */
} source_part;

/* Whether the three parts before step `end` are a coordinate and two bounds. */
static bool read_span(const ans_instance *instance, const expression *source, const source_part *parts, size_t end,
                      source_span *span) {
  const expression_step *coordinate = &source->steps[parts[0].start];
  if (coordinate->op != EXPRESSION_COORDINATE || parts[1].start != parts[0].start + 1) return false;
  span->coordinate = coordinate->index;
  return bound_value(instance, part_of(source, parts[1].start, parts[2].start), &span->low) &&
         bound_value(instance, part_of(source, parts[2].start, end), &span->high);
}

int source_spans(const ans_instance *instance, const expression *source, int room, source_span *spans, bool *only) {
  source_part stack[EXPRESSION_MAX_DEPTH + 3] = {{0}};
  int found = 0, top = 0;
  for (size_t i = 0; source && i < source->count; i++) {
    expression_op op = source->steps[i].op;
    int operands = expression_operands(op);
    top -= operands;
    source_part *part = &stack[top++];
    assert(top >= 1 && top <= EXPRESSION_MAX_DEPTH);
    source_span span;
    bool is_span = op == EXPRESSION_INSIDE && read_span(instance, source, part, i, &span);
    if (is_span) keep_span(span, found++, room, spans);
    if (operands == 0) part->start = i;
    part->spans = is_span || (op == EXPRESSION_ADD && part[0].spans && part[1].spans);
  }
  *only = found > 0 && stack[0].spans;
  return found;
}

/* ---- Names ----------------------------------------------------------------------------------------------- */

/* "on xi [0.2, 0.4], [0.6, 0.8]" for indicators, else "s(x, t)" with the coordinates the source depends on. */
static void source_label(buffer *label, const ans_instance *instance, const expression *source) {
  enum { SHOWN = 4 };
  const system_coordinate *coordinates = instance->problem->coordinates;
  source_span spans[SHOWN];
  bool plain;
  int found = source_spans(instance, source, SHOWN, spans, &plain), last = -1;
  for (int i = 0; plain && i < found && i < SHOWN; i++) {
    buffer_add(label, i ? ", " : "on ");
    if (spans[i].coordinate != last) buffer_add(label, "%s ", coordinates[spans[i].coordinate].name);
    buffer_add(label, "[%.4g, %.4g]", spans[i].low, spans[i].high);
    last = spans[i].coordinate;
  }
  if (plain) {
    if (found > SHOWN) buffer_add(label, ", ...");
    return;
  }
  buffer_add(label, "s(");
  const char *separator = "";
  for (int c = 0; c < instance->problem->coordinate_count; c++) {
    if (!expression_uses_index(source, EXPRESSION_COORDINATE, c)) continue;
    buffer_add(label, "%s%s", separator, coordinates[c].name);
    separator = ", ";
  }
  buffer_add(label, ")");
}

void term_label(buffer *label, const ans_instance *instance, const ordered_term *term) {
  bool bare = term->factor_count == 0 && !term->source;
  const char *space = "";
  if (bare || fabs(term->coefficient) != 1) {
    buffer_add(label, "%.4g", term->coefficient);
    space = " ";
  } else if (term->coefficient < 0) {
    buffer_add(label, "-");
  }
  if (term->source) {
    buffer_add(label, "%s", space);
    source_label(label, instance, term->source);
    space = " ";
  }
  for (int i = 0; i < term->factor_count; i++, space = " ") {
    buffer_add(label, "%s", space);
    print_factor(label, instance->problem, &term->factors[i]);
  }
}
