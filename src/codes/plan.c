/* SPDX-License-Identifier: Apache-2.0
 *
 * plan.c - the layers of every hypernetwork, and the widths that match them.
 */
#include "codes/plan.h"

#include <assert.h>
#include <stdio.h>

/* A plan while it is written. Widths are tried without names, which costs only additions. */
typedef struct writer {
  hypernetwork_plan *plan;
  const ans_problem *problem;
  unknown_table table;
} writer;

/* Names: "self" alone, "self.2" numbered, "head.1.3" numbered twice; 0 is no number. */
static void name_layer(char *text, size_t room, const char *name, int first, int second) {
  if (second)
    snprintf(text, room, "%s.%d.%d", name, first, second);
  else if (first)
    snprintf(text, room, "%s.%d", name, first);
  else
    snprintf(text, room, "%s", name);
}

static void add_layer(writer *w, int inputs, int outputs, bool bias, const char *name, int first, int second) {
  assert(w->plan->layer_count < PLAN_MAX_LAYERS);
  assert(inputs > 0 && outputs > 0);
  plan_layer *layer = &w->plan->layers[w->plan->layer_count++];
  *layer = (plan_layer){.inputs = inputs, .outputs = outputs, .bias = PLAN_NO_BIAS};
  char full[32] = "";
  if (w->table.parts) name_layer(full, sizeof full, name, first, second);
  layer->weight = unknown_add(&w->table, UNKNOWN_HYPERNETWORK, outputs, inputs, "%s.weight", full);
  if (bias) layer->bias = unknown_add(&w->table, UNKNOWN_HYPERNETWORK, outputs, 0, "%s.bias", full);
}

/* inputs -> width -> ... -> width -> last, `count` layers. */
static plan_chain add_chain(writer *w, int inputs, int width, int last, int count, const char *name) {
  assert(count > 0);
  plan_chain chain = {.first = w->plan->layer_count, .count = count};
  for (int i = 0; i < count; i++)
    add_layer(w, i ? width : inputs, i == count - 1 ? last : width, true, name, count == 1 ? 0 : i + 1, 0);
  return chain;
}

static plan_chain add_heads(writer *w, int inputs) {
  assert(w->plan->shape.layers > 0 && w->plan->shape.fields > 0);
  const hypernetwork_plan *plan = w->plan;
  int sets = plan->per_field ? plan->shape.fields : 1;
  plan_chain chain = {.first = plan->layer_count, .count = sets * plan->shape.layers};
  for (int i = 0; i < chain.count; i++) {
    int set = i / plan->shape.layers + 1, layer = i % plan->shape.layers + 1;
    add_layer(w, inputs, plan->shape.width, true, "head", sets > 1 ? set : layer, sets > 1 ? layer : 0);
  }
  return chain;
}

/* ---- Graph -------------------------------------------------------------------------------------------- */

/* One pair of maps without bias for all rounds, or a pair for each round whose self map has a bias. */
static void write_rounds(writer *w, int width) {
  hypernetwork_plan *plan = w->plan;
  bool shared = plan_shares_maps(plan);
  int maps = shared ? 1 : plan->rounds;
  plan->self = (plan_chain){.first = plan->layer_count, .count = maps};
  for (int i = 0; i < maps; i++) add_layer(w, width, width, !shared, "self", shared ? 0 : i + 1, 0);
  plan->neighbour = (plan_chain){.first = plan->layer_count, .count = maps};
  for (int i = 0; i < maps; i++) add_layer(w, width, width, false, "neighbour", shared ? 0 : i + 1, 0);
}

static void write_graph(writer *w) {
  hypernetwork_plan *plan = w->plan;
  int width = plan->shape.width, head_inputs = width;
  plan->embedding = plan->hidden = width;
  plan->embed = add_chain(w, plan->columns, width, width, 1, "phi");
  write_rounds(w, width);
  if (plan_shares_maps(plan)) plan->readout = add_chain(w, 2 * width, width, width, 2, "rho");
  if (plan->style == GRAPH_STACKED) {
    plan->readout = add_chain(w, (plan->rounds + 1) * width, width, width, 1, "project");
    if (plan->shape.fields > 1) head_inputs = 2 * width; /* the mean alone cannot tell fields apart */
  }
  plan->heads = add_heads(w, head_inputs);
}

/* ---- Set, vector, conditional decoder ------------------------------------------------------------------ */

static void write_set(writer *w) {
  hypernetwork_plan *plan = w->plan;
  int pooled = plan->embedding + (plan->identity ? plan->shape.fields : 0);
  plan->embed = add_chain(w, plan->columns, plan->embedding, plan->embedding, 1, "phi");
  plan->readout = add_chain(w, pooled, plan->hidden, plan->hidden, 2, "rho");
  plan->heads = add_heads(w, plan->hidden);
}

static void write_vector(writer *w) {
  hypernetwork_plan *plan = w->plan;
  int layers = plan->encoder == VECTOR_TANH ? 3 : 2;
  plan->embed = add_chain(w, plan->columns, plan->embedding, plan->hidden, layers, "phi");
  plan->heads = add_heads(w, plan->hidden);
}

