/* SPDX-License-Identifier: Apache-2.0
 *
 * channels.c - the fewest channels an instance's equations need.
 *
 * A field's derivatives that stand alone, linearly and with a constant coefficient, in one equation only, are
 * needed in one combination L = sum c_i d_i + sum q_ij d_i d_j. L obeys a product rule with the first
 * derivatives that q touches, so (u, those, L u) travel instead of all derivatives below L's. A single second
 * derivative that occurs anywhere may be L as well. Every stream has the same channels, with its own numbers.
 */
#include "residual/plan.h"

#include <string.h>

enum { MOST_DERIVATIVES = ALGEBRA_MAX_CHANNELS };

typedef struct derivative {
  uint8_t order[ALGEBRA_MAX_COORDINATES];
  bool linear; /* only ever alone, in `equation` */
  int equation;
  double coefficient;
} derivative;

typedef struct field_use {
  int count;
  derivative list[MOST_DERIVATIVES];
} field_use;

static int order_of(const uint8_t *order) {
  int sum = 0;
  for (int i = 0; i < SYSTEM_MAX_COORDINATES; i++) sum += order[i];
  return sum;
}

static bool stands_alone(const instance_term *term) { return term->term->arity == 1 && !term->term->source; }

static derivative *find_derivative(field_use *use, const uint8_t *order) {
  for (int i = 0; i < use->count; i++)
    if (memcmp(use->list[i].order, order, SYSTEM_MAX_COORDINATES) == 0) return &use->list[i];
  if (use->count == MOST_DERIVATIVES) return NULL;
  derivative *added = &use->list[use->count++];
  *added = (derivative){.linear = true, .equation = -1};
  memcpy(added->order, order, SYSTEM_MAX_COORDINATES);
  return added;
}

static bool collect_uses(const ans_instance *instance, field_use *uses) {
  for (int t = 0; t < instance->term_count; t++) {
    const instance_term *term = &instance->terms[t];
    for (int i = 0; i < term->term->factor_count; i++) {
      const system_factor *factor = &term->term->factors[i];
      if (order_of(factor->order) == 0) continue;
      derivative *found = find_derivative(&uses[factor->field], factor->order);
      if (!found) return false;
      bool same = found->equation < 0 || found->equation == term->term->equation;
      found->linear = found->linear && same && stands_alone(term);
      found->equation = term->term->equation;
      found->coefficient += term->coefficient;
    }
  }
  return true;
}

/* A way to form L of one field, and the first derivatives it leaves to be carried. */
typedef struct candidate {
  bool feasible, linear;
  int equation;
  uint8_t single[SYSTEM_MAX_COORDINATES];
  bool wanted[ALGEBRA_MAX_COORDINATES];
  int cost;
  double first[ALGEBRA_MAX_COORDINATES], second[ALGEBRA_MAX_COORDINATES][ALGEBRA_MAX_COORDINATES];
} candidate;

static void add_to_operator(candidate *candidate, const uint8_t *order, double coefficient) {
  int at[2] = {-1, -1}, count = 0;
  for (int i = 0; i < SYSTEM_MAX_COORDINATES; i++)
    for (int k = 0; k < order[i]; k++) at[count++] = i;
  if (count == 1) {
    candidate->first[at[0]] += coefficient;
  } else {
    candidate->second[at[0]][at[1]] += 0.5 * coefficient;
    candidate->second[at[1]][at[0]] += 0.5 * coefficient;
  }
}

static bool taken_by(const candidate *candidate, const derivative *it) {
  if (candidate->linear) return it->linear && it->equation == candidate->equation && order_of(it->order) <= 2;
  return memcmp(candidate->single, it->order, SYSTEM_MAX_COORDINATES) == 0;
}

/* Everything that L does not take must be a first derivative. */
static void judge(const field_use *use, candidate *candidate) {
  candidate->feasible = true;
  for (int i = 0; i < use->count; i++) {
    const derivative *it = &use->list[i];
    if (taken_by(candidate, it)) {
      add_to_operator(candidate, it->order, candidate->linear ? it->coefficient : 1);
    } else if (order_of(it->order) == 1) {
      for (int d = 0; d < SYSTEM_MAX_COORDINATES; d++)
        if (it->order[d]) candidate->wanted[d] = true;
    } else {
      candidate->feasible = false;
    }
  }
  for (int i = 0; i < ALGEBRA_MAX_COORDINATES; i++) {
    for (int j = 0; j < ALGEBRA_MAX_COORDINATES; j++)
      if (candidate->second[i][j] != 0) candidate->wanted[i] = true;
    candidate->cost += candidate->wanted[i];
  }
}

