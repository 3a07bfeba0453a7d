/* SPDX-License-Identifier: Apache-2.0
 *
 * graph_layout.h - where the boxes of a graph's drawing stand: four columns, few crossings, short edges.
 */
#ifndef SOLUTION_GRAPH_LAYOUT_H
#define SOLUTION_GRAPH_LAYOUT_H

#include "graph/graph.h"

/* A node, or the lane on which edges from a field to its terms pass through the column of derivatives. */
typedef struct layout_item {
  int node;  /* -1: a lane */
  int field; /* of a lane */
  int group; /* terms: their equation; items of a group stay together */
  int column;
  double y; /* of its middle */
  double height;
} layout_item;

/* Between neighbouring columns. */
typedef struct layout_link {
  int from, to;  /* items */
  bool coupling; /* brings a field or derivative into another field's equation */
} layout_link;

typedef struct graph_layout {
  arena *arena;
  int item_count, link_count;
  layout_item *items;
  layout_link *links;
  double height; /* of the tallest column */
} graph_layout;

/* row: height of a box; gap: between boxes. */
ans_status graph_layout_new(ans_context *context, const ans_graph *graph, const ans_instance *instance, double row,
                            double gap, graph_layout **result);
void graph_layout_free(graph_layout *layout);

/* Pairs of links that cross, counted from the items' places. */
int graph_layout_crossings(const graph_layout *layout);

#endif
