/* SPDX-License-Identifier: Apache-2.0
 *
 * dot.c - the graph as text for Graphviz and the many programs that read its language.
 */
#include "graph/graph.h"

static const char *const kind_names[] = {"field", "derivative", "term", "residual"};
static const char *const shapes[] = {"circle", "ellipse", "box", "doublecircle"};

const char *graph_kind_name(graph_kind kind) { return kind_names[kind]; }

/* A quoted string; backslashes and quotes inside are escaped. */
static void add_quoted(buffer *text, const char *string) {
  buffer_add(text, "\"");
  for (; *string; string++) buffer_add(text, *string == '"' || *string == '\\' ? "\\%c" : "%c", *string);
  buffer_add(text, "\"");
}

static void add_nodes(buffer *text, const ans_graph *graph, graph_kind kind) {
  buffer_add(text, "  subgraph %ss {\n    rank=same; node [shape=%s];\n", kind_names[kind], shapes[kind]);
  for (int n = 0; n < graph->node_count; n++) {
    if (graph->nodes[n].kind != kind) continue;
    buffer_add(text, "    n%d [label=", n);
    add_quoted(text, graph->nodes[n].label);
    buffer_add(text, "];\n");
  }
  buffer_add(text, "  }\n");
}

ans_status graph_dot(ans_context *context, const ans_graph *graph, const ans_instance *instance, char **text) {
  buffer dot = {0};
  buffer_add(&dot, "digraph ");
  add_quoted(&dot, instance->problem->name);
  buffer_add(&dot, " {\n  rankdir=LR;\n");
  for (graph_kind kind = GRAPH_FIELD; kind <= GRAPH_RESIDUAL; kind++) add_nodes(&dot, graph, kind);
  for (int e = 0; e < graph->edge_count; e++)
    buffer_add(&dot, "  n%d -> n%d;\n", graph->edges[e][0], graph->edges[e][1]);
  buffer_add(&dot, "}\n");
  return buffer_finish(context, &dot, text);
}
