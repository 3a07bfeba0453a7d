/* SPDX-License-Identifier: Apache-2.0
 *
 * record.c - descriptor -> codes, each architecture in the order of its formula (doc/networks.md).
 */
#include "codes/record.h"

#include <assert.h>

static int affine(tape *tape, const hypernetwork_plan *plan, int layer, int x) {
  assert(layer >= 0 && layer < plan->layer_count);
  const plan_layer *l = &plan->layers[layer];
  return tape_affine(tape, x, l->outputs, l->weight, l->bias);
}

static int chain(tape *tape, const hypernetwork_plan *plan, plan_chain layers, tape_function function, int x) {
  assert(layers.count >= 0 && layers.first + layers.count <= plan->layer_count);
  for (int i = 0; i < layers.count; i++) x = tape_apply(tape, function, affine(tape, plan, layers.first + i, x));
  return x;
}

/* The same with a linear last layer. */
static int network(tape *tape, const hypernetwork_plan *plan, plan_chain layers, tape_function function, int x) {
  plan_chain hidden = {.first = layers.first, .count = layers.count - 1};
  return affine(tape, plan, layers.first + hidden.count, chain(tape, plan, hidden, function, x));
}

/* ReLU heads side by side: rows are fields, columns layers and widths; or one row with a set per field. */
static int heads(tape *tape, const hypernetwork_plan *plan, int x) {
  int codes = -1;
  for (int i = 0; i < plan->heads.count; i++) {
    int head = tape_apply(tape, TAPE_RELU, affine(tape, plan, plan->heads.first + i, x));
    codes = codes < 0 ? head : tape_join(tape, codes, head);
  }
  return codes;
}

/* h <- [h +] GELU(h W_self^T [+ b] + A h W_neigh^T); the states of all rounds side by side when stacked. */
static int message_passing(tape *tape, const hypernetwork_plan *plan, int adjacency, int h) {
  int states = h;
  for (int k = 0; k < plan->rounds; k++) {
    int map = plan_shares_maps(plan) ? 0 : k;
    int own = affine(tape, plan, plan->self.first + map, h);
    int others = affine(tape, plan, plan->neighbour.first + map, tape_mix(tape, adjacency, h));
    int update = tape_apply(tape, TAPE_GELU, tape_add(tape, own, others));
    h = plan->style == GRAPH_PLAIN ? update : tape_add(tape, h, update);
    if (plan->style == GRAPH_STACKED) states = tape_join(tape, states, h);
  }
  return plan->style == GRAPH_STACKED ? states : h;
}

static void record_graph(tape *tape, const hypernetwork_plan *plan, const descriptor *descriptor, recording *r) {
  int rows = descriptor->rows, fields = plan->shape.fields;
  bool mean = plan->style != GRAPH_PLAIN, own = plan->style != GRAPH_STACKED || fields > 1;
  r->adjacency = tape_constant(tape, rows, rows);
  if (own) r->own = tape_constant(tape, fields, rows);
  if (mean) r->pool = tape_constant(tape, fields, rows);
  int h = plan->style == GRAPH_LINEAR ? network(tape, plan, plan->embed, TAPE_GELU, r->values)
                                      : chain(tape, plan, plan->embed, TAPE_GELU, r->values);
  h = message_passing(tape, plan, r->adjacency, h);
  if (plan->style == GRAPH_STACKED) h = network(tape, plan, plan->readout, TAPE_GELU, h);
  int state = own ? tape_mix(tape, r->own, h) : -1;
  if (mean) {
    int average = tape_mix(tape, r->pool, h);
    state = own ? tape_join(tape, state, average) : average;
  }
  if (plan_shares_maps(plan)) state = network(tape, plan, plan->readout, TAPE_GELU, state);
  r->result = heads(tape, plan, state);
}

static void record_set(tape *tape, const hypernetwork_plan *plan, const descriptor *descriptor, recording *r) {
  int fields = plan->shape.fields;
  r->pool = tape_constant(tape, fields, descriptor->rows);
  if (plan->identity) r->identity = tape_constant(tape, fields, fields);
  int tokens = chain(tape, plan, plan->embed, TAPE_GELU, r->values);
  int state = tape_mix(tape, r->pool, tokens);
  if (plan->identity) state = tape_join(tape, state, r->identity);
  r->result = heads(tape, plan, network(tape, plan, plan->readout, TAPE_GELU, state));
}

