/* SPDX-License-Identifier: Apache-2.0
 *
 * print.c - a problem as canonical text: includes resolved, equations multiplied out, every default written.
 */
#include "system/print.h"

#include <math.h>
#include <string.h>

#include "protocol/settings.h"

static void print_strictness(buffer *out, bool soft, double weight) {
  if (!soft) return;
  buffer_add(out, " soft weight ");
  print_number(out, weight);
}

static void print_coordinates(buffer *out, const ans_problem *problem) {
  for (int i = 0; i < problem->coordinate_count; i++) {
    const system_coordinate *c = &problem->coordinates[i];
    buffer_add(out, "coordinate %s in [", c->name);
    print_number(out, c->low);
    buffer_add(out, ", ");
    print_number(out, c->high);
    buffer_add(out, c->periodic ? ") periodic" : "]");
    print_strictness(out, c->soft_period, c->period_weight);
    buffer_add(out, "%s\n", c->time ? " time" : "");
  }
}

static void print_fields(buffer *out, const ans_problem *problem) {
  for (int i = 0; i < problem->field_count; i++) {
    buffer_add(out, "field %s", problem->fields[i].name);
    if (problem->fields[i].declared) {
      buffer_add(out, " = ");
      print_expression(out, problem, problem->fields[i].transform);
    }
    buffer_add(out, "\n");
  }
}

static void print_symbols(buffer *out, const ans_problem *problem) {
  for (int i = 0; i < problem->symbol_count; i++) {
    const system_symbol *s = &problem->symbols[i];
    if (s->kind == SYMBOL_DERIVED) {
      buffer_add(out, "let %s = ", s->name);
      print_expression(out, problem, s->value);
    } else {
      buffer_add(out, "%s %s in [", s->kind == SYMBOL_PARAMETER ? "parameter" : "coefficient", s->name);
      print_number(out, s->low);
      buffer_add(out, ", ");
      print_number(out, s->high);
      buffer_add(out, "]%s%s", s->logarithmic ? " log" : "", s->optional ? " optional" : "");
      if (s->grid) buffer_add(out, " grid %d", s->grid);
    }
    buffer_add(out, "\n");
  }
}

static void print_equations(buffer *out, const ans_problem *problem) {
  for (int i = 0; i < problem->equation_count; i++) {
    buffer_add(out, "equation %s", problem->fields[problem->equations[i].field].name);
    if (problem->equations[i].weight != 1.0 / problem->equation_count) {
      buffer_add(out, " weight ");
      print_number(out, problem->equations[i].weight);
    }
    buffer_add(out, ": ");
    print_terms(out, problem, i);
    buffer_add(out, " = 0\n");
  }
}

static void print_conditions(buffer *out, const ans_problem *problem) {
  for (int i = 0; i < problem->condition_count; i++) {
    const system_condition *c = &problem->conditions[i];
    if (c->kind == CONDITION_INITIAL)
      buffer_add(out, "initial ");
    else {
      buffer_add(out, "boundary %s at %s = ", problem->fields[c->field].name, problem->coordinates[c->coordinate].name);
      print_number(out, c->at);
      buffer_add(out, ": ");
    }
    print_derivative(out, problem, c->field, c->order);
    if (c->unknown)
      buffer_add(out, " unknown");
    else {
      buffer_add(out, " = ");
      print_expression(out, problem, c->value);
      print_strictness(out, !c->hard, c->weight);
    }
    buffer_add(out, "\n");
  }
}

void print_structure(buffer *out, const ans_problem *problem, const system_structure *structure) {
  buffer_add(out, "%s %s", structure->held ? "held" : "structure", structure->name);
  const char *before = " without ";
  for (int k = 0; k < problem->symbol_count; k++) {
    if (!structure->absent[k]) continue;
    buffer_add(out, "%s%s", before, problem->symbols[k].name);
    before = ", ";
  }
}

void print_case(buffer *out, const ans_problem *problem, const system_case *one) {
  buffer_add(out, "case %s %s:", one->name, problem->structures[one->structure].name);
  for (int k = 0; k < problem->symbol_count; k++) {
    if (isnan(one->values[k])) continue;
    buffer_add(out, " %s=", problem->symbols[k].name);
    print_plain(out, one->values[k]);
  }
}

static void print_structures(buffer *out, const ans_problem *problem) {
  for (int i = 0; i < problem->structure_count; i++) {
    print_structure(out, problem, &problem->structures[i]);
    buffer_add(out, "\n");
  }
}

