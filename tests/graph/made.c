/* SPDX-License-Identifier: Apache-2.0 */
#include "made.h"

#include <stdio.h>
#include <string.h>

#define NAMES 8

/* Names outlive every made instance. */
static const char *keep_name(const char *name) {
  static char names[64][NAMES];
  static int count;
  for (int i = 0; i < count; i++)
    if (strcmp(names[i], name) == 0) return names[i];
  snprintf(names[count], NAMES, "%s", name);
  return names[count++];
}

static bool next_word(const char **text, char word[NAMES]) {
  int length = 0;
  if (sscanf(*text, "%7s%n", word, &length) != 1) return false;
  *text += length;
  return true;
}

void made_begin(made *m, const char *coordinates, const char *fields) {
  char word[NAMES];
  memset(m, 0, sizeof *m);
  ans_problem *p = &m->problem;
  p->name = "made";
  while (next_word(&coordinates, word))
    m->coordinates[p->coordinate_count++] = (system_coordinate){.name = keep_name(word), .high = 1};
  while (next_word(&fields, word)) {
    m->fields[p->field_count].name = keep_name(word);
    m->equations[p->field_count] = (system_equation){p->field_count, 1};
    p->equation_count = ++p->field_count;
  }
  p->time = p->coordinate_count - 1;
  m->coordinates[p->time].time = true;
}

static void add_factor(made_term *term, system_factor factor) {
  for (int i = 0; i < term->factor_count; i++) {
    system_factor *known = &term->factors[i];
    if (known->field != factor.field || memcmp(known->order, factor.order, sizeof factor.order) != 0) continue;
    known->power++;
    return;
  }
  term->factors[term->factor_count++] = factor;
}

void made_add(made *m, int equation, double coefficient, const expression *source, const char *factors) {
  char word[NAMES];
  made_term *term = &m->sketch[m->problem.term_count++];
  *term = (made_term){.equation = equation, .coefficient = coefficient, .source = source};
  while (next_word(&factors, word)) {
    system_factor factor = {.power = 1};
    while (m->fields[factor.field].name[0] != word[0]) factor.field++;
    for (int c = 0; word[c + 1]; c++) factor.order[c] = (uint8_t)(word[c + 1] - '0');
    add_factor(term, factor);
  }
}

ans_instance *made_finish(made *m) {
  ans_problem *p = &m->problem;
  p->coordinates = m->coordinates, p->fields = m->fields, p->equations = m->equations, p->symbols = m->symbols;
  p->terms = m->terms, p->protocol.descriptor.vector = m->vector;
  for (int t = 0; t < p->term_count; t++) {
    made_term *from = &m->sketch[t];
    m->terms[t] = (system_term){.equation = from->equation,
                                .source = from->source,
                                .factor_count = from->factor_count,
                                .factors = from->factors};
    for (int i = 0; i < from->factor_count; i++) m->terms[t].arity += from->factors[i].power;
    m->instance_terms[t] = (instance_term){&m->terms[t], from->coefficient};
  }
  m->instance = (ans_instance){.problem = p,
                               .values = m->values,
                               .present = m->present,
                               .term_count = p->term_count,
                               .terms = m->instance_terms};
  return &m->instance;
}

ans_instance *made_fisher(made *m) {
  static const char *const names[8] = {"eps_u", "a_u", "rho_u", "k_uv", "eps_v", "a_v", "rho_v", "k_vu"};
  static const double values[8] = {.008, .25, .9, .15, .018, .65, 1.5, .35}, low[4] = {.005, .2, .8, .1},
                      high[4] = {.02, .8, 1.6, .4};
  made_begin(m, "x t", "u v");
  for (int e = 0; e < 2; e++) {
    const double *c = values + 4 * e;
    const char *const own[5] = {e ? "v01" : "u01", e ? "v20" : "u20", e ? "v10" : "u10", e ? "v00" : "u00",
                                e ? "v00 v00" : "u00 u00"};
    const double signs[5] = {1, -c[0], c[1], -c[2], c[2]};
    for (int i = 0; i < 5; i++) made_add(m, e, signs[i], NULL, own[i]);
    made_add(m, e, -c[3], NULL, e ? "u00" : "v00");
  }
  for (int s = 0; s < 8; s++) {
    m->symbols[s] = (system_symbol){
        .name = names[s], .low = low[s % 4], .high = high[s % 4], .logarithmic = s % 4 == 0, .optional = s % 4 == 3};
    m->values[s] = values[s];
    m->present[s] = true;
    m->vector[s] = s;
  }
  m->problem.symbol_count = 8;
  m->problem.protocol.descriptor =
      (protocol_descriptor){.rounds = 2, .vector_count = 8, .vector_slots = 8, .standardise = true};
  return made_finish(m);
}

/* clang-format off */
#define NUMBER(x)                                                                                                      \
  { .op = EXPRESSION_NUMBER, .number = (x) }
#define ZONE(low, high)                                                                                                \
  {.op = EXPRESSION_COORDINATE, .index = 0}, NUMBER(low), NUMBER(high), { .op = EXPRESSION_INSIDE }
/* clang-format on */

const expression *made_two_zones(bool swapped) {
  static const expression_step high_first[] = {ZONE(.6, .8), ZONE(.2, .4), {.op = EXPRESSION_ADD}};
  static const expression_step low_first[] = {ZONE(.2, .4), ZONE(.6, .8), {.op = EXPRESSION_ADD}};
  static const expression one = {9, 4, high_first}, other = {9, 4, low_first};
  return swapped ? &other : &one;
}