static void record_vector(tape *tape, const hypernetwork_plan *plan, const descriptor *descriptor, recording *r) {
  (void)descriptor;
  bool broadcast = !plan->per_field && plan->shape.fields > 1;
  if (broadcast) r->identity = tape_constant(tape, plan->shape.fields, 1);
  tape_function function = plan->encoder == VECTOR_TANH ? TAPE_TANH : TAPE_GELU;
  int codes = heads(tape, plan, chain(tape, plan, plan->embed, function, r->values));
  r->result = broadcast ? tape_mix(tape, r->identity, codes) : codes;
}

static void record_encoder(tape *tape, const hypernetwork_plan *plan, const descriptor *descriptor, recording *r) {
  (void)descriptor;
  r->points = tape_constant(tape, PLAN_CONDITION_POINTS, plan->layers[plan->points.first].inputs);
  r->pool = tape_constant(tape, 1, PLAN_CONDITION_POINTS);
  int coefficients = network(tape, plan, plan->embed, TAPE_RELU, r->values);
  int pooled = tape_mix(tape, r->pool, network(tape, plan, plan->points, TAPE_RELU, r->points));
  int conditions = network(tape, plan, plan->pooled, TAPE_RELU, pooled);
  r->result = affine(tape, plan, plan->readout.first, tape_join(tape, coefficients, conditions));
}

/* What is computed from a form. */
static void (*const formulas[])(tape *, const hypernetwork_plan *, const descriptor *, recording *) = {
    [FORM_GRAPH] = record_graph,        [FORM_TOKENS] = record_set, [FORM_VECTOR] = record_vector,
    [FORM_DICTIONARY] = record_encoder, [FORM_NONE] = NULL,
};

recording record_program(const hypernetwork_plan *plan, const descriptor *descriptor, tape *tape) {
  recording r = {-1, -1, -1, -1, -1, -1, -1};
  tape_begin(tape);
  r.values = tape_constant(tape, descriptor->rows, descriptor->columns);
  if (formulas[plan->form]) formulas[plan->form](tape, plan, descriptor, &r);
  return r;
}

/* ---- Constants ---------------------------------------------------------------------------------------- */

static void copy(tape *tape, int step, const double *numbers) {
  if (step < 0) return;
  real *out = tape_value(tape, step);
  size_t count = (size_t)tape->steps[step].rows * (size_t)tape->steps[step].columns;
  for (size_t i = 0; i < count; i++) out[i] = (real)numbers[i];
}

/* Which rows of the descriptor field f's mean is taken over. */
static bool is_pooled(const hypernetwork_plan *plan, const descriptor *descriptor, int row, int field) {
  if (plan->form == FORM_GRAPH) return descriptor->group[row] == GRAPH_TERM || descriptor->group[row] == GRAPH_FIELD;
  return !plan->grouped || descriptor->group[row] == field;
}

static void fill_pool(const hypernetwork_plan *plan, const descriptor *descriptor, tape *tape, int step) {
  int rows = tape->steps[step].columns;
  for (int f = 0; f < tape->steps[step].rows; f++) {
    real *out = tape_value(tape, step) + (size_t)f * (size_t)rows;
    int count = 0;
    for (int i = 0; i < rows; i++) count += is_pooled(plan, descriptor, i, f);
    for (int i = 0; i < rows; i++) out[i] = is_pooled(plan, descriptor, i, f) ? (real)(1.0 / count) : 0;
  }
}

static void fill_own(const descriptor *descriptor, tape *tape, int step) {
  for (int f = 0; f < tape->steps[step].rows; f++)
    tape_value(tape, step)[(size_t)f * (size_t)descriptor->rows + (size_t)descriptor->field_row[f]] = 1;
}

static void fill_identity(tape *tape, int step) {
  int columns = tape->steps[step].columns;
  for (int f = 0; f < tape->steps[step].rows; f++) tape_value(tape, step)[columns == 1 ? f : f * columns + f] = 1;
}

void record_fill(const hypernetwork_plan *plan, const descriptor *descriptor, const double *points, const recording *r,
                 tape *tape) {
  copy(tape, r->values, descriptor->values);
  copy(tape, r->adjacency, descriptor->adjacency);
  copy(tape, r->points, points);
  if (r->own >= 0) fill_own(descriptor, tape, r->own);
  if (r->pool >= 0) fill_pool(plan, descriptor, tape, r->pool);
  if (r->identity >= 0) fill_identity(tape, r->identity);
}
