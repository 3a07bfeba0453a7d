/* SPDX-License-Identifier: Apache-2.0
 *
 * forward_network.h - a network that solves the equation, followed as the unknown numbers change.
 *
 * The field is eliminated: for every z the network is adapted to the physics alone, so that the data speak about the
 * unknown numbers only and no weight between data and physics has to be found. From one z to the next it starts on its
 * tangent (training/tangent.h), and a few Gauss-Newton steps remove what that leaves. The slopes of the measured values
 * are differences of the fields along the tangents.
 */
#ifndef FIT_FORWARD_NETWORK_H
#define FIT_FORWARD_NETWORK_H

#include "ansatz.h"
#include "fit/forward.h"
#include "training/training.h"

typedef struct network_forward network_forward;

/* At z; model NULL: from scratch. What is given outlives it. */
ans_status network_forward_new(ans_context *context, const sought *sought, const measurements *data,
                               const ans_model *model, const ans_solver_options *options, const double *z,
                               network_forward **result);
void network_forward_free(network_forward *n); /* accepts NULL */

/* The adapted network. */
forward network_forward_adapted(network_forward *n);

/* From now on the estimated error of the network is taken away from its values, where the estimate is trusted. */
void network_forward_correct(network_forward *n, bool on);

/* Whether that was so at the accepted prediction, else why not; errors: [values], those that may be left in the
 * predicted values, NaN where they are not known. */
bool network_forward_corrected(const network_forward *n, double *errors, const char **reason);

/* The accepted state: solver, and slopes at other points: [unknowns][count][fields]. */
ans_solver *network_forward_solver(network_forward *n);
ans_solver *network_forward_take(network_forward *n); /* the caller frees it */
ans_status network_forward_slopes(ans_context *context, network_forward *n, const double *points, size_t count,
                                  double *slopes);
long network_forward_steps(const network_forward *n); /* of Gauss-Newton so far */

#endif
