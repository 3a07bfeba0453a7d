/* SPDX-License-Identifier: Apache-2.0
 *
 * sharpness.h - how sharp a front or layer the equation makes.
 *
 * Products of fields make short waves of long ones until the highest derivative in space stops them. Where the two are
 * equal, as a u u_x and D u_xx are at the length D / (a u), the fronts are as thin as they get. Between walls linear
 * terms make layers in the same way: a u_x and D u_xx one of thickness D / a.
 */
#ifndef TRAINING_SHARPNESS_H
#define TRAINING_SHARPNESS_H

#include "system/system.h"

/* The thinnest front over the length of the space coordinate; 1: nothing makes fronts, nothing stops them, or there is
 * not just one space coordinate. */
double sharpness_of(const ans_instance *instance);

#endif
