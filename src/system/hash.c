/* SPDX-License-Identifier: Apache-2.0
 *
 * hash.c - the numbers of an instance, without its names, as 64 bits (FNV-1a over 64-bit words, finished by
 * the mixer of splitmix64). Symbols enter by value, so renaming them changes nothing.
 */
#include <string.h>

#include "system/system.h"

static uint64_t mix(uint64_t hash, uint64_t word) {
  hash ^= word;
  hash *= 0x9E3779B97F4A7C15u;
  hash ^= hash >> 32;
  return hash * 0x100000001B3u;
}

static uint64_t mix_number(uint64_t hash, double number) {
  uint64_t bits;
  number = number == 0 ? 0 : number;
  memcpy(&bits, &number, sizeof bits);
  return mix(hash, bits);
}

static uint64_t mix_expression(uint64_t hash, const expression *expression, const double *values) {
  if (!expression) return mix(hash, 0);
  hash = mix(hash, expression->count);
  for (size_t i = 0; i < expression->count; i++) {
    const expression_step *step = &expression->steps[i];
    bool symbol = step->op == EXPRESSION_SYMBOL;
    hash = mix(hash, symbol ? EXPRESSION_NUMBER : (uint64_t)step->op);
    hash = symbol ? mix_number(hash, values[step->index]) : mix_number(mix(hash, (uint64_t)step->index), step->number);
  }
  return hash;
}

static uint64_t mix_order(uint64_t hash, const uint8_t *order) {
  for (int i = 0; i < SYSTEM_MAX_COORDINATES; i++) hash = mix(hash, order[i]);
  return hash;
}

static uint64_t mix_domain(uint64_t hash, const ans_problem *problem, const double *values) {
  hash = mix(hash, (uint64_t)problem->coordinate_count);
  for (int i = 0; i < problem->coordinate_count; i++) {
    const system_coordinate *c = &problem->coordinates[i];
    hash = mix_number(mix_number(hash, c->low), c->high);
    hash = mix(hash, (uint64_t)(c->periodic + 2 * c->time));
  }
  hash = mix(hash, (uint64_t)problem->field_count);
  for (int i = 0; i < problem->condition_count; i++) {
    const system_condition *c = &problem->conditions[i];
    hash = mix(mix(mix(hash, (uint64_t)c->kind), (uint64_t)c->field), (uint64_t)c->coordinate);
    hash = mix_order(mix_number(hash, c->at), c->order);
    hash = mix_expression(hash, c->value, values);
  }
  return hash;
}

static uint64_t finish(uint64_t hash) {
  hash ^= hash >> 30;
  hash *= 0xBF58476D1CE4E5B9u;
  hash ^= hash >> 27;
  hash *= 0x94D049BB133111EBu;
  return hash ^ (hash >> 31);
}

static uint64_t term_hash(const instance_term *instance_term, const double *values) {
  const system_term *term = instance_term->term;
  uint64_t hash = mix_number(mix(0, (uint64_t)term->equation), instance_term->coefficient);
  hash = mix_expression(hash, term->source, values);
  for (int i = 0; i < term->factor_count; i++) {
    hash = mix(mix(hash, (uint64_t)term->factors[i].field), (uint64_t)term->factors[i].power);
    hash = mix_order(hash, term->factors[i].order);
  }
  return finish(hash);
}

/* Terms are summed, so that their order in the text does not matter. */
uint64_t system_instance_hash(const ans_instance *instance) {
  uint64_t hash = mix_domain(0xCBF29CE484222325u, instance->problem, instance->values);
  for (int i = 0; i < instance->term_count; i++) hash += term_hash(&instance->terms[i], instance->values);
  return finish(hash);
}