static void keep_better(const field_use *use, candidate proposal, candidate *best) {
  judge(use, &proposal);
  if (proposal.feasible && (!best->feasible || proposal.cost < best->cost)) *best = proposal;
}

static candidate best_candidate(const field_use *use, int equations) {
  candidate best = {0};
  for (int e = 0; e < equations; e++) keep_better(use, (candidate){.linear = true, .equation = e}, &best);
  for (int i = 0; i < use->count; i++) {
    candidate single = {0};
    if (order_of(use->list[i].order) > 2) continue;
    memcpy(single.single, use->list[i].order, SYSTEM_MAX_COORDINATES);
    keep_better(use, single, &best);
  }
  return best;
}

static bool make_taylor(const field_use *uses, const ans_problem *problem, algebra *algebra) {
  uint8_t indices[MOST_DERIVATIVES][ALGEBRA_MAX_COORDINATES];
  field_use all = {0};
  for (int f = 0; f < problem->field_count; f++)
    for (int i = 0; i < uses[f].count; i++)
      if (!find_derivative(&all, uses[f].list[i].order)) return false;
  for (int i = 0; i < all.count; i++) memcpy(indices[i], all.list[i].order, ALGEBRA_MAX_COORDINATES);
  return algebra_taylor(problem->coordinate_count, all.count, (const uint8_t(*)[ALGEBRA_MAX_COORDINATES])indices,
                        algebra);
}

static void record_choice(const field_use *use, const candidate *chosen, int field, channel_choice *choice) {
  choice->equation[field] = chosen->equation;
  memcpy(choice->single[field], chosen->single, SYSTEM_MAX_COORDINATES);
  for (int i = 0; chosen->linear && i < use->count; i++)
    if (taken_by(chosen, &use->list[i]))
      memcpy(choice->gathered[field][choice->gathered_count[field]++], use->list[i].order, SYSTEM_MAX_COORDINATES);
}

/* Tries L for every field; true when that is possible and has fewer channels than `taylor`. */
static bool make_operators(const field_use *uses, const ans_problem *problem, int taylor, residual_set *set,
                           channel_choice *choice) {
  candidate best[SYSTEM_MAX_FIELDS];
  bool wanted[ALGEBRA_MAX_COORDINATES] = {false};
  int channels = 2;
  for (int f = 0; f < problem->field_count; f++) {
    best[f] = best_candidate(&uses[f], problem->equation_count);
    if (!best[f].feasible) return false;
    for (int d = 0; d < ALGEBRA_MAX_COORDINATES; d++) wanted[d] = wanted[d] || best[f].wanted[d];
  }
  for (int d = 0; d < ALGEBRA_MAX_COORDINATES; d++) channels += wanted[d];
  if (channels >= taylor) return false;
  for (int f = 0; f < problem->field_count; f++) {
    record_choice(&uses[f], &best[f], f, choice);
    algebra_operator(problem->coordinate_count, best[f].first, (const double(*)[ALGEBRA_MAX_COORDINATES])best[f].second,
                     wanted, &set->algebras[f]);
  }
  return true;
}

ans_status residual_choose_channels(ans_context *context, residual *residual, channel_choice *choice) {
  const ans_problem *problem = residual->problem;
  residual_set *set = &residual->sets[0];
  field_use uses[SYSTEM_MAX_FIELDS] = {{0}};
  memset(choice, 0, sizeof *choice);
  FAIL_IF(!collect_uses(residual->instance, uses) || !make_taylor(uses, problem, &set->algebras[0]), context,
          ANS_UNSUPPORTED,
          "the equations need more derivatives than a network can carry (at most %d channels, order %d)",
          ALGEBRA_MAX_CHANNELS, ALGEBRA_MAX_DEGREE);
  bool several = residual->tile.shape.stream_outputs > 1 && problem->field_count > 1;
  choice->operated =
      !residual->options.plain && !several && make_operators(uses, problem, set->algebras[0].channels, set, choice);
  int streams = residual->tile.shape.streams;
  for (int s = 0; s < streams; s++) {
    if (s > 0 && !choice->operated) set->algebras[s] = set->algebras[0];
    set->rules[s] = kernel_rule_of(&set->algebras[s]);
  }
  set->channels = set->algebras[0].channels;
  return ANS_OK;
}

bool choice_gathers(const channel_choice *choice, const instance_term *term) {
  if (!choice->operated || !stands_alone(term)) return false;
  const system_factor *factor = &term->term->factors[0];
  for (int i = 0; i < choice->gathered_count[factor->field]; i++)
    if (memcmp(choice->gathered[factor->field][i], factor->order, SYSTEM_MAX_COORDINATES) == 0) return true;
  return false;
}
