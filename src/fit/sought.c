/* SPDX-License-Identifier: Apache-2.0 */
#include "fit/sought.h"

#include <math.h>
#include <string.h>

#include "text/suggest.h"

static const system_symbol *symbol_of(const sought *sought, int index) {
  return &sought->problem->symbols[sought->symbols[index]];
}

static bool is_logarithmic(const sought *sought, int index) {
  return symbol_of(sought, index)->logarithmic && !sought->even[index];
}

const char *sought_name(const sought *sought, int index) { return symbol_of(sought, index)->name; }

double sought_value(const sought *sought, int index, double z) {
  const system_symbol *s = symbol_of(sought, index);
  if (!is_logarithmic(sought, index)) return s->low + (s->high - s->low) * z;
  return exp(log(s->low) + (log(s->high) - log(s->low)) * z);
}

double sought_place(const sought *sought, int index, double value) {
  const system_symbol *s = symbol_of(sought, index);
  if (!is_logarithmic(sought, index)) return (value - s->low) / (s->high - s->low);
  return (log(value) - log(s->low)) / (log(s->high) - log(s->low));
}

double sought_slope(const sought *sought, int index, double z) {
  const system_symbol *s = symbol_of(sought, index);
  if (!is_logarithmic(sought, index)) return s->high - s->low;
  return sought_value(sought, index, z) * (log(s->high) - log(s->low));
}

