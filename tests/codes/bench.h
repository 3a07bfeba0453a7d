/* SPDX-License-Identifier: Apache-2.0
 *
 * bench.h - one hypernetwork of a family made in memory, ready to run.
 */
#ifndef TESTS_CODES_BENCH_H
#define TESTS_CODES_BENCH_H

#include "check.h"

#include "codes/codes.h"
#include "families.h"

enum { NODES = 64 }; /* no graph here has more */

static const descriptor_kind arms[] = {DESCRIPTOR_GRAPH,  DESCRIPTOR_SET,      DESCRIPTOR_OWNERSHIP,
                                       DESCRIPTOR_VECTOR, DESCRIPTOR_PRESENCE, DESCRIPTOR_DICTIONARY};
enum { ARMS = 6 };

/* The dictionary has no place for CCP's source zones. */
static inline int arms_of(int family) { return families_all[family] == families_ccp ? ARMS - 1 : ARMS; }

/* One hypernetwork with its descriptor, parameters and a weight for every code. */
typedef struct bench {
  ans_context *context;
  made made;
  descriptor *descriptor;
  hypernetwork *h;
  code_shape shape;
  size_t size, count;
  double *parameters, *gradient, *codes, *weights;
} bench;

static inline void open_bench(bench *b, families_maker family, descriptor_kind kind, int width, int rounds,
                              uint64_t seed) {
  b->context = new_context();
  const ans_instance *instance = family(&b->made);
  if (width) b->made.problem.protocol.network.width = width;
  const protocol_network *network = &b->made.problem.protocol.network;
  b->shape = (code_shape){b->made.problem.field_count, network->layers, network->width};
  if (kind == DESCRIPTOR_DICTIONARY) b->shape = (code_shape){1, 1, network->width};
  assert_ok(b->context, descriptor_build(b->context, instance, kind, &b->descriptor));
  assert_ok(b->context, hypernetwork_new(b->context, &b->made.problem, b->shape, kind, rounds, &b->h));
  b->size = hypernetwork_size(b->h);
  b->count = code_count(b->shape);
  b->parameters = malloc(b->size * sizeof(double));
  b->gradient = calloc(b->size, sizeof(double));
  b->codes = malloc(b->count * sizeof(double));
  b->weights = malloc(b->count * sizeof(double));
  random_stream stream = random_open(seed, RANDOM_TEST, 0, 0);
  for (size_t i = 0; i < b->count; i++) b->weights[i] = random_between(&stream, -1, 1);
  hypernetwork_initialise(b->h, seed, b->parameters);
}

static inline void close_bench(bench *b) {
  free(b->parameters);
  free(b->gradient);
  free(b->codes);
  free(b->weights);
  hypernetwork_free(b->h);
  descriptor_free(b->descriptor);
  ans_context_free(b->context);
}

static inline double weighted(bench *b) {
  assert_ok(b->context, hypernetwork_forward(b->context, b->h, b->descriptor, b->parameters, b->codes));
  double sum = 0;
  for (size_t i = 0; i < b->count; i++) sum += b->weights[i] * b->codes[i];
  return sum;
}

static inline double norm(const double *values, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += values[i] * values[i];
  return sqrt(sum);
}

#endif
