/* SPDX-License-Identifier: Apache-2.0
 *
 * training.h - the door of training/: models, meta-training and solvers, as the public header describes them.
 *
 * This header does not know the precision: the arithmetic behind it exists once per precision, in a table
 * (engine.h). Objects share the problem they were given, which does not change, and copy the instance.
 */
#ifndef TRAINING_TRAINING_H
#define TRAINING_TRAINING_H

#include "ansatz_share.h"
#include "base/base.h"
#include "estimate/estimate.h"
#include "graph/graph.h"
#include "system/system.h"

/* ---- Models ---- */

ans_status model_read(ans_context *context, const char *path, ans_model **result);
ans_status model_write(ans_context *context, const ans_model *model, const char *path);
void model_free(ans_model *model);
const ans_problem *model_problem(const ans_model *model);
ans_model_info model_info(const ans_model *model);
ans_array model_array(const ans_model *model, size_t index); /* name NULL beyond the last */

/* ANS_MODEL unless the instance is one of the model's family. */
ans_status model_fits(ans_context *context, const ans_model *model, const ans_instance *instance);

/* Of an instance that fits. */
ans_coverage model_coverage(const ans_model *model, const ans_instance *instance);

/* ---- Meta-training ---- */

enum { TRAINING_MAX_STEPS = 1000000000 }; /* planned; what a checkpoint may hold */

/* Zero in options: the problem's own setting. */
ans_status training_begin(ans_context *context, const ans_problem *problem, descriptor_kind kind,
                          const ans_training_options *options, ans_training **result);
ans_status training_resume(ans_context *context, const char *path, int threads, ans_training **result);
void training_free(ans_training *training);
ans_status training_step(ans_context *context, ans_training *training, long count);
ans_status training_run(ans_context *context, ans_training *training, const ans_run_rules *rules, ans_watcher watcher,
                        void *user_data);
ans_progress training_progress(const ans_training *training);
const double *training_losses(const ans_training *training, size_t *count);
void training_share(ans_training *training, const ans_fellows *fellows);
void training_plan(ans_training *training, long steps);
ans_status training_save(ans_context *context, ans_training *training, const char *path);
ans_status training_model(ans_context *context, const ans_training *training, ans_model **result);

/* ---- Solvers ---- */

/* model NULL: from scratch. */
ans_status solver_begin(ans_context *context, const ans_model *model, const ans_instance *instance,
                        const ans_solver_options *options, ans_solver **result);
/* The same with at most so many points of Gauss-Newton (0: its own number): faster and less exact. */
ans_status solver_begin_light(ans_context *context, const ans_model *model, const ans_instance *instance,
                              const ans_solver_options *options, int most_points, ans_solver **result);
/* The same in the place of *solver, or (NULL) of none: what can be of its memory and plans is used again. After a
 * failure it is NULL. */
ans_status solver_renew(ans_context *context, const ans_model *model, const ans_instance *instance,
                        const ans_solver_options *options, ans_solver **solver);
void solver_free(ans_solver *solver);
ans_status solver_step(ans_context *context, ans_solver *solver, long count);
ans_status solver_run(ans_context *context, ans_solver *solver, const ans_run_rules *rules, ans_watcher watcher,
                      void *user_data);
void solver_settle(ans_solver *solver); /* after the last step: to the best state that a rule saw */
ans_status solver_estimate(ans_context *context, ans_solver *solver, estimate **result);
ans_progress solver_progress(const ans_solver *solver);
long solver_steps(const ans_model *model, const ans_problem *problem, const ans_solver_options *options);
ans_solver_info solver_info(const ans_solver *solver);
ans_attempt solver_attempt(const ans_solver *solver, size_t index);
const ans_instance *solver_instance(const ans_solver *solver);
ans_status solver_residual(ans_context *context, ans_solver *solver, double *held_out, double *grid);
/* values: [count][fields] of the derivative of this order; NULL: the values. */
ans_status solver_evaluate(ans_context *context, ans_solver *solver, const double *points, size_t count,
                           const uint8_t *order, double *values);
/* From now on the solver is for the member with these values ([symbols], NaN where there is none) of its structure. The
 * network stays as it is: a start for the next steps. */
ans_status solver_retarget(ans_context *context, ans_solver *solver, const double *values);

/* The numbers of the network: [solver_size]. */
size_t solver_size(const ans_solver *solver);
void solver_store(const ans_solver *solver, double *numbers);
void solver_restore(ans_solver *solver, const double *numbers);

/* The model's first guess for the present member, of which the solver was begun. */
ans_status solver_guess(ans_context *context, ans_solver *solver, const ans_model *model);

/* How they follow a change of the coefficients: [changes->count][solver_size]; changes->present is not looked at. */
typedef struct tangent_changes tangent_changes; /* training/engine.h */
ans_status solver_tangents(ans_context *context, ans_solver *solver, const tangent_changes *changes,
                           double *directions);

ans_status solver_save(ans_context *context, const ans_solver *solver, const char *path);
ans_status solver_load(ans_context *context, const char *path, int threads, ans_solver **result);

/* To go on with, with new precision, rate, patience and tolerance where they are not zero. A run never ends worse than
 * it began. */
ans_status solver_resume(ans_context *context, const char *path, const ans_solver_options *options,
                         ans_solver **result);

#endif
