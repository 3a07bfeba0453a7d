/* SPDX-License-Identifier: Apache-2.0
 *
 * features.h - the numbers at a graph's nodes, and the hash of the whole.
 *
 *   compact: 4 kinds | one slot per field | one order per coordinate | sign, log10|c|, arity, constant source
 *   union:   5 kinds (the last reserved) | 8 fields | 3 orders | sign, log10|c|, arity | source, start, end
 */
#ifndef GRAPH_FEATURES_H
#define GRAPH_FEATURES_H

#include "graph/terms.h"

int features_count(const ans_problem *problem);

/* row: [features_count], zero. term: of a term node, else NULL. */
void features_fill(const ans_instance *instance, const graph_node *node, const ordered_term *term, double *row);

/* Everything the hash looks at. powers: [edges], of a factor in its term, else 1. terms: in node order. */
typedef struct hash_input {
  const ans_instance *instance;
  int node_count, edge_count;
  const graph_node *nodes;
  const int (*edges)[2];
  const int *powers;
  const ordered_term *terms;
} hash_input;

ans_status graph_hash(ans_context *context, const hash_input *input, uint64_t *hash);

#endif
