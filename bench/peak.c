/* SPDX-License-Identifier: Apache-2.0
 *
 * peak.c - what the multiply-add units of one core do when nothing else is in their way.
 *
 * Ten independent chains in registers, more than the latency of a multiply-add times the units that run it. The
 * numbers have full mantissas that change at every step, as those of a network do: some processors run ten
 * per cent faster on numbers that stay the same, because these need less power.
 */
#include "step.h"

#include <string.h>

enum { ROUNDS = 180000, CHAINS = 10 };

#define EACH_CHAIN(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9)
#define BEGIN(i)      vec sum##i = begin * (1.0f + 0.137f * (float)i);
#define THERE(i)      sum##i = sum##i * x + y;
#define BACK(i)       sum##i = sum##i * x_back - y_back;
#define GATHER(i)     all += sum##i;

/* s <- s x + y, then back by its inverse. */
#define PEAK(NAME, TARGET, BYTES)                                                                                      \
  TARGET static double NAME(void) {                                                                                    \
    typedef float vec __attribute__((vector_size(BYTES)));                                                             \
    random_stream stream = random_open(1, RANDOM_TEST, 0, 0);                                                          \
    vec x = {0}, y = {0}, begin = {0}, all = {0};                                                                      \
    for (int lane = 0; lane < BYTES / 4; lane++) {                                                                     \
      x[lane] = (float)random_between(&stream, 0.7, 1.3);                                                              \
      y[lane] = (float)random_uniform(&stream);                                                                        \
      begin[lane] = (float)random_between(&stream, -0.5, 0.5);                                                         \
    }                                                                                                                  \
    vec x_back = 1.0f / x, y_back = y * x_back;                                                                        \
    EACH_CHAIN(BEGIN)                                                                                                  \
    double start = bench_cpu_seconds();                                                                                \
    for (int round = 0; round < ROUNDS; round++) {                                                                     \
      EACH_CHAIN(THERE)                                                                                                \
      EACH_CHAIN(BACK)                                                                                                 \
    }                                                                                                                  \
    double seconds = bench_cpu_seconds() - start;                                                                      \
    EACH_CHAIN(GATHER)                                                                                                 \
    volatile float kept = all[0];                                                                                      \
    (void)kept;                                                                                                        \
    return 2e-9 * 2 * ROUNDS * CHAINS * (BYTES / 4) / seconds;                                                         \
  }

/* Contraction is on for this file (see meson.build): a product and a sum are one instruction where there is one. */
PEAK(peak_baseline, , 16)
#if defined(__x86_64__)
PEAK(peak_avx2, __attribute__((target("avx2,fma"))), 32)
PEAK(peak_avx512, __attribute__((target("avx512f,fma"))), 64)
#endif

double bench_fma_peak(void) {
#if defined(__x86_64__)
  const char *set = kernels_chosen()->name;
  if (strcmp(set, "avx512") == 0) return fmax(peak_avx2(), peak_avx512());
  if (strcmp(set, "avx2") == 0) return peak_avx2();
#endif
  return peak_baseline();
}
