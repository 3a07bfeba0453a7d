/* SPDX-License-Identifier: Apache-2.0
 *
 * lines_compile.c - from an instance's term list to slots, terms and couplings; refuses other forms with a reason.
 */
#include <math.h>
#include <string.h>

#include "reference/lines.h"

static int time_order(const ans_problem *problem, const system_factor *factor) { return factor->order[problem->time]; }

/* c f_t, nothing else. */
static bool is_leading(const ans_problem *problem, const system_term *term) {
  if (term->arity != 1 || term->source || term->factors[0].field != problem->equations[term->equation].field)
    return false;
  for (int c = 0; c < problem->coordinate_count; c++)
    if (term->factors[0].order[c] != (c == problem->time)) return false;
  return true;
}

/* scale * f_x or scale * f_xxx of the equation's own field: the frame's part. */
static bool is_moving(const lines *lines, const system_term *term) {
  return lines->frame && term->arity == 1 && !term->source &&
         term->factors[0].field == lines->instance->problem->equations[term->equation].field &&
         time_order(lines->instance->problem, &term->factors[0]) == 0 &&
         term->factors[0].order[lines->coordinate] % 2 == 1;
}

/* Neither the time derivative nor the frame's part. */
static bool is_ordinary(const lines *lines, const system_term *term) {
  return !is_leading(lines->instance->problem, term) && !is_moving(lines, term);
}

/* The coefficient of each equation's own time derivative. */
static ans_status find_leading(ans_context *context, const ans_instance *instance, double *leading) {
  const ans_problem *problem = instance->problem;
  for (int e = 0; e < problem->equation_count; e++) leading[e] = 0;
  for (int i = 0; i < instance->term_count; i++) {
    const system_term *term = instance->terms[i].term;
    if (is_leading(problem, term)) leading[term->equation] += instance->terms[i].coefficient;
  }
  for (int e = 0; e < problem->equation_count; e++) {
    const char *name = problem->fields[problem->equations[e].field].name,
               *time = problem->coordinates[problem->time].name;
    FAIL_IF(
        leading[e] == 0, context, ANS_UNSUPPORTED,
        "the equation of %s has no term c*%s_%s with a number c, so the reference cannot integrate it in time (divide "
        "by a factor that depends on the coordinates)",
        name, name, time);
  }
  return ANS_OK;
}

static ans_status check_factor(ans_context *context, const lines *lines, const system_term *term,
                               const system_factor *factor) {
  const ans_problem *problem = lines->instance->problem;
  const char *equation = problem->fields[problem->equations[term->equation].field].name;
  FAIL_IF(
      time_order(problem, factor) > 0, context, ANS_UNSUPPORTED,
      "the equation of %s holds a time derivative of %s besides its own first one; write it as a first-order system",
      equation, problem->fields[factor->field].name);
  for (int c = 0; c < problem->coordinate_count; c++)
    FAIL_IF(factor->order[c] > SPACE_MAX_ORDER, context, ANS_UNSUPPORTED, "the equation of %s has order %d in %s",
            equation, factor->order[c], problem->coordinates[c].name);
  return ANS_OK;
}

static int find_slot(const lines *lines, int field, int order) {
  for (int s = 0; s < lines->slot_count; s++)
    if (lines->slots[s].field == field && lines->slots[s].order == order) return s;
  return -1;
}

/* Every derivative that occurs, sorted by field and order. */
static ans_status collect_slots(ans_context *context, lines *lines) {
  const ans_instance *instance = lines->instance;
  bool used[SYSTEM_MAX_FIELDS][SPACE_MAX_ORDER + 1] = {{false}};
  for (int i = 0; i < instance->term_count; i++) {
    const system_term *term = instance->terms[i].term;
    if (!is_ordinary(lines, term)) continue;
    for (int k = 0; k < term->factor_count; k++) {
      TRY(check_factor(context, lines, term, &term->factors[k]));
      used[term->factors[k].field][lines->coordinate < 0 ? 0 : term->factors[k].order[lines->coordinate]] = true;
    }
  }
  for (int f = 0; f < lines->field_count; f++)
    for (int order = 0; order <= SPACE_MAX_ORDER; order++) {
      if (!used[f][order]) continue;
      double *values = arena_array(lines->arena, double, (size_t)lines->node_count);
      if (!values) return context_no_memory(context);
      lines->slots[lines->slot_count++] = (lines_slot){f, order, values};
    }
  return ANS_OK;
}

static ans_status compile_term(ans_context *context, lines *lines, const instance_term *from, double leading) {
  const system_term *term = from->term;
  const ans_problem *problem = lines->instance->problem;
  lines_term *to = &lines->terms[lines->term_count++];
  *to = (lines_term){.equation = term->equation, .scale = -from->coefficient / leading, .source = term->source};
  for (int k = 0; k < term->factor_count; k++) {
    const system_factor *factor = &term->factors[k];
    int order = lines->coordinate < 0 ? 0 : factor->order[lines->coordinate];
    to->factors[to->factor_count++] = (lines_factor){find_slot(lines, factor->field, order), factor->power};
  }
  if (!to->source) return ANS_OK;
  to->source_values = arena_array(lines->arena, double, (size_t)lines->node_count);
  if (!to->source_values) return context_no_memory(context);
  to->steady = !expression_uses_index(to->source, EXPRESSION_COORDINATE, problem->time);
  return ANS_OK;
}

