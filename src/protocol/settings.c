/* SPDX-License-Identifier: Apache-2.0 */
#include "protocol/settings.h"

#include <string.h>

static const setting_choice activations[] = {
    {"tanh", ACTIVATION_TANH}, {"sine", ACTIVATION_SINE}, {"gelu", ACTIVATION_GELU}, {NULL, 0}};
static const setting_choice inputs[] = {{"separate", 0}, {"shared", 1}, {NULL, 0}};
static const setting_choice codes[] = {{"free", 0}, {"relu", 1}, {NULL, 0}};
static const setting_choice frames[] = {
    {"automatic", FRAME_AUTOMATIC}, {"moving", FRAME_MOVING}, {"fixed", FRAME_FIXED}, {NULL, 0}};
static const setting_choice draws[] = {{"independent", 0}, {"shared", 1}, {NULL, 0}};
static const setting_choice methods[] = {
    {"automatic", REFERENCE_AUTOMATIC}, {"drift_diffusion", REFERENCE_DRIFT_DIFFUSION}, {NULL, 0}};
static const setting_choice layouts[] = {{"compact", GRAPH_COMPACT}, {"union", GRAPH_UNION}, {NULL, 0}};
static const setting_choice styles[] = {
    {"shared", GRAPH_SHARED}, {"stacked", GRAPH_STACKED}, {"plain", GRAPH_PLAIN}, {"linear", GRAPH_LINEAR}, {NULL, 0}};
static const setting_choice encoders[] = {{"gelu", VECTOR_GELU}, {"tanh", VECTOR_TANH}, {NULL, 0}};
static const setting_choice scales[] = {{"log", 0}, {"standardised", 1}, {NULL, 0}};
static const setting_choice sets[] = {{"pooled", 0}, {"grouped", 1}, {NULL, 0}};

static const setting_choice optimisers[] = {
    {"automatic", METHOD_AUTOMATIC}, {"gauss_newton", METHOD_GAUSS_NEWTON}, {"adam", METHOD_ADAM}, {NULL, 0}};
static const setting_choice seams[] = {
    {"automatic", SEAM_AUTOMATIC}, {"values", SEAM_VALUES}, {"smooth", SEAM_SMOOTH}, {NULL, 0}};

