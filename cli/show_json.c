/* SPDX-License-Identifier: Apache-2.0
 *
 * show_json.c - one member of a family as JSON: fields, terms, graph and the other descriptors.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "json.h"
#include "show.h"

static json_t *names_json(const ans_problem *problem, ans_part part) {
  json_t *list = json_array();
  for (size_t i = 0; i < ans_problem_count(problem, part); i++)
    json_array_append_new(list, json_string(ans_problem_name(problem, part, i)));
  return list;
}

static json_t *coordinates_json(const ans_problem *problem) {
  json_t *list = json_array();
  for (size_t i = 0; i < ans_problem_count(problem, ANS_COORDINATES); i++) {
    ans_coordinate c = ans_problem_coordinate(problem, i);
    json_array_append_new(list, json_pack("{s:s, s:f, s:f, s:b, s:b}", "name", c.name, "low", c.low, "high", c.high,
                                          "periodic", c.periodic, "time", c.time));
  }
  return list;
}

static json_t *values_json(const shown *shown) {
  json_t *object = json_object();
  for (size_t i = 0; i < ans_problem_count(shown->problem, ANS_SYMBOLS); i++) {
    double value = ans_instance_value(shown->instance, i);
    if (!isnan(value))
      json_object_set_new(object, ans_problem_name(shown->problem, ANS_SYMBOLS, i), json_of_number(value));
  }
  return object;
}

/* ---- Terms ------------------------------------------------------------------------------------------- */

/* A factor to the power two is listed twice, so that the list is as long as the arity. */
static ans_status factors_json(ans_context *context, const shown *shown, size_t term, json_t *list) {
  for (size_t i = 0; i < ans_instance_term(shown->instance, term).factor_count; i++) {
    char *text;
    ans_status status = ans_instance_factor_text(context, shown->instance, term, i, &text);
    if (status != ANS_OK) return status;
    for (unsigned k = 0; k < ans_instance_factor(shown->instance, term, i).power; k++)
      json_array_append_new(list, json_string(text));
    ans_free(text);
  }
  return ANS_OK;
}

static ans_status term_json(ans_context *context, const shown *shown, size_t index, json_t *list) {
  ans_term term = ans_instance_term(shown->instance, index);
  json_t *factors = json_array();
  ans_status status = factors_json(context, shown, index, factors);
  char *text = NULL;
  if (status == ANS_OK) status = ans_instance_term_text(context, shown->instance, index, &text);
  if (status == ANS_OK)
    json_array_append_new(list, json_pack("{s:s, s:f, s:O, s:i, s:b, s:s}", "equation",
                                          ans_problem_name(shown->problem, ANS_EQUATIONS, term.equation), "coefficient",
                                          term.coefficient, "factors", factors, "arity", (int)term.arity, "has_source",
                                          term.has_source, "text", text));
  json_decref(factors);
  ans_free(text);
  return status;
}

/* ---- Graph and descriptors --------------------------------------------------------------------------- */

static json_t *graph_json(const ans_graph *graph) {
  json_t *nodes = json_array(), *edges = json_array();
  for (size_t i = 0; i < ans_graph_node_count(graph); i++) {
    ans_node node = ans_graph_node(graph, i);
    json_array_append_new(nodes,
                          json_pack("{s:s, s:s, s:o}", "kind", ans_node_kind_name(node.kind), "label", node.label,
                                    "features", json_of_numbers(node.features, ans_graph_feature_count(graph))));
  }
  for (size_t i = 0; i < ans_graph_edge_count(graph); i++) {
    size_t from, to;
    ans_graph_edge(graph, i, &from, &to);
    json_array_append_new(edges, json_pack("[i, i]", (int)from, (int)to));
  }
  return json_pack("{s:o, s:o}", "nodes", nodes, "edges", edges);
}

/* A descriptor's rows; of a vector, its only one. */
static ans_status add_descriptor(ans_context *context, const shown *shown, const char *kind, const char *key,
                                 json_t *object) {
  ans_descriptor *descriptor;
  ans_status status = ans_descriptor_new(context, shown->instance, kind, &descriptor);
  if (status != ANS_OK) return status;
  size_t rows = ans_descriptor_rows(descriptor), columns = ans_descriptor_columns(descriptor);
  const double *values = ans_descriptor_values(descriptor);
  bool flat = strcmp(key, "vector") == 0;
  json_object_set_new(object, key,
                      flat ? json_of_numbers(values, rows * columns) : json_of_rows(values, rows, columns));
  ans_descriptor_free(descriptor);
  return ANS_OK;
}

static ans_status fill(ans_context *context, const shown *shown, json_t *object) {
  json_t *terms = json_array();
  json_object_set_new(object, "terms", terms);
  for (size_t i = 0; i < ans_instance_term_count(shown->instance); i++) {
    ans_status status = term_json(context, shown, i, terms);
    if (status != ANS_OK) return status;
  }
  json_object_set_new(object, "graph", graph_json(shown->graph));
  char hash[20];
  snprintf(hash, sizeof hash, "%016" PRIx64, ans_graph_hash(shown->graph));
  json_object_set_new(object, "hash", json_string(hash));
  snprintf(hash, sizeof hash, "%016" PRIx64, ans_instance_hash(shown->instance));
  json_object_set_new(object, "instance_hash", json_string(hash));
  ans_status status = add_descriptor(context, shown, "vector", "vector", object);
  if (status == ANS_OK) status = add_descriptor(context, shown, "set", "set", object);
  if (status == ANS_OK && shown->descriptor) {
    json_object_set_new(object, "descriptor_kind", json_string(shown->descriptor));
    status = add_descriptor(context, shown, shown->descriptor, "descriptor", object);
  }
  return status;
}

ans_status show_json(ans_context *context, const shown *shown, FILE *stream) {
  size_t structure = ans_instance_structure(shown->instance);
  json_t *object = json_pack(
      "{s:s, s:o, s:s?, s:s, s:b, s:o, s:o, s:o}", "version", ans_version(), "file", json_of_text(shown->path), "case",
      shown->case_name, "structure", ans_problem_name(shown->problem, ANS_STRUCTURES, structure), "held",
      ans_structure_held(shown->problem, structure), "coordinates", coordinates_json(shown->problem), "fields",
      names_json(shown->problem, ANS_FIELDS), "values", values_json(shown));
  if (!object) return ANS_MEMORY;
  ans_status status = fill(context, shown, object);
  if (status == ANS_OK && !json_write(object, stream)) status = ANS_MEMORY;
  json_decref(object);
  return status;
}