void sought_values(const sought *sought, const double *z, double *values) {
  memcpy(values, sought->fixed, (size_t)sought->problem->symbol_count * sizeof *values);
  for (int i = 0; i < sought->count; i++) values[sought->symbols[i]] = sought_value(sought, i, z[i]);
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

static ans_status find_symbol(ans_context *context, const ans_problem *problem, const char *name, size_t length,
                              int *index) {
  suggestion suggestion = suggest_for(name, length);
  char room[SUGGEST_ROOM];
  for (*index = 0; *index < problem->symbol_count; ++*index) {
    const system_symbol *symbol = &problem->symbols[*index];
    bool same = strlen(symbol->name) == length && memcmp(symbol->name, name, length) == 0;
    FAIL_IF(same && symbol->kind == SYMBOL_DERIVED, context, ANS_ARGUMENT,
            "'%s' is derived from other values: seek those instead", symbol->name);
    if (same) return ANS_OK;
    if (symbol->kind != SYMBOL_DERIVED) suggest_offer(&suggestion, symbol->name);
  }
  FAIL(context, ANS_ARGUMENT, "'%.*s' is not a coefficient or parameter of %s%s", length > 64 ? 64 : (int)length, name,
       problem->name, suggest_phrase(&suggestion, room));
}

/* One "name" or "name=start". starts: [symbols] */
static ans_status read_unknown(ans_context *context, const ans_problem *problem, const char *word, size_t length,
                               sought *result, double *starts) {
  const char *equals = memchr(word, '=', length);
  size_t name = equals ? (size_t)(equals - word) : length;
  int index;
  while (name && *word == ' ') word++, name--, length--;
  while (name && word[name - 1] == ' ') name--;
  FAIL_IF(name == 0, context, ANS_ARGUMENT, "the list of unknowns has an empty name");
  TRY(find_symbol(context, problem, word, name, &index));
  for (int i = 0; i < result->count; i++)
    FAIL_IF(result->symbols[i] == index, context, ANS_ARGUMENT, "'%s' is sought twice", problem->symbols[index].name);
  FAIL_IF(result->count == FIT_MAX_NAMED, context, ANS_UNSUPPORTED, "at most %d numbers can be sought", FIT_MAX_NAMED);
  if (equals) {
    char copy[128];
    FAIL_IF(length >= sizeof copy, context, ANS_ARGUMENT, "'%.64s' is too long", word);
    memcpy(copy, word, length);
    copy[length] = '\0';
    TRY(system_assign(context, problem, copy, starts));
    const system_symbol *s = &problem->symbols[index];
    FAIL_IF(!(starts[index] >= s->low && starts[index] <= s->high), context, ANS_ARGUMENT,
            "the start %s = %g is outside the range [%g, %g]", s->name, starts[index], s->low, s->high);
  }
  result->symbols[result->count++] = index;
  return ANS_OK;
}

/* list NULL or empty: none, where terms of initial values are sought. */
static ans_status read_unknowns(ans_context *context, const ans_problem *problem, const char *list, bool terms,
                                sought *result, double *starts) {
  if (terms && (!list || !*list)) return ANS_OK;
  FAIL_IF(!list || !*list, context, ANS_ARGUMENT, "nothing is sought: name the unknown coefficients");
  for (const char *word = list;;) {
    size_t length = strcspn(word, ",");
    TRY(read_unknown(context, problem, word, length, result, starts));
    if (!word[length]) return ANS_OK;
    word += length + 1;
  }
}

/* The last symbols, behind those that have names. */
static void add_terms(const sought_request *request, sought *result) {
  int first = result->problem->symbol_count - request->terms;
  result->named = result->count;
  for (int i = 0; i < request->terms; i++, result->count++) {
    result->symbols[result->count] = first + i;
    result->prior[result->count] = request->prior;
  }
}

static bool is_sought(const sought *sought, int symbol) {
  for (int i = 0; i < sought->count; i++)
    if (sought->symbols[i] == symbol) return true;
  return false;
}

/* The structure that has exactly the sought and fixed symbols; -1: none. */
static int matching_structure(const ans_problem *problem, const sought *sought) {
  for (int s = 0; s < problem->structure_count; s++) {
    bool same = true;
    for (int i = 0; i < problem->symbol_count && same; i++)
      if (problem->symbols[i].kind != SYMBOL_DERIVED)
        same = problem->structures[s].absent[i] == (!is_sought(sought, i) && isnan(sought->fixed[i]));
    if (same) return s;
  }
  return problem->structure_count == 1 ? 0 : -1;
}

static ans_status choose_structure(ans_context *context, const ans_problem *problem, const sought_request *request,
                                   sought *result) {
  if (request->structure) {
    result->structure = system_find_structure(problem, request->structure);
    FAIL_IF(result->structure < 0, context, ANS_ARGUMENT, "%s has no structure '%s'", problem->name,
            request->structure);
  } else if (!request->case_name) {
    result->structure = matching_structure(problem, result);
    FAIL_IF(result->structure < 0, context, ANS_ARGUMENT,
            "no structure of %s has exactly the coefficients that are sought or fixed: name a structure or a case",
            problem->name);
  }
  return ANS_OK;
}

static ans_status take_case(ans_context *context, const ans_problem *problem, const char *name, sought *result) {
  int index = system_find_case(problem, name);
  FAIL_IF(index < 0, context, ANS_ARGUMENT, "%s has no case '%s'", problem->name, name);
  result->structure = problem->cases[index].structure;
  for (int i = 0; i < problem->symbol_count; i++)
    if (problem->symbols[i].kind != SYMBOL_DERIVED) result->fixed[i] = problem->cases[index].values[i];
  return ANS_OK;
}

/* Every symbol of the structure is sought or fixed, and nothing else is. */
static ans_status check_symbols(ans_context *context, const ans_problem *problem, sought *result) {
  const system_structure *structure = &problem->structures[result->structure];
  for (int i = 0; i < problem->symbol_count; i++) {
    const system_symbol *s = &problem->symbols[i];
    bool unknown = is_sought(result, i);
    if (s->kind == SYMBOL_DERIVED) continue;
    FAIL_IF(unknown && structure->absent[i], context, ANS_ARGUMENT,
            "'%s' is sought, and structure %s has no such coefficient", s->name, structure->name);
    if (unknown || structure->absent[i]) result->fixed[i] = (double)NAN;
    FAIL_IF(!unknown && !structure->absent[i] && isnan(result->fixed[i]), context, ANS_ARGUMENT,
            "'%s' is neither sought nor fixed: add it to the unknowns or give its value", s->name);
    FAIL_IF(!isnan(result->fixed[i]) && !isfinite(result->fixed[i]), context, ANS_ARGUMENT, "'%s' is not finite",
            s->name);
  }
  return ANS_OK;
}

ans_status sought_read_any(ans_context *context, const ans_problem *problem, const sought_request *request,
                           sought *result) {
  double starts[SYSTEM_MAX_SYMBOLS], given[SYSTEM_MAX_SYMBOLS];
  *result = (sought){.problem = problem};
  for (int i = 0; i < SYSTEM_MAX_SYMBOLS; i++) starts[i] = given[i] = result->fixed[i] = (double)NAN;
  TRY(read_unknowns(context, problem, request->unknown, request->terms > 0, result, starts));
  add_terms(request, result);
  if (request->case_name) TRY(take_case(context, problem, request->case_name, result));
  if (request->fixed) TRY(system_assign(context, problem, request->fixed, given));
  for (int i = 0; i < problem->symbol_count; i++) {
    FAIL_IF(!isnan(given[i]) && is_sought(result, i), context, ANS_ARGUMENT, "'%s' is both sought and fixed",
            problem->symbols[i].name);
    if (!isnan(given[i])) result->fixed[i] = given[i];
  }
  for (int i = 0; i < result->count; i++) {
    double start = starts[result->symbols[i]];
    result->start[i] = isnan(start) ? 0.5 : sought_place(result, i, start);
    result->lowest[i] = 0;
    result->highest[i] = 1;
  }
  return ANS_OK;
}

ans_status sought_read(ans_context *context, const ans_problem *problem, const sought_request *request,
                       sought *result) {
  TRY(sought_read_any(context, problem, request, result));
  TRY(choose_structure(context, problem, request, result));
  return check_symbols(context, problem, result);
}

bool sought_in_structure(const sought *from, int structure, sought *result) {
  const ans_problem *problem = from->problem;
  const bool *absent = problem->structures[structure].absent;
  *result = *from;
  result->structure = structure;
  result->count = result->named = 0;
  for (int i = 0; i < from->count; i++) {
    if (absent[from->symbols[i]]) continue;
    result->named += i < from->named;
    result->symbols[result->count] = from->symbols[i];
    result->even[result->count] = from->even[i];
    result->prior[result->count] = from->prior[i];
    result->lowest[result->count] = from->lowest[i];
    result->highest[result->count] = from->highest[i];
    result->start[result->count++] = from->start[i];
  }
  for (int i = 0; i < problem->symbol_count; i++) {
    if (problem->symbols[i].kind == SYMBOL_DERIVED) continue;
    if (absent[i]) result->fixed[i] = (double)NAN;
    if (!absent[i] && !is_sought(result, i) && isnan(result->fixed[i])) return false;
  }
  return true;
}
