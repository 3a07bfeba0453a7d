/* SPDX-License-Identifier: Apache-2.0
 *
 * backbone.h - shared parameters and codes -> formed weights, and back.
 *
 * Factorized: input layer per field (or shared), coded layers W_f = C diag(s_f) R with bases shared by the
 * fields, no bias, output layer per field. Codes: [field][layer][width].
 * Decoder (Iwata-style): coordinate projection, then sine layers that also read a latent; the latent is the
 * code, and acts as a bias of the first sine layer.
 */
#ifndef FIELD_BACKBONE_H
#define FIELD_BACKBONE_H

#include "base/base.h"
#include "codes/codes.h"
#include "field/network.h"
#include "numeric/unknowns.h"

typedef enum backbone_kind { BACKBONE_FACTORIZED, BACKBONE_DECODER } backbone_kind;

enum { BACKBONE_MAX_PARTS = 96 };

typedef struct backbone {
  backbone_kind kind;
  network_shape shape;
  int fields, width, layers;
  bool shared_input;
  int rank[NETWORK_MAX_LAYERS]; /* of a coded layer: 0, W is formed; else it is two layers this thin (thin.h) */
  int threads;      /* that form, form_backward and penalty use; 1 after planning; results do not depend on it */
  size_t size;      /* parameters without codes */
  code_shape codes; /* of one instance; code_count(codes) numbers */
  int part_count;
  unknown_part parts[BACKBONE_MAX_PARTS];
} backbone;

#define backbone_plan          REAL_NAME(backbone_plan)
#define backbone_thin          REAL_NAME(backbone_thin)
#define backbone_thickest      REAL_NAME(backbone_thickest)
#define backbone_initialise    REAL_NAME(backbone_initialise)
#define backbone_form          REAL_NAME(backbone_form)
#define backbone_form_backward REAL_NAME(backbone_form_backward)
#define backbone_penalty       REAL_NAME(backbone_penalty)
#define backbone_workspace     REAL_NAME(backbone_workspace)

/* The shape for a problem. width and layers come from problem->network. A decoder, whose width is the latent's
 * too, gets the width at which it and its encoder have the parameters of the graph model. */
ans_status backbone_plan(ans_context *context, const ans_problem *problem, backbone_kind kind, backbone *result);

/* The backbone for these codes, which come out of a ReLU: coded layers with few codes above zero are thin. Its shape is
 * the network that form and form_backward then mean. A decoder stays as it is. */
void backbone_thin(const backbone *dense, const real *codes, backbone *thin);

/* Upper bound for memory: every coded layer split at the largest rank allowed. Whatever backbone_thin returns fits this
 * shape or the dense one, layer by layer. */
network_shape backbone_thickest(const backbone *dense);

/* Linear layers U(+-1/sqrt(inputs)) for weight and bias, bases orthogonal. parameters: [size] */
void backbone_initialise(const backbone *backbone, uint64_t seed, real *parameters);

/* Reals of scratch that form and form_backward need. */
size_t backbone_workspace(const backbone *backbone);

/* formed <- weights from parameters and codes. */
void backbone_form(const backbone *backbone, const real *parameters, const real *codes, real *workspace, real *formed);

/* parameter_gradient += , code_gradient = , from the gradient with respect to the formed weights. */
void backbone_form_backward(const backbone *backbone, const real *parameters, const real *codes,
                            const real *formed_gradient, real *workspace, real *parameter_gradient,
                            real *code_gradient);

/* weight * sum over bases of ||B B^T - I||_F^2 / width^2; its gradient is added unless that is NULL. 0 for a decoder.
 */
double backbone_penalty(const backbone *backbone, const real *parameters, double weight, real *workspace,
                        real *parameter_gradient);

#endif
