/* SPDX-License-Identifier: Apache-2.0
 *
 * graph.h - the door of graph/: an instance's term list seen as an operator graph, a set and a vector.
 *
 * Operator graph. Nodes: field, derivative, term, residual, in this order, each kind sorted canonically.
 * Edges: field -> derivative, factor -> term, term -> residual; a factor that occurs twice in a term gives
 * one edge. Terms with zero or absent coefficient are not there.
 */
#ifndef GRAPH_GRAPH_H
#define GRAPH_GRAPH_H

#include "base/base.h"
#include "system/system.h"

typedef enum graph_kind { GRAPH_FIELD, GRAPH_DERIVATIVE, GRAPH_TERM, GRAPH_RESIDUAL } graph_kind;

typedef struct graph_node {
  graph_kind kind;
  int field;         /* own field; target field of a residual; -1 for a term */
  const char *label; /* "u", "u_xx", "-0.9 u", "R_u" */
  int term;          /* into instance->terms; -1 unless a term */
  uint8_t order[SYSTEM_MAX_COORDINATES];
} graph_node;

typedef struct ans_graph {
  arena *arena;
  int node_count, edge_count, feature_count;
  const graph_node *nodes;
  const int (*edges)[2];   /* from, to */
  const double *features;  /* [nodes][features] */
  const double *adjacency; /* [nodes][nodes]: symmetrised, self-loops, rows sum to one */
  uint64_t hash;           /* unchanged by renaming fields or symbols and by reordering terms or equations */
} ans_graph;

ans_status graph_build(ans_context *context, const ans_instance *instance, ans_graph **result);
/* Without labels and hash, in an arena of the caller's: what a network reads of it. graph_free is not for it. */
ans_status graph_outline(ans_context *context, arena *arena, const ans_instance *instance, ans_graph **result);
void graph_free(ans_graph *graph);

const char *graph_kind_name(graph_kind kind); /* "field", "derivative", "term", "residual" */

/* The graph in the DOT language of Graphviz. Give the text back with ans_free. */
ans_status graph_dot(ans_context *context, const ans_graph *graph, const ans_instance *instance, char **text);

/* What a hypernetwork reads. */
typedef enum descriptor_kind {
  DESCRIPTOR_GRAPH,
  DESCRIPTOR_SET,       /* term tokens */
  DESCRIPTOR_OWNERSHIP, /* term tokens with target equation and source-factor multiplicities */
  DESCRIPTOR_VECTOR,
  DESCRIPTOR_PRESENCE,   /* vector followed by presence indicators */
  DESCRIPTOR_DICTIONARY, /* coefficients of all monomials up to degree two, for the conditional decoder */
  DESCRIPTOR_NONE        /* from scratch */
} descriptor_kind;

/* How a kind's rows are arranged, and so which hypernetwork reads them. */
typedef enum descriptor_form { FORM_GRAPH, FORM_TOKENS, FORM_VECTOR, FORM_DICTIONARY, FORM_NONE } descriptor_form;
descriptor_form descriptor_form_of(descriptor_kind kind);

/* One instance as numbers. Every kind is `rows` rows of `columns` attributes. */
typedef struct descriptor {
  arena *arena;
  descriptor_kind kind;
  int rows, columns;
  const double *values;    /* [rows][columns]: node features, tokens, or one row */
  const double *adjacency; /* graph: [rows][rows]; else NULL */
  const int *group;        /* graph: kind of each node; tokens: residual each belongs to; else NULL */
  const int *field_row;    /* graph: [fields] the row of each field's node; else NULL */
  int fields;
} descriptor;

/* columns is the same for every instance of a problem. */
ans_status descriptor_build(ans_context *context, const ans_instance *instance, descriptor_kind kind,
                            descriptor **result);
void descriptor_free(descriptor *descriptor);
/* The same in an arena of the caller's; descriptor_free is not for it. */
ans_status descriptor_build_in(ans_context *context, arena *arena, const ans_instance *instance, descriptor_kind kind,
                               descriptor **result);
int descriptor_columns(const ans_problem *problem, descriptor_kind kind);

/* Whether the value of a symbol makes a difference to the numbers, directly or through derived symbols. Graph, set and
 * ownership hold the coefficients of the terms, not what stands in sources, conditions and transforms; the union graph
 * has the intervals of sources, too. */
bool descriptor_sees(const ans_problem *problem, descriptor_kind kind, int symbol);

const char *descriptor_name(descriptor_kind kind);
/* "graph", "set", "ownership", "vector", "presence", "dictionary", "none" */
bool descriptor_parse(const char *name, descriptor_kind *kind);

#endif
