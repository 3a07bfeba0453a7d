/* SPDX-License-Identifier: Apache-2.0
 *
 * defect_compile.c - from an instance's term list to components, slots, terms and conditions; refuses other forms with
 * a reason that a user can read after "no estimate: ".
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "estimate/defect.h"

static int time_order(const ans_problem *problem, const system_factor *factor) {
  return problem->time < 0 ? 0 : factor->order[problem->time];
}

static int space_order(const defect *d, const system_factor *factor) {
  return d->space < 0 ? 0 : factor->order[d->space];
}

static const char *field_name(const defect *d, int field) { return d->instance->problem->fields[field].name; }

/* ---- The order of every equation in time ------------------------------------------------------------- */

/* d_t^m of the equation's own field times something without fields. */
static bool is_leading(const defect *d, const system_term *term) {
  const ans_problem *problem = d->instance->problem;
  int own = problem->equations[term->equation].field;
  return d->order[own] > 0 && term->arity == 1 && term->factors[0].field == own &&
         time_order(problem, &term->factors[0]) == d->order[own] && factor_order(&term->factors[0]) == d->order[own];
}

static void find_orders(defect *d) {
  const ans_problem *problem = d->instance->problem;
  for (int i = 0; i < d->instance->term_count; i++) {
    const system_term *term = d->instance->terms[i].term;
    int own = problem->equations[term->equation].field;
    for (int k = 0; k < term->factor_count; k++)
      if (term->factors[k].field == own && time_order(problem, &term->factors[k]) > d->order[own])
        d->order[own] = time_order(problem, &term->factors[k]);
  }
}

static ans_status check_forms(ans_context *context, defect *d) {
  const ans_problem *problem = d->instance->problem;
  bool led[SYSTEM_MAX_FIELDS] = {false};
  for (int i = 0; i < d->instance->term_count; i++) {
    const system_term *term = d->instance->terms[i].term;
    int own = problem->equations[term->equation].field;
    if (is_leading(d, term)) {
      led[own] = true;
      continue;
    }
    for (int k = 0; k < term->factor_count; k++) {
      const system_factor *factor = &term->factors[k];
      int most = d->order[factor->field] > 0 ? d->order[factor->field] : 1;
      FAIL_IF(time_order(problem, factor) >= most, context, ANS_UNSUPPORTED,
              "the equation of %s mixes the highest time derivative of %s with other factors", field_name(d, own),
              field_name(d, factor->field));
      FAIL_IF(space_order(d, factor) > MESH_MAX_ORDER, context, ANS_UNSUPPORTED,
              "the equation of %s has order %d in %s", field_name(d, own), space_order(d, factor),
              problem->coordinates[d->space].name);
    }
  }
  for (int f = 0; f < d->field_count; f++)
    FAIL_IF(d->order[f] > 0 && !led[f], context, ANS_UNSUPPORTED,
            "the equation of %s has no term with its highest time derivative alone", field_name(d, f));
  return ANS_OK;
}

static ans_status collect_components(ans_context *context, defect *d) {
  for (int f = 0; f < d->field_count; f++) {
    d->first[f] = d->component_count;
    for (int q = 0; q < (d->order[f] > 0 ? d->order[f] : 1); q++) {
      FAIL_IF(d->component_count == DEFECT_MAX_COMPONENTS, context, ANS_UNSUPPORTED,
              "the system has more than %d fields and time derivatives", DEFECT_MAX_COMPONENTS);
      d->components[d->component_count++] = (defect_component){f, q};
      assert(d->component_count <= DEFECT_MAX_COMPONENTS);
    }
  }
  return ANS_OK;
}

/* ---- Slots and terms --------------------------------------------------------------------------------- */

int defect_slot_of(const defect *d, int component, int order) {
  for (int s = 0; s < d->slot_count; s++)
    if (d->slots[s].component == component && d->slots[s].order == order) return s;
  return -1;
}

static ans_status need_slot(ans_context *context, defect *d, int component, int order, int *slot) {
  *slot = defect_slot_of(d, component, order);
  if (*slot >= 0) return ANS_OK;
  FAIL_IF(d->slot_count == DEFECT_MAX_SLOTS, context, ANS_UNSUPPORTED, "the system has more than %d derivatives",
          DEFECT_MAX_SLOTS);
  *slot = d->slot_count++;
  d->slots[*slot] = (defect_slot){component, order};
  return ANS_OK;
}

