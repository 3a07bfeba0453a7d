/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "graph/features.h"
#include "system/print.h"

/* A graph while it grows. */
typedef struct builder {
  ans_context *context;
  const ans_instance *instance;
  ans_graph *graph;
  int term_count;
  ordered_term *terms;
  graph_node *nodes;
  int (*edges)[2];
  int *powers; /* [edges] */
} builder;

/* ---- Nodes ----------------------------------------------------------------------------------------------- */

static void add_node(builder *b, graph_node node) { b->nodes[b->graph->node_count++] = node; }

static graph_node node_of_factor(const system_factor *factor) {
  graph_node node = {
      .kind = factor_is_field(factor) ? GRAPH_FIELD : GRAPH_DERIVATIVE, .field = factor->field, .term = -1};
  memcpy(node.order, factor->order, sizeof node.order);
  return node;
}

static system_factor factor_of_node(const graph_node *node) {
  assert(node);
  system_factor factor = {.field = node->field, .power = 1};
  memcpy(factor.order, node->order, sizeof factor.order);
  return factor;
}

/* Field and derivative nodes; the others have no factor of their own. */
static int find_factor(const builder *b, const system_factor *factor) {
  for (int n = 0; n < b->graph->node_count && b->nodes[n].kind <= GRAPH_DERIVATIVE; n++) {
    system_factor own = factor_of_node(&b->nodes[n]);
    if (factor_compare(&own, factor) == 0) return n;
  }
  return -1;
}

static void add_fields(builder *b) {
  for (int f = 0; f < b->instance->problem->field_count; f++)
    add_node(b, (graph_node){.kind = GRAPH_FIELD, .field = f, .term = -1});
}

static int compare_nodes(const void *first, const void *second) {
  system_factor a = factor_of_node(first), b = factor_of_node(second);
  return factor_compare(&a, &b);
}

static void add_derivatives(builder *b) {
  int first = b->graph->node_count;
  for (int t = 0; t < b->term_count; t++)
    for (int i = 0; i < b->terms[t].factor_count; i++) {
      system_factor factor = b->terms[t].factors[i];
      if (find_factor(b, &factor) < 0) add_node(b, node_of_factor(&factor));
    }
  qsort(b->nodes + first, (size_t)(b->graph->node_count - first), sizeof *b->nodes, compare_nodes);
}

static void add_terms(builder *b) {
  for (int t = 0; t < b->term_count; t++)
    add_node(b, (graph_node){.kind = GRAPH_TERM, .field = -1, .term = b->terms[t].index});
}

static void add_residuals(builder *b) {
  const ans_problem *problem = b->instance->problem;
  for (int e = 0; e < problem->equation_count; e++)
    add_node(b, (graph_node){.kind = GRAPH_RESIDUAL, .field = problem->equations[e].field, .term = -1});
}

/* ---- Labels and hash: for people, not for a network ------------------------------------------------------ */

static void write_label(const builder *b, int node, int first_term, buffer *label) {
  const ans_problem *problem = b->instance->problem;
  const graph_node *own = &b->nodes[node];
  assert(own->kind == GRAPH_TERM || own->field >= 0);
  system_factor factor = factor_of_node(own);
  switch (own->kind) {
  case GRAPH_FIELD: buffer_add(label, "%s", problem->fields[own->field].name); break;
  case GRAPH_DERIVATIVE: print_factor(label, problem, &factor); break;
  case GRAPH_TERM: term_label(label, b->instance, &b->terms[node - first_term]); break;
  case GRAPH_RESIDUAL: buffer_add(label, "R_%s", problem->fields[own->field].name); break;
  }
}

static ans_status add_labels(builder *b, int first_term) {
  for (int n = 0; n < b->graph->node_count; n++) {
    buffer label = {0};
    write_label(b, n, first_term, &label);
    if (!label.failed) b->nodes[n].label = arena_string(b->graph->arena, label.text, label.length);
    buffer_drop(&label);
    if (!b->nodes[n].label) return context_no_memory(b->context);
  }
  return ANS_OK;
}

static ans_status add_hash(builder *b) {
  hash_input input = {b->instance, b->graph->node_count, b->graph->edge_count, b->nodes, b->graph->edges, b->powers,
                      b->terms};
  return graph_hash(b->context, &input, &b->graph->hash);
}

/* ---- Edges and numbers ----------------------------------------------------------------------------------- */

static void add_edge(builder *b, int from, int to, int power) {
  assert(from >= 0 && from < to && to < b->graph->node_count && power > 0); /* edges point to later nodes */
  int edge = b->graph->edge_count++;
  b->edges[edge][0] = from;
  b->edges[edge][1] = to;
  b->powers[edge] = power;
}

