/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "graph/features.h"
#include "graph/rows.h"

static int graph_columns(const ans_problem *problem, descriptor_kind kind) {
  (void)kind;
  return features_count(problem);
}

static int no_columns(const ans_problem *problem, descriptor_kind kind) {
  (void)problem, (void)kind;
  return 0;
}

/* Name, form, width and contents of each kind. The graph is an object of its own; none has no contents. */
static const struct {
  const char *name;
  descriptor_form form;
  int (*columns)(const ans_problem *, descriptor_kind);
  ans_status (*fill)(ans_context *, const ans_instance *, descriptor *, double *);
} kinds[] = {
    [DESCRIPTOR_GRAPH] = {"graph", FORM_GRAPH, graph_columns, NULL},
    [DESCRIPTOR_SET] = {"set", FORM_TOKENS, tokens_columns, tokens_fill},
    [DESCRIPTOR_OWNERSHIP] = {"ownership", FORM_TOKENS, tokens_columns, tokens_fill},
    [DESCRIPTOR_VECTOR] = {"vector", FORM_VECTOR, vector_columns, vector_fill},
    [DESCRIPTOR_PRESENCE] = {"presence", FORM_VECTOR, vector_columns, vector_fill},
    [DESCRIPTOR_DICTIONARY] = {"dictionary", FORM_DICTIONARY, dictionary_columns, dictionary_fill},
    [DESCRIPTOR_NONE] = {"none", FORM_NONE, no_columns, NULL},
};

int descriptor_columns(const ans_problem *problem, descriptor_kind kind) { return kinds[kind].columns(problem, kind); }

descriptor_form descriptor_form_of(descriptor_kind kind) { return kinds[kind].form; }

const char *descriptor_name(descriptor_kind kind) { return kinds[kind].name; }

bool descriptor_parse(const char *name, descriptor_kind *kind) {
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (strcmp(name, kinds[i].name) != 0) continue;
    *kind = (descriptor_kind)i;
    return true;
  }
  return false;
}

/* Whether an expression contains one of the symbols. */
static bool uses_any(const ans_problem *problem, const expression *expression, const bool *symbols) {
  for (int i = 0; expression && i < problem->symbol_count; i++)
    if (symbols[i] && expression_uses_index(expression, EXPRESSION_SYMBOL, i)) return true;
  return false;
}

bool descriptor_sees(const ans_problem *problem, descriptor_kind kind, int symbol) {
  bool reached[SYSTEM_MAX_SYMBOLS] = {false}; /* the symbol and what is derived from it */
  reached[symbol] = true;
  for (int i = symbol + 1; i < problem->symbol_count; i++)
    reached[i] = uses_any(problem, problem->symbols[i].value, reached);
  descriptor_form form = descriptor_form_of(kind);
  if (form == FORM_NONE) return false;
  if (form == FORM_VECTOR) {
    for (int i = 0; i < problem->protocol.descriptor.vector_count; i++)
      if (reached[problem->protocol.descriptor.vector[i]]) return true;
    return false;
  }
  bool intervals = form == FORM_GRAPH && problem->protocol.descriptor.layout == GRAPH_UNION;
  for (int t = 0; t < problem->term_count; t++) {
    const system_term *term = &problem->terms[t];
    if (uses_any(problem, term->coefficient, reached)) return true;
    if (intervals && term->source && expression_uses(term->source, EXPRESSION_INSIDE) &&
        uses_any(problem, term->source, reached))
      return true;
  }
  return false;
}

static ans_status describe_graph(ans_context *context, const ans_graph *graph, int fields, descriptor *d) {
  int *group = arena_array(d->arena, int, (size_t)graph->node_count),
      *field_row = arena_array(d->arena, int, (size_t)fields);
  if (!group || !field_row) return context_no_memory(context);
  for (int n = 0; n < graph->node_count; n++) {
    group[n] = graph->nodes[n].kind;
    if (graph->nodes[n].kind == GRAPH_FIELD) field_row[graph->nodes[n].field] = n;
  }
  d->rows = graph->node_count;
  d->columns = graph->feature_count;
  d->values = graph->features;
  d->adjacency = graph->adjacency;
  d->group = group;
  d->field_row = field_row;
  return ANS_OK;
}

static ans_status build_graph(ans_context *context, arena *arena, const ans_instance *instance, descriptor **result) {
  ans_graph *graph;
  TRY(graph_outline(context, arena, instance, &graph));
  descriptor *d = arena_array(arena, descriptor, 1);
  if (!d) return context_no_memory(context);
  *d = (descriptor){.arena = arena, .kind = DESCRIPTOR_GRAPH, .fields = instance->problem->field_count};
  TRY(describe_graph(context, graph, d->fields, d));
  *result = d;
  return ANS_OK;
}

/* At most so many: terms that differ in their source only become one. */
static int row_count(const ans_instance *instance, descriptor_form form) {
  if (form == FORM_NONE) return 0;
  return form == FORM_TOKENS ? instance->term_count : 1;
}

static ans_status fill(ans_context *context, const ans_instance *instance, descriptor *d) {
  double *values = arena_array(d->arena, double, size_product((size_t)d->rows, (size_t)d->columns));
  if (!values) return context_no_memory(context);
  d->values = values;
  return !kinds[d->kind].fill ? ANS_OK : kinds[d->kind].fill(context, instance, d, values);
}

static ans_status build_rows(ans_context *context, arena *arena, const ans_instance *instance, descriptor_kind kind,
                             descriptor **result) {
  descriptor *d = arena_array(arena, descriptor, 1);
  if (!d) return context_no_memory(context);
  *d = (descriptor){.arena = arena,
                    .kind = kind,
                    .fields = instance->problem->field_count,
                    .rows = row_count(instance, descriptor_form_of(kind)),
                    .columns = descriptor_columns(instance->problem, kind)};
  TRY(fill(context, instance, d));
  *result = d;
  return ANS_OK;
}

ans_status descriptor_build_in(ans_context *context, arena *arena, const ans_instance *instance, descriptor_kind kind,
                               descriptor **result) {
  *result = NULL;
  return descriptor_form_of(kind) == FORM_GRAPH ? build_graph(context, arena, instance, result)
                                                : build_rows(context, arena, instance, kind, result);
}

ans_status descriptor_build(ans_context *context, const ans_instance *instance, descriptor_kind kind,
                            descriptor **result) {
  *result = NULL;
  arena *arena;
  TRY(arena_new(context, &arena));
  ans_status status = descriptor_build_in(context, arena, instance, kind, result);
  if (status != ANS_OK) arena_free(arena);
  return status;
}

void descriptor_free(descriptor *descriptor) {
  if (descriptor) arena_free(descriptor->arena);
}