static ans_status compile_term(ans_context *context, arena *arena, defect *d, const instance_term *from,
                               defect_term *to) {
  const ans_problem *problem = d->instance->problem;
  const system_term *term = from->term;
  *to = (defect_term){.field = problem->equations[term->equation].field,
                      .coefficient = from->coefficient,
                      .source = term->source,
                      .linear = term->arity == 1 && !term->source};
  if (to->source) {
    to->source_values = arena_array(arena, double, (size_t)d->mesh->nodes);
    if (!to->source_values) return context_no_memory(context);
  }
  if (is_leading(d, term)) return ANS_OK;
  for (int k = 0; k < term->factor_count; k++) {
    const system_factor *factor = &term->factors[k];
    int component = d->first[factor->field] + time_order(problem, factor), slot;
    TRY(need_slot(context, d, component, space_order(d, factor), &slot));
    assert(slot >= 0 && slot < d->slot_count);
    assert(to->factor_count < SYSTEM_MAX_ARITY);
    to->factors[to->factor_count++] = (defect_factor){slot, factor->power};
  }
  return ANS_OK;
}

/* A source that also stands before the time derivative cancels. */
static void cancel_sources(defect *d) {
  d->constant = true;
  for (int f = 0; f < d->field_count; f++) {
    defect_term *lead = NULL;
    int count = 0;
    for (int i = 0; i < d->leading_count; i++)
      if (d->leading[i].field == f) lead = &d->leading[i], count++;
    if (d->order[f] == 0 || !lead || (count == 1 && !lead->source)) continue;
    const expression *source = lead->source;
    bool all = count == 1;
    for (int i = 0; all && i < d->term_count; i++)
      all = d->terms[i].field != f || (d->terms[i].source && expression_equal(d->terms[i].source, source));
    d->constant = d->constant && all;
    if (!all) continue;
    lead->source = NULL;
    for (int i = 0; i < d->term_count; i++) {
      if (d->terms[i].field != f) continue;
      d->terms[i].source = NULL;
      d->terms[i].linear = d->terms[i].factor_count == 1 && d->terms[i].factors[0].power == 1;
    }
  }
}

static ans_status compile_terms(ans_context *context, arena *arena, defect *d) {
  size_t count = (size_t)d->instance->term_count + 1;
  int slot;
  d->terms = arena_array(arena, defect_term, count);
  d->leading = arena_array(arena, defect_term, count);
  if (!d->terms || !d->leading) return context_no_memory(context);
  for (int c = 0; c < d->component_count; c++) TRY(need_slot(context, d, c, 0, &slot));
  for (int i = 0; i < d->instance->term_count; i++) {
    bool leads = is_leading(d, d->instance->terms[i].term);
    defect_term *to = leads ? &d->leading[d->leading_count++] : &d->terms[d->term_count++];
    TRY(compile_term(context, arena, d, &d->instance->terms[i], to));
  }
  cancel_sources(d);
  return ANS_OK;
}

/* ---- Conditions -------------------------------------------------------------------------------------- */

static bool near(const defect *d, double at, double end) {
  return fabs(at - end) <= 1e-9 * (d->mesh->high - d->mesh->low);
}

static ans_status take_condition(ans_context *context, defect *d, const system_condition *condition, int *low,
                                 int *high) {
  const ans_problem *problem = d->instance->problem;
  bool at_low = near(d, condition->at, d->mesh->low);
  FAIL_IF(!at_low && !near(d, condition->at, d->mesh->high), context, ANS_UNSUPPORTED,
          "the condition on %s at %s = %g is inside the domain", field_name(d, condition->field),
          problem->coordinates[condition->coordinate].name, condition->at);
  FAIL_IF(problem->time >= 0 && condition->order[problem->time] > 0, context, ANS_UNSUPPORTED,
          "a boundary condition on %s has a time derivative", field_name(d, condition->field));
  FAIL_IF(d->order[condition->field] > 2, context, ANS_UNSUPPORTED,
          "%s has walls and time derivatives above the second", field_name(d, condition->field));
  FAIL_IF(d->condition_count == DEFECT_MAX_CONDITIONS, context, ANS_UNSUPPORTED, "there are more than %d conditions",
          DEFECT_MAX_CONDITIONS);
  int last = d->mesh->nodes - 1, row = at_low ? *low : last - *high;
  defect_condition *to = &d->conditions[d->condition_count++];
  *(at_low ? low : high) += 1;
  *to = (defect_condition){.condition = condition, .end = at_low ? 0 : last, .row = row};
  for (int q = 0; q < (d->order[condition->field] > 0 ? d->order[condition->field] : 1); q++)
    TRY(need_slot(context, d, d->first[condition->field] + q, condition->order[d->space], &to->slots[q]));
  return ANS_OK;
}

/* Conditions of a field: at least as many as its own equation's order, at most its highest derivative. */
static ans_status check_count(ans_context *context, const defect *d, int field, int given) {
  int own = 0, any = 0;
  for (int i = 0; i < d->term_count; i++)
    for (int k = 0; k < d->terms[i].factor_count; k++) {
      const defect_slot *slot = &d->slots[d->terms[i].factors[k].slot];
      if (d->components[slot->component].field != field) continue;
      if (slot->order > any) any = slot->order;
      if (d->terms[i].field == field && slot->order > own) own = slot->order;
    }
  FAIL_IF(given < own || given > any, context, ANS_UNSUPPORTED,
          "%s has %d boundary conditions, and its derivatives along %s have order %d", field_name(d, field), given,
          d->instance->problem->coordinates[d->space].name, given < own ? own : any);
  return ANS_OK;
}