static void write_encoder(writer *w) {
  hypernetwork_plan *plan = w->plan;
  int width = plan->shape.width;
  plan->embedding = plan->hidden = width;
  plan->embed = add_chain(w, plan->columns, width, width, 4, "coefficients");
  plan->points = add_chain(w, plan_features(w->problem) + w->problem->field_count, width, width, 4, "points");
  plan->pooled = add_chain(w, width, width, width, 4, "pooled");
  plan->readout = add_chain(w, 2 * width, width, width, 1, "combine");
}

static void write_nothing(writer *w) { (void)w; }

/* The layers that read a form (record.c has their formulas). */
static const struct {
  void (*write)(writer *);
  bool matched; /* its widths are free, and chosen for the size of the graph's */
} readers[] = {
    [FORM_GRAPH] = {write_graph, false},  [FORM_TOKENS] = {write_set, true},
    [FORM_VECTOR] = {write_vector, true}, [FORM_DICTIONARY] = {write_encoder, false},
    [FORM_NONE] = {write_nothing, false},
};

static void write_plan(writer *w) { readers[w->plan->form].write(w); }

/* ---- Sizes and matching --------------------------------------------------------------------------------- */

static hypernetwork_plan plan_outline(const ans_problem *problem, code_shape shape, descriptor_kind kind, int rounds) {
  const protocol_descriptor *settings = &problem->protocol.descriptor;
  hypernetwork_plan plan = {.kind = kind,
                            .form = descriptor_form_of(kind),
                            .style = settings->style,
                            .encoder = settings->encoder,
                            .shape = shape,
                            .rounds = rounds ? rounds : settings->rounds,
                            .columns = descriptor_columns(problem, kind)};
  plan.grouped = kind == DESCRIPTOR_SET && settings->grouped_set;
  plan.identity = plan.form == FORM_TOKENS && !plan.grouped && shape.fields > 1;
  plan.per_field = plan.form == FORM_VECTOR && settings->layout == GRAPH_COMPACT && shape.fields > 1;
  return plan;
}

static size_t counted(const ans_problem *problem, hypernetwork_plan *plan) {
  writer w = {.plan = plan, .problem = problem};
  plan->layer_count = 0;
  write_plan(&w);
  return w.table.size;
}

/* The widths embedding and hidden = embedding + difference of smallest |difference| whose size is within one
 * part in 750 of the target; the nearest of all when there are none. */
static void match(const ans_problem *problem, size_t target, hypernetwork_plan *plan) {
  int limit = 4 * plan->shape.width, embedding = 1, hidden = 1;
  size_t nearest = SIZE_MAX;
  for (int step = 0; step < 2 * plan->shape.width && nearest > target / 750; step++) {
    int difference = step % 2 ? (step + 1) / 2 : -step / 2;
    for (plan->embedding = 1; plan->embedding <= limit; plan->embedding++) {
      plan->hidden = plan->embedding + difference;
      if (plan->hidden < 1) continue;
      size_t size = counted(problem, plan), gap = size > target ? size - target : target - size;
      if (gap < nearest) {
        nearest = gap;
        embedding = plan->embedding;
        hidden = plan->hidden;
      }
      if (size > target) break;
    }
  }
  plan->embedding = embedding;
  plan->hidden = hidden;
}

size_t hypernetwork_graph_size(const ans_problem *problem, code_shape shape) {
  hypernetwork_plan plan = plan_outline(problem, shape, DESCRIPTOR_GRAPH, 0);
  return counted(problem, &plan);
}

size_t hypernetwork_encoder_size(const ans_problem *problem, int width) {
  hypernetwork_plan plan = plan_outline(problem, (code_shape){1, 1, width}, DESCRIPTOR_DICTIONARY, 0);
  return counted(problem, &plan);
}

int plan_features(const ans_problem *problem) {
  int count = 0;
  for (int c = 0; c < problem->coordinate_count; c++) {
    const system_coordinate *coordinate = &problem->coordinates[c];
    count += coordinate->fourier_high ? 2 * (coordinate->fourier_high - coordinate->fourier_low + 1) : 1;
  }
  return count;
}

ans_status hypernetwork_plan_make(ans_context *context, const ans_problem *problem, code_shape shape,
                                  descriptor_kind kind, int rounds, hypernetwork_plan *plan) {
  *plan = plan_outline(problem, shape, kind, rounds);
  FAIL_IF(plan->form == FORM_GRAPH && (plan->rounds < 1 || plan->rounds > PLAN_MAX_ROUNDS), context, ANS_ARGUMENT,
          "message passing takes 1 to %d rounds, not %d", PLAN_MAX_ROUNDS, plan->rounds);
  FAIL_IF(plan->form != FORM_NONE && plan->columns < 1, context, ANS_UNSUPPORTED,
          "this family has nothing that the descriptor %s could say", descriptor_name(kind));
  FAIL_IF(shape.fields * shape.layers > PLAN_MAX_HEADS, context, ANS_UNSUPPORTED,
          "codes for %d fields of %d layers; %d in all are possible", shape.fields, shape.layers, PLAN_MAX_HEADS);
  if (readers[plan->form].matched) match(problem, hypernetwork_graph_size(problem, shape), plan);
  writer w = {.plan = plan, .problem = problem, .table = {.parts = plan->parts, .limit = PLAN_MAX_PARTS}};
  plan->layer_count = 0;
  write_plan(&w);
  plan->part_count = w.table.count;
  plan->size = w.table.size;
  return ANS_OK;
}
