/* SPDX-License-Identifier: Apache-2.0
 *
 * training.h - the door of training/: meta-training and adaptation as begin / step / free.
 *
 * This header does not know the precision. The code behind it exists once per precision, in a table.
 */
#ifndef TRAINING_TRAINING_H
#define TRAINING_TRAINING_H

#include "base/base.h"
#include "graph/graph.h"
#include "system/system.h"

/* A trained amortizer: problem, descriptor, parameters. What a model file holds. */
typedef struct ans_model ans_model;
/* One equation's solver: backbone and codes of its own, adapted by steps. */
typedef struct ans_solver ans_solver;
/* A meta-training run. */
typedef struct ans_training ans_training;

#endif
