/* SPDX-License-Identifier: Apache-2.0
 *
 * graph_layout.c - layered drawing (Sugiyama, Tagawa, Toda, 1981).
 *
 * Order: each column in turn is sorted by the mean place of its neighbours to the left, then to the right, a few times
 * over; the order with the fewest crossings wins. Place: the terms stand evenly; every other column then solves
 *
 *   min sum (y_i - mean of neighbours)^2   subject to   y_(i+1) - y_i >= distance_i,
 *
 * which is isotonic regression after the distances are subtracted, and is solved by pooling adjacent violators.
 */
#include "solution/graph_layout.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 4, SWEEPS = 24 };

typedef struct work {
  graph_layout *layout;
  double gap;
  int *order; /* [items], column after column */
  int *best;  /* the same, with the fewest crossings so far */
  int start[COLUMNS + 1];
  double *keys; /* [items] */
  double *sums; /* [items], pools */
  int *counts;  /* [items], pools */
} work;

/* ---- Items and links ------------------------------------------------------------------------------------- */

static bool goes_to_term(const ans_graph *graph, int edge) {
  return graph->nodes[graph->edges[edge][0]].kind == GRAPH_FIELD &&
         graph->nodes[graph->edges[edge][1]].kind == GRAPH_TERM;
}

static int term_equation(const ans_graph *graph, const ans_instance *instance, int node) {
  assert(graph->nodes[node].kind == GRAPH_TERM && graph->nodes[node].term < instance->term_count);
  return instance->terms[graph->nodes[node].term].term->equation;
}

static void add_items(work *w, const ans_graph *graph, const ans_instance *instance, double row) {
  graph_layout *layout = w->layout;
  for (int n = 0; n < graph->node_count; n++)
    layout->items[layout->item_count++] =
        (layout_item){.node = n,
                      .field = -1,
                      .column = (int)graph->nodes[n].kind,
                      .height = row,
                      .group = graph->nodes[n].kind == GRAPH_TERM ? term_equation(graph, instance, n) : 0};
  for (int e = 0; e < graph->edge_count; e++) {
    int field = graph->edges[e][0], last = layout->item_count - 1;
    bool known = false;
    if (!goes_to_term(graph, e)) continue;
    for (int i = graph->node_count; i <= last; i++) known = known || layout->items[i].field == field;
    if (!known)
      layout->items[layout->item_count++] = (layout_item){.node = -1, .field = field, .column = 1, .height = row / 4};
  }
}

static void add_link(graph_layout *layout, int from, int to, bool coupling) {
  assert(from >= 0 && from < layout->item_count && to >= 0 && to < layout->item_count);
  layout->links[layout->link_count++] = (layout_link){from, to, coupling};
}

static bool is_coupling(const ans_graph *graph, const ans_instance *instance, int edge) {
  const graph_node *from = &graph->nodes[graph->edges[edge][0]], *to = &graph->nodes[graph->edges[edge][1]];
  if (to->kind != GRAPH_TERM) return false;
  return from->field != instance->problem->equations[term_equation(graph, instance, graph->edges[edge][1])].field;
}

static void add_links(work *w, const ans_graph *graph, const ans_instance *instance) {
  graph_layout *layout = w->layout;
  for (int i = graph->node_count; i < layout->item_count; i++) add_link(layout, layout->items[i].field, i, false);
  for (int e = 0; e < graph->edge_count; e++) {
    int from = graph->edges[e][0];
    for (int i = graph->node_count; goes_to_term(graph, e) && i < layout->item_count; i++)
      if (layout->items[i].field == graph->edges[e][0]) from = i;
    add_link(layout, from, graph->edges[e][1], is_coupling(graph, instance, e));
  }
}

/* ---- Order ----------------------------------------------------------------------------------------------- */

static void fill_columns(work *w) {
  int filled = 0;
  for (int column = 0; column < COLUMNS; column++) {
    w->start[column] = filled;
    for (int i = 0; i < w->layout->item_count; i++)
      if (w->layout->items[i].column == column) w->order[filled++] = i;
  }
  w->start[COLUMNS] = filled;
  assert(filled == w->layout->item_count);
}

/* Gives every item of a column a place in (0, 1) according to its rank. */
static void rank_column(work *w, int column) {
  int first = w->start[column], count = w->start[column + 1] - first;
  for (int i = 0; i < count; i++) w->layout->items[w->order[first + i]].y = (i + 0.5) / count;
}

/* The mean place of an item's neighbours on one side (-1 left, 1 right, 0 both), or its own without any. */
static double neighbour_mean(const graph_layout *layout, int item, int side) {
  double sum = 0;
  int count = 0;
  for (int l = 0; l < layout->link_count; l++) {
    const layout_link *link = &layout->links[l];
    if (side <= 0 && link->to == item) sum += layout->items[link->from].y, count++;
    if (side >= 0 && link->from == item) sum += layout->items[link->to].y, count++;
  }
  return count ? sum / count : layout->items[item].y;
}

/* Stable insertion sort: by group, then key. */
static void sort_column(work *w, int column) {
  const layout_item *items = w->layout->items;
  for (int i = w->start[column] + 1; i < w->start[column + 1]; i++) {
    int moved = w->order[i], j = i;
    for (; j > w->start[column]; j--) {
      int before = w->order[j - 1];
      bool in_order = items[before].group != items[moved].group ? items[before].group < items[moved].group
                                                                : w->keys[before] <= w->keys[moved] + 1e-12;
      if (in_order) break;
      w->order[j] = before;
    }
    w->order[j] = moved;
  }
}

