/* SPDX-License-Identifier: Apache-2.0
 *
 * api_instance.c - public functions on instances: choosing a member of a family and looking at its terms.
 */
#include <math.h>
#include <string.h>

#include "api/api.h"
#include "text/suggest.h"

/* ---- Which member ------------------------------------------------------------------------------------ */

static bool sampled(const system_symbol *symbol) { return symbol->kind != SYMBOL_DERIVED; }

static void add_name(buffer *list, const char *name) { buffer_add(list, "%s%s", list->length ? ", " : "", name); }

/* A short list of names is printed whole: "there are H1, H2"; of a long one the nearest. */
static ans_status fail_unknown(ans_context *context, const ans_problem *problem, ans_part part, const char *word,
                               const char *name) {
  enum { FEW = 12 };
  size_t count = ans_problem_count(problem, part);
  FAIL_IF(count == 0, context, ANS_ARGUMENT, "there is no %s '%s': %s has none", word, name, problem->name);
  char room[SUGGEST_ROOM];
  suggestion near = suggest_for(name, strlen(name));
  buffer list = {0};
  for (size_t i = 0; i < count; i++) {
    suggest_offer(&near, ans_problem_name(problem, part, i));
    if (count <= FEW) add_name(&list, ans_problem_name(problem, part, i));
  }
  ans_status status = ANS_ARGUMENT;
  if (list.failed)
    status = context_no_memory(context);
  else if (count > FEW)
    context_fail(context, status, "there is no %s '%s' among the %zu%s", word, name, count,
                 suggest_phrase(&near, room));
  else
    context_fail(context, status, "there is no %s '%s'; there %s %s", word, name, count == 1 ? "is" : "are", list.text);
  buffer_drop(&list);
  return status;
}

static bool has_exactly(const ans_problem *problem, int structure, const double *values) {
  for (int s = 0; s < problem->symbol_count; s++)
    if (sampled(&problem->symbols[s]) && problem->structures[structure].absent[s] == !isnan(values[s])) return false;
  return true;
}

/* The structure with exactly the assigned symbols: a=1 r=2 means the one with a and r and nothing else. */
static ans_status structure_from_values(ans_context *context, const ans_problem *problem, const double *values,
                                        int *structure) {
  for (*structure = 0; *structure < problem->structure_count; ++*structure)
    if (has_exactly(problem, *structure, values)) return ANS_OK;
  /* With one structure there is nothing to choose: what is missing is reported where the instance is made. */
  *structure = 0;
  FAIL_IF(problem->structure_count > 1, context, ANS_ARGUMENT,
          "no structure has exactly the assigned symbols; name a structure or a case, or assign every symbol it has");
  return ANS_OK;
}

static ans_status choose_case(ans_context *context, const ans_problem *problem, const char *name, int *structure,
                              double *values) {
  int place = name ? system_find_case(problem, name) : 0;
  if (place < 0) return fail_unknown(context, problem, ANS_CASES, "case", name);
  *structure = problem->cases[place].structure;
  memcpy(values, problem->cases[place].values, (size_t)problem->symbol_count * sizeof *values);
  return ANS_OK;
}

static ans_status choose_structure(ans_context *context, const ans_problem *problem, const char *name, int *structure) {
  *structure = system_find_structure(problem, name);
  return *structure < 0 ? fail_unknown(context, problem, ANS_STRUCTURES, "structure", name) : ANS_OK;
}

/* Gives every sampled symbol of the structure that has no value the middle of its range. */
static void fill_middle(const ans_problem *problem, int structure, double *values) {
  for (int s = 0; s < problem->symbol_count; s++)
    if (sampled(&problem->symbols[s]) && !problem->structures[structure].absent[s] && isnan(values[s]))
      values[s] = system_symbol_middle(&problem->symbols[s]);
}

static ans_status choose(ans_context *context, const ans_problem *problem, const ans_choice *choice, int *structure,
                         double *values) {
  FAIL_IF(choice->case_name && choice->structure, context, ANS_ARGUMENT,
          "a case has its structure: name one of the two, not both");
  *structure = 0;
  for (int s = 0; s < problem->symbol_count; s++) values[s] = NAN;
  bool nothing = !choice->case_name && !choice->structure && !choice->assignments;
  if (choice->case_name || (nothing && problem->case_count > 0))
    TRY(choose_case(context, problem, choice->case_name, structure, values));
  else if (choice->structure)
    TRY(choose_structure(context, problem, choice->structure, structure));
  if (choice->assignments) TRY(system_assign(context, problem, choice->assignments, values));
  if (choice->assignments && !choice->case_name && !choice->structure)
    TRY(structure_from_values(context, problem, values, structure));
  if (choice->fill) fill_middle(problem, *structure, values);
  return ANS_OK;
}

ans_status ans_instance_new(ans_context *context, const ans_problem *problem, ans_choice choice,
                            ans_instance **instance) {
  *instance = NULL;
  double values[SYSTEM_MAX_SYMBOLS];
  int structure = 0;
  TRY(choose(context, problem, &choice, &structure, values));
  return system_instance(context, problem, structure, values, choice.outside, instance);
}

ans_status ans_instance_from_values(ans_context *context, const ans_problem *problem, size_t structure,
                                    const double *values, bool outside, ans_instance **instance) {
  *instance = NULL;
  FAIL_IF(structure >= (size_t)problem->structure_count, context, ANS_ARGUMENT,
          "there is no structure %zu: the problem has %d", structure, problem->structure_count);
  return system_instance(context, problem, (int)structure, values, outside, instance);
}

void ans_instance_free(ans_instance *instance) { system_instance_free(instance); }

/* ---- What it is -------------------------------------------------------------------------------------- */

const ans_problem *ans_instance_problem(const ans_instance *instance) { return instance->problem; }

size_t ans_instance_structure(const ans_instance *instance) { return (size_t)instance->structure; }

double ans_instance_value(const ans_instance *instance, size_t symbol) {
  if (symbol >= (size_t)instance->problem->symbol_count || !instance->present[symbol]) return NAN;
  return instance->values[symbol];
}

uint64_t ans_instance_hash(const ans_instance *instance) { return system_instance_hash(instance); }

size_t ans_instance_term_count(const ans_instance *instance) { return (size_t)instance->term_count; }

ans_term ans_instance_term(const ans_instance *instance, size_t term) {
  if (term >= (size_t)instance->term_count) return (ans_term){0};
  const instance_term *t = &instance->terms[term];
  return (ans_term){(size_t)(t->term - instance->problem->terms),
                    (size_t)t->term->equation,
                    t->coefficient,
                    (size_t)t->term->factor_count,
                    (size_t)t->term->arity,
                    t->term->source != NULL};
}

ans_factor ans_instance_factor(const ans_instance *instance, size_t term, size_t factor) {
  _Static_assert((int)ANS_MAX_COORDINATES == (int)SYSTEM_MAX_COORDINATES &&
                     (int)ANS_MAX_FIELDS == (int)SYSTEM_MAX_FIELDS && (int)ANS_MAX_ORDER == (int)SYSTEM_MAX_ORDER,
                 "the public header states the library's limits");
  ans_factor result = {0};
  if (term >= (size_t)instance->term_count || factor >= (size_t)instance->terms[term].term->factor_count) return result;
  const system_factor *f = &instance->terms[term].term->factors[factor];
  result.field = (size_t)f->field;
  result.power = (unsigned)f->power;
  for (int c = 0; c < SYSTEM_MAX_COORDINATES; c++) result.order[c] = f->order[c];
  return result;
}
