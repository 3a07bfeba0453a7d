/* SPDX-License-Identifier: Apache-2.0 */
#include "training/resting.h"

#include <math.h>

/* values <- those of the structure's symbols; false when the instance has no value for one of them. */
static bool take_values(const ans_instance *instance, int structure, double *values) {
  const ans_problem *problem = instance->problem;
  for (int i = 0; i < problem->symbol_count; i++) {
    bool given = problem->symbols[i].kind != SYMBOL_DERIVED && !problem->structures[structure].absent[i];
    if (given && !instance->present[i]) return false;
    values[i] = given ? instance->values[i] : (double)NAN;
  }
  return true;
}

/* Whether `member` has exactly the terms that are left of `instance`. */
static bool is_rest(const ans_instance *instance, const field_chart *chart, const ans_instance *member) {
  int at = 0;
  for (int t = 0; t < instance->term_count; t++) {
    const instance_term *term = &instance->terms[t];
    if (chart_takes(chart, term)) continue;
    if (at == member->term_count) return false;
    const instance_term *other = &member->terms[at++];
    if (other->term != term->term || other->coefficient != term->coefficient) return false;
  }
  return at == member->term_count;
}

ans_status resting_member(ans_context *context, const ans_instance *instance, const field_chart *chart,
                          ans_instance **result) {
  const ans_problem *problem = instance->problem;
  *result = NULL;
  if (!chart->moves) return ANS_OK;
  double *values = memory_take(size_product((size_t)problem->symbol_count + 1, sizeof *values));
  ans_status status = values ? ANS_OK : context_no_memory(context);
  for (int s = 0; status == ANS_OK && !*result && s < problem->structure_count; s++) {
    ans_instance *member = NULL;
    if (s == instance->structure || !take_values(instance, s, values)) continue;
    status = system_instance(context, problem, s, values, true, &member);
    if (status == ANS_OK && is_rest(instance, chart, member))
      *result = member;
    else
      system_instance_free(member);
  }
  memory_give(values);
  return status;
}
