/* SPDX-License-Identifier: Apache-2.0
 *
 * peak.c - what the multiply-add units of one core do when nothing else is in their way.
 *
 * Ten independent chains in registers, more than the latency of a multiply-add times the units that run it.
 */
#include "step.h"

enum { ROUNDS = 360000, CHAINS = 10 };

#define EACH_CHAIN(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9)
#define BEGIN(i) vec sum##i = (vec){0} + (float)i;
#define STEP(i) sum##i = sum##i * x + y;
#define GATHER(i) all += sum##i;

#define PEAK(NAME, TARGET, BYTES)                                                                \
  TARGET static double NAME(void) {                                                              \
    typedef float vec __attribute__((vector_size(BYTES)));                                       \
    vec x = (vec){0} + 0.999999f, y = (vec){0} + 1e-6f, all = {0};                               \
    EACH_CHAIN(BEGIN)                                                                            \
    double start = bench_cpu_seconds();                                                          \
    for (int round = 0; round < ROUNDS; round++) {                                               \
      EACH_CHAIN(STEP)                                                                           \
    }                                                                                            \
    EACH_CHAIN(GATHER)                                                                           \
    volatile float kept = all[0];                                                                \
    (void)kept;                                                                                  \
    return 2e-9 * ROUNDS * CHAINS * (BYTES / 4) / (bench_cpu_seconds() - start);                 \
  }

/* Contraction is on for this file (see meson.build), so x*s + y is one instruction where there is one. */
PEAK(peak_baseline, , 16)
#if defined(__x86_64__)
PEAK(peak_avx2, __attribute__((target("avx2,fma"))), 32)
PEAK(peak_avx512, __attribute__((target("avx512f,fma"))), 64)
#endif

double bench_fma_peak(void) {
  double best = peak_baseline();
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) best = fmax(best, peak_avx2());
  if (__builtin_cpu_supports("avx512f")) best = fmax(best, peak_avx512());
#endif
  return best;
}