static void print_cases(buffer *out, const ans_problem *problem) {
  for (int i = 0; i < problem->case_count; i++) {
    print_case(out, problem, &problem->cases[i]);
    buffer_add(out, "\n");
  }
}

/* ---- Settings ---------------------------------------------------------------------------------------------- */

static void print_rules(buffer *out, const ans_problem *problem, statement_kind kind, const char *before) {
  for (int i = 0; i < setting_rule_count; i++) {
    const setting_rule *rule = &setting_rules[i];
    if (rule->kind != kind) continue;
    double number = setting_number(&problem->protocol, rule);
    if (!rule->choices && number < rule->low) continue; /* a family without coefficients has no slots */
    if (rule->later && number == (rule->choices ? rule->choices[0].value : 0)) continue;
    buffer_add(out, "%s%s%s", before, rule->name, rule->name[0] ? " " : "");
    before = ", ";
    if (rule->choices)
      buffer_add(out, "%s", setting_word(&problem->protocol, rule));
    else
      print_plain(out, number);
  }
}

static void print_line(buffer *out, const ans_problem *problem, statement_kind kind) {
  buffer_add(out, "%s", statement_keyword(kind));
  print_rules(out, problem, kind, " ");
}

static void print_sampler(buffer *out, const ans_problem *problem) {
  static const char *const names[] = {
      [SAMPLER_UNIFORM] = "uniform", [SAMPLER_JITTER] = "jitter", [SAMPLER_CENTRE_OUT] = "centre"};
  const protocol_sampler *sampler = &problem->protocol.sampler;
  buffer_add(out, "\nsampler %s", sampler->begin < 0 ? "grid" : names[sampler->kind]);
  if (sampler->end > 0) buffer_add(out, " from %ld to %ld", sampler->begin, sampler->end);
  print_rules(out, problem, STATEMENT_SAMPLER, ", ");
  buffer_add(out, "\n");
}

static void print_settings(buffer *out, const ans_problem *problem) {
  print_line(out, problem, STATEMENT_NETWORK);
  for (int i = 0; i < problem->coordinate_count; i++)
    if (problem->coordinates[i].fourier_high)
      buffer_add(out, ", fourier %s %d..%d", problem->coordinates[i].name, problem->coordinates[i].fourier_low,
                 problem->coordinates[i].fourier_high);
  print_sampler(out, problem);
  print_line(out, problem, STATEMENT_TRAIN);
  buffer_add(out, "\n");
  print_line(out, problem, STATEMENT_ADAPT);
  buffer_add(out, "\n");
  print_line(out, problem, STATEMENT_REFERENCE);
  buffer_add(out, "\n");
  print_line(out, problem, STATEMENT_DESCRIPTOR);
  if (problem->protocol.descriptor.vector_count) buffer_add(out, ", vector");
  for (int i = 0; i < problem->protocol.descriptor.vector_count; i++)
    buffer_add(out, " %s", problem->symbols[problem->protocol.descriptor.vector[i]].name);
  buffer_add(out, "\n");
}

ans_status system_print(ans_context *context, const ans_problem *problem, char **text) {
  buffer out = {0};
  if (problem->text) {
    buffer_bytes(&out, problem->text, strlen(problem->text));
    return buffer_finish(context, &out, text);
  }
  buffer_add(&out, "family %s\n\n", problem->name);
  print_coordinates(&out, problem);
  print_fields(&out, problem);
  buffer_add(&out, "\n");
  print_symbols(&out, problem);
  buffer_add(&out, "\n");
  print_equations(&out, problem);
  buffer_add(&out, "\n");
  print_conditions(&out, problem);
  buffer_add(&out, "\n");
  print_structures(&out, problem);
  print_cases(&out, problem);
  buffer_add(&out, "\n");
  print_settings(&out, problem);
  return buffer_finish(context, &out, text);
}

ans_status system_print_values(ans_context *context, const ans_instance *instance, char **text) {
  buffer out = {0};
  for (int i = 0; i < instance->problem->symbol_count; i++) {
    const system_symbol *symbol = &instance->problem->symbols[i];
    if (symbol->kind == SYMBOL_DERIVED || !instance->present[i]) continue;
    buffer_add(&out, "%s%s=", out.length ? "," : "", symbol->name);
    buffer_number(&out, instance->values[i]);
  }
  return buffer_finish(context, &out, text);
}
