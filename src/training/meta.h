/* SPDX-License-Identifier: Apache-2.0
 *
 * meta.h - the objective of meta-training (Algorithm 1 of the paper): loss and gradient.
 *
 *   loss = 1/S sum over training structures s of  L(equation_s; codes H(equation_s), backbone)  +  basis penalty
 *
 * Each step draws one equation per training structure and fresh points; structures whose draws are shared use
 * the same points. The gradient passes through the codes into the hypernetwork. Structures are taken in the
 * problem's order, so sums have one order.
 */
#ifndef TRAINING_META_H
#define TRAINING_META_H

#include "ansatz_share.h"
#include "training/objective.h"

#define meta_new   REAL_NAME(meta_new)
#define meta_share REAL_NAME(meta_share)

ans_status meta_new(ans_context *context, const ans_problem *problem, descriptor_kind kind, int rounds, uint64_t seed,
                    int threads, objective **result);

/* Several processes do the sums over points together. */
void meta_share(objective *objective, const ans_fellows *fellows);

#endif