/* Tables. */
/* clang-format off */
#define AT(member) offsetof(protocol_settings, member)
#define NUMBER(kind, name, type, member, low, high)                                                                    \
  { STATEMENT_##kind, name, SETTING_##type, AT(member), low, high, NULL, false }
#define CHOICE(kind, name, type, member, choices)                                                                      \
  { STATEMENT_##kind, name, SETTING_##type, AT(member), 0, 0, choices, false }
#define LATER_CHOICE(kind, name, type, member, choices)                                                                \
  { STATEMENT_##kind, name, SETTING_##type, AT(member), 0, 0, choices, true }
#define LATER_NUMBER(kind, name, type, member, low, high)                                                              \
  { STATEMENT_##kind, name, SETTING_##type, AT(member), low, high, NULL, true }
#define BUDGET(kind, budget)                                                                                           \
  NUMBER(kind, "steps", LONG, budget.steps, 0, 1e9), NUMBER(kind, "rate", REAL, budget.rate, 1e-12, 10),               \
      NUMBER(kind, "points", INT, budget.points, 1, 1e7), NUMBER(kind, "initial", INT, budget.initial_points, 0, 1e7), \
      NUMBER(kind, "periodic", INT, budget.period_points, 0, 1e7),                                                     \
      NUMBER(kind, "boundary", INT, budget.boundary_points, 0, 1e7), NUMBER(kind, "clip", REAL, budget.clip, 0, 1e12), \
      NUMBER(kind, "orthogonality", REAL, budget.orthogonality, 0, 1e6),                                               \
      NUMBER(kind, "evaluate", LONG, budget.evaluate_every, 0, 1e9),                                                   \
      LATER_NUMBER(kind, "time_weight", REAL, budget.time_weight, 0, 100)
/* clang-format on */

const setting_rule setting_rules[] = {
    NUMBER(NETWORK, "width", INT, network.width, 1, 4096),
    NUMBER(NETWORK, "layers", INT, network.layers, 1, 12),
    CHOICE(NETWORK, "activation", ENUM, network.activation, activations),
    CHOICE(NETWORK, "input", BOOL, network.shared_input, inputs),
    CHOICE(NETWORK, "codes", BOOL, network.relu_codes, codes),
    LATER_CHOICE(NETWORK, "frame", ENUM, network.frame, frames),
    CHOICE(SAMPLER, "draws", BOOL, sampler.shared, draws),
    BUDGET(TRAIN, train),
    BUDGET(ADAPT, adapt),
    LATER_CHOICE(ADAPT, "method", ENUM, adapt.method, optimisers),
    LATER_CHOICE(ADAPT, "seam", ENUM, adapt.seam, seams),
    CHOICE(REFERENCE, "", ENUM, reference.method, methods),
    NUMBER(REFERENCE, "points", INT, reference.points, 8, 32768),
    NUMBER(REFERENCE, "times", INT, reference.times, 2, 100000),
    NUMBER(REFERENCE, "relative", REAL, reference.relative, 1e-14, 1),
    NUMBER(REFERENCE, "absolute", REAL, reference.absolute, 1e-20, 1),
    NUMBER(REFERENCE, "max_step", REAL, reference.max_step, 0, 1e12),
    NUMBER(REFERENCE, "steps_per_period", INT, reference.steps_per_period, 1, 1e7),
    NUMBER(REFERENCE, "periods", INT, reference.periods, 1, 1e6),
    NUMBER(REFERENCE, "sweeps", INT, reference.sweeps, 1, 1000),
    CHOICE(DESCRIPTOR, "graph", ENUM, descriptor.layout, layouts),
    CHOICE(DESCRIPTOR, "style", ENUM, descriptor.style, styles),
    NUMBER(DESCRIPTOR, "rounds", INT, descriptor.rounds, 1, 16),
    CHOICE(DESCRIPTOR, "scale", BOOL, descriptor.standardise, scales),
    NUMBER(DESCRIPTOR, "slots", INT, descriptor.vector_slots, 1, 1024),
    CHOICE(DESCRIPTOR, "set", BOOL, descriptor.grouped_set, sets),
    LATER_CHOICE(DESCRIPTOR, "encoder", ENUM, descriptor.encoder, encoders),
};
const int setting_rule_count = sizeof setting_rules / sizeof *setting_rules;

_Static_assert(sizeof setting_rules / sizeof *setting_rules <= SETTING_MAX_RULES, "room to mark every rule as seen");
_Static_assert(sizeof(protocol_activation) == sizeof(int) && sizeof(protocol_graph_style) == sizeof(int),
               "enums are stored as int");

/* Points of soft conditions are -1 here: they depend on whether there are any. */
void settings_default(protocol_settings *protocol) {
  protocol_budget budget = {.steps = 3000,
                            .rate = 5e-4,
                            .points = 1024,
                            .initial_points = -1,
                            .period_points = -1,
                            .boundary_points = -1,
                            .clip = 10};
  protocol->network = (protocol_network){.width = 64, .layers = 3, .activation = ACTIVATION_TANH};
  protocol->sampler = (protocol_sampler){.kind = SAMPLER_UNIFORM};
  protocol->train = budget;
  protocol->adapt = budget;
  protocol->adapt.evaluate_every = 100;
  protocol->reference = (protocol_reference){.points = 256,
                                             .times = 101,
                                             .relative = 1e-8,
                                             .absolute = 1e-10,
                                             .steps_per_period = 2000,
                                             .periods = 40,
                                             .sweeps = 3};
  protocol->descriptor =
      (protocol_descriptor){.layout = GRAPH_COMPACT, .style = GRAPH_SHARED, .rounds = 2, .standardise = true};
}

double setting_number(const protocol_settings *protocol, const setting_rule *rule) {
  const char *member = (const char *)protocol + rule->offset;
  switch (rule->type) {
  case SETTING_LONG: return (double)*(const long *)member;
  case SETTING_REAL: return *(const double *)member;
  case SETTING_BOOL: return *(const bool *)member;
  default: return *(const int *)member;
  }
}

void setting_store(protocol_settings *protocol, const setting_rule *rule, double number) {
  char *member = (char *)protocol + rule->offset;
  switch (rule->type) {
  case SETTING_LONG: *(long *)member = (long)number; break;
  case SETTING_REAL: *(double *)member = number; break;
  case SETTING_BOOL: *(bool *)member = number != 0; break;
  default: *(int *)member = (int)number; break;
  }
}

const char *setting_word(const protocol_settings *protocol, const setting_rule *rule) {
  for (const setting_choice *choice = rule->choices; choice->word; choice++)
    if (choice->value == (int)setting_number(protocol, rule)) return choice->word;
  return "";
}
