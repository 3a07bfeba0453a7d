/* SPDX-License-Identifier: Apache-2.0
 *
 * hash.c - one number for a graph up to names and order: colour refinement (Weisfeiler and Lehman, 1968).
 *
 * Every node starts with a colour made of what it is: kind, derivative orders, coefficient, source. In each round a
 * node's colour absorbs the multiset of its neighbours' colours, together with the direction and power of the edge.
 * A residual also sees the field whose equation it is, which the edges alone do not tell. Multisets are summed after
 * mixing, so no order enters. Field and symbol names never do.
 */
#include "graph/features.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

static uint64_t pair(uint64_t a, uint64_t b) { return mix(mix(a) * 3 + b); }

/* A number to 40 bits: sums of the same coefficients in another order still agree, also just below a power of two,
 * where rounding leads to the next exponent. */
static uint64_t number_colour(double number) {
  enum { BITS = 40 };
  int exponent;
  int64_t mantissa = llrint(ldexp(frexp(number, &exponent), BITS));
  if (llabs(mantissa) == (int64_t)1 << BITS) mantissa /= 2, exponent++;
  return pair((uint64_t)mantissa, (uint64_t)(int64_t)exponent);
}

/* ---- Sources: a + b and b + a are the same ---------------------------------------------------------------- */

/* A subexpression on the stack. Sums and products keep the sum of their operands' colours apart, so that
 * neither order nor brackets matter. */
typedef struct part {
  expression_op op; /* ADD or MULTIPLY while still open for more operands, else NUMBER */
  uint64_t colour;
} part;

static uint64_t closed(part p) { return p.op == EXPRESSION_NUMBER ? p.colour : pair(p.op, p.colour); }

static part joined(expression_op op, part a, part b) {
  uint64_t sum = (a.op == op ? a.colour : mix(closed(a))) + (b.op == op ? b.colour : mix(closed(b)));
  return (part){op, sum};
}

/* Time first, then the other coordinates as declared. */
static int coordinate_role(const ans_problem *problem, int coordinate) {
  if (coordinate == problem->time) return 0;
  return coordinate < problem->time ? coordinate + 1 : coordinate + (problem->time < 0);
}

static uint64_t leaf_colour(const ans_instance *instance, const expression_step *step) {
  switch (step->op) {
  case EXPRESSION_NUMBER: return number_colour(step->number);
  case EXPRESSION_SYMBOL: return number_colour(instance->values[step->index]);
  case EXPRESSION_COORDINATE: return pair(1, (uint64_t)coordinate_role(instance->problem, step->index));
  default: return pair(2, step->op);
  }
}

static uint64_t source_colour(const ans_instance *instance, const expression *source) {
  part stack[EXPRESSION_MAX_DEPTH + 1] = {{0}};
  int top = 0;
  if (!source) return 0;
  for (size_t i = 0; i < source->count; i++) {
    const expression_step *step = &source->steps[i];
    int operands = expression_operands(step->op);
    top -= operands;
    assert(top >= 0 && top + operands <= EXPRESSION_MAX_DEPTH);
    part result = {EXPRESSION_NUMBER, operands ? mix(step->op) : leaf_colour(instance, step)};
    if (step->op == EXPRESSION_ADD || step->op == EXPRESSION_MULTIPLY)
      result = joined(step->op, stack[top], stack[top + 1]);
    else
      for (int k = 0; k < operands; k++) result.colour = pair(result.colour, closed(stack[top + k]));
    stack[top++] = result;
  }
  return closed(stack[0]);
}

/* ---- Refinement ------------------------------------------------------------------------------------------ */

static uint64_t first_colour(const hash_input *input, const graph_node *node, const ordered_term *term) {
  const ans_problem *problem = input->instance->problem;
  uint64_t colour = pair(3, node->kind);
  uint64_t orders[SYSTEM_MAX_COORDINATES + 1] = {0};
  for (int c = 0; c < problem->coordinate_count; c++) orders[coordinate_role(problem, c)] = node->order[c];
  for (int c = 0; c <= SYSTEM_MAX_COORDINATES; c++) colour = pair(colour, orders[c]);
  if (!term) return colour;
  return pair(pair(colour, number_colour(term->coefficient)), source_colour(input->instance, term->source));
}

/* What an edge brings to either end: roles tell its two ends, and the residual's own field, apart. */
enum { FROM_SOURCE = 11, FROM_TARGET = 12, FROM_OWNER = 13, FROM_OWNED = 14 };

static void gather(const hash_input *input, const uint64_t *colours, uint64_t *gathered) {
  memset(gathered, 0, (size_t)input->node_count * sizeof *gathered);
  for (int e = 0; e < input->edge_count; e++) {
    int from = input->edges[e][0], to = input->edges[e][1];
    uint64_t power = (uint64_t)input->powers[e];
    gathered[to] += pair(colours[from], power * 32 + FROM_SOURCE);
    gathered[from] += pair(colours[to], power * 32 + FROM_TARGET);
  }
  for (int n = 0; n < input->node_count; n++) {
    if (input->nodes[n].kind != GRAPH_RESIDUAL) continue;
    int owner = input->nodes[n].field; /* field nodes come first */
    gathered[n] += pair(colours[owner], FROM_OWNER);
    gathered[owner] += pair(colours[n], FROM_OWNED);
  }
}

ans_status graph_hash(ans_context *context, const hash_input *input, uint64_t *hash) {
  size_t count = (size_t)input->node_count;
  uint64_t *colours = memory_take(size_product(2 * count, sizeof *colours));
  if (!colours) return context_no_memory(context);
  uint64_t *gathered = colours + count, sum = 0;
  for (size_t n = 0, term = 0; n < count; n++) {
    const graph_node *node = &input->nodes[n];
    colours[n] = first_colour(input, node, node->kind == GRAPH_TERM ? &input->terms[term++] : NULL);
  }
  /* Far enough for news to pass through a chain of all fields: term, residual and owner at each. */
  int rounds = 4 * input->instance->problem->field_count + 4;
  for (int round = 0; round < rounds; round++) {
    gather(input, colours, gathered);
    for (size_t n = 0; n < count; n++) colours[n] = pair(colours[n], gathered[n]);
  }
  for (size_t n = 0; n < count; n++) sum += mix(colours[n]);
  memory_give(colours);
  *hash = pair(sum, count);
  return ANS_OK;
}
