/* SPDX-License-Identifier: Apache-2.0
 *
 * api_graph.c - public functions on operator graphs and the other descriptors.
 */
#include "api/api.h"

/* ---- Graph ------------------------------------------------------------------------------------------- */

ans_status ans_graph_new(ans_context *context, const ans_instance *instance, ans_graph **graph) {
  *graph = NULL;
  return graph_build(context, instance, graph);
}

void ans_graph_free(ans_graph *graph) { graph_free(graph); }

size_t ans_graph_node_count(const ans_graph *graph) { return (size_t)graph->node_count; }
size_t ans_graph_edge_count(const ans_graph *graph) { return (size_t)graph->edge_count; }
size_t ans_graph_feature_count(const ans_graph *graph) { return (size_t)graph->feature_count; }
const double *ans_graph_adjacency(const ans_graph *graph) { return graph->adjacency; }
uint64_t ans_graph_hash(const ans_graph *graph) { return graph->hash; }

static ans_node_kind node_kind(graph_kind kind) {
  switch (kind) {
  case GRAPH_FIELD: return ANS_NODE_FIELD;
  case GRAPH_DERIVATIVE: return ANS_NODE_DERIVATIVE;
  case GRAPH_TERM: return ANS_NODE_TERM;
  case GRAPH_RESIDUAL: break;
  }
  return ANS_NODE_RESIDUAL;
}

ans_node ans_graph_node(const ans_graph *graph, size_t index) {
  if (index >= (size_t)graph->node_count) return (ans_node){0};
  const graph_node *node = &graph->nodes[index];
  return (ans_node){node_kind(node->kind), node->label, graph->features + index * (size_t)graph->feature_count};
}

void ans_graph_edge(const ans_graph *graph, size_t index, size_t *from, size_t *to) {
  bool there = index < (size_t)graph->edge_count;
  *from = there ? (size_t)graph->edges[index][0] : 0;
  *to = there ? (size_t)graph->edges[index][1] : 0;
}

const char *ans_node_kind_name(ans_node_kind kind) {
  switch (kind) {
  case ANS_NODE_FIELD: return graph_kind_name(GRAPH_FIELD);
  case ANS_NODE_DERIVATIVE: return graph_kind_name(GRAPH_DERIVATIVE);
  case ANS_NODE_TERM: return graph_kind_name(GRAPH_TERM);
  case ANS_NODE_RESIDUAL: break;
  }
  return graph_kind_name(GRAPH_RESIDUAL);
}

ans_status ans_graph_print_dot(ans_context *context, const ans_graph *graph, const ans_instance *instance,
                               char **text) {
  *text = NULL;
  return graph_dot(context, graph, instance, text);
}

/* ---- Descriptors ------------------------------------------------------------------------------------- */

struct ans_descriptor {
  descriptor *inside;
};

ans_status ans_descriptor_new(ans_context *context, const ans_instance *instance, const char *kind,
                              ans_descriptor **result) {
  *result = NULL;
  descriptor_kind number;
  FAIL_IF(!descriptor_parse(kind, &number) || number == DESCRIPTOR_NONE, context, ANS_ARGUMENT,
          "there is no descriptor '%s'; there are graph, set, ownership, vector, presence and dictionary", kind);
  ans_descriptor *made = memory_take(sizeof *made);
  if (!made) return context_no_memory(context);
  ans_status status = descriptor_build(context, instance, number, &made->inside);
  if (status != ANS_OK)
    memory_give(made);
  else
    *result = made;
  return status;
}

void ans_descriptor_free(ans_descriptor *descriptor) {
  if (!descriptor) return;
  descriptor_free(descriptor->inside);
  memory_give(descriptor);
}

size_t ans_descriptor_rows(const ans_descriptor *descriptor) { return (size_t)descriptor->inside->rows; }
size_t ans_descriptor_columns(const ans_descriptor *descriptor) { return (size_t)descriptor->inside->columns; }
const double *ans_descriptor_values(const ans_descriptor *descriptor) { return descriptor->inside->values; }
