/* SPDX-License-Identifier: Apache-2.0
 *
 * single.h - the float engine behind a door that speaks double, so that a double test can call it.
 */
#ifndef TESTS_RESIDUAL_SINGLE_H
#define TESTS_RESIDUAL_SINGLE_H

#include "base/base.h"
#include "field/network.h"

/* formed and gradient: [network_size]; points as the double test's fixture draws them. */
ans_status single_gradient(ans_context *context, const ans_instance *instance, const network_shape *shape,
                           const double *formed, int points, double *loss, double *gradient);

#endif
