/* SPDX-License-Identifier: Apache-2.0
 *
 * show_text.c - a problem as the program understood it, for people: the family first, then one member with numbers.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show.h"

/* ---- The family -------------------------------------------------------------------------------------- */

static ans_status print_parts(ans_context *context, const ans_problem *problem, ans_part part, const char *title,
                              FILE *stream) {
  size_t count = ans_problem_count(problem, part);
  if (count == 0) return ANS_OK;
  fprintf(stream, "\n%s\n", title);
  for (size_t i = 0; i < count; i++) {
    char *text;
    ans_status status = ans_problem_describe(context, problem, part, i, &text);
    if (status != ANS_OK) return status;
    fprintf(stream, "  %s\n", text);
    ans_free(text);
  }
  return ANS_OK;
}

static const struct {
  ans_part part;
  const char *title;
} sections[] = {
    {ANS_COORDINATES, "Coordinates"},
    {ANS_FIELDS, "Fields (_ is the network's output)"},
    {ANS_SYMBOLS, "Coefficients"},
    {ANS_EQUATIONS, "Equations, multiplied out"},
    {ANS_CONDITIONS, "Conditions"},
    {ANS_STRUCTURES, "Structures"},
    {ANS_CASES, "Cases"},
    {ANS_SETTINGS, "Settings"},
};

static ans_status print_family(ans_context *context, const shown *shown, FILE *stream) {
  fprintf(stream, "%s\n", shown->path);
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
    ans_status status = print_parts(context, shown->problem, sections[i].part, sections[i].title, stream);
    if (status != ANS_OK) return status;
  }
  return ANS_OK;
}

/* ---- The member -------------------------------------------------------------------------------------- */

static void print_values(const shown *shown, FILE *stream) {
  for (size_t i = 0; i < ans_problem_count(shown->problem, ANS_SYMBOLS); i++) {
    double value = ans_instance_value(shown->instance, i);
    if (!isnan(value)) fprintf(stream, "  %-12s %.10g\n", ans_problem_name(shown->problem, ANS_SYMBOLS, i), value);
  }
}

/* The term with its number, and as the family states it. */
static ans_status print_term(ans_context *context, const shown *shown, size_t index, const char *equation,
                             FILE *stream) {
  char *number = NULL, *words = NULL;
  ans_status status = ans_instance_term_text(context, shown->instance, index, &number);
  if (status == ANS_OK)
    status = ans_problem_describe(context, shown->problem, ANS_TERMS, ans_instance_term(shown->instance, index).index,
                                  &words);
  if (status == ANS_OK) {
    if (strcmp(number, words) == 0)
      fprintf(stream, "  %-12s %s\n", equation, number);
    else
      fprintf(stream, "  %-12s %-30s %s\n", equation, number, words);
  }
  ans_free(number);
  ans_free(words);
  return status;
}

static ans_status print_terms(ans_context *context, const shown *shown, FILE *stream) {
  size_t previous = SIZE_MAX;
  for (size_t i = 0; i < ans_instance_term_count(shown->instance); i++) {
    size_t equation = ans_instance_term(shown->instance, i).equation;
    const char *name = equation != previous ? ans_problem_name(shown->problem, ANS_EQUATIONS, equation) : "";
    ans_status status = print_term(context, shown, i, name, stream);
    if (status != ANS_OK) return status;
    previous = equation;
  }
  return ANS_OK;
}

static void print_graph(const ans_graph *graph, FILE *stream) {
  size_t counts[4] = {0};
  for (size_t i = 0; i < ans_graph_node_count(graph); i++) counts[ans_graph_node(graph, i).kind]++;
  fprintf(stream, "\nOperator graph\n  %zu nodes: %zu fields, %zu derivatives, %zu terms, %zu residuals\n",
          ans_graph_node_count(graph), counts[0], counts[1], counts[2], counts[3]);
  fprintf(stream, "  %zu edges, %zu features per node, hash %016" PRIx64 "\n", ans_graph_edge_count(graph),
          ans_graph_feature_count(graph), ans_graph_hash(graph));
  for (size_t i = 0; i < ans_graph_node_count(graph); i++) {
    ans_node node = ans_graph_node(graph, i);
    const char *arrow = "->";
    fprintf(stream, "  %3zu %-11s %s", i, ans_node_kind_name(node.kind), node.label);
    for (size_t e = 0; e < ans_graph_edge_count(graph); e++) {
      size_t from, to;
      ans_graph_edge(graph, e, &from, &to);
      if (from != i) continue;
      if (*arrow) fprintf(stream, "%*s", (int)strlen(node.label) < 18 ? 18 - (int)strlen(node.label) : 0, "");
      fprintf(stream, " %s%s%zu", arrow, *arrow ? " " : "", to);
      arrow = "";
    }
    fputc('\n', stream);
  }
}

static ans_status print_descriptor(ans_context *context, const shown *shown, FILE *stream) {
  ans_descriptor *descriptor;
  ans_status status = ans_descriptor_new(context, shown->instance, shown->descriptor, &descriptor);
  if (status != ANS_OK) return status;
  size_t rows = ans_descriptor_rows(descriptor), columns = ans_descriptor_columns(descriptor);
  fprintf(stream, "\nDescriptor: %s, %zu x %zu\n", shown->descriptor, rows, columns);
  for (size_t i = 0; i < rows; i++) {
    for (size_t j = 0; j < columns; j++) fprintf(stream, " %9.4g", ans_descriptor_values(descriptor)[i * columns + j]);
    fputc('\n', stream);
  }
  ans_descriptor_free(descriptor);
  return ANS_OK;
}

static void print_heading(const shown *shown, FILE *stream) {
  size_t structure = ans_instance_structure(shown->instance);
  if (shown->case_name)
    fprintf(stream, "\nCase %s, structure ", shown->case_name);
  else
    fputs("\nStructure ", stream);
  fprintf(stream, "%s%s%s\n", ans_problem_name(shown->problem, ANS_STRUCTURES, structure),
          ans_structure_held(shown->problem, structure) ? " (held back from training)" : "",
          shown->by_default ? ", the first: choose with --case or --structure" : "");
}

ans_status show_text(ans_context *context, const shown *shown, FILE *stream) {
  ans_status status = print_family(context, shown, stream);
  if (status != ANS_OK) return status;
  print_heading(shown, stream);
  print_values(shown, stream);
  fputs("\nIts terms\n", stream);
  status = print_terms(context, shown, stream);
  if (status != ANS_OK) return status;
  print_graph(shown->graph, stream);
  return shown->descriptor ? print_descriptor(context, shown, stream) : ANS_OK;
}
