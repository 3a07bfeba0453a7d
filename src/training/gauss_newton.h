/* SPDX-License-Identifier: Apache-2.0
 *
 * gauss_newton.h - the second-order method: damped Gauss-Newton steps on the rows of a least-squares objective.
 */
#ifndef TRAINING_GAUSS_NEWTON_H
#define TRAINING_GAUSS_NEWTON_H

#include "numeric/real.h"
#include "training/optimiser.h"

#define gauss_newton_class REAL_NAME(gauss_newton_class)

extern const optimiser_class gauss_newton_class;

#endif
