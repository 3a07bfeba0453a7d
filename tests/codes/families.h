/* SPDX-License-Identifier: Apache-2.0
 *
 * families.h - the paper's three families made in memory, with the network settings of their files.
 */
#ifndef TESTS_CODES_FAMILIES_H
#define TESTS_CODES_FAMILIES_H

#include "graph/made.h"

/* 0.35 + 0.2 sin(2 pi x), the same for every field. */
static inline void families_initial(made *m) {
  static const expression_step steps[] = {{.op = EXPRESSION_NUMBER, .number = 0.35},
                                          {.op = EXPRESSION_NUMBER, .number = 0.2},
                                          {.op = EXPRESSION_NUMBER, .number = 6.283185307179586},
                                          {.op = EXPRESSION_COORDINATE, .index = 0},
                                          {.op = EXPRESSION_MULTIPLY},
                                          {.op = EXPRESSION_SIN},
                                          {.op = EXPRESSION_MULTIPLY},
                                          {.op = EXPRESSION_ADD}};
  static const expression value = {8, 4, steps};
  static const system_condition conditions[] = {
      {.kind = CONDITION_INITIAL, .field = 0, .coordinate = 1, .value = &value, .hard = true},
      {.kind = CONDITION_INITIAL, .field = 1, .coordinate = 1, .value = &value, .hard = true}};
  m->problem.conditions = conditions;
  m->problem.condition_count = m->problem.field_count;
}

static inline void families_symbols(made *m, int count, int slots, const char *const *names, const double *values) {
  for (int s = 0; s < count; s++) {
    m->symbols[s] = (system_symbol){.name = names[s], .low = 0.5 * values[s], .high = 2 * values[s]};
    m->values[s] = values[s];
    m->present[s] = true;
    m->vector[s] = s;
  }
  m->problem.symbol_count = m->problem.protocol.descriptor.vector_count = count;
  m->problem.protocol.descriptor.vector_slots = slots;
}

static inline ans_instance *families_fisher(made *m) {
  made_fisher(m);
  families_initial(m);
  m->coordinates[0].fourier_low = 1;
  m->coordinates[0].fourier_high = 4;
  m->problem.protocol.network =
      (protocol_network){.width = 96, .layers = 3, .activation = ACTIVATION_TANH, .relu_codes = true};
  m->problem.protocol.descriptor.style = GRAPH_SHARED;
  return made_finish(m);
}

/* The same on a linear embedding of the nodes. */
static inline ans_instance *families_fisher_linear(made *m) {
  ans_instance *instance = families_fisher(m);
  m->problem.protocol.descriptor.style = GRAPH_LINEAR;
  return instance;
}

/* The vector read by three layers with tanh. */
static inline ans_instance *families_fisher_tanh(made *m) {
  ans_instance *instance = families_fisher(m);
  m->problem.protocol.descriptor.encoder = VECTOR_TANH;
  return instance;
}

/* Two fields whose heads read their own node and the mean of the stacked rounds. */
static inline ans_instance *families_fisher_stacked(made *m) {
  ans_instance *instance = families_fisher(m);
  m->problem.protocol.descriptor.style = GRAPH_STACKED;
  return instance;
}

static inline ans_instance *families_cdr(made *m) {
  static const char *const names[] = {"a", "D", "r"};
  static const double values[] = {4.5, .01, 8.5};
  made_begin(m, "x t", "u");
  made_add(m, 0, 1, NULL, "u01");
  made_add(m, 0, 4.5, NULL, "u10");
  made_add(m, 0, -.01, NULL, "u20");
  made_add(m, 0, -8.5, NULL, "u00");
  made_add(m, 0, 8.5, NULL, "u00 u00");
  m->problem.protocol.descriptor =
      (protocol_descriptor){.layout = GRAPH_UNION, .style = GRAPH_STACKED, .rounds = 2, .standardise = true};
  families_symbols(m, 3, 3, names, values);
  families_initial(m);
  m->problem.protocol.network = (protocol_network){.width = 256, .layers = 3, .activation = ACTIVATION_TANH};
  return made_finish(m);
}

/* Coordinates xi and tau; N_tau - a_D N_xixi + a_mu (N_xi P_xi + N P_xixi) - S0 zones, P_xixi - beta N + beta. */
static inline ans_instance *families_ccp(made *m) {
  static const char *const names[] = {"a_D", "a_mu", "beta", "S0"};
  static const double values[] = {6.2, 4.1e2, 1.5, .04};
  made_begin(m, "x t", "N P");
  made_add(m, 0, 1, NULL, "N01");
  made_add(m, 0, -values[0], NULL, "N20");
  made_add(m, 0, values[1], NULL, "N10 P10");
  made_add(m, 0, values[1], NULL, "N00 P20");
  made_add(m, 0, -values[3], made_two_zones(false), "");
  made_add(m, 1, 1, NULL, "P20");
  made_add(m, 1, -values[2], NULL, "N00");
  made_add(m, 1, values[2], NULL, "");
  m->problem.protocol.descriptor =
      (protocol_descriptor){.layout = GRAPH_UNION, .style = GRAPH_PLAIN, .rounds = 2, .grouped_set = true};
  families_symbols(m, 4, 17, names, values);
  m->coordinates[1].fourier_low = m->coordinates[1].fourier_high = 1;
  m->problem.protocol.network = (protocol_network){.width = 96, .layers = 3, .activation = ACTIVATION_TANH};
  return made_finish(m);
}

typedef ans_instance *(*families_maker)(made *made);
static const families_maker families_all[] = {families_fisher, families_cdr, families_ccp};
enum { FAMILIES = 3 };

#endif
