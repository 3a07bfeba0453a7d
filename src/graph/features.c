/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/features.h"

#include <math.h>

/* Where each group of features begins. */
typedef struct feature_places {
  int fields, orders, term, source, count;
} feature_places;

static feature_places places(const ans_problem *problem) {
  enum { UNION_KINDS = 5, UNION_ORDERS = 3, COMPACT_KINDS = 4, TERM_SLOTS = 3 };
  bool wide = problem->protocol.descriptor.layout == GRAPH_UNION;
  feature_places p;
  p.fields = wide ? UNION_KINDS : COMPACT_KINDS;
  p.orders = p.fields + (wide ? SYSTEM_MAX_FIELDS : problem->field_count);
  p.term = p.orders + (wide ? UNION_ORDERS : problem->coordinate_count);
  p.source = p.term + TERM_SLOTS;
  p.count = p.source + (wide ? 3 : 1);
  return p;
}

int features_count(const ans_problem *problem) { return places(problem).count; }

static void fill_term(const ans_instance *instance, const ordered_term *term, feature_places p, double *row) {
  row[p.term] = term->coefficient < 0 ? -1 : 1;
  row[p.term + 1] = log10(fabs(term->coefficient));
  row[p.term + 2] = term->arity;
  row[p.source] = term->arity == 0;
  source_span first;
  bool only;
  if (instance->problem->protocol.descriptor.layout != GRAPH_UNION) return;
  if (source_spans(instance, term->source, 1, &first, &only) == 0) return;
  row[p.source + 1] = first.low;
  row[p.source + 2] = first.high;
}

void features_fill(const ans_instance *instance, const graph_node *node, const ordered_term *term, double *row) {
  feature_places p = places(instance->problem);
  row[node->kind] = 1;
  if (node->field >= 0) row[p.fields + node->field] = 1;
  if (node->kind == GRAPH_DERIVATIVE)
    for (int c = 0; c < instance->problem->coordinate_count; c++) row[p.orders + c] = node->order[c];
  if (term) fill_term(instance, term, p, row);
}
