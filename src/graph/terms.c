/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/terms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Order ----------------------------------------------------------------------------------------------- */

int factor_total(const system_factor *factor) {
  int total = 0;
  for (int c = 0; c < SYSTEM_MAX_COORDINATES; c++) total += factor->order[c];
  return total;
}

bool factor_is_field(const system_factor *factor) { return factor_total(factor) == 0; }

int factor_compare(const system_factor *a, const system_factor *b) {
  if (a->field != b->field) return a->field < b->field ? -1 : 1;
  int difference = factor_total(a) - factor_total(b);
  for (int c = 0; c < SYSTEM_MAX_COORDINATES && difference == 0; c++) difference = b->order[c] - a->order[c];
  return difference;
}

static int compare_factors(const void *a, const void *b) { return factor_compare(a, b); }

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

ordered_term *terms_in_order(arena *arena, const ans_instance *instance) {
  size_t count = (size_t)instance->term_count;
  ordered_term *terms = arena_array(arena, ordered_term, count);
  if (!terms) return NULL;
  for (size_t i = 0; i < count; i++) {
    const system_term *term = instance->terms[i].term;
    terms[i] = (ordered_term){.index = (int)i,
                              .equation = term->equation,
                              .arity = term->arity,
                              .factor_count = term->factor_count,
                              .coefficient = instance->terms[i].coefficient,
                              .source = term->source};
    if (term->factor_count == 0) continue;
    memcpy(terms[i].factors, term->factors, (size_t)term->factor_count * sizeof *term->factors);
    qsort(terms[i].factors, (size_t)term->factor_count, sizeof *term->factors, compare_factors);
  }
  qsort(terms, count, sizeof *terms, compare_terms);
  return terms;
}

int term_order(const ordered_term *term, int coordinate) {
  int sum = 0;
  for (int i = 0; i < term->factor_count; i++) sum += term->factors[i].power * term->factors[i].order[coordinate];
  return sum;
}

/* ---- Sources --------------------------------------------------------------------------------------------- */

static int compare_spans(const void *first, const void *second) {
  const source_span *a = first, *b = second;
  if (a->coordinate != b->coordinate) return a->coordinate < b->coordinate ? -1 : 1;
  int difference = compare_numbers(a->low, b->low);
  return difference ? difference : compare_numbers(a->high, b->high);
}

/* A bound of an interval: a number or a symbol. */
static bool bound_value(const ans_instance *instance, const expression_step *step, double *value) {
  if (step->op == EXPRESSION_NUMBER)
    *value = step->number;
  else if (step->op == EXPRESSION_SYMBOL)
    *value = instance->values[step->index];
  else
    return false;
  return true;
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

int source_spans(const ans_instance *instance, const expression *source, int room, source_span *spans) {
  int found = 0;
  for (size_t i = 3; source && i < source->count; i++) {
    const expression_step *step = &source->steps[i];
    source_span span = {.coordinate = step[-3].index};
    if (step->op != EXPRESSION_INSIDE || step[-3].op != EXPRESSION_COORDINATE) continue;
    if (!bound_value(instance, step - 2, &span.low) || !bound_value(instance, step - 1, &span.high)) continue;
    keep_span(span, found++, room, spans);
  }
  return found;
}

/* ---- Names ----------------------------------------------------------------------------------------------- */

void factor_label(buffer *label, const ans_problem *problem, const system_factor *factor) {
  buffer_add(label, "%s%s", problem->fields[factor->field].name, factor_is_field(factor) ? "" : "_");
  for (int c = 0; c < problem->coordinate_count; c++)
    for (int i = 0; i < factor->order[c]; i++) buffer_add(label, "%s", problem->coordinates[c].name);
  if (factor->power > 1) buffer_add(label, "^%d", factor->power);
}

/* Whether a source is a sum of indicators and nothing else, so that its intervals say everything. */
static bool only_spans(const expression *source, int spans) {
  int indicators = 0;
  for (size_t i = 0; i < source->count; i++) {
    expression_op op = source->steps[i].op;
    if (op == EXPRESSION_INSIDE)
      indicators++;
    else if (op != EXPRESSION_ADD && op != EXPRESSION_NUMBER && op != EXPRESSION_SYMBOL && op != EXPRESSION_COORDINATE)
      return false;
  }
  return indicators == spans && source->count == (size_t)(5 * indicators - 1);
}

static bool depends_on(const expression *source, int coordinate) {
  for (size_t i = 0; i < source->count; i++)
    if (source->steps[i].op == EXPRESSION_COORDINATE && source->steps[i].index == coordinate) return true;
  return false;
}

/* "on xi [0.2, 0.4], [0.6, 0.8]" for indicators, else "s(x, t)" with the coordinates the source depends on. */
static void source_label(buffer *label, const ans_instance *instance, const expression *source) {
  enum { SHOWN = 4 };
  const system_coordinate *coordinates = instance->problem->coordinates;
  source_span spans[SHOWN];
  int found = source_spans(instance, source, SHOWN, spans), last = -1;
  bool plain = found > 0 && only_spans(source, found);
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
    if (!depends_on(source, c)) continue;
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
    factor_label(label, instance->problem, &term->factors[i]);
  }
}
