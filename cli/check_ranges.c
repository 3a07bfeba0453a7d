/* SPDX-License-Identifier: Apache-2.0
 *
 * check_ranges.c - does every member of the family exist? Coefficients over their ranges, one at a time from the middle
 * and all of them at the corners; functions of the coordinates over the domain.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { CORNERS = 64, SYMBOLS_MAX = 128, LINES = 5 };

/* ---- Coefficients ------------------------------------------------------------------------------------ */

/* A structure and a value for each of its symbols. */
typedef struct members {
  ans_context *context;
  const ans_problem *problem;
  size_t structure, symbol, term;
  double values[SYMBOLS_MAX];
} members;

static double middle(const ans_symbol *symbol) {
  return symbol->logarithmic ? sqrt(symbol->low) * sqrt(symbol->high) : symbol->low / 2 + symbol->high / 2;
}

static bool varies(const members *m, size_t symbol) {
  return ans_problem_symbol(m->problem, symbol).kind != ANS_DERIVED &&
         ans_structure_has(m->problem, m->structure, symbol);
}

static void take_middle(members *m) {
  for (size_t s = 0; s < ans_problem_count(m->problem, ANS_SYMBOLS) && s < SYMBOLS_MAX; s++) {
    ans_symbol symbol = ans_problem_symbol(m->problem, s);
    m->values[s] = varies(m, s) ? middle(&symbol) : (double)NAN;
  }
}

/* The coefficient of the problem's term m->term when m->symbol is `at`: 0 when it vanishes, NaN when there is none. */
static double coefficient_at(const void *data, double at) {
  members m = *(const members *)data;
  ans_instance *instance;
  m.values[m.symbol] = at;
  if (ans_instance_from_values(m.context, m.problem, m.structure, m.values, true, &instance) != ANS_OK)
    return (double)NAN;
  double coefficient = 0;
  for (size_t i = 0; i < ans_instance_term_count(instance); i++) {
    ans_term term = ans_instance_term(instance, i);
    if (term.index == m.term) coefficient = term.coefficient;
  }
  ans_instance_free(instance);
  return coefficient;
}

static void scan_symbol(members *m, findings *findings) {
  ans_symbol symbol = ans_problem_symbol(m->problem, m->symbol);
  for (m->term = 0; m->term < ans_problem_count(m->problem, ANS_TERMS); m->term++) {
    double at = 0;
    scan_result result = scan_function(coefficient_at, m, symbol.low, symbol.high, &at);
    if (result == SCAN_REGULAR) continue;
    if (result == SCAN_UNDEFINED) {
      findings_add(findings, FINDING_WRONG, "at %s = %g: %s; the range is [%g, %g]", symbol.name, at,
                   ans_context_diagnostic(m->context)->message, symbol.low, symbol.high);
      return;
    }
    char *text;
    if (ans_problem_describe(m->context, m->problem, ANS_TERMS, m->term, &text) != ANS_OK) continue;
    findings_add(findings, FINDING_WRONG,
                 "the coefficient of %s grows without bound near %s = %g, inside the range [%g, %g]", text, symbol.name,
                 at, symbol.low, symbol.high);
    ans_free(text);
  }
}

/* Every symbol at an end of its range: all combinations, or as many as there is time for. */
static void try_corners(members *m, findings *findings) {
  size_t symbols = ans_problem_count(m->problem, ANS_SYMBOLS);
  for (unsigned corner = 0; corner < CORNERS; corner++) {
    ans_instance *instance;
    unsigned place = 0;
    for (size_t s = 0; s < symbols && s < SYMBOLS_MAX; s++) {
      ans_symbol symbol = ans_problem_symbol(m->problem, s);
      if (varies(m, s)) m->values[s] = corner >> place++ % 6 & 1 ? symbol.high : symbol.low;
    }
    ans_status status = ans_instance_from_values(m->context, m->problem, m->structure, m->values, false, &instance);
    ans_instance_free(instance);
    if (status == ANS_OK) continue;
    findings_add(findings, FINDING_WRONG, "structure %s, at a corner of the ranges: %s",
                 ans_problem_name(m->problem, ANS_STRUCTURES, m->structure),
                 ans_context_diagnostic(m->context)->message);
    return;
  }
}

void check_ranges(ans_context *context, const ans_problem *problem, size_t structure, findings *findings) {
  members m = {.context = context, .problem = problem, .structure = structure};
  if (ans_problem_count(problem, ANS_SYMBOLS) > SYMBOLS_MAX) return;
  take_middle(&m);
  for (m.symbol = 0; m.symbol < ans_problem_count(problem, ANS_SYMBOLS); m.symbol++)
    if (varies(&m, m.symbol)) scan_symbol(&m, findings);
  try_corners(&m, findings);
}

/* ---- Functions of the coordinates --------------------------------------------------------------------- */

typedef struct line {
  const ans_instance *instance;
  bool condition; /* a condition's value, else a term's source */
  size_t index, coordinate;
  double point[ANS_MAX_COORDINATES];
} line;

static double value_on_line(const void *data, double at) {
  line l = *(const line *)data;
  l.point[l.coordinate] = at;
  return l.condition ? ans_instance_condition_value(l.instance, l.index, l.point)
                     : ans_instance_source(l.instance, l.index, l.point);
}

/* Along one coordinate, the others at the middle and towards the ends. True: a fault was found and told. */
static bool scan_lines(line *l, const char *what, findings *findings) {
  const ans_problem *problem = ans_instance_problem(l->instance);
  ans_coordinate along = ans_problem_coordinate(problem, l->coordinate);
  for (int i = 0; i < LINES; i++) {
    double at = 0;
    for (size_t c = 0; c < ans_problem_count(problem, ANS_COORDINATES); c++) {
      ans_coordinate other = ans_problem_coordinate(problem, c);
      l->point[c] = other.low + (other.high - other.low) * i / (LINES - 1);
    }
    scan_result result = scan_function(value_on_line, l, along.low, along.high, &at);
    if (result == SCAN_REGULAR) continue;
    findings_add(findings, FINDING_WRONG, "%s %s %s = %g", what,
                 result == SCAN_UNDEFINED ? "has no finite value at" : "grows without bound near", along.name, at);
    return true;
  }
  return false;
}

static void scan_all(line l, const char *what, findings *findings) {
  size_t coordinates = ans_problem_count(ans_instance_problem(l.instance), ANS_COORDINATES);
  for (l.coordinate = 0; l.coordinate < coordinates; l.coordinate++)
    if (scan_lines(&l, what, findings)) return;
}

void check_sources(ans_context *context, const ans_instance *instance, findings *findings) {
  const ans_problem *problem = ans_instance_problem(instance);
  char *text, what[512];
  for (size_t i = 0; i < ans_instance_term_count(instance); i++) {
    if (!ans_instance_term(instance, i).has_source || ans_instance_term_text(context, instance, i, &text) != ANS_OK)
      continue;
    snprintf(what, sizeof what, "the term %s", text);
    ans_free(text);
    scan_all((line){.instance = instance, .index = i}, what, findings);
  }
  for (size_t i = 0; i < ans_problem_count(problem, ANS_CONDITIONS); i++) {
    if (ans_problem_describe(context, problem, ANS_CONDITIONS, i, &text) != ANS_OK) continue;
    snprintf(what, sizeof what, "the value of '%s'", text);
    ans_free(text);
    scan_all((line){.instance = instance, .condition = true, .index = i}, what, findings);
  }
}
