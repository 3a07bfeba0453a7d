/* SPDX-License-Identifier: Apache-2.0
 *
 * instance.c - one member of a family: a structure, a value for every symbol, terms with numbers.
 */
#include <math.h>
#include <string.h>

#include "system/system.h"
#include "text/text.h"

int system_find_structure(const ans_problem *problem, const char *name) {
  for (int i = 0; i < problem->structure_count; i++)
    if (strcmp(problem->structures[i].name, name) == 0) return i;
  return -1;
}

int system_find_case(const ans_problem *problem, const char *name) {
  for (int i = 0; i < problem->case_count; i++)
    if (strcmp(problem->cases[i].name, name) == 0) return i;
  return -1;
}

int system_find_symbol(const ans_problem *problem, const char *name) {
  for (int i = 0; i < problem->symbol_count; i++)
    if (strcmp(problem->symbols[i].name, name) == 0) return i;
  return -1;
}

int system_unknown_initial(const ans_problem *problem) {
  for (int i = 0; i < problem->condition_count; i++)
    if (problem->conditions[i].unknown) return problem->conditions[i].field;
  return -1;
}

ans_status system_require_initial(ans_context *context, const ans_problem *problem) {
  int field = system_unknown_initial(problem);
  FAIL_IF(field >= 0, context, ANS_UNSUPPORTED,
          "the initial value of '%s' is unknown: 'ansatz fit' seeks it in measurements; anything else needs "
          "'initial %s = ...'",
          problem->fields[field].name, problem->fields[field].name);
  return ANS_OK;
}

int factor_order(const system_factor *factor) {
  int order = 0;
  for (int i = 0; i < SYSTEM_MAX_COORDINATES; i++) order += factor->order[i];
  return order;
}

/* ---- Values ------------------------------------------------------------------------------------------------ */

static ans_status take_sampled(ans_context *context, const system_structure *structure, const system_symbol *symbol,
                               bool absent, double given, bool insist, double *value, bool *present) {
  *present = !absent;
  *value = 0;
  if (absent) {
    FAIL_IF(!isnan(given), context, ANS_ARGUMENT, "the structure '%s' is without '%s'", structure->name, symbol->name);
    return ANS_OK;
  }
  FAIL_IF(isnan(given), context, ANS_ARGUMENT, "'%s' has no value; its range is [%g, %g]", symbol->name, symbol->low,
          symbol->high);
  FAIL_IF(!isfinite(given), context, ANS_ARGUMENT, "the value of '%s' is not finite", symbol->name);
  FAIL_IF(!insist && (given < symbol->low || given > symbol->high), context, ANS_ARGUMENT,
          "'%s' is %g, outside its trained range [%g, %g]", symbol->name, given, symbol->low, symbol->high);
  *value = given;
  return ANS_OK;
}

/* A derived value is there unless it comes from something absent and is zero for that reason. */
static bool derived_is_present(const system_symbol *symbol, double value, const bool *present, int index) {
  if (value != 0) return true;
  for (int i = 0; i < index; i++)
    if (!present[i] && expression_uses_index(symbol->value, EXPRESSION_SYMBOL, i)) return false;
  return true;
}

static ans_status take_values(ans_context *context, const ans_problem *problem, const system_structure *structure,
                              const double *given, bool insist, double *values, bool *present) {
  for (int i = 0; i < problem->symbol_count; i++) {
    const system_symbol *symbol = &problem->symbols[i];
    if (symbol->kind != SYMBOL_DERIVED) {
      TRY(take_sampled(context, structure, symbol, structure->absent[i], given[i], insist, &values[i], &present[i]));
      continue;
    }
    FAIL_IF(!isnan(given[i]), context, ANS_ARGUMENT, "'%s' is derived from other values and cannot be given",
            symbol->name);
    values[i] = expression_value(symbol->value, values, NULL, 0);
    FAIL_IF(!isfinite(values[i]), context, ANS_ARGUMENT, "'%s' has no finite value for these coefficients",
            symbol->name);
    present[i] = derived_is_present(symbol, values[i], present, i);
  }
  return ANS_OK;
}

/* sin(k*x) without k */
static bool source_vanishes(const system_term *term, const double *values) {
  double number;
  return term->source && expression_constant(term->source, values, &number) && number == 0;
}

/* The most derivatives in space that one factor of a term has. */
static int space_order(const ans_problem *problem, const system_term *term) {
  int most = 0;
  for (int i = 0; i < term->factor_count; i++) {
    int order = factor_order(&term->factors[i]);
    if (problem->time >= 0) order -= term->factors[i].order[problem->time];
    if (order > most) most = order;
  }
  return most;
}

static bool is_highest(const ans_problem *problem, const system_term *term) {
  for (int i = 0; i < problem->term_count; i++)
    if (problem->terms[i].equation == term->equation &&
        space_order(problem, &problem->terms[i]) > space_order(problem, term))
      return false;
  return space_order(problem, term) > 0;
}

static ans_status take_terms(ans_context *context, const ans_problem *problem, const double *values,
                             instance_term *terms, int *count) {
  for (int i = 0; i < problem->term_count; i++) {
    const system_term *term = &problem->terms[i];
    double coefficient = expression_value(term->coefficient, values, NULL, 0);
    FAIL_IF(!isfinite(coefficient), context, ANS_ARGUMENT,
            "a coefficient in the equation for '%s' is not finite for these values",
            problem->fields[problem->equations[term->equation].field].name);
    if (problem->thickening > 0 && is_highest(problem, term)) coefficient *= problem->thickening;
    if (coefficient != 0 && !source_vanishes(term, values)) terms[(*count)++] = (instance_term){term, coefficient};
  }
  return ANS_OK;
}

