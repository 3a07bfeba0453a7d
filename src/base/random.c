/* SPDX-License-Identifier: Apache-2.0 */
#include "base/random.h"

#include <assert.h>
#include <math.h>

/* Ten rounds of Philox 4x32: two multiplications, a swap of halves, a Weyl sequence in the key. */
static void philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
  uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
  uint32_t k0 = key[0], k1 = key[1];
  for (int round = 0; round < 10; round++) {
    uint64_t p0 = (uint64_t)0xD2511F53u * c0, p1 = (uint64_t)0xCD9E8D57u * c2;
    uint32_t n0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0, n2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
    c1 = (uint32_t)p1;
    c3 = (uint32_t)p0;
    c0 = n0;
    c2 = n2;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

random_stream random_open(uint64_t seed, random_purpose purpose, uint64_t step, uint32_t part) {
  random_stream stream = {.used = 4};
  stream.key[0] = (uint32_t)seed;
  stream.key[1] = (uint32_t)(seed >> 32) ^ ((uint32_t)purpose << 24);
  stream.counter[1] = part;
  stream.counter[2] = (uint32_t)step;
  stream.counter[3] = (uint32_t)(step >> 32);
  return stream;
}

uint32_t random_bits(random_stream *stream) {
  assert(stream->used <= 4);
  if (stream->used == 4) {
    philox(stream->counter, stream->key, stream->block);
    stream->counter[0]++;
    stream->used = 0;
  }
  return stream->block[stream->used++];
}

double random_uniform(random_stream *stream) {
  uint64_t high = random_bits(stream) >> 6, low = random_bits(stream) >> 6; /* 26 + 26 bits */
  return ((double)(high << 26 | low) + 0.5) * 0x1p-52;
}

double random_between(random_stream *stream, double low, double high) {
  return low + (high - low) * random_uniform(stream);
}

double random_normal(random_stream *stream) {
  double radius = sqrt(-2.0 * log(random_uniform(stream)));
  return radius * cos(6.283185307179586 * random_uniform(stream));
}

uint32_t random_below(random_stream *stream, uint32_t limit) {
  assert(limit > 0);
  uint32_t rejected = (0u - limit) % limit; /* 2^32 mod limit values would be favoured */
  for (;;) {
    uint64_t product = (uint64_t)random_bits(stream) * limit;
    if ((uint32_t)product >= rejected) return (uint32_t)(product >> 32);
  }
}
