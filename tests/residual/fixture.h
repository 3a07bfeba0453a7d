/* SPDX-License-Identifier: Apache-2.0
 *
 * fixture.h - small networks on shipped families and on equations that are not shipped.
 */
#ifndef TESTS_RESIDUAL_FIXTURE_H
#define TESTS_RESIDUAL_FIXTURE_H

#include "check.h"

#include <glob.h>

#include "residual/residual.h"

/* Third and fourth order, mixed derivatives, two space coordinates, products of derivatives, sources, soft
 * conditions on values and on derivatives, transforms with functions of the raw output. */
static const char *const made_problems[] = {
    "coordinate x in [0, 1) periodic\ncoordinate t in [0, 1] time\nfield u\n"
    "equation u: u_t + 6*u*u_x + 0.02*u_xxx = 0\ninitial u = cos(2*pi*x)\n",

    "coordinate x in [0, 2) periodic\ncoordinate t in [0, 1] time\nfield u\n"
    "equation u: u_t + u*u_x + 0.3*u_xx + 0.01*u_xxxx = 0\ninitial u = cos(pi*x)*(1 + sin(pi*x))\n",

    "coordinate x in [0, 1) periodic\ncoordinate y in [0, 1) periodic\ncoordinate t in [0, 1] time\nfield u, v\n"
    "coefficient nu in [0.01, 0.1]\n"
    "equation u: u_t + u*u_x + v*u_y - nu*(u_xx + u_yy) = 0\n"
    "equation v: v_t + u*v_x + v*v_y - nu*(v_xx + v_yy) - 0.1*v_xy = 0\n"
    "initial u = sin(2*pi*x)*cos(2*pi*y)\ninitial v = cos(2*pi*x)\n",

    "coordinate x in [0, 1]\ncoordinate t in [0, 1] time\nfield w = x*sin(_) + x*x/(1 + _^2) - sqrt(2 + "
    "cos(_))*tanh(_)\n"
    "equation w: w_tt - 0.5*w_xx + x*w_x*w_t + 0.1*w_xt = exp(-x)*sin(t)\n"
    "initial w = x soft weight 2\ninitial w_t = 0.3*x soft weight 0.5\n"
    "boundary w at x = 0: w = 0 soft weight 1.5\nboundary w at x = 1: w_x = t^2 soft weight 0.7\n",
};
enum { MADE_PROBLEMS = sizeof made_problems / sizeof *made_problems };

/* These come first, so that tests can name them by number; the rest as the folder has them, without variants of cdr. */
enum { FISHER, CDR, CCP, NAMED };
static const char *const named[NAMED] = {"fisher.pde", "cdr.pde", "ccp.pde"};

static inline int other_families(const char **names) {
  static glob_t found;
  static bool read;
  int count = 0;
  if (!read) assert_int_equal(glob(FAMILIES "/*.pde", 0, NULL, &found), 0);
  read = true;
  for (size_t i = 0; i < found.gl_pathc; i++) {
    const char *name = strrchr(found.gl_pathv[i], '/') + 1;
    bool known = strncmp(name, "cdr-", 4) == 0;
    for (int k = 0; k < NAMED; k++) known = known || strcmp(name, named[k]) == 0;
    if (!known && count < 64) names[count++] = name;
  }
  return count;
}

static inline int problem_count(void) {
  const char *names[64];
  return NAMED + other_families(names) + MADE_PROBLEMS;
}

static inline ans_problem *read_problem(ans_context *context, const char *family) {
  char path[512];
  ans_problem *problem = NULL;
  snprintf(path, sizeof path, "%s/%s", FAMILIES, family);
  assert_ok(context, system_read(context, path, &problem));
  return problem;
}

/* Problem i of all: the families, then the made ones. */
static inline ans_problem *open_problem(ans_context *context, int i) {
  const char *others[64];
  if (i < NAMED) return read_problem(context, named[i]);
  i -= NAMED;
  int other_count = other_families(others);
  if (i < other_count) return read_problem(context, others[i]);
  const char *text = made_problems[i - other_count];
  ans_problem *problem = NULL;
  assert_ok(context, system_parse(context, "made", NULL, text, strlen(text), &problem));
  return problem;
}

