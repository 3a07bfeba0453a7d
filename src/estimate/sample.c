/* SPDX-License-Identifier: Apache-2.0 */
#include "estimate/sample.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static size_t slot_stride(const sample *s) { return (size_t)s->defect->slot_count * (size_t)s->defect->mesh->nodes; }

static size_t forcing_stride(const sample *s) {
  return (size_t)s->defect->field_count * (size_t)s->defect->mesh->nodes;
}

static void fill_points(const sample *s, double *points) {
  const ans_problem *problem = s->defect->instance->problem;
  size_t dimensions = (size_t)problem->coordinate_count, nodes = (size_t)s->defect->mesh->nodes;
  for (size_t k = 0; k < (size_t)s->times->nodes; k++)
    for (size_t j = 0; j < nodes; j++) {
      double *point = points + (k * nodes + j) * dimensions;
      if (s->defect->space >= 0) point[s->defect->space] = s->defect->mesh->places[j];
      if (problem->time >= 0) point[problem->time] = s->times->places[k];
    }
}

/* One derivative of every field, put where slots and forcing want it. */
static void spread(sample *s, int space_order, int time_order, const double *values) {
  assert(space_order >= 0 && space_order <= MESH_MAX_ORDER && time_order >= 0 && time_order <= SYSTEM_MAX_ORDER);
  const defect *d = s->defect;
  size_t nodes = (size_t)d->mesh->nodes, fields = (size_t)d->field_count;
  for (size_t k = 0; k < (size_t)s->times->nodes; k++) {
    const double *from = values + k * nodes * fields;
    for (int i = 0; i < d->slot_count; i++) {
      const defect_component *component = &d->components[d->slots[i].component];
      if (d->slots[i].order != space_order || component->time_order != time_order) continue;
      double *to = s->slots + k * slot_stride(s) + (size_t)i * nodes;
      for (size_t j = 0; j < nodes; j++) to[j] = from[j * fields + (size_t)component->field];
    }
    for (size_t f = 0; f < fields; f++) {
      if (space_order != 0 || d->order[f] != time_order || time_order == 0) continue;
      double *to = s->forcing + k * forcing_stride(s) + f * nodes;
      for (size_t j = 0; j < nodes; j++) to[j] = from[j * fields + f];
    }
  }
}

static bool wanted(const sample *s, int space_order, int time_order) {
  const defect *d = s->defect;
  if (space_order == 0 && time_order == 0) return true;
  if (!s->derivatives) return false;
  for (int i = 0; i < d->slot_count; i++)
    if (d->slots[i].order == space_order && d->components[d->slots[i].component].time_order == time_order) return true;
  for (int f = 0; f < d->field_count; f++)
    if (space_order == 0 && d->order[f] == time_order) return true;
  return false;
}

/* What the network is asked for. */
typedef struct sample_orders {
  system_orders orders;
  int space[SYSTEM_ORDER_LIST], time[SYSTEM_ORDER_LIST];
} sample_orders;

static sample_orders list_orders(const sample *s) {
  const defect *d = s->defect;
  sample_orders asked = {.orders = {0}};
  for (int time_order = 0; time_order <= SYSTEM_MAX_ORDER; time_order++)
    for (int space_order = 0; space_order <= MESH_MAX_ORDER; space_order++) {
      if (!wanted(s, space_order, time_order)) continue;
      assert(asked.orders.count < SYSTEM_ORDER_LIST);
      int at = asked.orders.count++;
      if (d->space >= 0) asked.orders.list[at][d->space] = (uint8_t)space_order;
      if (d->instance->problem->time >= 0) asked.orders.list[at][d->instance->problem->time] = (uint8_t)time_order;
      asked.space[at] = space_order;
      asked.time[at] = time_order;
    }
  return asked;
}

/* All derivatives at once: each needs those below it. */
static ans_status evaluate(ans_context *context, sample *s, const estimate_network *network, int span,
                           const sample_orders *asked, double *points, double *values) {
  size_t count = (size_t)s->times->nodes * (size_t)s->defect->mesh->nodes, fields = (size_t)s->defect->field_count;
  fill_points(s, points);
  TRY(network->evaluate(context, network->object, span, points, count, &asked->orders, values));
  for (int i = 0; i < asked->orders.count; i++)
    spread(s, asked->space[i], asked->time[i], values + (size_t)i * count * fields);
  s->points += (size_t)asked->orders.count * count;
  return ANS_OK;
}

ans_status sample_new(ans_context *context, arena *arena, const defect *d, const mesh *times,
                      const estimate_network *network, int span, bool derivatives, sample **result) {
  sample *s = arena_take(arena, sizeof *s);
  if (!s) return context_no_memory(context);
  *s = (sample){.defect = d, .times = times, .derivatives = derivatives};
  size_t count = (size_t)times->nodes * (size_t)d->mesh->nodes;
  s->slots = arena_array(arena, double, (size_t)times->nodes *slot_stride(s));
  s->forcing = arena_array(arena, double, (size_t)times->nodes *forcing_stride(s));
  s->weights = arena_array(arena, double, (size_t)times->nodes);
  sample_orders asked = list_orders(s);
  double *points =
      memory_take(count * (size_t)(SYSTEM_MAX_COORDINATES + asked.orders.count * d->field_count) * sizeof *points);
  ans_status status = s->slots && s->forcing && s->weights && points
                          ? evaluate(context, s, network, span, &asked, points, points + count * SYSTEM_MAX_COORDINATES)
                          : context_no_memory(context);
  memory_give(points);
  *result = s;
  return status;
}

bool sample_finite(const sample *s) {
  size_t slots = (size_t)s->times->nodes * slot_stride(s), forcing = (size_t)s->times->nodes * forcing_stride(s);
  for (size_t i = 0; i < slots; i++)
    if (!isfinite(s->slots[i])) return false;
  for (size_t i = 0; i < forcing; i++)
    if (!isfinite(s->forcing[i])) return false;
  return true;
}

static void combine(const sample *s, const double *from, size_t stride, double *to) {
  memset(to, 0, stride * sizeof *to);
  for (int k = 0; k < s->times->nodes; k++) {
    const double *row = from + (size_t)k * stride, weight = s->weights[k];
    if (weight == 0) continue;
    for (size_t i = 0; i < stride; i++) to[i] += weight * row[i];
  }
}

void sample_at(const sample *s, double t, defect_base *base) {
  if (!s) return;
  mesh_interpolation(s->times, t, s->weights);
  combine(s, s->slots, slot_stride(s), base->slots);
  combine(s, s->forcing, forcing_stride(s), base->forcing);
}

const double *sample_component(const sample *s, int component, int time) {
  assert(component >= 0 && component < s->defect->component_count && time >= 0 && time < s->times->nodes);
  const defect *d = s->defect;
  int slot = defect_slot_of(d, component, 0);
  assert(slot >= 0);
  return s->slots + (size_t)time * slot_stride(s) + (size_t)slot * (size_t)d->mesh->nodes;
}

const double *sample_values(const sample *s, int field, int time) {
  return sample_component(s, s->defect->first[field], time);
}
