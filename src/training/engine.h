/* SPDX-License-Identifier: Apache-2.0
 *
 * engine.h - the line between training's policy, which is double and exists once, and its arithmetic, which is written
 * in `real` and exists once per precision.
 *
 * Policy (run.c, training.c, solver.c, model.c) sees the arithmetic through one table: objectives to minimise and the
 * optimisers that do it. Unknowns cross the line as double, which holds both precisions exactly.
 */
#ifndef TRAINING_ENGINE_H
#define TRAINING_ENGINE_H

#include "ansatz_share.h"
#include "base/base.h"
#include "graph/graph.h"
#include "numeric/unknowns.h"
#include "system/system.h"
#include "training/optimiser.h"

typedef enum solver_mode {
  SOLVER_FULL,         /* codes and the whole backbone */
  SOLVER_CODES,        /* codes only */
  SOLVER_FROZEN_BASES, /* codes, input and output layers: the Hyper-LR-PINN rule */
  SOLVER_WEIGHTS       /* the same and R: with C as it is, every matrix W = C diag(s) R can be reached */
} solver_mode;

typedef struct adaptation_options {
  solver_mode mode;
  uint64_t seed;
  int threads;
  bool decoder;        /* the conditional decoder instead of the factorized network */
  int fixed_points;    /* above 0: least squares at so many fixed points, at most; not for a decoder */
  int judging_points;  /* the same of those that only judge; 0: half as many */
  double time_weight;  /* of the rows (residual.h) */
  bool eases;          /* it is let go when the start is found */
  bool smooth;         /* soft periods tie derivatives, too */
  bool moving, scaled; /* the chart of the fields (field/chart.h) */
  const double *start; /* the unknowns to begin with; NULL: the seed's backbone and codes at one */
} adaptation_options;

/* Changes of an instance: each between two members that are this far apart, with the present one between them. */
typedef struct tangent_changes {
  int count;
  const ans_instance *present;
  const ans_instance *const *below, *const *above; /* [count] */
  const double *distances;                         /* [count] */
} tangent_changes;

typedef struct predictor predictor;

typedef enum optimiser_kind { OPTIMISER_ADAM, OPTIMISER_GAUSS_NEWTON, OPTIMISER_COUNT } optimiser_kind;

typedef struct engine {
  int bits;

  /* The unknowns of a model (backbone, hypernetwork) and of a solver (codes, backbone), in the arena. */
  ans_status (*model_unknowns)(ans_context *context, arena *arena, const ans_problem *problem, descriptor_kind kind,
                               int rounds, unknown_table *result);
  ans_status (*solver_unknowns)(ans_context *context, arena *arena, const ans_problem *problem,
                                const adaptation_options *options, unknown_table *result);

  /* codes <- H(instance), for a model's parameter block (predictor.h). */
  ans_status (*predictor)(ans_context *context, const ans_problem *problem, descriptor_kind kind, int rounds,
                          const double *parameters, predictor **result);
  ans_status (*predict)(ans_context *context, predictor *predictor, const ans_instance *instance, double *codes);
  void (*drop_predictor)(predictor *predictor);

  /* Objectives (objective.h). What they are made from outlives them. */
  ans_status (*meta)(ans_context *context, const ans_problem *problem, descriptor_kind kind, int rounds, uint64_t seed,
                     int threads, objective **result); /* Algorithm 1: all structures, hypernetwork and backbone */
  ans_status (*adaptation)(ans_context *context, const ans_instance *instance, const adaptation_options *options,
                           objective **result);               /* one equation: its codes and its own backbone */
  void (*share)(objective *meta, const ans_fellows *fellows); /* among several processes */
  void (*drop)(objective *objective);
  void (*store)(const objective *objective, double *values); /* [unknowns] */
  void (*load)(objective *objective, const double *values);

  /* Of an adaptation alone. */
  double (*judge)(objective *adaptation); /* loss at points that are never trained on */
  ans_status (*grid)(ans_context *context, objective *adaptation, double *mean_square);
  ans_status (*evaluate)(ans_context *context, objective *adaptation, const double *points, size_t count,
                         const system_orders *orders, double *values);

  /* The rows of another instance of the same problem, which outlives it; the unknowns stay. */
  ans_status (*retarget)(ans_context *context, objective *adaptation, const ans_instance *instance);

  /* From now on its fields are represented in frames that move, or not; the unknowns stay. */
  ans_status (*reframe)(ans_context *context, objective *adaptation, bool moving);

  /* As a new one of this instance; the options differ from its own in start, frame and time weight alone. */
  ans_status (*renew)(ans_context *context, objective *adaptation, const ans_instance *instance,
                      const adaptation_options *options);

  /* How the unknowns follow a change of the instance so that the rows stay small (tangent.h): [count][unknowns]. */
  ans_status (*tangents)(ans_context *context, objective *adaptation, const tangent_changes *changes, int threads,
                         double *directions);

  const optimiser_class *optimisers[OPTIMISER_COUNT];
} engine;

/* 32 or 64. */
const engine *engine_of(int bits);

extern const engine engine_f32, engine_f64;

#endif
