/* SPDX-License-Identifier: Apache-2.0
 *
 * sampler.h - which equations a meta-step sees.
 *
 * A draw depends on (seed, step, structure) and the problem's text only, never on the descriptor: models of one
 * seed meet the same equations. Shared draws leave the structure out, so that all structures of a step have
 * their common coefficients in common. Logarithmic symbols are drawn in log10.
 *
 *   uniform      the whole range
 *   jitter       a node of the symbol's grid, moved by up to radius * half the spacing, clipped to the range;
 *                a symbol without a grid is drawn from the whole range
 *   centre out   the range shrunk about its centre by the radius
 */
#ifndef TRAINING_SAMPLER_H
#define TRAINING_SAMPLER_H

#include "system/system.h"

/* The radius of step 1, 2, ...: 0 through `begin`, then linear, 1 from `end` on. */
double sampler_radius(const protocol_sampler *sampler, long step);

/* values: [symbols]; NaN where the structure has none and where the value is derived. */
void sampler_draw(const ans_problem *problem, int structure, uint64_t seed, long step, double *values);

/* The part of the streams that structure `structure` draws its points and coefficients from. */
uint32_t sampler_part(const ans_problem *problem, int structure);

#endif
