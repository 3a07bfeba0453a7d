/* SPDX-License-Identifier: Apache-2.0
 *
 * plan.h - which layers a hypernetwork has: shapes, offsets and names, without numbers.
 *
 * The graph arm has the widths of the factorized network. Every other arm gets internal widths such that its
 * total is as near to the graph arm's as two integers allow ("matched"), so that descriptors are compared at
 * one parameter count, in the shipped families and in a user's own.
 */
#ifndef CODES_PLAN_H
#define CODES_PLAN_H

#include "base/base.h"
#include "codes/shape.h"
#include "graph/graph.h"
#include "numeric/unknowns.h"

enum {
  PLAN_MAX_ROUNDS = 16,
  PLAN_MAX_HEADS = 128,
  PLAN_MAX_LAYERS = PLAN_MAX_HEADS + 2 * PLAN_MAX_ROUNDS + 16,
  PLAN_MAX_PARTS = 2 * PLAN_MAX_LAYERS,
  PLAN_CONDITION_POINTS = 64 /* prescribed initial points that the conditional decoder's encoder reads */
};

#define PLAN_NO_BIAS SIZE_MAX /* as on the tape */

/* y = W x + b; bias is PLAN_NO_BIAS without one. */
typedef struct plan_layer {
  int inputs, outputs;
  size_t weight, bias;
} plan_layer;

/* Consecutive entries of the layer list. */
typedef struct plan_chain {
  int first, count;
} plan_chain;

typedef struct hypernetwork_plan {
  descriptor_kind kind;
  descriptor_form form;            /* of that kind */
  protocol_graph_style style;      /* graph only */
  protocol_vector_encoder encoder; /* vectors only */
  code_shape shape;
  int columns;                /* of the descriptor */
  int rounds;                 /* graph only */
  int embedding, hidden;      /* internal widths */
  bool grouped;               /* set: tokens are pooled per residual */
  bool identity;              /* the readout receives the one-hot target field */
  bool per_field;             /* vector: heads of its own for every field */
  plan_chain embed;           /* nodes, tokens, vector or coefficients */
  plan_chain self, neighbour; /* one entry, or one per round */
  plan_chain points, pooled;  /* conditional decoder: condition points before and after pooling */
  plan_chain readout;
  plan_chain heads;
  int layer_count;
  plan_layer layers[PLAN_MAX_LAYERS];
  int part_count;
  unknown_part parts[PLAN_MAX_PARTS];
  size_t size;
} hypernetwork_plan;

/* rounds: 0 for the problem's own. */
ans_status hypernetwork_plan_make(ans_context *context, const ans_problem *problem, code_shape shape,
                                  descriptor_kind kind, int rounds, hypernetwork_plan *plan);

/* Parameters of the arm that the others are matched to, and of a conditional decoder's encoder. */
size_t hypernetwork_graph_size(const ans_problem *problem, code_shape shape);
size_t hypernetwork_encoder_size(const ans_problem *problem, int width);

/* Whether all rounds use one pair of maps, and the readout sees field node and mean. */
static inline bool plan_shares_maps(const hypernetwork_plan *plan) {
  return plan->style == GRAPH_SHARED || plan->style == GRAPH_LINEAR;
}

/* Inputs of a network's first layer: sines and cosines, or the coordinate itself. */
int plan_features(const ans_problem *problem);

#endif
