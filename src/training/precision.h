/* SPDX-License-Identifier: Apache-2.0
 *
 * precision.h - the line between training's policy, which is double and exists once, and its arithmetic, which
 * is written in `real` and exists once per precision.
 *
 * Policy (run.c, training.c, solver.c, model.c) sees the arithmetic through one table. Parameters cross the line
 * as double: that holds both precisions exactly.
 */
#ifndef TRAINING_PRECISION_H
#define TRAINING_PRECISION_H

#include "base/base.h"
#include "graph/graph.h"
#include "numeric/unknowns.h"
#include "system/system.h"

/* Parameters on their way down: values, gradient, Adam's moments, and a copy to return to. */
typedef struct descent descent;
/* The gradient of Algorithm 1: all structures, hypernetwork and backbone. */
typedef struct meta meta;
/* The gradient of one equation: its codes and its own backbone. */
typedef struct adaptation adaptation;

typedef struct descent_state {
  double *parameters, *first, *second; /* [count] */
  long updates;
} descent_state;

typedef enum solver_mode {
  SOLVER_FULL,         /* codes and the whole backbone */
  SOLVER_CODES,        /* codes only */
  SOLVER_FROZEN_BASES, /* codes, input and output layers: the Hyper-LR-PINN rule */
} solver_mode;

typedef struct adaptation_options {
  solver_mode mode;
  uint64_t seed;
  int threads;
  bool decoder; /* the conditional decoder instead of the factorized network */
} adaptation_options;

typedef struct precision_table {
  int bits;

  /* The unknowns of a model (backbone, hypernetwork) and of a solver (codes, backbone), in the arena. */
  ans_status (*model_unknowns)(ans_context *context, arena *arena, const ans_problem *problem, descriptor_kind kind,
                               int rounds, unknown_table *result);
  ans_status (*solver_unknowns)(ans_context *context, arena *arena, const ans_problem *problem,
                                const adaptation_options *options, unknown_table *result);

  /* codes <- H(instance) for a model's parameter block. */
  ans_status (*predict)(ans_context *context, const ans_instance *instance, descriptor_kind kind, int rounds,
                        const double *parameters, double *codes);

  /* What make is given outlives the object. gradient is that of step 1, 2, ...: it gives the loss, and the equation
   * that contributed most or is not finite. */
  struct {
    ans_status (*make)(ans_context *context, const ans_problem *problem, descriptor_kind kind, int rounds,
                       uint64_t seed, int threads, meta **result);
    void (*drop)(meta *meta);
    descent *(*parameters)(meta *meta); /* backbone, then hypernetwork */
    ans_status (*gradient)(ans_context *context, void *meta, long step, double *loss, const char **worst);
  } meta;

  struct {
    ans_status (*make)(ans_context *context, const ans_instance *instance, const adaptation_options *options,
                       adaptation **result);
    void (*drop)(adaptation *adaptation);
    descent *(*parameters)(adaptation *adaptation); /* codes, then backbone */
    ans_status (*gradient)(ans_context *context, void *adaptation, long step, double *loss, const char **worst);
    double (*held_out)(adaptation *adaptation); /* loss at points that are never trained on */
    ans_status (*grid)(ans_context *context, adaptation *adaptation, double *mean_square);
    ans_status (*evaluate)(ans_context *context, adaptation *adaptation, const double *points, size_t count,
                           const uint8_t *order, double *values);
  } adaptation;

  struct {
    double (*norm)(const descent *descent); /* of the gradient; not finite when an entry is not */
    void (*update)(descent *descent, double rate, double scale);
    void (*keep)(descent *descent);
    void (*back)(descent *descent); /* to what was kept last */
    /* Members that are NULL are left out. */
    void (*store)(const descent *descent, descent_state *state);
    void (*store_kept)(const descent *descent, descent_state *state);
    void (*load)(descent *descent, const descent_state *state);
  } descent;
} precision_table;

/* 32 or 64. */
const precision_table *precision_of(int bits);

extern const precision_table precision_table_f32, precision_table_f64;

#endif