static ans_status collect_conditions(ans_context *context, defect *d) {
  const ans_problem *problem = d->instance->problem;
  if (d->mesh->kind != MESH_WALLS) return ANS_OK;
  for (int f = 0; f < d->field_count; f++) {
    int low = 0, high = 0;
    for (int i = 0; i < problem->condition_count; i++) {
      const system_condition *condition = &problem->conditions[i];
      if (condition->kind == CONDITION_BOUNDARY && condition->field == f && condition->coordinate == d->space)
        TRY(take_condition(context, d, condition, &low, &high));
    }
    TRY(check_count(context, d, f, low + high));
  }
  return ANS_OK;
}

static void mark_rows(defect *d) {
  int n = d->mesh->nodes;
  for (int c = 0; c < d->component_count; c++)
    for (int j = 0; j < n; j++) d->differential[c * n + j] = d->order[d->components[c].field] > 0;
  for (int i = 0; i < d->condition_count; i++) {
    int field = d->conditions[i].condition->field;
    for (int q = 0; q < (d->order[field] > 0 ? d->order[field] : 1); q++)
      d->differential[(d->first[field] + q) * n + d->conditions[i].row] = false;
  }
  for (int i = 0; i < d->size; i++) d->algebraic = d->algebraic || !d->differential[i];
}

static ans_status check_initial(ans_context *context, const defect *d) {
  const ans_problem *problem = d->instance->problem;
  for (int c = 0; c < d->component_count; c++) {
    const defect_component *component = &d->components[c];
    bool found = d->order[component->field] == 0;
    for (int i = 0; i < problem->condition_count; i++) {
      const system_condition *condition = &problem->conditions[i];
      found = found || (condition->kind == CONDITION_INITIAL && condition->field == component->field &&
                        condition->order[problem->time] == component->time_order);
    }
    FAIL_IF(!found, context, ANS_UNSUPPORTED, "%s has no initial value%s", field_name(d, component->field),
            component->time_order > 0 ? " of a time derivative" : "");
  }
  return ANS_OK;
}

/* ---- The whole --------------------------------------------------------------------------------------- */

static ans_status fill(ans_context *context, arena *arena, defect *d) {
  find_orders(d);
  TRY(check_forms(context, d));
  TRY(collect_components(context, d));
  TRY(compile_terms(context, arena, d));
  TRY(collect_conditions(context, d));
  TRY(check_initial(context, d));
  size_t nodes = (size_t)d->mesh->nodes;
  d->size = d->component_count * d->mesh->nodes;
  d->differential = arena_array(arena, bool, (size_t)d->size);
  d->lead = arena_array(arena, double, (size_t)d->field_count *nodes);
  d->whole = arena_array(arena, double, (size_t)d->slot_count *nodes);
  d->weights = arena_array(arena, double, (size_t)d->slot_count *nodes);
  d->sums = arena_array(arena, double, (size_t)d->field_count *nodes);
  if (!d->differential || !d->lead || !d->whole || !d->weights || !d->sums) return context_no_memory(context);
  mark_rows(d);
  return ANS_OK;
}

ans_status defect_new(ans_context *context, arena *arena, const ans_instance *instance, mesh *mesh, defect **result) {
  const ans_problem *problem = instance->problem;
  defect *d = arena_take(arena, sizeof *d);
  if (!d) return context_no_memory(context);
  *d = (defect){.instance = instance, .mesh = mesh, .space = -1, .field_count = problem->field_count, .time = NAN};
  for (int c = 0; c < problem->coordinate_count; c++)
    if (c != problem->time) d->space = c;
  if (problem->time >= 0) {
    d->begin = problem->coordinates[problem->time].low;
    d->end = problem->coordinates[problem->time].high;
  }
  TRY(fill(context, arena, d));
  *result = d;
  return ANS_OK;
}

bool defect_splits(const defect *d) {
  return d->mesh->kind == MESH_PERIODIC && d->constant && !d->algebraic && !mesh_graded(d->mesh);
}

ans_status defect_base_new(ans_context *context, arena *arena, const defect *d, defect_base *base) {
  size_t nodes = (size_t)d->mesh->nodes;
  base->slots = arena_array(arena, double, (size_t)d->slot_count *nodes);
  base->forcing = arena_array(arena, double, (size_t)d->field_count *nodes);
  return base->slots && base->forcing ? ANS_OK : context_no_memory(context);
}
