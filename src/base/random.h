/* SPDX-License-Identifier: Apache-2.0
 *
 * random.h - counter-based random streams (Philox 4x32-10; Salmon et al., SC 2011).
 *
 * A stream is named by (seed, purpose, step, part) and has no other state than its position: resuming,
 * reordering or splitting work over threads changes nothing.
 */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

/* What a stream is for. The numbers are part of the file format: never renumber. */
typedef enum random_purpose {
  RANDOM_BACKBONE = 1,     /* initial backbone parameters */
  RANDOM_HYPERNETWORK = 2, /* initial hypernetwork parameters */
  RANDOM_COEFFICIENTS = 3, /* sampled equations of a meta-step */
  RANDOM_POINTS = 4,       /* collocation points of a step */
  RANDOM_CHECK = 5,        /* held-out points that judge a solution */
  RANDOM_TEST = 6          /* tests and benchmarks */
} random_purpose;

typedef struct random_stream {
  uint32_t key[2];
  uint32_t counter[4]; /* block number, part, step low, step high */
  uint32_t block[4];   /* the current block's numbers */
  uint32_t used;       /* how many of them were given */
} random_stream;

random_stream random_open(uint64_t seed, random_purpose purpose, uint64_t step, uint32_t part);
uint32_t random_bits(random_stream *stream);
double random_uniform(random_stream *stream); /* in (0, 1), 52 bits */
double random_between(random_stream *stream, double low, double high);
double random_normal(random_stream *stream);                  /* mean 0, variance 1 */
uint32_t random_below(random_stream *stream, uint32_t limit); /* 0 .. limit-1, unbiased */

#endif