static inline ans_instance *middle_instance(ans_context *context, const ans_problem *problem, int structure) {
  double values[SYSTEM_MAX_SYMBOLS];
  for (int i = 0; i < problem->symbol_count; i++) {
    const system_symbol *symbol = &problem->symbols[i];
    bool given = symbol->kind != SYMBOL_DERIVED && !problem->structures[structure].absent[i];
    values[i] = !given                ? (double)NAN
                : symbol->logarithmic ? sqrt(symbol->low * symbol->high)
                                      : 0.4 * symbol->low + 0.6 * symbol->high;
  }
  ans_instance *instance = NULL;
  assert_ok(context, system_instance(context, problem, structure, values, false, &instance));
  return instance;
}

typedef struct small_network {
  backbone backbone;
  real *parameters, *codes, *formed, *workspace, *gradient, *parameter_gradient, *code_gradient;
  size_t codes_count;
} small_network;

static inline small_network open_network(ans_context *context, ans_problem *problem, backbone_kind kind, int width,
                                         protocol_activation activation) {
  small_network network = {0};
  problem->protocol.network.width = width;
  problem->protocol.network.layers = 2;
  problem->protocol.network.activation = activation;
  assert_ok(context, backbone_plan(context, problem, kind, &network.backbone));
  network.codes_count = code_count(network.backbone.codes);
  network.parameters = memory_take(network.backbone.size * sizeof(real));
  network.parameter_gradient = memory_take(network.backbone.size * sizeof(real));
  network.codes = memory_take(network.codes_count * sizeof(real));
  network.code_gradient = memory_take(network.codes_count * sizeof(real));
  network.workspace = memory_take((backbone_workspace(&network.backbone) + 1) * sizeof(real));
  network_shape thickest = backbone_thickest(&network.backbone);
  size_t formed = network_size(&network.backbone.shape) + network_size(&thickest);
  network.formed = memory_take(formed * sizeof(real));
  network.gradient = memory_take(formed * sizeof(real));
  backbone_initialise(&network.backbone, 7, network.parameters);
  random_stream stream = random_open(7, RANDOM_TEST, 0, 0);
  for (size_t i = 0; i < network.codes_count; i++) network.codes[i] = (real)random_between(&stream, 0.5, 1.5);
  backbone_form(&network.backbone, network.parameters, network.codes, network.workspace, network.formed);
  return network;
}

static inline void close_network(small_network *network) {
  real *blocks[] = {network->parameters,   network->codes,    network->formed,
                    network->workspace,    network->gradient, network->parameter_gradient,
                    network->code_gradient};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) memory_give(blocks[i]);
}

static inline double network_loss(small_network *network, residual *residual) {
  backbone_form(&network->backbone, network->parameters, network->codes, network->workspace, network->formed);
  return residual_loss(residual, network->formed, 1, NULL);
}

/* Loss, and gradients with respect to parameters and codes. */
static inline double network_gradient(small_network *network, residual *residual) {
  backbone_form(&network->backbone, network->parameters, network->codes, network->workspace, network->formed);
  double loss = residual_loss(residual, network->formed, 1, network->gradient);
  memset(network->parameter_gradient, 0, network->backbone.size * sizeof(real));
  backbone_form_backward(&network->backbone, network->parameters, network->codes, network->gradient, network->workspace,
                         network->parameter_gradient, network->code_gradient);
  return loss;
}

static inline residual *open_residual(ans_context *context, const ans_instance *instance, const small_network *network,
                                      int points, int threads, bool plain) {
  network_shape thickest = backbone_thickest(&network->backbone);
  residual_options options = {.points = points,
                              .initial_points = 11,
                              .period_points = 9,
                              .boundary_points = 7,
                              .threads = threads,
                              .plain = plain,
                              .spare = &thickest};
  residual *residual = NULL;
  assert_ok(context, residual_new(context, instance, &network->backbone.shape, &options, &residual));
  residual_sample(residual, 3, RANDOM_TEST, 1, 0);
  return residual;
}

#endif
