/* SPDX-License-Identifier: Apache-2.0
 *
 * adam.h - the optimiser of the paper (Kingma & Ba, 2015): moments of the gradient, one learning rate.
 */
#ifndef TRAINING_ADAM_H
#define TRAINING_ADAM_H

#include "numeric/real.h"
#include "training/optimiser.h"

#define adam_class REAL_NAME(adam_class)

extern const optimiser_class adam_class;

#endif
