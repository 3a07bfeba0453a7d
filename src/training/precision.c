/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of this precision.
 */
#include "training/precision.h"

#include "training/adaptation.h"
#include "training/architecture.h"
#include "training/descent.h"
#include "training/meta.h"

const precision_table REAL_NAME(precision_table) = {
    .bits = ANS_PRECISION,
    .model_unknowns = architecture_unknowns,
    .solver_unknowns = adaptation_unknowns,
    .predict = architecture_predict,
    .meta = {.make = meta_new, .drop = meta_free, .parameters = meta_descent, .gradient = meta_gradient},
    .adaptation = {.make = adaptation_new,
                   .drop = adaptation_free,
                   .parameters = adaptation_descent,
                   .gradient = adaptation_gradient,
                   .held_out = adaptation_check,
                   .grid = adaptation_grid,
                   .evaluate = adaptation_evaluate},
    .descent = {.norm = descent_norm,
                .update = descent_update,
                .keep = descent_keep,
                .back = descent_return,
                .store = descent_export,
                .store_kept = descent_export_kept,
                .load = descent_import},
};