static void sweep_column(work *w, int column, int side) {
  assert(column >= 0 && column < COLUMNS && side >= -1 && side <= 1);
  for (int i = w->start[column]; i < w->start[column + 1]; i++)
    w->keys[w->order[i]] = neighbour_mean(w->layout, w->order[i], side);
  sort_column(w, column);
  rank_column(w, column);
}

int graph_layout_crossings(const graph_layout *layout) {
  int crossings = 0;
  const layout_item *items = layout->items;
  for (int a = 0; a < layout->link_count; a++)
    for (int b = 0; b < a; b++) {
      const layout_link *p = &layout->links[a], *q = &layout->links[b];
      if (items[p->from].column != items[q->from].column) continue;
      crossings += (items[p->from].y - items[q->from].y) * (items[p->to].y - items[q->to].y) < 0;
    }
  return crossings;
}

static void order_columns(work *w) {
  size_t bytes = (size_t)w->layout->item_count * sizeof *w->order;
  for (int column = 0; column < COLUMNS; column++) rank_column(w, column);
  memcpy(w->best, w->order, bytes);
  int fewest = graph_layout_crossings(w->layout);
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    bool rightward = sweep % 2 == 1;
    for (int i = 1; i < COLUMNS; i++) sweep_column(w, rightward ? i : COLUMNS - 1 - i, rightward ? -1 : 1);
    int crossings = graph_layout_crossings(w->layout);
    if (crossings >= fewest) continue;
    fewest = crossings;
    memcpy(w->best, w->order, bytes);
  }
  memcpy(w->order, w->best, bytes);
}

/* ---- Places ---------------------------------------------------------------------------------------------- */

/* The least distance between the middles of an item and the next in its column. */
static double distance(const work *w, int place) {
  assert(place >= 0 && place + 1 < w->layout->item_count);
  const layout_item *a = &w->layout->items[w->order[place]], *b = &w->layout->items[w->order[place + 1]];
  return (a->height + b->height) / 2 + (a->group != b->group ? 2.5 : 1) * w->gap;
}

static void stack_column(work *w, int column) {
  double y = 0;
  for (int i = w->start[column]; i < w->start[column + 1]; i++) {
    w->layout->items[w->order[i]].y = y;
    if (i + 1 < w->start[column + 1]) y += distance(w, i);
  }
}

/* As near to the neighbours' means as the distances allow. */
static void settle_column(work *w, int column, int side) {
  int first = w->start[column], pools = 0;
  double offset = 0;
  for (int i = first; i < w->start[column + 1]; i++) {
    w->keys[i] = offset;
    w->sums[pools] = neighbour_mean(w->layout, w->order[i], side) - offset;
    w->counts[pools++] = 1;
    while (pools > 1 && w->sums[pools - 2] / w->counts[pools - 2] > w->sums[pools - 1] / w->counts[pools - 1]) {
      w->sums[pools - 2] += w->sums[pools - 1];
      w->counts[pools - 2] += w->counts[pools - 1];
      pools--;
    }
    if (i + 1 < w->start[column + 1]) offset += distance(w, i);
  }
  for (int pool = 0, i = first; pool < pools; pool++)
    for (int k = 0; k < w->counts[pool]; k++, i++)
      w->layout->items[w->order[i]].y = w->sums[pool] / w->counts[pool] + w->keys[i];
}

static void place_items(work *w) {
  graph_layout *layout = w->layout;
  for (int column = 0; column < COLUMNS; column++) stack_column(w, column);
  settle_column(w, 3, -1);
  settle_column(w, 1, 1);
  settle_column(w, 0, 1);
  settle_column(w, 1, 0);
  settle_column(w, 0, 1);
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < layout->item_count; i++) {
    low = fmin(low, layout->items[i].y - layout->items[i].height / 2);
    high = fmax(high, layout->items[i].y + layout->items[i].height / 2);
  }
  for (int i = 0; i < layout->item_count; i++) layout->items[i].y -= low;
  layout->height = high - low;
}

/* ---- The whole ------------------------------------------------------------------------------------------- */

static ans_status arrange(ans_context *context, graph_layout *layout, const ans_graph *graph,
                          const ans_instance *instance, double row, double gap) {
  size_t items = (size_t)graph->node_count + SYSTEM_MAX_FIELDS, links = (size_t)graph->edge_count + SYSTEM_MAX_FIELDS;
  arena *arena = layout->arena;
  work w = {.layout = layout,
            .gap = gap,
            .order = arena_array(arena, int, items),
            .best = arena_array(arena, int, items),
            .keys = arena_array(arena, double, items),
            .sums = arena_array(arena, double, items),
            .counts = arena_array(arena, int, items)};
  layout->items = arena_array(arena, layout_item, items);
  layout->links = arena_array(arena, layout_link, links);
  if (!w.order || !w.best || !w.keys || !w.sums || !w.counts || !layout->items || !layout->links)
    return context_no_memory(context);
  add_items(&w, graph, instance, row);
  add_links(&w, graph, instance);
  fill_columns(&w);
  order_columns(&w);
  place_items(&w);
  return ANS_OK;
}

ans_status graph_layout_new(ans_context *context, const ans_graph *graph, const ans_instance *instance, double row,
                            double gap, graph_layout **result) {
  *result = NULL;
  arena *arena;
  TRY(arena_new(context, &arena));
  graph_layout *layout = arena_array(arena, graph_layout, 1);
  if (layout) layout->arena = arena;
  ans_status status = layout ? arrange(context, layout, graph, instance, row, gap) : context_no_memory(context);
  if (status != ANS_OK)
    arena_free(arena);
  else
    *result = layout;
  return status;
}

void graph_layout_free(graph_layout *layout) {
  if (layout) arena_free(layout->arena);
}