static ans_status compile_terms(ans_context *context, lines *lines) {
  const ans_instance *instance = lines->instance;
  double leading[SYSTEM_MAX_FIELDS];
  TRY(find_leading(context, instance, leading));
  TRY(collect_slots(context, lines));
  lines->terms = arena_array(lines->arena, lines_term, (size_t)instance->term_count);
  if (!lines->terms) return context_no_memory(context);
  for (int i = 0; i < instance->term_count; i++) {
    const instance_term *term = &instance->terms[i];
    if (is_ordinary(lines, term->term)) TRY(compile_term(context, lines, term, leading[term->term->equation]));
    if (is_moving(lines, term->term))
      frame_take(lines->frame, term->term->factors[0].field, term->term->factors[0].order[lines->coordinate],
                 -term->coefficient / leading[term->term->equation]);
  }
  return ANS_OK;
}

/* One coupling for every (equation, slot) that occurs together in a term. */
static ans_status collect_couplings(ans_context *context, lines *lines) {
  bool used[SYSTEM_MAX_FIELDS][LINES_MAX_SLOTS] = {{false}};
  int count = 0;
  for (int i = 0; i < lines->term_count; i++)
    for (int k = 0; k < lines->terms[i].factor_count; k++)
      used[lines->terms[i].equation][lines->terms[i].factors[k].slot] = true;
  for (int e = 0; e < lines->field_count; e++)
    for (int s = 0; s < lines->slot_count; s++) count += used[e][s];
  lines->couplings = arena_array(lines->arena, lines_coupling, (size_t)count);
  if (!lines->couplings) return context_no_memory(context);
  for (int e = 0; e < lines->field_count; e++)
    for (int s = 0; s < lines->slot_count; s++) {
      if (!used[e][s]) continue;
      double *weight = arena_array(lines->arena, double, (size_t)lines->node_count);
      if (!weight) return context_no_memory(context);
      lines->couplings[lines->coupling_count++] = (lines_coupling){e, s, weight};
    }
  return ANS_OK;
}

/* Highest space order of a field, in its own equation and anywhere. */
static void field_orders(const lines *lines, int field, int *own, int *anywhere) {
  *own = *anywhere = 0;
  for (int i = 0; i < lines->coupling_count; i++) {
    const lines_slot *slot = &lines->slots[lines->couplings[i].slot];
    if (slot->field != field) continue;
    if (slot->order > *anywhere) *anywhere = slot->order;
    if (lines->couplings[i].equation == field && slot->order > *own) *own = slot->order;
  }
}

static ans_status collect_unknowns(ans_context *context, lines *lines) {
  const ans_problem *problem = lines->instance->problem;
  bool periodic = lines->coordinate < 0 || problem->coordinates[lines->coordinate].periodic;
  for (int f = 0; f < lines->field_count; f++) {
    boundary *b = &lines->boundaries[f];
    TRY(boundary_new(context, problem, f, lines->coordinate, lines->space, lines->arena, b));
    int own, anywhere;
    field_orders(lines, f, &own, &anywhere);
    FAIL_IF(!periodic && (b->count < own || b->count > anywhere), context, ANS_UNSUPPORTED,
            "%s has %d boundary conditions along %s, and its derivatives there have order %d", problem->fields[f].name,
            b->count, problem->coordinates[lines->coordinate].name, b->count < own ? own : anywhere);
    lines->first[f] = b->low;
    lines->count[f] = lines->node_count - b->count;
    FAIL_IF(lines->count[f] < 4 && lines->coordinate >= 0, context, ANS_ARGUMENT, "%d nodes are too few",
            lines->node_count);
    lines->offset[f] = lines->size;
    lines->size += lines->count[f];
  }
  return ANS_OK;
}

static void fill_steady_sources(lines *lines) {
  const ans_instance *instance = lines->instance;
  double place[SYSTEM_MAX_COORDINATES] = {0};
  for (int i = 0; i < lines->term_count; i++) {
    lines_term *term = &lines->terms[i];
    for (int j = 0; term->source && term->steady && j < lines->node_count; j++) {
      if (lines->coordinate >= 0) place[lines->coordinate] = lines->space->places[j];
      term->source_values[j] = expression_value(term->source, instance->values, place, 0);
    }
  }
}

static ans_status fill(ans_context *context, lines *lines) {
  if (!lines->space->row) TRY(frame_new(context, lines->arena, lines->space, lines->field_count, &lines->frame));
  TRY(compile_terms(context, lines));
  TRY(collect_couplings(context, lines));
  TRY(collect_unknowns(context, lines));
  size_t all = size_product((size_t)lines->field_count, (size_t)lines->node_count);
  lines->nodes = arena_array(lines->arena, double, all);
  lines->result = arena_array(lines->arena, double, all);
  lines->scratch = arena_array(lines->arena, double, (size_t)lines->node_count);
  if (!lines->nodes || !lines->result || !lines->scratch) return context_no_memory(context);
  fill_steady_sources(lines);
  return ANS_OK;
}

ans_status lines_new(ans_context *context, const ans_instance *instance, int coordinate, space *space, lines **result) {
  *result = NULL;
  arena *arena;
  TRY(arena_new(context, &arena));
  lines *lines = arena_take(arena, sizeof *lines);
  if (!lines) {
    arena_free(arena);
    return context_no_memory(context);
  }
  lines->instance = instance;
  lines->space = space;
  lines->coordinate = coordinate;
  lines->arena = arena;
  lines->field_count = instance->problem->field_count;
  lines->node_count = space->node_count;
  lines->window[0] = -INFINITY;
  lines->window[1] = INFINITY;
  lines->begin = instance->problem->coordinates[instance->problem->time].low;
  ans_status status = fill(context, lines);
  if (status != ANS_OK) {
    arena_free(arena);
    return status;
  }
  *result = lines;
  return ANS_OK;
}

void lines_free(lines *lines) {
  if (lines) arena_free(lines->arena);
}
