/* SPDX-License-Identifier: Apache-2.0
 *
 * equal.c - do two problems state the same, names included, and does a model of the one serve the other?
 */
#include <math.h>
#include <string.h>

#include "protocol/settings.h"
#include "system/system.h"

static bool same_text(const char *a, const char *b) { return strcmp(a, b) == 0; }

static bool same_coordinate(const system_coordinate *a, const system_coordinate *b) {
  return same_text(a->name, b->name) && a->low == b->low && a->high == b->high && a->periodic == b->periodic &&
         a->time == b->time && a->fourier_low == b->fourier_low && a->fourier_high == b->fourier_high &&
         a->soft_period == b->soft_period && a->period_weight == b->period_weight;
}

static bool same_symbol(const system_symbol *a, const system_symbol *b) {
  return same_text(a->name, b->name) && a->kind == b->kind && a->low == b->low && a->high == b->high &&
         a->logarithmic == b->logarithmic && a->optional == b->optional && a->grid == b->grid &&
         expression_equal(a->value, b->value);
}

static bool same_term(const system_term *a, const system_term *b) {
  if (a->equation != b->equation || a->factor_count != b->factor_count || a->arity != b->arity) return false;
  for (int i = 0; i < a->factor_count; i++)
    if (a->factors[i].field != b->factors[i].field || a->factors[i].power != b->factors[i].power ||
        memcmp(a->factors[i].order, b->factors[i].order, sizeof a->factors[i].order) != 0)
      return false;
  return expression_equal(a->coefficient, b->coefficient) && expression_equal(a->source, b->source);
}

static bool same_condition(const system_condition *a, const system_condition *b) {
  return a->kind == b->kind && a->field == b->field && a->coordinate == b->coordinate && a->at == b->at &&
         memcmp(a->order, b->order, sizeof a->order) == 0 && a->hard == b->hard && a->unknown == b->unknown &&
         a->weight == b->weight && expression_equal(a->value, b->value);
}

static bool same_values(const double *a, const double *b, int count) {
  for (int i = 0; i < count; i++)
    if (isnan(a[i]) != isnan(b[i]) || (!isnan(a[i]) && a[i] != b[i])) return false;
  return true;
}

static bool same_structures(const ans_problem *a, const ans_problem *b) {
  for (int i = 0; i < a->structure_count; i++) {
    const system_structure *s = &a->structures[i], *r = &b->structures[i];
    if (!same_text(s->name, r->name) || s->held != r->held) return false;
    for (int k = 0; k < a->symbol_count; k++)
      if (s->absent[k] != r->absent[k]) return false;
  }
  return true;
}

static bool same_cases(const ans_problem *a, const ans_problem *b) {
  if (a->case_count != b->case_count) return false;
  for (int i = 0; i < a->case_count; i++)
    if (!same_text(a->cases[i].name, b->cases[i].name) || a->cases[i].structure != b->cases[i].structure ||
        !same_values(a->cases[i].values, b->cases[i].values, a->symbol_count))
      return false;
  return true;
}

/* Those that say what the networks are made of, or the others. The frame says how one is read in adaptation. */
static bool same_settings(const ans_problem *a, const ans_problem *b, bool of_networks) {
  for (int i = 0; i < setting_rule_count; i++) {
    const setting_rule *rule = &setting_rules[i];
    bool of_network = rule->kind == STATEMENT_NETWORK || rule->kind == STATEMENT_DESCRIPTOR;
    if (rule->offset == offsetof(protocol_settings, network.frame)) of_network = false;
    if (of_network == of_networks && setting_number(&a->protocol, rule) != setting_number(&b->protocol, rule))
      return false;
  }
  return true;
}

static bool same_networks(const ans_problem *a, const ans_problem *b) {
  if (!same_settings(a, b, true) || a->protocol.descriptor.vector_count != b->protocol.descriptor.vector_count)
    return false;
  for (int i = 0; i < a->protocol.descriptor.vector_count; i++)
    if (a->protocol.descriptor.vector[i] != b->protocol.descriptor.vector[i]) return false;
  return true;
}

/* How they are trained, adapted and compared. */
static bool same_uses(const ans_problem *a, const ans_problem *b) {
  return same_settings(a, b, false) && a->protocol.sampler.kind == b->protocol.sampler.kind &&
         a->protocol.sampler.begin == b->protocol.sampler.begin && a->protocol.sampler.end == b->protocol.sampler.end;
}

static bool same_counts(const ans_problem *a, const ans_problem *b) {
  return a->coordinate_count == b->coordinate_count && a->field_count == b->field_count &&
         a->symbol_count == b->symbol_count && a->equation_count == b->equation_count &&
         a->term_count == b->term_count && a->condition_count == b->condition_count &&
         a->structure_count == b->structure_count && a->time == b->time;
}

bool system_same_family(const ans_problem *a, const ans_problem *b) {
  if (!same_counts(a, b)) return false;
  for (int i = 0; i < a->coordinate_count; i++)
    if (!same_coordinate(&a->coordinates[i], &b->coordinates[i])) return false;
  for (int i = 0; i < a->field_count; i++)
    if (!same_text(a->fields[i].name, b->fields[i].name) || a->fields[i].declared != b->fields[i].declared ||
        !expression_equal(a->fields[i].transform, b->fields[i].transform))
      return false;
  for (int i = 0; i < a->symbol_count; i++)
    if (!same_symbol(&a->symbols[i], &b->symbols[i])) return false;
  for (int i = 0; i < a->equation_count; i++)
    if (a->equations[i].field != b->equations[i].field || a->equations[i].weight != b->equations[i].weight)
      return false;
  for (int i = 0; i < a->term_count; i++)
    if (!same_term(&a->terms[i], &b->terms[i])) return false;
  for (int i = 0; i < a->condition_count; i++)
    if (!same_condition(&a->conditions[i], &b->conditions[i])) return false;
  return same_structures(a, b) && same_networks(a, b);
}

bool system_equal(const ans_problem *a, const ans_problem *b) {
  return same_text(a->name, b->name) && system_same_family(a, b) && same_cases(a, b) && same_uses(a, b);
}
