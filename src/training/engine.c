/* SPDX-License-Identifier: Apache-2.0
 *
 * The engine of this precision.
 */
#include "training/engine.h"

#include "training/adam.h"
#include "training/adaptation.h"
#include "training/architecture.h"
#include "training/gauss_newton.h"
#include "training/meta.h"
#include "training/objective.h"
#include "training/predictor.h"
#include "training/tangent.h"

const engine REAL_NAME(engine) = {
    .bits = ANS_PRECISION,
    .model_unknowns = architecture_unknowns,
    .solver_unknowns = adaptation_unknowns,
    .predictor = predictor_new,
    .predict = predictor_run,
    .drop_predictor = predictor_free,
    .meta = meta_new,
    .adaptation = adaptation_new,
    .share = meta_share,
    .drop = objective_drop,
    .store = objective_export,
    .load = objective_import,
    .judge = objective_judge,
    .grid = adaptation_grid,
    .evaluate = adaptation_evaluate,
    .retarget = adaptation_retarget,
    .reframe = adaptation_reframe,
    .renew = adaptation_renew,
    .tangents = tangent_solve,
    .optimisers = {[OPTIMISER_ADAM] = &adam_class, [OPTIMISER_GAUSS_NEWTON] = &gauss_newton_class},
};
