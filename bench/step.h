/* SPDX-License-Identifier: Apache-2.0
 *
 * step.h - one adaptation step as it is measured.
 */
#ifndef BENCH_STEP_H
#define BENCH_STEP_H

#include "numeric/kernels/kernels.h"
#include "residual/residual.h"

enum { STEP_SAMPLES = 4096 };

/* Products of hidden layers: forward and back, and for the gradients of weights. */
typedef enum bench_timed_kind { BENCH_PRODUCT, BENCH_OUTER, BENCH_TIMED } bench_timed_kind;

typedef struct bench_step {
  arena *arena;
  backbone backbone;
  residual *residual;
  int threads;
  size_t codes, size; /* of codes, and of parameters and codes together */
  real *parameters, *gradient, *m, *v, *formed, *formed_gradient, *workspace;
  long count;        /* steps so far */
  double best, wall; /* seconds: longest thread's CPU time, and on the clock */
  double forming;    /* the best time of forming W = C diag(s) R and of the way back, CPU time of this thread */
  double gflops[BENCH_TIMED]; /* of the step in which they were fastest; 0 unless the kernels are timed */
  int sample_count;
  double samples[STEP_SAMPLES];
} bench_step;

/* Takes the instance's kernels from kernels_chosen. The instance is borrowed. */
ans_status bench_step_open(ans_context *context, const ans_instance *instance, int threads, bool plain,
                           bench_step **result);
void bench_step_close(bench_step *step);

/* Runs and measures one step. */
void bench_step_run(bench_step *step);

double bench_step_gflop(const bench_step *step);

double bench_cpu_seconds(void); /* of this thread */

/* The chosen kernels, measuring their own products, for one thread; and the speed of those since `begin`. */
const kernel_table *bench_timed_kernels(void);
void bench_timed_begin(void);
double bench_timed_gflops(bench_timed_kind kind); /* 0: there were none */

/* Multiply-adds a second (in 1e9, counted as two), in windows of about 1 ms, with the registers of the chosen kernels;
 * with AVX-512 the better of both widths. */
double bench_fma_peak(void);

/* Kernel tables whose products are plain loops, compiled as everything else is, or for AVX2; NULL when the processor
 * has no AVX2, whose table they take the rest from. */
const kernel_table *bench_plain_loops(void);
const kernel_table *bench_plain_loops_avx2(void);

#endif
