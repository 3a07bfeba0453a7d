/* SPDX-License-Identifier: Apache-2.0
 *
 * forward_network.h - a network that solves the equation, followed as the unknown numbers change.
 *
 * The field is eliminated: for every z the network is adapted to the physics alone, so that the data speak about the
 * unknown numbers only and no weight between data and physics has to be found. From one z to the next it starts on its
 * tangent (training/tangent.h), and a few Gauss-Newton steps remove what that leaves. The slopes of the measured values
 * are differences of the fields along the tangents. Where the network's error can be estimated and the estimate is
 * trusted, it is taken away from the values: then the network need not be very good, and few points are enough.
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

/* From now on with all the points that Gauss-Newton likes: slower, and better where the error cannot be taken away. The
 * model is that of the beginning. */
ans_status network_forward_thorough(ans_context *context, network_forward *n, const ans_model *model);

/* Begins with the numbers of another structure's network, sent to its own place z (which is this one's) and back. Where
 * that fails or the networks are of different sizes, nothing changes. */
ans_status network_forward_follow(ans_context *context, network_forward *n, network_forward *wider, const double *z);

/* The adapted network. */
forward network_forward_adapted(network_forward *n);

/* How good the accepted network is. */
typedef struct network_judgement {
  bool corrected;   /* its estimated error is taken away from the predicted values */
  bool trusted;     /* the estimate can be */
  double size;      /* of the error, relative; NaN: not known */
  char reason[200]; /* why it is not known or not trusted */
} network_judgement;

/* errors: [values], those that may be left in the predicted values; NaN where they are not known. */
ans_status network_forward_judge(ans_context *context, network_forward *n, network_judgement *judgement,
                                 double *errors);

bool network_forward_is_corrected(const network_forward *n);

/* The accepted state: solver, and slopes at other points: [unknowns][count][fields]. */
ans_solver *network_forward_solver(network_forward *n);
ans_solver *network_forward_take(network_forward *n); /* the caller frees it */
ans_status network_forward_slopes(ans_context *context, network_forward *n, const double *points, size_t count,
                                  double *slopes);
long network_forward_steps(const network_forward *n); /* of Gauss-Newton so far */

#endif