static void add_edges(builder *b, int first_term) {
  assert(first_term + b->term_count < b->graph->node_count);
  for (int n = 0; n < first_term; n++)
    if (b->nodes[n].kind == GRAPH_DERIVATIVE) add_edge(b, b->nodes[n].field, n, 1);
  for (int t = 0; t < b->term_count; t++)
    for (int i = 0; i < b->terms[t].factor_count; i++)
      add_edge(b, find_factor(b, &b->terms[t].factors[i]), first_term + t, b->terms[t].factors[i].power);
  int first_residual = first_term + b->term_count;
  for (int t = 0; t < b->term_count; t++) add_edge(b, first_term + t, first_residual + b->terms[t].equation, 1);
}

/* Connected or the same node: 1, divided by the number of ones in the row. */
static void fill_adjacency(const builder *b, double *adjacency) {
  size_t count = (size_t)b->graph->node_count;
  for (size_t n = 0; n < count; n++) adjacency[n * count + n] = 1;
  for (int e = 0; e < b->graph->edge_count; e++) {
    size_t from = (size_t)b->edges[e][0], to = (size_t)b->edges[e][1];
    adjacency[from * count + to] = adjacency[to * count + from] = 1;
  }
  for (size_t n = 0; n < count; n++) {
    double sum = 0;
    for (size_t m = 0; m < count; m++) sum += adjacency[n * count + m];
    assert(sum >= 1); /* its own loop at least */
    for (size_t m = 0; m < count; m++) adjacency[n * count + m] /= sum;
  }
}

static ans_status fill_numbers(builder *b, int first_term) {
  size_t count = (size_t)b->graph->node_count, features = (size_t)features_count(b->instance->problem);
  double *adjacency = arena_array(b->graph->arena, double, size_product(count, count));
  double *rows = arena_array(b->graph->arena, double, size_product(count, features));
  if (!adjacency || !rows) return context_no_memory(b->context);
  fill_adjacency(b, adjacency);
  for (size_t n = 0; n < count; n++) {
    const ordered_term *term = b->nodes[n].kind == GRAPH_TERM ? &b->terms[n - (size_t)first_term] : NULL;
    features_fill(b->instance, &b->nodes[n], term, rows + n * features);
  }
  b->graph->feature_count = (int)features;
  b->graph->features = rows;
  b->graph->adjacency = adjacency;
  return ANS_OK;
}

/* ---- The whole ------------------------------------------------------------------------------------------- */

/* Room for the largest possible graph: every factor of every term its own derivative. */
static ans_status take_room(builder *b) {
  const ans_problem *problem = b->instance->problem;
  arena *arena = b->graph->arena;
  b->terms = terms_in_order(arena, b->instance, &b->term_count);
  if (!b->terms) return context_no_memory(b->context);
  size_t factors = 0, terms = (size_t)b->term_count;
  for (size_t t = 0; t < terms; t++) factors += (size_t)b->terms[t].factor_count;
  b->nodes = arena_array(arena, graph_node, (size_t)(problem->field_count + problem->equation_count) + factors + terms);
  b->edges = arena_take(arena, size_product(2 * factors + terms, sizeof *b->edges));
  b->powers = arena_array(arena, int, 2 * factors + terms);
  return b->nodes && b->edges && b->powers ? ANS_OK : context_no_memory(b->context);
}

static ans_status build(builder *b, bool readable) {
  TRY(take_room(b));
  add_fields(b);
  add_derivatives(b);
  int first_term = b->graph->node_count;
  add_terms(b);
  add_residuals(b);
  add_edges(b, first_term);
  TRY(fill_numbers(b, first_term));
  b->graph->nodes = b->nodes;
  b->graph->edges = (const int(*)[2])b->edges;
  if (!readable) return ANS_OK;
  TRY(add_labels(b, first_term));
  return add_hash(b);
}

static ans_status build_in(ans_context *context, arena *arena, const ans_instance *instance, bool readable,
                           ans_graph **result) {
  ans_graph *graph = arena_array(arena, ans_graph, 1);
  if (!graph) return context_no_memory(context);
  graph->arena = arena;
  builder b = {.context = context, .instance = instance, .graph = graph};
  TRY(build(&b, readable));
  *result = graph;
  return ANS_OK;
}

ans_status graph_outline(ans_context *context, arena *arena, const ans_instance *instance, ans_graph **result) {
  *result = NULL;
  return build_in(context, arena, instance, false, result);
}

ans_status graph_build(ans_context *context, const ans_instance *instance, ans_graph **result) {
  *result = NULL;
  arena *arena;
  TRY(arena_new(context, &arena));
  ans_status status = build_in(context, arena, instance, true, result);
  if (status != ANS_OK) arena_free(arena);
  return status;
}

void graph_free(ans_graph *graph) {
  if (graph) arena_free(graph->arena);
}
