/* SPDX-License-Identifier: Apache-2.0
 *
 * resting.h - the member of a family that an equation becomes in its own moving frame.
 *
 * In a frame that moves with a field, u_t + a u_x = ... is u_t = ...: constant advection is gone. A hypernetwork that
 * is asked for codes in that frame has to be shown that equation, where the family has it (of CDR's "adr" it is
 * "fisher").
 */
#ifndef TRAINING_RESTING_H
#define TRAINING_RESTING_H

#include "field/chart.h"

/* *result <- the member of the same family with the same numbers and all terms but those that the chart takes away;
 * NULL when there is none, or nothing is taken away. It refers to the instance's problem. */
ans_status resting_member(ans_context *context, const ans_instance *instance, const field_chart *chart,
                          ans_instance **result);

#endif
