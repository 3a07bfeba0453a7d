/* SPDX-License-Identifier: Apache-2.0
 *
 * api_problem.c - public functions on problems: reading them and asking what they consist of.
 */
#include <string.h>

#include "api/api.h"

ans_status ans_problem_parse(ans_context *context, const char *name, const char *text, size_t length,
                             ans_problem **problem) {
  *problem = NULL;
  return system_parse(context, name, NULL, text, length, problem);
}

ans_status ans_problem_read(ans_context *context, const char *path, ans_problem **problem) {
  *problem = NULL;
  return system_read(context, path, problem);
}

void ans_problem_free(ans_problem *problem) { system_free(problem); }

ans_status ans_problem_print(ans_context *context, const ans_problem *problem, char **text) {
  *text = NULL;
  return system_print(context, problem, text);
}

/* ---- Parts ------------------------------------------------------------------------------------------- */

const char *const setting_names[SETTING_COUNT] = {"network", "sampler", "train", "adapt", "reference", "descriptor"};

size_t ans_problem_count(const ans_problem *problem, ans_part part) {
  switch (part) {
  case ANS_COORDINATES: return (size_t)problem->coordinate_count;
  case ANS_FIELDS: return (size_t)problem->field_count;
  case ANS_SYMBOLS: return (size_t)problem->symbol_count;
  case ANS_EQUATIONS: return (size_t)problem->equation_count;
  case ANS_TERMS: return (size_t)problem->term_count;
  case ANS_CONDITIONS: return (size_t)problem->condition_count;
  case ANS_STRUCTURES: return (size_t)problem->structure_count;
  case ANS_CASES: return (size_t)problem->case_count;
  case ANS_SETTINGS: return SETTING_COUNT;
  }
  return 0;
}

const char *ans_problem_name(const ans_problem *problem, ans_part part, size_t index) {
  if (index >= ans_problem_count(problem, part)) return NULL;
  switch (part) {
  case ANS_COORDINATES: return problem->coordinates[index].name;
  case ANS_FIELDS: return problem->fields[index].name;
  case ANS_SYMBOLS: return problem->symbols[index].name;
  case ANS_EQUATIONS: return problem->fields[problem->equations[index].field].name;
  case ANS_STRUCTURES: return problem->structures[index].name;
  case ANS_CASES: return problem->cases[index].name;
  case ANS_SETTINGS: return setting_names[index];
  case ANS_TERMS:
  case ANS_CONDITIONS: break;
  }
  return "";
}

bool ans_problem_find(const ans_problem *problem, ans_part part, const char *name, size_t *index) {
  *index = 0;
  for (size_t i = 0; i < ans_problem_count(problem, part); i++)
    if (*name && strcmp(ans_problem_name(problem, part, i), name) == 0) {
      *index = i;
      return true;
    }
  return false;
}

ans_coordinate ans_problem_coordinate(const ans_problem *problem, size_t index) {
  if (index >= (size_t)problem->coordinate_count) return (ans_coordinate){0};
  const system_coordinate *c = &problem->coordinates[index];
  return (ans_coordinate){c->name, c->low, c->high, c->periodic, c->time};
}

static ans_symbol_kind symbol_kind(system_symbol_kind kind) {
  switch (kind) {
  case SYMBOL_COEFFICIENT: return ANS_COEFFICIENT;
  case SYMBOL_PARAMETER: return ANS_PARAMETER;
  case SYMBOL_DERIVED: break;
  }
  return ANS_DERIVED;
}

ans_symbol ans_problem_symbol(const ans_problem *problem, size_t index) {
  if (index >= (size_t)problem->symbol_count) return (ans_symbol){0};
  const system_symbol *s = &problem->symbols[index];
  bool derived = s->kind == SYMBOL_DERIVED;
  return (ans_symbol){s->name,        symbol_kind(s->kind), derived ? 0 : s->low, derived ? 0 : s->high,
                      s->logarithmic, s->optional};
}

bool ans_structure_has(const ans_problem *problem, size_t structure, size_t symbol) {
  if (structure >= (size_t)problem->structure_count || symbol >= (size_t)problem->symbol_count) return false;
  return !problem->structures[structure].absent[symbol];
}

bool ans_structure_held(const ans_problem *problem, size_t structure) {
  return structure < (size_t)problem->structure_count && problem->structures[structure].held;
}