static ans_status fill(ans_context *context, arena *arena, const ans_problem *problem, int structure,
                       const double *given, bool insist, ans_instance **result) {
  ans_instance *made = arena_take(arena, sizeof *made);
  double *values = arena_array(arena, double, (size_t)problem->symbol_count);
  bool *present = arena_array(arena, bool, (size_t)problem->symbol_count);
  instance_term *terms = arena_array(arena, instance_term, (size_t)problem->term_count);
  if (!made || !values || !present || !terms) return context_no_memory(context);
  *made = (ans_instance){
      .arena = arena, .problem = problem, .structure = structure, .values = values, .present = present, .terms = terms};
  TRY(take_values(context, problem, &problem->structures[structure], given, insist, values, present));
  TRY(take_terms(context, problem, values, terms, &made->term_count));
  *result = made;
  return ANS_OK;
}

ans_status system_instance_in(ans_context *context, arena *arena, const ans_problem *problem, int structure,
                              const double *values, bool insist, ans_instance **result) {
  *result = NULL;
  FAIL_IF(structure < 0 || structure >= problem->structure_count, context, ANS_ARGUMENT,
          "there is no structure number %d", structure);
  return fill(context, arena, problem, structure, values, insist, result);
}

ans_status system_instance(ans_context *context, const ans_problem *problem, int structure, const double *values,
                           bool insist, ans_instance **result) {
  arena *arena;
  *result = NULL;
  TRY(arena_new(context, &arena));
  ans_status status = system_instance_in(context, arena, problem, structure, values, insist, result);
  if (status != ANS_OK) arena_free(arena);
  return status;
}

ans_status system_instance_like(ans_context *context, const ans_problem *problem, const ans_instance *like,
                                ans_instance **result) {
  double values[SYSTEM_MAX_SYMBOLS];
  for (int i = 0; i < problem->symbol_count; i++)
    values[i] = like->present[i] && problem->symbols[i].kind != SYMBOL_DERIVED ? like->values[i] : (double)NAN;
  return system_instance(context, problem, like->structure, values, true, result);
}

double system_symbol_middle(const system_symbol *symbol) {
  return symbol->logarithmic ? sqrt(symbol->low) * sqrt(symbol->high) : symbol->low / 2 + symbol->high / 2;
}

void system_instance_free(ans_instance *instance) {
  if (instance) arena_free(instance->arena);
}

/* ---- "a=1,b=2" --------------------------------------------------------------------------------------------- */

static ans_status unknown_symbol(ans_context *context, const ans_problem *problem, const char *name, size_t length) {
  suggestion suggestion = suggest_for(name, length);
  for (int i = 0; i < problem->symbol_count; i++)
    if (problem->symbols[i].kind != SYMBOL_DERIVED) suggest_offer(&suggestion, problem->symbols[i].name);
  char room[SUGGEST_ROOM];
  FAIL(context, ANS_ARGUMENT, "'%.*s' is not a coefficient of %s%s", length > 64 ? 64 : (int)length, name,
       problem->name, suggest_phrase(&suggestion, room));
}

static ans_status assign_one(ans_context *context, const ans_problem *problem, const char *text, size_t length,
                             double *values, bool *given) {
  const char *equals = memchr(text, '=', length);
  size_t name = equals ? (size_t)(equals - text) : length;
  while (name && text[name - 1] == ' ') name--;
  while (name && *text == ' ') text++, name--, length--;
  FAIL_IF(!equals || !name, context, ANS_ARGUMENT, "expected name=value, found '%.*s'", length > 64 ? 64 : (int)length,
          text);
  int index = -1;
  for (int i = 0; i < problem->symbol_count; i++)
    if (strlen(problem->symbols[i].name) == name && memcmp(problem->symbols[i].name, text, name) == 0) index = i;
  if (index < 0) return unknown_symbol(context, problem, text, name);
  const system_symbol *symbol = &problem->symbols[index];
  FAIL_IF(symbol->kind == SYMBOL_DERIVED, context, ANS_ARGUMENT,
          "'%s' is derived from other values and cannot be given", symbol->name);
  FAIL_IF(given[index], context, ANS_ARGUMENT, "'%s' is given twice", symbol->name);
  double value;
  if (!text_number(equals + 1, length - (size_t)(equals + 1 - text), &value))
    FAIL(context, ANS_ARGUMENT, "the value of '%s' must be a number; its range is [%g, %g]", symbol->name, symbol->low,
         symbol->high);
  values[index] = value;
  given[index] = true;
  return ANS_OK;
}

ans_status system_assign(ans_context *context, const ans_problem *problem, const char *assignments, double *values) {
  double changed[SYSTEM_MAX_SYMBOLS];
  bool given[SYSTEM_MAX_SYMBOLS] = {false};
  size_t bytes = (size_t)problem->symbol_count * sizeof *values;
  memcpy(changed, values, bytes);
  for (const char *text = assignments; *text;) {
    size_t length = strcspn(text, ",");
    TRY(assign_one(context, problem, text, length, changed, given));
    text += length;
    if (*text == ',') text++;
  }
  memcpy(values, changed, bytes);
  return ANS_OK;
}
