/* SPDX-License-Identifier: Apache-2.0
 *
 * graph.c - reads a family, picks one of its cases and prints the operator graph that describes it.
 *
 *   cc graph.c $(pkg-config --cflags --libs ansatz) -o graph
 *   ./graph families/fisher.pde H1
 */
#include <ansatz.h>
#include <stdio.h>

static void print_graph(const ans_graph *graph) {
  static const char *const kinds[] = {"field", "derivative", "term", "residual"};
  printf("%zu nodes, %zu edges\n", ans_graph_node_count(graph), ans_graph_edge_count(graph));
  for (size_t i = 0; i < ans_graph_node_count(graph); i++) {
    ans_node node = ans_graph_node(graph, i);
    printf("%3zu  %-10s  %s\n", i, kinds[node.kind], node.label);
  }
  for (size_t i = 0; i < ans_graph_edge_count(graph); i++) {
    size_t from, to;
    ans_graph_edge(graph, i, &from, &to);
    printf("%3zu -> %zu\n", from, to);
  }
}

/* Every step can fail, and each result has one owner: this function, which frees all three in any case. */
static ans_status describe(ans_context *context, const char *path, const char *name) {
  ans_problem *problem = NULL;
  ans_instance *instance = NULL;
  ans_graph *graph = NULL;
  ans_choice choice = ANS_CHOICE_DEFAULT;
  choice.case_name = name;
  ans_status status = ans_problem_read(context, path, &problem);
  if (status == ANS_OK) status = ans_instance_new(context, problem, choice, &instance);
  if (status == ANS_OK) status = ans_graph_new(context, instance, &graph);
  if (status == ANS_OK) print_graph(graph);
  ans_graph_free(graph);
  ans_instance_free(instance);
  ans_problem_free(problem);
  return status;
}

int main(int count, char **words) {
  if (count != 3) {
    fprintf(stderr, "usage: %s FILE CASE\n", words[0]);
    return 2;
  }
  ans_context *context;
  if (ans_context_new(&context) != ANS_OK) return 1;
  ans_status status = describe(context, words[1], words[2]);
  if (status != ANS_OK) fprintf(stderr, "%s\n", ans_context_diagnostic(context)->message);
  ans_context_free(context);
  return status == ANS_OK ? 0 : 1;
}
